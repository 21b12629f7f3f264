/**
 * Runs mlcli against a fake SageMaker: nothing of the machine's own AWS settings is seen.
 *
 * @module
 */

import { denoDirectory, type ProgramResult, runProgram, startProgram } from "./program.ts";

/** What is asked: `FakeAws`, or a `Box`. */
export interface Cloud {
  env(): Readonly<Record<string, string>>;
}

/** How to run it. */
export interface CloudOptions {
  /** Replaces what the environment for the fake SageMaker says; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** Runs a command line to its end. */
export function runCloud(
  aws: Cloud,
  args: readonly string[],
  options: CloudOptions = {},
): Promise<ProgramResult> {
  return runProgram(args, programOptions(aws, options));
}

/** Starts a command line; the caller awaits its end. */
export function startCloud(
  aws: Cloud,
  args: readonly string[],
  options: CloudOptions = {},
): Deno.ChildProcess {
  return startProgram(args, programOptions(aws, options));
}

/** A directory that is always there, and in which nobody has an app. */
const NOWHERE = "/";

function programOptions(aws: Cloud, { env = {}, cwd = NOWHERE }: CloudOptions) {
  const all: Record<string, string | undefined> = {
    PATH: Deno.env.get("PATH"),
    DENO_DIR: denoDirectory(),
    // Deno itself would ask through the tests' proxies.
    DENO_NO_UPDATE_CHECK: "1",
    HOME: "/nonexistent",
    TZ: "UTC",
    ...aws.env(),
    ...env,
  };
  const set = Object.entries(all).filter((entry): entry is [string, string] =>
    entry[1] !== undefined
  );
  return { cwd, env: Object.fromEntries(set), clearEnv: true, timeout: 60_000 };
}
