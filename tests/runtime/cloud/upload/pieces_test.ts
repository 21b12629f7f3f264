import { assertEquals, assertRejects } from "@std/assert";
import { Budget, piecesOfStream } from "../../../../runtime/cloud/upload/send.ts";
import { it, suite } from "../../../helpers/suite.ts";

async function* bytes(sizes: readonly number[], failure?: Error) {
  for (const [index, size] of sizes.entries()) yield new Uint8Array(size).fill(index + 1);
  if (failure) throw failure;
}

suite("piecesOfStream", () => {
  for (
    const [sizes, expected] of [
      [[], []],
      [[4], [[1, 1, 1, 1]]],
      [[3, 3], [[1, 1, 1, 2], [2, 2]]],
      [[9], [[1, 1, 1, 1], [1, 1, 1, 1], [1]]],
      [[1, 0, 1], [[1, 3]]],
    ] as const
  ) {
    it(`makes pieces of a stream's ${sizes.join(" and ") || "no"} bytes`, async () => {
      const all: number[][] = [];
      for await (const piece of piecesOfStream(bytes(sizes), 4, new Budget(4))) {
        all.push([...piece.bytes]);
        piece[Symbol.dispose]();
      }
      assertEquals(all, expected.map((piece) => [...piece]));
    });
  }

  it("gives its buffer back where the stream ends with an error", async () => {
    const budget = new Budget(4);
    const pieces = piecesOfStream(bytes([2], new Error("cut")), 4, budget);
    await assertRejects(() => Array.fromAsync(pieces), Error, "cut");
    // It would wait for ever.
    using _taken = await budget.take(4);
  });
});
