import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { makeDirectory } from "../helpers/directory.ts";
import { removeLeftovers } from "../helpers/engine.ts";
import { runProgram } from "../helpers/program.ts";

/** An app that `mlcli init --from` makes of another tool's project. */
export interface ConvertedApp extends AsyncDisposable {
  readonly name: string;
  /** The directory of its configuration file. */
  readonly directory: string;
  /** Runs mlcli there and returns its output. Fails unless mlcli exits with 0. */
  done(...args: readonly string[]): Promise<string>;
}

/**
 * Converts a project. Containers and images of the app are removed when it is disposed of.
 *
 * @param image the base image of the app.
 */
export async function convertedApp(image: string, project: string): Promise<ConvertedApp> {
  const name = `test-${crypto.randomUUID().slice(0, 8)}`;
  await using held = new AsyncDisposableStack();
  const { path: directory } = held.use(await makeDirectory());
  held.defer(() => removeLeftovers(name));
  const env = { MLCLI_BASE_IMAGE: image, XDG_STATE_HOME: join(directory, "state") };
  const done = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProgram(args, { cwd: directory, env });
    assertEquals(code, 0, `mlcli ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  await done("init", name, "--from", project);
  const all = held.move();
  return { name, directory, done, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
