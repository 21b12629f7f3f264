import { join } from "@std/path";
import { assertEquals, assertRejects } from "@std/assert";
import { type App, findApp } from "../../../runtime/app/app.ts";
import { sentOf } from "../../../runtime/app/left_out.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { contextEntries } from "../../../runtime/image/build_context.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const APP = { "demo.json": "{}", "requirements.txt": "", "demo/mlcli_base/Dockerfile": "" };
const TRAINING = "demo/mlcli_base/training";
const KEY = "-----BEGIN RSA PRIVATE KEY-----\n";

/** What a build sends of `training/`: paths below it. */
async function sent(cwd: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const { type, path } of await contextEntries(await findApp(cwd, "demo"))) {
    if (type !== "directory" && path.startsWith(`${TRAINING}/`)) paths.push(path);
  }
  return paths;
}

/** What it leaves out of it, as it is said. */
async function leftOutOf(app: App): Promise<readonly string[]> {
  return (await sentOf(app, join(app.directory, TRAINING))).leftOut;
}

/** The files of `training/` that are made, each with its content. */
const FILES: Readonly<Record<string, string>> = {
  "training.py": "",
  "weights.bin": "",
  "data/a.csv": "",
  "data/deep/b.csv": "",
  ".env": "",
  ".docker/config.json": "",
  ".docker/more/x": "",
  "server.pem": KEY,
  "public.pem": "-----BEGIN CERTIFICATE-----\n",
  "keys/id_rsa": "",
  "keys/readme": "",
};

const TABLE: readonly (readonly [rules: string, expected: readonly string[]])[] = [
  ["", [".docker/", ".env", "server.pem", "keys/id_rsa"]],
  ["**/.env\n**/data", [".docker/", ".env", "data/", "server.pem", "keys/id_rsa"]],
  [
    "**/*.csv\nweights.bin",
    [".docker/", ".env", "server.pem", "data/a.csv", "keys/id_rsa", "data/deep/b.csv"],
  ],
  [
    "**/weights.bin\n!**/.env\n!**/*.pem\n!**/id_rsa",
    [".docker/", "weights.bin"],
  ],
  [
    `${TRAINING}/data\n!${TRAINING}/data/deep`,
    [".docker/", ".env", "server.pem", "data/a.csv", "keys/id_rsa"],
  ],
  [
    "!**/.docker/config.json",
    [".env", "server.pem", ".docker/more/", "keys/id_rsa"],
  ],
];

suite("what a build leaves out of a directory of code", () => {
  for (const [rules, expected] of TABLE) {
    it(`is ${expected.join(", ")} with ${JSON.stringify(rules)}, and the build agrees`, async () => {
      await using directory = await makeDirectory({
        ...APP,
        ".dockerignore": rules,
        ...Object.fromEntries(
          Object.entries(FILES).map(([path, content]) => [`${TRAINING}/${path}`, content]),
        ),
      });
      const app = await findApp(directory.path, "demo");
      const { files, leftOut: found } = await sentOf(app, join(directory.path, TRAINING));
      const short = found.map((path) => path.slice(TRAINING.length + 1));
      assertEquals([...short].sort(), [...expected].sort());
      // Every file is sent, or said to be left out; none is both.
      const isSaid = (path: string) =>
        found.some((out) => out === path || (out.endsWith("/") && path.startsWith(out)));
      const all = Object.keys(FILES).map((path) => `${TRAINING}/${path}`);
      const inImage = [...await sent(directory.path)].sort();
      assertEquals(inImage, all.filter((path) => !isSaid(path)).sort());
      assertEquals([...files].sort(), inImage);
    });
  }

  it("does not name what nobody misses, such as caches", async () => {
    const unmissed = [
      "__pycache__/x.pyc",
      "old.pyc",
      ".ipynb_checkpoints/n.ipynb",
      ".DS_Store",
      "._training.py",
      "__MACOSX/training.py",
      "thumbs.db",
      ".git/config",
      ".gitignore",
      ".venv/bin/python",
      "venv/bin/python",
      ".training.py.swp",
      "training.py~",
      ".idea/x",
      ".pytest_cache/x",
    ];
    await using directory = await makeDirectory({
      ...APP,
      ".dockerignore": "**/*",
      ...Object.fromEntries(unmissed.map((path) => [`${TRAINING}/${path}`, ""])),
    });
    const app = await findApp(directory.path, "demo");
    assertEquals(await leftOutOf(app), []);
  });

  it("includes what a link leads to, except for a private directory", async () => {
    await using directory = await makeDirectory({
      ...APP,
      ".dockerignore": "**/*.csv",
      [`${TRAINING}/training.py`]: "",
      "secret/.env": "",
      "secret/a.csv": "",
      "shared/b.csv": "",
    });
    for (const name of ["secret", "shared"]) {
      await Deno.symlink(join(directory.path, name), join(directory.path, TRAINING, name));
    }
    const app = await findApp(directory.path, "demo");
    assertEquals(await leftOutOf(app), [`${TRAINING}/shared/b.csv`]);
  });

  it("is looked for among 2,000 files at most", async () => {
    const names = Array.from({ length: 2_001 }, (_, index) => `${TRAINING}/f${index}`);
    await using directory = await makeDirectory({
      ...APP,
      ...Object.fromEntries(names.map((path) => [path, ""])),
      [`${TRAINING}/id_rsa`]: "", // behind all of them
      [`${TRAINING}/.env`]: "", // before them
    });
    const app = await findApp(directory.path, "demo");
    assertEquals(await leftOutOf(app), [`${TRAINING}/.env`]);
  });

  it("is not known with broken rules", async () => {
    await using directory = await makeDirectory({ ...APP, ".dockerignore": "[" });
    const app = await findApp(directory.path, "demo");
    await assertRejects(() => sentOf(app, directory.path), MlcliError, "Not a valid pattern");
  });
});
