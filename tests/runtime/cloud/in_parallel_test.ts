import { assertEquals, assertRejects } from "@std/assert";
import { inOrder, inParallel, type Note } from "../../../runtime/cloud/in_parallel.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Numbers from 0, and how many were taken. */
function numbers(count: number): AsyncIterable<number> & { taken: number } {
  const source = {
    taken: 0,
    async *[Symbol.asyncIterator]() {
      for (let index = 0; index < count; index++) {
        source.taken++;
        await Promise.resolve();
        yield index;
      }
    },
  };
  return source;
}

suite("inParallel", () => {
  it("does everything, never more than the limit at once", async () => {
    let running = 0;
    let most = 0;
    const done = new Set<number>();
    await inParallel(numbers(100), 8, async (item) => {
      most = Math.max(most, ++running);
      for (let turn = 0; turn < 30 + item % 5; turn++) await Promise.resolve();
      running--;
      done.add(item);
    });
    assertEquals([done.size, most, running], [100, 8, 0]);
  });

  it("takes no more items than there is room for", async () => {
    const source = numbers(100);
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = inParallel(source, 3, () => promise);
    for (let turn = 0; turn < 1000; turn++) await Promise.resolve();
    assertEquals(source.taken, 3);
    resolve();
    await all;
    assertEquals(source.taken, 100);
  });

  it("begins nothing new after a failure, and lets the rest end", async () => {
    const source = numbers(1000);
    let running = 0;
    await assertRejects(
      () =>
        inParallel(source, 4, async (item) => {
          running++;
          for (let turn = 0; turn < 20; turn++) await Promise.resolve();
          running--;
          if (item === 10) throw new Error("item 10");
        }),
      Error,
      "item 10",
    );
    assertEquals(running, 0);
    assertEquals(source.taken < 20, true);
  });

  it("passes on a failure of the source", async () => {
    async function* broken(): AsyncGenerator<number> {
      yield 1;
      await Promise.resolve();
      throw new Error("no more pages");
    }
    await assertRejects(() => inParallel(broken(), 2, () => Promise.resolve()), Error, "no more");
  });
});

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
