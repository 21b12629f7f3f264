/**
 * Runs a command line in this process, on a fake engine and with streams in memory: what the program
 * does with an engine, in milliseconds.
 */

import process from "node:process";
import { main } from "../../main.ts";
import { type Aws, openAws } from "../../runtime/aws/aws.ts";
import { typed } from "./settings.ts";
import { awsSettings, localRegion } from "../../runtime/aws/settings.ts";
import { type ConnectOptions, connectToEngine } from "../../runtime/docker/connect.ts";
import type { Engine } from "../../runtime/docker/engine.ts";
import { Interrupted, type InterruptSignal } from "../../runtime/errors.ts";
import { fakeContext, type FakeContextOptions } from "./fake_context.ts";
import type { FakeEngine } from "./fake_engine.ts";
import type { ProgramResult } from "./program.ts";

/** The keys of a user: Ctrl-C, and once more. */
export class Keys {
  readonly #first = new AbortController();
  readonly #second = new AbortController();
  readonly interruption = { signal: this.#first.signal, force: this.#second.signal };

  /** The first signal, and then the second. */
  press(signal: InterruptSignal = "SIGINT"): void {
    const next = this.#first.signal.aborted ? this.#second : this.#first;
    next.abort(new Interrupted(signal));
  }
}

/** In what surroundings to run it. */
export interface InProcessOptions extends Omit<FakeContextOptions, "env" | "engine"> {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The engine; none answers without one. */
  readonly engine?: Pick<FakeEngine, "socket">;
  readonly keys?: Keys;
  /** How long the engine's calls may take. */
  readonly limits?: ConnectOptions["limits"];
  /** The environment of who may ask a platform, as `env` of `Box` and of `Box` give it. */
  readonly cloud?: Readonly<Record<string, string>>;
}

/** A command line that takes longer hangs, in ms; it has nothing to wait for but the test. */
const TIMEOUT = 30_000;

/** In the place of those of whoever runs the tests. */
const NO_PROFILES = {
  AWS_CONFIG_FILE: "/nonexistent/config",
  AWS_SHARED_CREDENTIALS_FILE: "/nonexistent/credentials",
};

/** Runs a command line to its end; fails where that does not come. */
export async function runInProcess(
  args: readonly string[],
  { env: own = {}, engine: fake, keys = new Keys(), limits, cloud, ...rest }: InProcessOptions,
): Promise<ProgramResult> {
  const env: Readonly<Record<string, string>> = {
    ...cloud && { ...NO_PROFILES, ...cloud },
    ...own,
  };
  using _variables = cloud && withVariables(env);
  let engine: Promise<Engine> | undefined;
  let aws: Aws | undefined;
  const host = `unix://${fake?.socket ?? "/nonexistent.sock"}`;
  const context = fakeContext({
    env: (name) => env[name],
    interruption: keys.interruption,
    engine: () =>
      engine ??= connectToEngine(
        { env: (name) => name === "DOCKER_HOST" ? host : undefined, system: rest.system },
        { signal: keys.interruption.signal, limits: limits ?? {} },
      ),
    region: (configuration) =>
      localRegion(
        configuration,
        (name) => env[name] ?? NO_PROFILES[name as keyof typeof NO_PROFILES],
      ),
    aws: async (settings) => {
      if (!cloud) throw new Error("The test gives no platform");
      const { signal } = keys.interruption;
      return aws ??= await openAws(settings, { env: (name) => env[name], signal });
    },
    ...rest,
  });
  const { promise: hung, reject } = Promise.withResolvers<never>();
  const words = `mlcli ${args.join(" ")} hangs`;
  const timer = setTimeout(() => reject(new Error(words)), TIMEOUT);
  try {
    const code = await Promise.race([main(args, context), hung]);
    return { code, stdout: context.out.text, stderr: context.err.text };
  } finally {
    clearTimeout(timer);
    (await engine?.catch(() => undefined))?.close();
    aws?.close();
  }
}

/** Runs a command line against a platform, in a directory in which nobody has an app. */
export function runCloudInProcess(
  platform: { env(): Readonly<Record<string, string>> },
  args: readonly string[],
  options: Partial<InProcessOptions> = {},
): Promise<ProgramResult> {
  return runInProcess(args, { cwd: "/", cloud: platform.env(), ...options });
}

/**
 * The services of a platform as a program's: `env` as `env` of `Box` gives it. The process has these
 * variables, which the SDK reads by itself, until it is disposed of.
 */
export async function openCloud(
  cloud: Readonly<Record<string, string>>,
  { signal = new AbortController().signal, role }: {
    readonly signal?: AbortSignal;
    readonly role?: string;
  } = {},
): Promise<{ readonly aws: Aws } & Disposable> {
  const env: Readonly<Record<string, string>> = { ...NO_PROFILES, ...cloud };
  const set = withVariables(env);
  const read = (name: string): string | undefined => env[name];
  const iamRoleArn = role === undefined ? undefined : typed(role, "--iam-role-arn");
  const options = { region: undefined, profile: undefined, iamRoleArn };
  const aws = await openAws(awsSettings(options, undefined, read), { env: read, signal });
  return {
    aws,
    [Symbol.dispose]() {
      aws.close();
      set[Symbol.dispose]();
    },
  };
}

/**
 * Gives the SDK, which reads its variables by itself, these and no others until it is disposed of.
 * (Variables of the process are not changed: tests of other files, which run at the same time, have
 * the same.)
 */
export function withVariables(values: Readonly<Record<string, string>>): Disposable {
  const before = process.env;
  process.env = { ...values };
  return { [Symbol.dispose]: () => void (process.env = before) };
}
