/**
 * What the scripts of `deno task` share: a frame that explains failures and ends in order, a way to
 * run other programs within a time limit, and where to keep things between runs.
 *
 * @module
 */

import { INTERRUPT_STATUS, Interrupted, messageOf, MlcliError } from "../runtime/errors.ts";

/** How many lines of a failed program's output an error quotes. */
const QUOTED_LINES = 15;

/** How to run a program. */
export interface RunOptions {
  /** Longest time it may take, in milliseconds; then it is killed. */
  readonly timeout: number;
  /** What to do when it fails. */
  readonly hint: string;
  /** Aborted when the script has to end: then it is killed, too. */
  readonly signal: AbortSignal;
  /** What ends it then; default SIGTERM. */
  readonly killSignal?: Deno.Signal;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a script and ends the process: with the number that `main` returns, or 1 after an error. The
 * signal is aborted by Ctrl-C and SIGTERM, so that `finally` gets its turn; a second one ends at once.
 */
export async function runScript(main: (signal: AbortSignal) => Promise<number>): Promise<never> {
  const ending = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(name, () => {
      if (ending.signal.aborted) Deno.exit(INTERRUPT_STATUS[name]);
      ending.abort(new Interrupted(name));
    });
  }
  Deno.exit(await statusOf(main, ending.signal));
}

async function statusOf(
  main: (signal: AbortSignal) => Promise<number>,
  signal: AbortSignal,
): Promise<number> {
  try {
    return await main(signal);
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error;
    say(explain(reason));
    return reason instanceof Interrupted ? INTERRUPT_STATUS[reason.signal] : 1;
  }
}

/** An error as the user reads it: message, quote and hint, each on lines of its own. */
export function explain(error: unknown): string {
  const lines = [`error: ${messageOf(error)}`];
  if (!(error instanceof MlcliError)) return lines.join("\n");
  if (error.quote) lines.push(...error.quote.split("\n").map((line) => `  ${line}`));
  if (error.hint) lines.push(`hint: ${error.hint}`);
  return lines.join("\n");
}

/** Writes a line to standard error, where progress goes. */
export function say(line: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** Does a piece of work and says how long it took. */
export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  say(`${name} ...`);
  const start = performance.now();
  const result = await work();
  say(`${name}: ${durationText(performance.now() - start)}`);
  return result;
}

/** A duration in milliseconds, as people read it: `40 ms`, `12.3 s`. */
export function durationText(milliseconds: number): string {
  return milliseconds < 1_000
    ? `${milliseconds.toFixed(0)} ms`
    : `${(milliseconds / 1_000).toFixed(1)} s`;
}

/**
 * Runs a program to its end, quietly, and returns its standard output.
 * @throws MlcliError quoting the end of its output when it fails, takes too long or is not there.
 */
export async function run(command: readonly string[], options: RunOptions): Promise<string> {
  const { timeout, hint, signal } = options;
  const limit = AbortSignal.timeout(timeout);
  const output = await start(command, { ...options, signal: AbortSignal.any([signal, limit]) })
    .output();
  signal.throwIfAborted();
  const decoder = new TextDecoder();
  const standardOutput = decoder.decode(output.stdout);
  if (output.success) return standardOutput;
  const ending = limit.aborted
    ? `took longer than ${durationText(timeout)}`
    : `ended with ${output.code}`;
  throw new MlcliError(`${command.join(" ")} ${ending}`, {
    quote: lastLines(standardOutput + decoder.decode(output.stderr)),
    hint,
  });
}

/**
 * Starts a program with nothing to read; its output is piped.
 * @throws MlcliError when it is not there.
 */
export function start(
  command: readonly string[],
  { cwd, env, signal, killSignal, hint }: Omit<RunOptions, "timeout">,
): Deno.ChildProcess {
  const [program, ...args] = command as readonly [string, ...string[]];
  try {
    const child = new Deno.Command(program, {
      args,
      cwd,
      env: { PATH: administratorsPath(), ...env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    killOnAbort(child, signal, killSignal);
    return child;
  } catch (cause) {
    throw new MlcliError(`${program}: ${messageOf(cause)}`, { hint, cause });
  }
}

function killOnAbort(child: Deno.ChildProcess, signal: AbortSignal, name?: Deno.Signal): void {
  const kill = (): void => child.kill(name);
  if (signal.aborted) return kill();
  signal.addEventListener("abort", kill);
  child.status.then(() => signal.removeEventListener("abort", kill));
}

/** PATH with the directories of system programs, which `su` without `-` leaves out. */
export function administratorsPath(): string {
  return `${Deno.env.get("PATH") ?? "/usr/bin:/bin"}:/usr/sbin:/sbin`;
}

/** The end of a log, without empty lines. */
export function lastLines(text: string): string {
  return text.split("\n").filter((line) => line.trim() !== "").slice(-QUOTED_LINES).join("\n");
}

/** Where things that a later run may use are kept; made when it is not there. */
export async function cacheDirectory(): Promise<string> {
  const caches = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME") || "/root"}/.cache`;
  const directory = `${caches}/mlcli`;
  await Deno.mkdir(directory, { recursive: true });
  return directory;
}

/**
 * Does a piece of work while no other process does the same. The system lets go of the lock when
 * this process ends, in whatever way.
 * @param path a file of the lock's own; stays there, empty.
 * @param timeout longest wait for the other process, in milliseconds.
 * @throws MlcliError when the other process does not end in time.
 */
export async function withLock<T>(
  path: string,
  { timeout, signal }: { readonly timeout: number; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  using file = await Deno.open(path, { write: true, create: true });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const expire = () => reject(new MlcliError(`Another process still holds ${path}`));
  limit.addEventListener("abort", expire);
  try {
    await Promise.race([file.lock(true), expired]);
  } finally {
    limit.removeEventListener("abort", expire);
  }
  return await work();
}

/** Removes a directory with all that is in it; nothing happens when it is not there. */
export async function removeTree(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Lets time pass, in milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
