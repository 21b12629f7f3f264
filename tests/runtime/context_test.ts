import { assert, assertEquals } from "@std/assert";
import { liveContext } from "../../runtime/context.ts";
import type { AwsSettings } from "../../runtime/aws/settings.ts";
import { Interrupted } from "../../runtime/errors.ts";
import { replaced } from "../helpers/replaced.ts";
import { typed } from "../helpers/settings.ts";
import { it, suite } from "../helpers/suite.ts";

function settings(region: string): AwsSettings {
  return { region: typed(region, "--region"), profile: undefined, role: undefined };
}

suite("the context", () => {
  it("has a platform for each of the settings, and one for equal ones", async () => {
    using context = liveContext();
    const one = await context.aws(settings("eu-west-1"));
    const other = await context.aws(settings("us-east-1"));
    const regions = await Promise.all(
      [one, other].map(async (aws) => (await aws.sagemaker()).region),
    );
    assertEquals(regions.map(({ value }) => value), ["eu-west-1", "us-east-1"]);
    assert(await context.aws(settings("eu-west-1")) === one);
    const again = await one.sagemaker();
    assert(await one.sagemaker() === again);
  });
});

suite("the signals that end a program", () => {
  /** Listeners, ends of the process and timers, in the place of Deno's own. */
  function processOfTheTest() {
    const listeners = new Map<string, () => void>();
    const exits: number[] = [];
    const timers: { readonly work: () => void; readonly delay: number }[] = [];
    const unreferenced: number[] = [];
    const replacements = new DisposableStack();
    replacements.use(replaced(Deno, {
      addSignalListener: (signal: string, listener: () => void) => listeners.set(signal, listener),
      removeSignalListener: (signal: string) => listeners.delete(signal),
      exit: (code: number) => exits.push(code),
      unrefTimer: (timer: number) => unreferenced.push(timer),
    }));
    replacements.use(replaced(globalThis, {
      setTimeout: (work: () => void, delay: number) => timers.push({ work, delay }),
    }));
    return {
      listeners,
      exits,
      timers,
      unreferenced,
      send: (signal: string) => listeners.get(signal)!(),
      [Symbol.dispose]: () => replacements.dispose(),
    };
  }

  it("abort one signal after the other, and the third ends it", () => {
    using process = processOfTheTest();
    const { exits, listeners, timers } = process;
    {
      using context = liveContext();
      const { signal, force } = context.interruption;
      process.send("SIGINT");
      assertEquals([signal.aborted, force.aborted, timers.length], [true, false, 0]);
      assertEquals(signal.reason, new Interrupted("SIGINT"));
      process.send("SIGINT");
      assertEquals([force.aborted, exits], [true, []]);
      process.send("SIGINT");
      assertEquals(exits, [130]);
    }
    assertEquals(listeners.size, 0);
  });

  it("give the clean-up five seconds after the second, and do not wait for them", () => {
    using process = processOfTheTest();
    const { exits, timers, unreferenced } = process;
    using _context = liveContext();
    process.send("SIGINT");
    process.send("SIGINT");
    assertEquals(timers.map(({ delay }) => delay), [5_000]);
    // The number that `push` has returned, which is the timer's.
    assertEquals(unreferenced, [1]);
    timers[0]!.work();
    assertEquals(exits, [130]);
  });
});
