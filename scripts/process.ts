/**
 * Running other programs: within a time limit, quietly, with the end of their output in the error.
 *
 * Imports nothing that needs resolving, for `scripts/tasks/setup.ts` runs before anything is.
 */

import { messageOf, MlcliError } from "../runtime/errors.ts";
import { joinSignals } from "../runtime/time.ts";
import { timeText } from "./script.ts";

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
 * Runs a program to its end, quietly, and returns its standard output.
 * @throws MlcliError quoting the end of its output when it fails, takes too long or is not there.
 */
export async function run(command: readonly string[], options: RunOptions): Promise<string> {
  const { timeout, hint, signal } = options;
  const limit = AbortSignal.timeout(timeout);
  using either = joinSignals(signal, limit);
  const output = await start(command, { ...options, signal: either.signal }).output();
  signal.throwIfAborted();
  const decoder = new TextDecoder();
  const standardOutput = decoder.decode(output.stdout);
  if (output.success) return standardOutput;
  const ending = limit.aborted
    ? `took longer than ${timeText(timeout)}`
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
  if (Deno.build.os === "windows") return Deno.env.get("PATH") ?? "";
  return `${Deno.env.get("PATH") ?? "/usr/bin:/bin"}:/usr/sbin:/sbin`;
}

/** The end of a log, without empty lines. */
export function lastLines(text: string): string {
  return text.split("\n").filter((line) => line.trim() !== "").slice(-QUOTED_LINES).join("\n");
}
