import { assertEquals, assertRejects } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import {
  batchesOf,
  LineCount,
  linesIn,
  type OddLines,
} from "../../../runtime/contract/transform_records.ts";
import type { Split, Strategy } from "../../../runtime/contract/transform.ts";
import { joined } from "../../../runtime/streams.ts";
import { it, suite } from "../../helpers/suite.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** A record of MXNet's RecordIO. */
function recordIo(text: string): Uint8Array {
  const content = bytes(text);
  const record = new Uint8Array(8 + content.length + (-content.length & 3));
  new DataView(record.buffer).setUint32(0, 0xced7230a, true);
  new DataView(record.buffer).setUint32(4, content.length, true);
  record.set(content, 8);
  return record;
}

function tfRecord(text: string): Uint8Array {
  const content = bytes(text);
  const record = new Uint8Array(16 + content.length);
  new DataView(record.buffer).setBigUint64(0, BigInt(content.length), true);
  record.set(content, 12);
  return record;
}

const latin1 = (content: Uint8Array) => new TextDecoder("latin1").decode(content);

const big = "x".repeat(600_000);
const recordIos = joined([recordIo("ab"), recordIo("cdefg")]);

/** Text of a request, its records and the number of the first. */
type Request = readonly [text: string, records: number, first: number];

type OfData = readonly [split: Split, strategy: Strategy, data: Uint8Array];

const CASES: readonly (readonly [string, ...OfData, readonly Request[]])[] = [
  ["lines in one request", "line", "multi", bytes("a\nb\nc\n"), [["a\nb\nc\n", 3, 1]]],
  ["a last line without an end", "line", "multi", bytes("a\nb"), [["a\nb", 2, 1]]],
  ["single lines", "line", "single", bytes("a\n\nb"), [["a\n", 1, 1], ["\n", 1, 2], ["b", 1, 3]]],
  ["as many lines as fit", "line", "multi", bytes(`${big}\n${big}\nz\n`), [
    [`${big}\n`, 1, 1],
    [`${big}\nz\n`, 2, 2],
  ]],
  ["nothing", "line", "multi", bytes(""), []],
  ["a whole file", "none", "single", bytes("a\nb\n"), [["a\nb\n", 1, 1]]],
  ["an empty whole file", "none", "multi", bytes(""), [["", 1, 1]]],
  ["RecordIO, without its frame", "recordio", "single", recordIos, [["ab", 1, 1], ["cdefg", 1, 2]]],
  ["RecordIO, with its frame", "recordio", "multi", recordIos, [[latin1(recordIos), 2, 1]]],
  ["TFRecord, without its frame", "tfrecord", "single", joined([tfRecord("ab"), tfRecord("")]), [
    ["ab", 1, 1],
    ["", 1, 2],
  ]],
];

async function* pieces(data: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < data.length; at += size) yield data.slice(at, at + size);
}

async function requestsOf(
  [split, strategy, data]: OfData,
  { size = 65_536, isCsv = true, odd = {} as OddLines, maxPayload = 1 } = {},
): Promise<readonly Request[]> {
  const asked = { split, contentType: isCsv ? "text/csv" : "text/plain" };
  const batches = batchesOf(pieces(data, size), asked, { strategy, maxPayload }, odd);
  return await Array.fromAsync(
    batches,
    ({ bytes, records, first }) => [latin1(bytes), records, first] as const,
  );
}

/** Lines, and what is odd about them. */
const ODD: readonly (readonly [text: string, odd: OddLines, isCsv?: boolean])[] = [
  ["1,2\n3,4\n", {}],
  ["1,2\n\n3,4\n\n", { blank: 2 }],
  ["1,2\r\n\r\n", { blank: 2 }],
  ['1,"a\nb",3\n', { unclosed: 1 }],
  ['1,"a\nb",3\n', {}, false],
  ['1,"a ""b"" c",3\n', {}],
  ["id,price\n1,2.5\n", { header: 1 }],
  ["id,price\n1,2.5\n", {}, false],
  ["a,b\nc,d\n", {}],
];

suite("records and requests of a transform", () => {
  for (const [title, split, strategy, data, requests] of CASES) {
    for (const size of data.length > 100 ? [65_536] : [65_536, 7]) {
      it(`${title}, read ${size} bytes at a time`, async () => {
        assertEquals(await requestsOf([split, strategy, data], { size }), requests);
      });
    }
  }

  for (const [text, expected, isCsv] of ODD) {
    it(`tells what is odd about ${JSON.stringify(text)}${isCsv === false ? ", no CSV" : ""}`, async () => {
      const odd: OddLines = {};
      await requestsOf(["line", "multi", bytes(text)], { odd, isCsv });
      assertEquals(odd, expected);
    });
  }

  it("refuses a record that is larger than a request", async () => {
    const data = bytes(`a\n${"x".repeat(1024 ** 2)}\n`);
    const read = requestsOf(["line", "multi", data]);
    const { message } = await assertRejects(() => read, MlcliError);
    assertEquals(message, "Record 2 is larger than 1 MB, the limit for a request");
    const all = await requestsOf(["line", "multi", data], { maxPayload: 0 });
    assertEquals(all.length, 1);
  });

  for (
    const [split, data, words] of [
      ["recordio", bytes("12345678"), "it is not RecordIO"],
      ["recordio", recordIo("abcde").slice(0, 14), "its last record is incomplete"],
      ["recordio", new Uint8Array([0x0a, 0x23, 0xd7, 0xce, 0, 0, 0, 0x20]), "multi-part records"],
      ["tfrecord", tfRecord("abc").slice(0, 15), "its last record is incomplete"],
    ] as const
  ) {
    it(`refuses ${split} of which ${words}`, async () => {
      const read = requestsOf([split, "multi", data]);
      await assertRejects(() => read, MlcliError, words);
    });
  }

  it("counts the lines of an answer", () => {
    const counts = ["", "a", "a\n", "a\nb", "\n\n"].map((text) => linesIn(bytes(text)));
    assertEquals(counts, [0, 1, 1, 2, 2]);
  });

  it("counts the lines of an answer in pieces, whatever their ends", () => {
    const rows: readonly (readonly [pieces: readonly string[], lines: number, isEnded: boolean])[] =
      [
        [["", ""], 0, false],
        [["a", "b\n", "c"], 2, false],
        [["a\n", "", "b\n"], 2, true],
        [["a", "", "b"], 1, false],
        [["a", "\n"], 1, true],
        [["\n", "\n"], 2, true],
      ];
    for (const [pieces, lines, isEnded] of rows) {
      const count = new LineCount();
      for (const piece of pieces) count.add(bytes(piece));
      assertEquals({ ...count }, { lines, isEnded }, JSON.stringify(pieces));
    }
  });
});
