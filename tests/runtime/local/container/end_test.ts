import { assertEquals, assertRejects } from "@std/assert";
import { BrokenEngine } from "../../../../runtime/docker/errors.ts";
import { SilentEngine } from "../../../../runtime/docker/time_limits.ts";
import { failIfNeverEnds } from "../../../../runtime/local/container/end.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** Watches, in no time; how often the engine was asked until it gave up, and why it did. */
async function watched(
  answer: (asked: number) => Promise<boolean>,
  isHeldUp?: (asked: number) => boolean,
): Promise<{ readonly asked: number; readonly error: Error }> {
  let asked = 0;
  const engine = { isRunning: () => answer(++asked) };
  const error = await assertRejects(
    () =>
      failIfNeverEnds(
        engine,
        "c1",
        new AbortController().signal,
        () => isHeldUp?.(asked) === true,
        { pause: () => Promise.resolve() },
      ),
    Error,
  );
  return { asked, error };
}

suite("waiting for a container that is to end", () => {
  it("gives up where the engine does not tell its end for 30 s", async () => {
    const { asked, error } = await watched((asked) => Promise.resolve(asked <= 100));
    assertEquals([asked, error instanceof SilentEngine], [115, true]);
  });

  it("counts no time in which somebody has not read the output yet", async () => {
    const { asked } = await watched(() => Promise.resolve(false), (asked) => asked <= 100);
    assertEquals(asked, 115);
  });

  it("gives up where the engine has gone, and not where it refuses", async () => {
    const gone = new BrokenEngine("gone");
    const { asked, error } = await watched((asked) =>
      Promise.reject(asked === 3 ? gone : new Error("no such container"))
    );
    assertEquals([asked, error], [3, gone]);
  });
});
