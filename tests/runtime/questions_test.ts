import { PassThrough } from "node:stream";
import { assertEquals, assertRejects } from "@std/assert";
import { Interrupted } from "../../runtime/errors.ts";
import { openQuestions } from "../../runtime/questions.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { it, suite } from "../helpers/suite.ts";

/** A terminal on which nothing is typed yet, and what may be asked on it. */
function terminal() {
  const { err } = fakeContext({ isTerminal: true });
  const input = new PassThrough();
  const stop = new AbortController();
  const questions = openQuestions(input, err, stop.signal);
  return {
    ask: questions.ask,
    type: (keys: string) => void input.write(keys),
    end: () => void input.end(),
    stop: (reason: Error) => stop.abort(reason),
    err,
    [Symbol.dispose]() {
      questions[Symbol.dispose]();
      input.destroy();
    },
  };
}

/** What is typed, and what is taken for the answer when the default is `demo`. */
const ANSWERS: readonly (readonly [typed: string, answer: string])[] = [
  ["churn\n", "churn"],
  ["\n", "demo"],
  ["  \t\n", "demo"],
  ["  my app \n", "my app"],
  ["churn\r\n", "churn"],
  ["0\n", "0"],
  ["grün\n", "grün"],
];

suite("questions", () => {
  for (const [typed, answer] of ANSWERS) {
    it(`${JSON.stringify(typed)} answers "${answer}"`, async () => {
      using user = terminal();
      user.type(typed);
      assertEquals(await user.ask("Name", "demo"), answer);
      assertEquals(user.err.text, "Name [demo]: ");
    });
  }

  it("no default is shown where there is none", async () => {
    using user = terminal();
    user.type("\n");
    assertEquals([await user.ask("Name", ""), user.err.text], ["", "Name: "]);
  });

  it("answers typed ahead count, one for each question", async () => {
    using user = terminal();
    user.type("one\ntwo\nth");
    assertEquals([await user.ask("A", ""), await user.ask("B", "x")], ["one", "two"]);
    const third = user.ask("C", "y");
    user.type("ree\n");
    assertEquals([await third, user.err.text], ["three", "A: B [x]: C [y]: "]);
  });

  it("the end of the input (Ctrl-D) ends the question, on a line of its own", async () => {
    using user = terminal();
    const answer = user.ask("Name", "demo");
    user.end();
    const error = await assertRejects(() => answer, Interrupted);
    assertEquals([error.signal, user.err.text], ["SIGINT", "Name [demo]: \n"]);
  });

  it("a signal ends the question, with its reason", async () => {
    using user = terminal();
    const answer = user.ask("Name", "demo");
    const reason = new Interrupted("SIGTERM");
    user.stop(reason);
    assertEquals(await assertRejects(() => answer, Interrupted), reason);
    // And nothing is asked any more.
    assertEquals(await assertRejects(() => user.ask("Next", ""), Interrupted), reason);
    assertEquals(user.err.text, "Name [demo]: \n");
  });

  it("a signal while nobody asks is no error of its own", async () => {
    using user = terminal();
    user.stop(new Interrupted("SIGINT"));
    // Rejections that nobody handles are told in a turn of their own.
    await new Promise((resolve) => setTimeout(resolve, 0));
    assertEquals(user.err.text, "");
  });

  it("nothing listens to the signal or the input when they are done", () => {
    const input = new PassThrough();
    const listeners = new Set<unknown>();
    const signal = new AbortController().signal;
    signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener);
    signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);
    const questions = openQuestions(input, fakeContext().err, signal);
    assertEquals([listeners.size, input.isPaused()], [1, false]);
    questions[Symbol.dispose]();
    assertEquals([listeners.size, input.isPaused()], [0, true]);
  });
});
