import { assertEquals, assertRejects } from "@std/assert";
import { AwsError } from "../../../runtime/aws/errors.ts";
import { LARGEST_ANSWER, wholeAnswer, withinLimits } from "../../../runtime/aws/limits.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Always the same, until nobody reads on: far more than anybody may, but an end where one does. */
async function* endless(piece: Uint8Array, counts: { read: number }) {
  while (counts.read < 2 * LARGEST_ANSWER / piece.length) {
    counts.read++;
    yield await Promise.resolve(piece);
  }
}

/** Messages of so many bytes, their lengths in front. */
function messages(...sizes: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const size of sizes) {
    new DataView(bytes.buffer).setUint32(at, size);
    at += size;
  }
  return bytes;
}

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}

suite("the size of an answer", () => {
  it("may be anything up to a limit", async () => {
    const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 251);
    assertEquals(await wholeAnswer(inPieces(bytes, 7)), bytes);
    assertEquals(await wholeAnswer(null), new Uint8Array());
    assertEquals((await wholeAnswer(inPieces(bytes, 7), 1000)).length, 1000);
    await assertRejects(() => wholeAnswer(inPieces(bytes, 7), 999), AwsError, "more than");
  });

  it("has an end, also where the answer has none", async () => {
    const counts = { read: 0 };
    const piece = new Uint8Array(1024 ** 2);
    await assertRejects(() => wholeAnswer(endless(piece, counts)), AwsError, "more than 64 MiB");
    assertEquals(counts.read, LARGEST_ANSWER / piece.length + 1);
  });
});

suite("the messages of a stream of events", () => {
  for (const size of [1, 2, 3, 5, 16, 1000]) {
    it(`are passed on as they come, ${size} bytes at a time`, async () => {
      const bytes = messages(16, 100, 4, 17, 300);
      const passed: number[] = [];
      for await (const piece of withinLimits(inPieces(bytes, size))) passed.push(...piece);
      assertEquals(passed, [...bytes]);
    });

    it(`are not larger than any can be, ${size} bytes at a time`, async () => {
      const bytes = messages(16, 100, 8);
      new DataView(bytes.buffer).setUint32(116, 0xffffffff);
      await assertRejects(
        () => Array.fromAsync(withinLimits(inPieces(bytes, size))),
        AwsError,
        "an event of 4294967295 bytes",
      );
    });
  }

  it("may be damaged: that is found by who reads them", async () => {
    const bytes = new Uint8Array(64);
    assertEquals((await Array.fromAsync(withinLimits(inPieces(bytes, 9)))).length, 8);
  });
});
