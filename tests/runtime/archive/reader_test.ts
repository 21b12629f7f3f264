import { assertEquals, assertRejects } from "@std/assert";
import { Refusal } from "../../../runtime/archive/entries.ts";
import { piecesOf } from "../../../runtime/archive/reader.ts";
import { it, suite } from "../../helpers/suite.ts";

/** The content of a sparse file: a map, filled up to whole blocks, and the data. */
function contentOf(map: string, data: string): Uint8Array {
  const padded = map.padEnd(Math.ceil(map.length / 512) * 512, "\0");
  return new TextEncoder().encode(padded + data);
}

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < bytes.length; index += size) {
    yield await Promise.resolve(bytes.subarray(index, index + size));
  }
}

/** The file, with a dot for each byte in a hole. */
async function fileOf(map: string, data: string, size: number, chunk: number): Promise<string> {
  const file = Array(size).fill(".");
  for await (const { offset, bytes } of piecesOf(inChunks(contentOf(map, data), chunk), size)) {
    file.splice(offset, bytes.length, ...new TextDecoder().decode(bytes));
  }
  return file.join("");
}

const MANY = Array.from({ length: 200 }, (_, index) => `${2 * index}\n1\n`).join("");

suite("piecesOf", () => {
  for (
    const [title, map, data, size, expected] of [
      ["data, a hole, data", "2\n0\n3\n5\n2\n", "abcde", 7, "abc..de"],
      ["a hole at both ends", "1\n2\n2\n", "ab", 6, "..ab.."],
      ["nothing but a hole", "0\n", "", 4, "...."],
      ["an empty region at the end, as GNU tar writes it", "2\n1\n1\n4\n0\n", "a", 4, ".a.."],
      ["an empty region before data", "2\n0\n0\n1\n1\n", "a", 2, ".a"],
      ["a map of several blocks", `200\n${MANY}`, "x".repeat(200), 400, "x.".repeat(200)],
    ] as const
  ) {
    it(`puts ${title} where they belong`, async () => {
      for (const chunk of [1, 7, 511, 512, 513, 100_000]) {
        assertEquals(await fileOf(map, data, size, chunk), expected);
      }
    });
  }

  for (
    const [title, map, data, size] of [
      ["no map", "", "", 4],
      ["a map that is cut off", "2\n0\n3\n", "abc", 4],
      ["no number", "1\nx\n1\n", "a", 4],
      ["a negative number", "1\n-1\n1\n", "a", 4],
      ["an empty line", "1\n\n1\n", "a", 4],
      ["a number without an end", "9".repeat(600), "", 4],
      ["more regions than there may be", "100001\n", "", 4],
      ["a region beyond the end of the file", "1\n3\n2\n", "ab", 4],
      ["regions that overlap", "2\n0\n2\n1\n2\n", "abcd", 4],
      ["regions in another order", "2\n2\n1\n0\n1\n", "ab", 4],
      ["less data than the map says", "1\n0\n3\n", "ab", 4],
      ["a region without data", "2\n0\n1\n2\n1\n", "a", 4],
      ["more data than the map says", "1\n0\n1\n", "ab", 4],
      ["something behind the map", "0\nx", "", 4],
    ] as const
  ) {
    it(`refuses ${title}`, async () => {
      for (const chunk of [1, 512, 100_000]) {
        await assertRejects(
          () => fileOf(map, data, size, chunk),
          Refusal,
          "it contains a damaged sparse file",
        );
      }
    });
  }
});
