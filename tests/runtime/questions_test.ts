import { assertEquals, assertRejects } from "@std/assert";
import { PassThrough } from "node:stream";
import { Interrupted } from "../../runtime/errors.ts";
import { openQuestions } from "../../runtime/questions.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { Keys } from "../helpers/in_process.ts";
import { it, suite } from "../helpers/suite.ts";

/** Questions to somebody who types what the test does. */
function asking() {
  const input = new PassThrough();
  const keys = new Keys();
  const { err } = fakeContext();
  const questions = openQuestions(input, err, keys.interruption.signal);
  return { input, keys, err, questions, [Symbol.dispose]: () => questions[Symbol.dispose]() };
}

suite("questions", () => {
  it("are answered by lines, of which an empty one is the default", async () => {
    using one = asking();
    one.input.write("  mine \n\n\n");
    assertEquals(await one.questions.ask("Name", "theirs"), "mine");
    assertEquals(await one.questions.ask("Name", "theirs"), "theirs");
    assertEquals(await one.questions.ask("Name", ""), "");
    assertEquals(one.err.text, "Name [theirs]: Name [theirs]: Name: ");
  });

  it("are asked before they are answered", async () => {
    using one = asking();
    const answer = one.questions.ask("Name", "");
    assertEquals(one.err.text, "Name: ");
    one.input.write("later\n");
    assertEquals(await answer, "later");
  });

  it("end with the input, on a line of their own", async () => {
    using one = asking();
    one.input.end();
    const error = await assertRejects(() => one.questions.ask("Name", "x"), Interrupted);
    assertEquals([error.signal, one.err.text], ["SIGINT", "Name [x]: \n"]);
  });

  it("end with a signal, and are not asked after it", async () => {
    using one = asking();
    const answer = assertRejects(() => one.questions.ask("Name", "x"), Interrupted);
    one.keys.press("SIGTERM");
    await answer;
    const before = one.err.text;
    const error = await assertRejects(() => one.questions.ask("Age", ""), Interrupted);
    assertEquals([error.signal, one.err.text], ["SIGTERM", before]);
  });
});
