/** Running mlcli, docker and others for a measurement. */

import { programCommand } from "../../tests/helpers/program.ts";

/** A run that takes longer is stuck, in ms. */
const TIMEOUT = 120_000;

/** The command line of mlcli: the binary that MLCLI_UNDER_TEST names, or the source. */
export function mlcli(...args: readonly string[]): readonly [string, ...string[]] {
  return programCommand(args);
}

/** How to run a command. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The exit status that it must end with; default 0. */
  readonly expect?: number;
  /** In ms. */
  readonly timeout?: number;
}

/** Runs a command to its end and returns how long the whole process took, in ms. */
export async function time(
  command: readonly [string, ...string[]],
  options: RunOptions = {},
): Promise<number> {
  const start = performance.now();
  await run(command, options);
  return performance.now() - start;
}

/** Makes bash say what the operating system counted for a command, in seconds. */
const TIMED = 'TIMEFORMAT="%U %S"; time "$@"';

/**
 * Runs a command to its end and returns the processor time that it took, in ms: what it worked, on
 * all processors, also where another program kept it waiting.
 */
export async function processorTime(
  command: readonly [string, ...string[]],
  options: RunOptions = {},
): Promise<number> {
  const { stderr } = await outputOf(["bash", "-c", TIMED, "bash", ...command], options);
  const [user, system] = stderr.trimEnd().split("\n").at(-1)!.split(" ").map(Number);
  return (user! + system!) * 1_000;
}

/** Prints the most memory that a command has taken, in KB. */
const MEASURED = `import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)`;

/** Runs a command to its end and returns the most memory that its process has taken, in bytes. */
export async function peakMemory(
  command: readonly [string, ...string[]],
  options: RunOptions = {},
): Promise<number> {
  return 1024 * Number(await run(["python3", "-c", MEASURED, ...command], options));
}

/**
 * Runs a command to its end and returns its standard output.
 *
 * @throws Error when it ends with another status than expected: a failure must not count as fast.
 */
export async function run(
  command: readonly [string, ...string[]],
  options: RunOptions = {},
): Promise<string> {
  return (await outputOf(command, options)).stdout;
}

async function outputOf(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, expect = 0, timeout = TIMEOUT }: RunOptions,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const output = await new Deno.Command(program, {
    args,
    cwd,
    env: { ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(timeout),
  }).output();
  const [stdout = "", stderr = ""] = [output.stdout, output.stderr]
    .map((bytes) => new TextDecoder().decode(bytes));
  if (output.code === expect) return { stdout, stderr };
  throw new Error(`${program} ${args.join(" ")} ended with ${output.code}: ${stderr}`);
}
