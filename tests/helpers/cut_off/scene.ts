/** A command line on a platform of its own, which a test cuts off. */

import { assert, assertEquals } from "@std/assert";
import { STATUS, type Swept } from "../call_sweep.ts";
import { type InProcessOptions, Keys, runInProcess } from "../in_process.ts";
import { type Fault, lastsAMoment, plant } from "../planted_fault.ts";
import type { ProgramResult } from "../program.ts";
import type { Call, EndingSignal, Stopped } from "../stopped_call.ts";

/** What ends or disturbs it. */
export type Cut = EndingSignal | Fault;

/** The command line, and what is looked at afterwards. */
export interface Scene extends Omit<Swept<Cut>, "whole" | "repeat">, AsyncDisposable {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Variables that it needs besides the platform's. */
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: Partial<InProcessOptions>;
  /** Whether it may have all it needs, and end, while a call is still open that it made beside others. */
  readonly asksAtOnce?: true;
  /** What a run that goes well prints; by default nothing is said about it. */
  readonly stdout?: () => string;
  /** Fails where not all is as the command line asked for. */
  readonly complete: (result: ProgramResult) => void | Promise<void>;
}

/** Runs the scene's command line in this process. */
export function runScene(
  { args, cwd, env, options, box }: Scene,
  more: Partial<InProcessOptions> = {},
): Promise<ProgramResult> {
  const all = { ...env, ...more.env };
  return runInProcess(args, { cwd, cloud: box.env(), ...options, ...more, env: all });
}

/** What `sweepCalls` does with it. */
export function sweptScene(scene: Scene): Swept<Cut> {
  const whole = async (): Promise<void> => {
    const result = await runScene(scene);
    assertEquals(result.code, 0, result.stderr);
    if (scene.stdout) assertEquals(result.stdout, scene.stdout());
    await scene.complete(result);
  };
  return {
    box: scene.box,
    begin: () => scene.begin(),
    whole,
    check: async (cut, stopped) => {
      checkEnd(cut, stopped, scene.asksAtOnce);
      await scene.check(cut, stopped);
    },
    repeat: whole,
  };
}

/** How it ends, by what ended it. */
function checkEnd(cut: Cut, { code, stderr }: Stopped, asksAtOnce = false): void {
  assert(!stderr.includes("defect"), "It calls it a defect");
  if (cut in STATUS) {
    const status = STATUS[cut as EndingSignal];
    assert(code === status || (asksAtOnce && code === 0), `It ended with ${code}`);
  } else {
    const codes = cut.startsWith("is interrupted")
      ? [0, 130]
      : lastsAMoment(cut as Fault)
      ? [0]
      : [0, 1];
    assert(codes.includes(code), `It ended with ${code}`);
  }
  if (code === 1) assert(stderr.includes("error: "), "It does not say why");
}

/** Runs it in this process with a fault at a call. */
export async function runWithFault(scene: Scene, fault: Fault, at: number): Promise<Stopped> {
  const keys = new Keys();
  const heal = plant(scene.box, fault, at, keys);
  // What does not pass is not tried again, which takes seconds.
  const env: Record<string, string> = lastsAMoment(fault) ? {} : { AWS_MAX_ATTEMPTS: "1" };
  const { interruption } = keys;
  const result = await runScene(scene, { keys, interruption, env });
  heal();
  return { ...result, call: scene.box.operations[at] };
}

/** The row of a call at which a fault happens: once, since it has no two sides. */
export function isFirstSide({ isDone }: Call): boolean {
  return !isDone;
}
