import { assertEquals, assertRejects } from "@std/assert";
import { inOrder, type Note } from "../../../../runtime/cloud/in_parallel.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("several questions at once", () => {
  it("are told in their order, whoever ends first", async () => {
    const notes: string[] = [];
    const second = Promise.withResolvers<void>();
    const results = await inOrder(
      (text) => notes.push(text),
      async (note: Note) => {
        await second.promise;
        note("first");
        return 1;
      },
      (note: Note) => {
        note("second");
        second.resolve();
        return Promise.resolve("two");
      },
    );
    assertEquals([results, notes], [[1, "two"], ["first", "second"]]);
  });

  it("fail with the first failure, when all have ended", async () => {
    const notes: string[] = [];
    let ended = false;
    const error = await assertRejects(() =>
      inOrder(
        (text) => notes.push(text),
        async (note: Note) => {
          note("a");
          await Promise.resolve();
          throw new Error("first");
        },
        () => Promise.reject(new Error("second")),
        async (note: Note) => {
          await new Promise((resolve) => setTimeout(resolve, 0));
          note("never told");
          ended = true;
        },
      ), Error);
    assertEquals([error.message, notes, ended], ["first", ["a"], true]);
  });
});
