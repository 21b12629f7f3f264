/**
 * Runs the program under test as a subprocess: from source, or the binary that MLCLI_UNDER_TEST
 * names.
 */

import { fileURLToPath } from "node:url";
import { studioAt } from "../../runtime/docker/studio.ts";

export { denoDirectory } from "../../scripts/deno_directory.ts";

/** What a run left. */
export interface ProgramResult {
  /** Exit status; 128 plus the number when a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it sees `env` alone, and nothing of the environment of the tests. */
  readonly clearEnv?: boolean;
  /** `null`, an empty one, unless the test writes to it. */
  readonly stdin?: "null" | "piped";
  /** A program that runs the command behind it, such as `nsenter`, and its options. */
  readonly within?: readonly string[];
  /** Kills the run when a test hangs, in ms. */
  readonly timeout?: number;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A binary takes no such option: there, its tests find Studio. */
export const OUTSIDE_STUDIO: readonly string[] = studioAt("/")
  ? ["--preload", `${ROOT}tests/helpers/outside_studio.ts`]
  : [];

/** Long enough for a slow machine, short enough to notice a hang. */
const TIMEOUT = 120_000;

/** The command line that starts the program with these arguments. */
export function programCommand(args: readonly string[]): readonly [string, ...string[]] {
  const binary = Deno.env.get("MLCLI_UNDER_TEST");
  return binary ? [binary, ...args] : [
    Deno.execPath(),
    "run",
    "-A",
    "--quiet",
    "--config",
    `${ROOT}deno.json`,
    ...OUTSIDE_STUDIO,
    `${ROOT}main.ts`,
    ...args,
  ];
}

/** Starts the program; the caller awaits its end. */
export function startProgram(
  args: readonly string[],
  { cwd, env, clearEnv = false, stdin = "null", within = [], timeout = TIMEOUT }: ProgramOptions,
): Deno.ChildProcess {
  const [program, ...rest] = [...within, ...programCommand(args)];
  const command = new Deno.Command(program!, {
    args: rest,
    cwd,
    // Nothing of a test is remembered among what is the person's own.
    env: { XDG_CONFIG_HOME: "/dev/null", XDG_STATE_HOME: "/dev/null", ...env },
    clearEnv,
    stdin,
    stdout: "piped",
    stderr: "piped",
  });
  return killedAfter(timeout, command.spawn());
}

/**
 * Kills a program that takes longer: a hung one may survive SIGTERM, which is what a `signal` of
 * Deno's sends.
 *
 * @param timeout in ms.
 */
export function killedAfter(timeout: number, child: Deno.ChildProcess): Deno.ChildProcess {
  const timer = setTimeout(() => child.kill("SIGKILL"), timeout);
  child.status.finally(() => clearTimeout(timer));
  return child;
}

/** Runs the program to its end. */
export async function runProgram(
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  return await resultOf(startProgram(args, options));
}

/** Reads a started program to its end. */
export async function resultOf(child: Deno.ChildProcess): Promise<ProgramResult> {
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
