import { dirname, join } from "@std/path";
import { makeApp, type TestApp, TRAINING_DATA } from "./app.ts";
import { TEST_IMAGE } from "./engine.ts";
import type { OtherUser } from "./other_user.ts";

const TEST = "local_test/test_dir";

/** What git carries: an app with all its files. */
const FILES = {
  "training/training.py": "def train(data, model): open(model + '/m', 'w').close()\n",
  "prediction/serve": "def model_fn(d): return 1\ndef predict_fn(i, m): return i\n",
  "processing/p.py": "pass\n",
  "Dockerfile": "FROM scratch\n",
  [TRAINING_DATA]: "1,2\n",
  [`${TEST}/input/data/processing/p.csv`]: "1\n",
  [`${TEST}/input/config/hyperparameters.json`]: "{}",
  [`${TEST}/model/old`]: "",
  [`${TEST}/output/.gitkeep`]: "",
};

export interface CloneOptions {
  /** Files below `mlcli_base`, besides or instead of the usual ones. */
  readonly files?: Readonly<Record<string, string>>;
  readonly image?: string;
  /** Parent of the repository. */
  readonly parent?: string;
}

/** An app of the user's in a git work tree of its own, which is the parent of the app's directory. */
export async function clonedApp(user: OtherUser, options: CloneOptions = {}): Promise<TestApp> {
  const { files, image = TEST_IMAGE, parent = user.home } = options;
  const repository = await Deno.makeTempDir({ prefix: "mlcli-clone-", dir: parent });
  await Deno.mkdir(join(repository, ".git"));
  await Deno.writeTextFile(join(repository, ".git/HEAD"), "ref: refs/heads/main\n");
  const app = await makeApp({
    configuration: { image_name: image },
    parent: repository,
    files: { ...FILES, ...files },
  });
  await Deno.writeTextFile(join(app.directory, "requirements.txt"), "");
  await Deno.writeTextFile(join(app.directory, ".dockerignore"), "");
  await user.owns(repository);
  return app;
}

/** Puts a link in the place of something in the app's directory; APP in the path is its name. */
export async function link(app: TestApp, path: string, target: string): Promise<string> {
  const place = join(app.directory, path.replace("APP", app.name));
  await Deno.remove(place, { recursive: true }).catch(() => {});
  await Deno.mkdir(dirname(place), { recursive: true });
  await Deno.symlink(target, place);
  return place;
}

/** Who owns something, and its mode. */
export interface Owned {
  readonly uid: number | null;
  readonly mode: number;
}

/** The owners of all that is at and below a path, by relative path; links are not followed. */
export async function ownersBelow(path: string, inner = ""): Promise<Map<string, Owned>> {
  const info = await Deno.lstat(join(path, inner));
  const owners = new Map([[inner, { uid: info.uid, mode: (info.mode ?? 0) & 0o7777 }]]);
  if (!info.isDirectory) return owners;
  for await (const { name } of Deno.readDir(join(path, inner))) {
    for (const [key, owned] of await ownersBelow(path, join(inner, name))) owners.set(key, owned);
  }
  return owners;
}
