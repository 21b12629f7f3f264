/**
 * A caller who is not root and may use the engine. Where root runs the tests, the program runs as
 * another user, from a copy that this user can read; else the user who runs them is such a caller.
 */

import { fromFileUrl, join } from "@std/path";
import { copyTree } from "./directory.ts";
import { besidesRun } from "./runs.ts";
import { withEngine } from "./engine.ts";
import {
  denoDirectory,
  killedAfter,
  programCommand,
  type ProgramResult,
  resultOf,
} from "./program.ts";
import { TextReader } from "./text_reader.ts";

/** Who runs the program. */
export interface OtherUser extends AsyncDisposable {
  readonly uid: number;
  /** A directory that this user can reach. */
  readonly home: string;
  /** Gives everything below a directory to this user. */
  owns(directory: string): Promise<void>;
  run(args: readonly string[], cwd: string): Promise<ProgramResult>;
  /** Starts it; the caller awaits its end. */
  start(args: readonly string[], cwd: string): Deno.ChildProcess;
  /** Runs it until its standard output matches, then interrupts it once. */
  interrupt(args: readonly string[], cwd: string, when: RegExp): Promise<ProgramResult>;
}

/** No user of the machine, so that nothing there belongs to them. */
const UID = 54321;
const TIMEOUT = 60_000;
const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** Where this user is. */
export interface Elsewhere {
  /** What starts the program there, as root does: `unshare -m ...`. */
  readonly within?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Runs in place of the program under test. */
  readonly binary?: string;
}

/** A caller who is not root. */
export async function otherUser(
  { within = [], env, binary }: Elsewhere = {},
): Promise<OtherUser> {
  const home = await Deno.makeTempDir({ prefix: "mlcli-user-" });
  await Deno.chmod(home, 0o755);
  const isRoot = Deno.uid() === 0;
  const prefix = isRoot ? await switchUser() : [];
  const command = binary ? [binary] : programCommand([]);
  const program = isRoot ? await copyProgram(command, home) : command;
  const uid = isRoot ? UID : Deno.uid()!;
  const modules = isRoot ? await giveModules(home) : denoDirectory();

  function start(args: readonly string[], cwd: string): Deno.ChildProcess {
    const [command, ...rest] = [...within, ...prefix, ...program, ...args] as [string, ...string[]];
    const child = new Deno.Command(command, {
      args: rest,
      cwd,
      // Before 2.9, Deno trusts the system's certificates only if told.
      env: { HOME: home, DENO_DIR: modules, DENO_TLS_CA_STORE: "mozilla,system", ...env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    return killedAfter(TIMEOUT, child);
  }

  return {
    uid,
    home,
    owns: (directory) => changeOwner(directory, uid),
    run: async (args, cwd) => besidesRun(await resultOf(start(args, cwd))),
    start,
    async interrupt(args, cwd, when): Promise<ProgramResult> {
      const child = start(args, cwd);
      const stdout = new TextReader(child.stdout);
      await stdout.until(when);
      child.kill("SIGINT");
      const [stderr] = await Promise.all([new Response(child.stderr).text(), stdout.toEnd()]);
      return besidesRun({ code: (await child.status).code, stdout: stdout.text, stderr });
    },
    [Symbol.asyncDispose]: () => Deno.remove(home, { recursive: true }),
  };
}

/** The engine's socket is open to its group, which mostly is `docker`. */
async function switchUser(): Promise<readonly string[]> {
  const { address } = await withEngine((engine) => Promise.resolve(engine));
  const { gid } = await Deno.stat(address.replace("unix://", ""));
  return ["setpriv", `--reuid=${UID}`, `--regid=${UID}`, `--groups=${gid}`, "--"];
}

/** Deno and the sources may lie where only root may look. */
async function copyProgram(command: readonly string[], home: string): Promise<readonly string[]> {
  const [executable = "", ...rest] = command;
  const copy = join(home, "program");
  await Deno.copyFile(executable, copy);
  await Deno.chmod(copy, 0o755);
  const sources = join(home, "source/");
  await Deno.mkdir(join(sources, "tests/helpers"), { recursive: true });
  const preloaded = "tests/helpers/outside_studio.ts";
  for (const part of ["main.ts", "deno.json", "commands", "runtime", "vendor", preloaded]) {
    await copyTree(join(ROOT, part), join(sources, part));
  }
  await changeOwner(home, UID);
  return [copy, ...rest.map((argument) => argument.replace(ROOT, sources))];
}

/**
 * npm's packages, where the program loads them, since not each engine of the tests has a network: the
 * files themselves, which are only read (a copy of all takes seconds).
 */
async function giveModules(home: string): Promise<string> {
  const cache = join(home, ".deno");
  await Deno.mkdir(cache, { mode: 0o777 });
  await Deno.chmod(cache, 0o777);
  const args = ["-rl", join(denoDirectory(), "npm"), cache];
  const { success, stderr } = await new Deno.Command("cp", { args }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return cache;
}

async function changeOwner(path: string, uid: number): Promise<void> {
  const info = await Deno.lstat(path);
  if (info.isSymlink) return;
  await Deno.chown(path, uid, uid);
  if (!info.isDirectory) return;
  for await (const { name } of Deno.readDir(path)) await changeOwner(join(path, name), uid);
}
