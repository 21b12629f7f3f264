import { assertEquals, assertRejects } from "@std/assert";
import { showBuild } from "../../../../commands/render/progress/build.ts";
import type { BuildEvent } from "../../../../runtime/image/build_events.ts";
import { Messages, type ProgressChoice } from "../../../../runtime/messages.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

type State = "running" | "done" | "cached" | "failed";

function step(id: string, name: string, state: State, more = {}): BuildEvent {
  return { kind: "step", id, name, state, started: 1_000, ...more };
}

const log = (id: string, text: string): BuildEvent => ({ kind: "log", id, text });

const EVENTS = [
  step("a", "[1/3] FROM a", "cached"),
  step("b", "[2/3] COPY b c", "running"),
  step("b", "[2/3] COPY b c", "done", { ended: 1_000 }),
  step("b", "[2/3] COPY b c", "cached"),
  step("c", "[3/3] RUN c", "running"),
  log("c", "one\ntw"),
  step("d", "[other 1/1] RUN d", "running"),
  log("d", "10%\r20%\r"),
  log("c", "o\n"),
  log("d", "30%"),
];
const DONE = [
  step("d", "[other 1/1] RUN d", "done", { ended: 2_250 }),
  step("c", "[3/3] RUN c", "done", { ended: 13_000 }),
];
const FAILED = [
  step("c", "[3/3] RUN c", "failed", { ended: 2_000, error: "exit code: 1" }),
  step("d", "[other 1/1] RUN d", "failed", { ended: 2_000, error: "context canceled" }),
];

/** Returns all that is printed of a build that succeeds or fails after its events. */
async function shown(
  events: readonly BuildEvent[],
  { isDone, isTerminal = false, quiet = false, progress = "auto" }: Partial<ProgressChoice> & {
    readonly isDone: boolean;
    readonly isTerminal?: boolean;
  },
): Promise<string> {
  const { err, clock } = fakeContext({ isTerminal });
  using messages = new Messages(err, { quiet, progress });
  const context = { messages, err: messages.above(err), clock: { ...clock, now: () => 0 } };
  const work = showBuild(context, "churn:latest", (onEvent) => {
    events.forEach(onEvent);
    return isDone ? Promise.resolve() : Promise.reject(new Error("failed"));
  });
  if (isDone) await work;
  else await assertRejects(() => work, Error, "failed");
  return err.text;
}

const LINES = [
  "#1 [1/3] FROM a (cached)",
  "#2 [2/3] COPY b c",
  "#2 done 0.0s",
  "#3 [3/3] RUN c",
  "#3 | one",
  "#4 [other 1/1] RUN d",
  "#3 | two",
];
const BUILT = "Built churn:latest in 0.0s (2 of 4 steps cached)\n";

suite("a build in a pipe or with --progress plain", () => {
  const whole = [...LINES, "#4 | 30%", "#4 done 1.3s", "#3 done 12s", BUILT].join("\n");

  it("a build in a pipe is printed line by line", async () => {
    assertEquals(await shown([...EVENTS, ...DONE], { isDone: true }), whole);
  });

  it("a build with --progress plain is printed line by line on a terminal", async () => {
    const choice = { isDone: true, isTerminal: true, progress: "plain" } as const;
    assertEquals(await shown([...EVENTS, ...DONE], choice), whole);
  });

  it("a build that fails in a pipe names the failed steps, and prints nothing twice", async () => {
    assertEquals(
      await shown([...EVENTS, ...FAILED], { isDone: false }),
      [...LINES, "#3 failed 1.0s", "#4 | 30%", "#4 failed 1.0s\n"].join("\n"),
    );
  });

  it("a build prints a step's name without its control characters", async () => {
    const events = [step("a", "RUN \x1b[2J", "failed", { ended: 1_000 })];
    assertEquals(await shown(events, { isDone: false }), "#1 RUN ?[2J\n#1 failed 0.0s\n");
    assertEquals(await shown(events, { isDone: false, quiet: true }), "RUN ?[2J\n");
  });
});

suite("a build on a terminal or with --quiet", () => {
  const ways = [["on a terminal", { isTerminal: true }], ["quiet", { quiet: true }]] as const;
  for (const [name, way] of ways) {
    /** Returns the lines that stay, without frames and their removal. */
    const left = (text: string) =>
      text.replace(
        // deno-lint-ignore no-control-regex
        /\r(?:\x1b\[\d+A)?(?:(?:[^\r\n]*\x1b\[K\r\n)*[^\r\n]*\x1b\[K(?:\x1b\[J)?\r|\x1b\[[JK])/g,
        "",
      );

    it(`a build ${name} leaves at most one line if it succeeds`, async () => {
      const text = left(await shown([...EVENTS, ...DONE], { isDone: true, ...way }));
      assertEquals(text, "quiet" in way ? "" : BUILT);
    });

    it(`a build ${name} leaves only the output of the failed step`, async () => {
      const text = left(await shown([...EVENTS, ...FAILED], { isDone: false, ...way }));
      assertEquals(text, "[3/3] RUN c\none\ntwo\n");
    });

    it(`a build ${name} leaves nothing if it is interrupted`, async () => {
      assertEquals(left(await shown(EVENTS, { isDone: false, ...way })), "");
    });

    it(`a build ${name} prints its warnings`, async () => {
      const text = left(
        await shown([...EVENTS, { kind: "warning", text: "old" }], { isDone: true, ...way }),
      );
      assertEquals(text.startsWith("warning: old\n"), true, text);
    });
  }

  it("a build on a terminal shows no steps after its end", async () => {
    const done = await shown([...EVENTS, ...DONE], { isDone: true, isTerminal: true });
    assertEquals(done.endsWith(`\x1b[J${BUILT}`), true, done);
    const failed = await shown([...EVENTS, ...FAILED], { isDone: false, isTerminal: true });
    assertEquals(failed.endsWith("[3/3] RUN c\none\ntwo\n"), true, failed);
  });
});
