import { makeDirectory } from "./directory.ts";
import {
  denoDirectory,
  killedAfter,
  programCommand,
  type ProgramResult,
  resultOf,
  runProgram,
  startProgram,
} from "./program.ts";

/** What is asked: a `Box`, or who knows how to ask one. */
export interface Cloud {
  env(): Readonly<Record<string, string>>;
}

export interface CloudOptions {
  /** Replaces what the environment for the platform in a box says; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** In ms. */
  readonly timeout?: number;
}

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

/** Runs a line of a shell in which `mlcli` is the program. */
export async function runShellLine(
  aws: Cloud,
  line: string,
  options: CloudOptions = {},
): Promise<ProgramResult> {
  await using directory = await makeDirectory();
  const command = programCommand([]).map((word) => `'${word}'`).join(" ");
  const file = `${directory.path}/mlcli`;
  await Deno.writeTextFile(file, `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  const { cwd, env, clearEnv, timeout } = programOptions(aws, options);
  const shell = new Deno.Command("sh", {
    args: ["-c", line],
    cwd,
    env: { ...env, PATH: `${directory.path}:${env.PATH}` },
    clearEnv,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  return await resultOf(killedAfter(timeout, shell.spawn()));
}

/** A directory that is always there, and in which nobody has an app. */
const NOWHERE = "/";

function programOptions(aws: Cloud, { env = {}, cwd = NOWHERE, timeout = 60_000 }: CloudOptions) {
  const all: Record<string, string | undefined> = {
    PATH: Deno.env.get("PATH"),
    DENO_DIR: denoDirectory(),
    // Deno itself would ask through the tests' proxies.
    DENO_NO_UPDATE_CHECK: "1",
    HOME: "/nonexistent",
    XDG_CONFIG_HOME: "/dev/null",
    XDG_STATE_HOME: "/dev/null",
    TZ: "UTC",
    ...aws.env(),
    ...env,
  };
  const set = Object.entries(all).filter((entry): entry is [string, string] =>
    entry[1] !== undefined
  );
  return { cwd, env: Object.fromEntries(set), clearEnv: true, timeout };
}
