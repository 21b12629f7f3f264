import { dirname, join } from "@std/path";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { removeLeftovers, usesEngine } from "./engine.ts";
import { besidesRun } from "./runs.ts";
import { type ProgramOptions, type ProgramResult, runProgram, startProgram } from "./program.ts";
import { sha256 } from "./sigv4.ts";

/** An app with a directory of its own, and the program run there. */
export interface TestApp extends AsyncDisposable {
  readonly name: string;
  /** The current directory of its commands: holds NAME.json. */
  readonly directory: string;
  /** What a label of its images and containers says of where it lies. */
  readonly mark: string;
  /** XDG_STATE_HOME of its commands. */
  readonly state: string;
  /** A path below NAME/mlcli_base. */
  path(...parts: readonly string[]): string;
  /** A path below NAME/mlcli_base/local_test/test_dir. */
  testPath(...parts: readonly string[]): string;
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** What it says, but for a run's last note (`last_words_test.ts` has that). */
  run(args: readonly string[], options?: Partial<ProgramOptions>): Promise<ProgramResult>;
  start(args: readonly string[], options?: Partial<ProgramOptions>): Deno.ChildProcess;
}

export interface TestAppOptions {
  /** Default: one unlike any other's, so that its containers can be told apart. */
  readonly name?: string;
  /** Content of NAME.json. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** Files below NAME/mlcli_base: path to content. */
  readonly files?: Readonly<Record<string, string>>;
  /** Parent of the app's directory. */
  readonly parent?: string;
}

/** What a label says of where an app lies. */
export function markOf(directory: string): string {
  return sha256(`${Deno.hostname()}\n${directory}`);
}

/** Where the test data of `local train` lies. */
export const TRAINING_DATA = "local_test/test_dir/input/data/training/data.csv";

/** Makes an app for which every command has all that it needs. */
export function completeApp(options: TestAppOptions = {}): Promise<TestApp> {
  return makeApp({
    ...options,
    files: {
      [TRAINING_DATA]: "1\n",
      "local_test/test_dir/input/data/processing/p.csv": "1\n",
      "local_test/test_dir/model/m": "",
      "training/training.py": "",
      "prediction/serve": "",
      "processing/p.py": "",
      "Dockerfile": "FROM scratch\n",
      "../../requirements.txt": "",
      ...options.files,
    },
  });
}

export async function makeApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { name = `test-${crypto.randomUUID().slice(0, 8)}` } = options;
  const directory = await Deno.makeTempDir({ prefix: "mlcli-test-", dir: options.parent });
  // Not beside it: tests look at what there is, and at disks without room.
  const state = join(Deno.env.get("TMPDIR") || "/tmp", `mlcli-state-${crypto.randomUUID()}`);
  const withState = (more: Partial<ProgramOptions> = {}): ProgramOptions => ({
    cwd: directory,
    ...more,
    env: { XDG_STATE_HOME: state, ...more.env },
  });
  const base = join(directory, name, "mlcli_base");
  const write = async (path: string, content: string | Uint8Array): Promise<void> => {
    await Deno.mkdir(dirname(path), { recursive: true });
    if (typeof content === "string") await Deno.writeTextFile(path, content);
    else await Deno.writeFile(path, content);
  };
  await write(join(directory, `${name}.json`), JSON.stringify(options.configuration ?? {}));
  await Deno.mkdir(join(base, "local_test/test_dir"), { recursive: true });
  for (const [path, content] of Object.entries(options.files ?? {})) {
    await write(join(base, path), content);
  }
  return {
    name,
    directory,
    mark: markOf(await Deno.realPath(directory)),
    state,
    path: (...parts) => join(base, ...parts),
    testPath: (...parts) => join(base, "local_test/test_dir", ...parts),
    write,
    run: async (args, more) => besidesRun(await runProgram(args, withState(more))),
    start: (args, more) => startProgram(args, withState(more)),
    async [Symbol.asyncDispose](): Promise<void> {
      if (usesEngine) await removeLeftovers(name);
      await Deno.remove(directory, { recursive: true });
      await removeTreeIfThere(state);
    },
  };
}

/** A training whose model is a file in a directory, and a link to it. */
export const TRAINING_OF_LINK = `
import os
def train(input_data_path, model_save_path):
    os.makedirs(model_save_path + "/weights")
    with open(model_save_path + "/weights/model.txt", "w") as file: file.write("trained")
    os.symlink("weights/model.txt", model_save_path + "/current")
`;
