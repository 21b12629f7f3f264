/** Runs the program on a terminal: `script` of util-linux makes one. */

import { join } from "@std/path";
import { denoDirectory, programCommand } from "./program.ts";

/** A run on a terminal ends by itself, or after this time in ms. */
const TIMEOUT = 60_000;

/** What somebody at the terminal would have seen, escape sequences included. */
export interface TerminalResult {
  readonly code: number;
  readonly screen: string;
}

/** What is run on the terminal, and what is typed. */
interface Session {
  readonly command: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Keys to type now that this is on the screen; undefined: none. */
  readonly keys: (screen: string) => string | undefined;
  /** In ms. */
  readonly timeout?: number;
}

/** Runs a command of the shell on a terminal. */
export async function onTerminal(
  { command, cwd, env, keys, timeout = TIMEOUT }: Session,
): Promise<TerminalResult> {
  await using cache = await ownCache();
  // To kill `script` would only hang the terminal up, and `timeout` would hand Ctrl-C over again.
  // An alarm stays with the process, whatever it executes.
  const alarm = `exec perl -e 'alarm shift; exec @ARGV' ${timeout / 1000}`;
  const child = new Deno.Command("script", {
    args: ["--quiet", "--return", "--command", `${alarm} sh -c ${quoted(command)}`, "/dev/null"],
    cwd,
    env: {
      XDG_CONFIG_HOME: "/dev/null",
      XDG_STATE_HOME: "/dev/null",
      MLCLI_PAGER: "cat",
      ...env,
      DENO_DIR: cache.path,
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const decoder = new TextDecoder();
  const type = async (screen: string): Promise<void> => {
    const typed = keys(screen);
    if (typed !== undefined) await writer.write(new TextEncoder().encode(typed));
  };
  let screen = "";
  await type(screen);
  for await (const bytes of child.stdout) {
    screen += decoder.decode(bytes, { stream: true });
    await type(screen);
  }
  const { code } = await child.status;
  await writer.close().catch(() => {}); // the terminal is gone with the program
  return { code, screen };
}

/**
 * A directory for Deno's own caches: what Deno says of one that others are using would be on the
 * screen. What was downloaded and compiled is shared.
 */
async function ownCache(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.makeTempDir({ prefix: "mlcli-test-deno-" });
  for (const part of ["npm", "gen", "remote"]) {
    const shared = join(denoDirectory(), part);
    const isThere = await Deno.stat(shared).then(() => true, () => false);
    if (isThere) await Deno.symlink(shared, join(path, part));
  }
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Runs the program on a terminal, with nothing typed but `input`. */
export function runOnTerminal(
  args: readonly string[],
  cwd: string,
  input = "",
  columns = 80,
  env: Readonly<Record<string, string>> = {},
): Promise<TerminalResult> {
  let left: string | undefined = input;
  return onTerminal({
    command: `stty cols ${columns} rows 24; ${shellCommand(args)}`,
    cwd,
    env: { TERM: "xterm", NO_COLOR: "", ...env },
    keys: () => {
      const typed = left;
      left = undefined;
      return typed;
    },
  });
}

/**
 * Runs the program on a terminal, with standard output going to `stdout.txt` in `cwd`, and types
 * the keys once it has asked something: before that, Ctrl-C would end it by itself.
 *
 * @param redirection of the program's streams, as a shell has it.
 */
export function answerOnTerminal(
  args: readonly string[],
  cwd: string,
  keys: string,
  redirection = "> stdout.txt",
): Promise<TerminalResult> {
  let left: string | undefined = keys;
  return onTerminal({
    command: `${shellCommand(args)} ${redirection}`,
    cwd,
    keys: (screen) => {
      if (!screen.includes("]: ")) return undefined;
      const typed = left;
      left = undefined;
      return typed;
    },
  });
}

/**
 * Runs the program on a terminal of this size.
 *
 * @param onScreen sees all that has been written so far, whenever that has become more; it may return
 * keys to type.
 */
export function watchOnTerminal(
  args: readonly string[],
  { cwd, columns, rows, env, onScreen }: {
    readonly cwd: string;
    readonly columns: number;
    readonly rows: number;
    readonly env?: Readonly<Record<string, string>>;
    readonly onScreen: (screen: string) => string | undefined;
  },
): Promise<TerminalResult> {
  return onTerminal({
    command: `stty cols ${columns} rows ${rows}; ${shellCommand(args)}`,
    cwd,
    env: { TERM: "xterm", NO_COLOR: "", ...env },
    keys: onScreen,
  });
}

/** Keys to type, once a text is on the screen that was not there at the keys before. */
export type Step = readonly [after: string, keys: string];

/**
 * Runs the program on a terminal and types, step by step. What `stty -a` says of the terminal
 * afterwards is the end of the screen.
 */
export async function typeOnTerminal(
  args: readonly string[],
  cwd: string,
  steps: readonly Step[],
  columns = 80,
): Promise<TerminalResult> {
  let [next, seen] = [0, 0];
  return await onTerminal({
    command: `stty cols ${columns} rows 24; ${shellCommand(args)}; code=$?; stty -a; exit $code`,
    cwd,
    env: { TERM: "xterm", NO_COLOR: "" },
    keys: (screen) => {
      const step = steps[next];
      if (step === undefined || !screen.slice(seen).includes(step[0])) return undefined;
      next++;
      seen = screen.length;
      return step[1];
    },
  });
}

/** Returns a command line of the program for a shell. */
export function shellCommand(args: readonly string[]): string {
  return programCommand(args).map(quoted).join(" ");
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
