import { assertEquals, assertRejects } from "@std/assert";
import { ProgressLine } from "../../../../commands/render/progress/line.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("a line of progress", () => {
  it("takes the place of the one before, and goes", () => {
    const { err } = fakeContext({ isTerminal: true, columns: 10 });
    using line = new ProgressLine(err);
    line.show("one");
    line.show("longer than the terminal");
    line.clear();
    line.clear();
    assertEquals(err.text, "\rone\x1b[K\r\rlonger t…\x1b[K\r\r\x1b[K");
  });

  it("goes when it is disposed of", () => {
    const { err } = fakeContext({ isTerminal: true });
    {
      using line = new ProgressLine(err);
      line.show("one");
    }
    assertEquals(err.text, "\rone\x1b[K\r\r\x1b[K");
  });

  it("is not shown in a pipe", async () => {
    const { err } = fakeContext();
    using line = new ProgressLine(err);
    line.show("one");
    assertEquals(await line.during("two", Promise.resolve(3)), 3);
    assertEquals(err.text, "");
  });

  it("is not shown for what is soon done, and leaves its failure as it is", async () => {
    const { err } = fakeContext({ isTerminal: true });
    using line = new ProgressLine(err);
    assertEquals(await line.during("one", Promise.resolve(1)), 1);
    await assertRejects(() => line.during("two", Promise.reject(new Error("no"))), Error, "no");
    assertEquals(err.text, "");
  });
});
