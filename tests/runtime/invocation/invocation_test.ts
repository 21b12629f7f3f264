import { assert, assertEquals, assertRejects } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import { seemsToHaveHeading } from "../../../runtime/contract/invocations.ts";
import {
  answerNotes,
  PrintedAnswer,
  readBody,
  readPieces,
  refusalWords,
  typeHint,
} from "../../../runtime/invocation/invocation.ts";
import { it, suite } from "../../helpers/suite.ts";
import { fakeContext } from "../../helpers/fake_context.ts";

const encoder = new TextEncoder();
const tooLarge = (): MlcliError => new MlcliError("too large");

/** Pieces, and how many of them somebody took. */
function counted(pieces: readonly string[]) {
  const taken: string[] = [];
  async function* come(): AsyncGenerator<Uint8Array, void, void> {
    for (const piece of pieces) {
      taken.push(piece);
      yield encoder.encode(piece);
    }
  }
  return { pieces: come(), taken };
}

suite("the body of a request", () => {
  for (
    const [pieces, contentType, expected] of [
      [["1,", "2"], undefined, "text/csv"],
      [[" ", "[1]"], undefined, "application/json"],
      [[], undefined, "text/csv"],
      [["[1]"], "text/plain", "text/plain"],
    ] as const
  ) {
    it(`${JSON.stringify(pieces)} as ${contentType} is of ${expected}`, async () => {
      const body = { pieces: counted(pieces).pieces, contentType };
      const { bytes, contentType: type } = await readBody(body, 10, tooLarge);
      assertEquals([new TextDecoder().decode(bytes), type], [pieces.join(""), expected]);
    });
  }

  it("is not copied, and its beginning alone tells what it is", async () => {
    const whole = new Uint8Array(100_000).fill(0x31);
    // A byte that no text has, behind what is looked at.
    whole[65_536] = 0;
    const given = [encoder.encode("1,"), whole];
    const pieces = ReadableStream.from(given);
    const read = await readPieces({ pieces, contentType: undefined }, 200_000, tooLarge);
    assertEquals(read.contentType, "text/csv");
    assert(read.pieces.every((piece, index) => piece === given[index]));
    whole[65_533] = 0;
    const other = await readPieces(
      { pieces: ReadableStream.from(given), contentType: undefined },
      200_000,
      tooLarge,
    );
    assertEquals(other.contentType, "application/octet-stream");
  });

  const headings: readonly (readonly [text: string, expected: boolean])[] = [
    ["age,price\n1,2.5\n", true],
    ['"age","price"\r\n"1","2"\r\n', true],
    ["name,price\nhouse,1e3", true],
    ["1,2\n3,4\n", false],
    ["age,2\n3,4\n", false],
    ["good,bad\nnice,day 2\n", false],
    ["age,price\n", false],
    ["\n1,2\n", false],
    [",\n1,2\n", false],
    ["", false],
  ];
  for (const [text, expected] of headings) {
    it(`${JSON.stringify(text)} begins ${expected ? "with" : "without"} a heading`, () => {
      assertEquals(seemsToHaveHeading(encoder.encode(text)), expected);
    });
  }

  const types: readonly (readonly [contentType: string | undefined, told: number])[] = [
    [undefined, 1],
    ["text/csv", 1],
    ["Text/CSV; charset=utf-8", 1],
    ["text/csv; header=present", 0],
    ["text/csv-schema", 0],
    ["text/plain", 0],
  ];
  for (const [contentType, expected] of types) {
    it(`with a heading is told of once, and only of CSV: ${contentType}`, async () => {
      const { pieces } = counted(["age\n1\n", "age\n1\n"]);
      let told = 0;
      await readPieces({ pieces, contentType, onHeading: () => told++ }, 20, tooLarge);
      assertEquals(told, expected);
    });
  }

  it("may have so many bytes, and not one more: the rest is not read", async () => {
    const whole = counted(["12", "34"]);
    const body = { pieces: whole.pieces, contentType: undefined };
    assertEquals((await readBody(body, 4, tooLarge)).bytes.length, 4);
    const { pieces, taken } = counted(["12", "345", "6"]);
    const reading = readBody({ pieces, contentType: undefined }, 4, tooLarge);
    await assertRejects(() => reading, MlcliError, "too large");
    assertEquals(taken, ["12", "345"]);
  });
});

async function* come(pieces: readonly string[]): AsyncGenerator<Uint8Array, void, void> {
  for (const piece of pieces) yield new TextEncoder().encode(piece);
}

suite("an answer", () => {
  for (
    const [title, pieces, lineEnd] of [
      ["of pieces", ["ab", "", "c"], "\n"],
      ["whose last piece is empty", ["ab\n", ""], ""],
      ["without a byte", [""], ""],
      ["without a piece", [], ""],
    ] as const
  ) {
    it(`${title} is passed on in order, and its line ended once on a terminal`, async () => {
      for (const isTerminal of [true, false]) {
        const { out, err } = fakeContext({ isTerminal });
        const printed = new PrintedAnswer({ out, err });
        await printed.print(come(pieces));
        assertEquals([out.text, printed.length], [pieces.join(""), pieces.join("").length]);
        printed.endLine();
        printed.endLine();
        assertEquals(err.text, isTerminal ? lineEnd : "");
      }
    });
  }

  it("has headers that are said in words", () => {
    const none = { customAttributes: undefined, newSession: undefined, closedSession: undefined };
    assertEquals(answerNotes(none), []);
    assertEquals(answerNotes({ customAttributes: "a=1", newSession: "b; c", closedSession: "d" }), [
      "Custom attributes: a=1",
      "Started session b; c (use --header Session-Id=ID)",
      "Ended session d",
    ]);
  });
});

suite("a refusal", () => {
  for (
    const [body, message, quote] of [
      ['{"error": "no age"}', "no age (HTTP 500)", undefined],
      ['{"error": " no age\\n"}', "no age (HTTP 500)", undefined],
      ['{"error": ""}', "It refused", '{"error": ""}'],
      ['{"error": 7}', "It refused", '{"error": 7}'],
      ['{"message": "no age"}', "It refused", '{"message": "no age"}'],
      ["null", "It refused", "null"],
      ["no age", "It refused", "no age"],
      ["", "It refused", ""],
    ] as const
  ) {
    it(`in the words of ${JSON.stringify(body)}`, () => {
      assertEquals(refusalWords(body, "HTTP 500", "It refused"), { message, quote });
    });
  }

  it("is said to depend on the types", () => {
    const hint =
      "The request was sent as text/csv. Choose other types with --content-type and --accept.";
    for (const status of [400, 406, 415]) assertEquals(typeHint(status, "text/csv"), hint);
    for (const status of [0, 404, 413, 500]) assertEquals(typeHint(status, "text/csv"), undefined);
  });
});
