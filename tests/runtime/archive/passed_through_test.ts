import { assertEquals } from "@std/assert";
import { createGzip } from "node:zlib";
import { passedThrough } from "../../../runtime/archive/node_streams.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What a small archive comes in, in bytes: heads, contents, what fills their blocks, the end. */
const PIECES = [512, 4, 508, 512, 300, 212, 1024];

async function* pieces(between: () => Promise<void>): AsyncGenerator<Uint8Array, void, void> {
  for (const size of PIECES) {
    yield new Uint8Array(size).fill(size);
    await between();
  }
}

async function packed(between: () => Promise<void>): Promise<Uint8Array> {
  const all: number[] = [];
  for await (const bytes of passedThrough(createGzip({ level: 1 }), pieces(between))) {
    all.push(...bytes);
  }
  return new Uint8Array(all);
}

suite("bytes through a compression", () => {
  it("are the same however fast they come", async () => {
    const atOnce = await packed(() => Promise.resolve());
    const slowly = await packed(() => new Promise((resolve) => setTimeout(resolve, 5)));
    assertEquals(atOnce, slowly);
  });
});
