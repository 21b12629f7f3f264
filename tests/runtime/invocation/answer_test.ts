import { assertEquals } from "@std/assert";
import {
  answerNotes,
  PrintedAnswer,
  refusalWords,
  typeHint,
} from "../../../runtime/invocation/answer.ts";
import { fakeContext } from "../../helpers/fake_context.ts";
import { it, suite } from "../../helpers/suite.ts";

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
      "custom attributes: a=1",
      "session b; c (--header Session-Id=...)",
      "session d has ended",
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

  it("may be of the types", () => {
    const hint = "It was sent as text/csv; --content-type and --accept choose other types.";
    for (const status of [400, 406, 415]) assertEquals(typeHint(status, "text/csv"), hint);
    for (const status of [0, 404, 413, 500]) assertEquals(typeHint(status, "text/csv"), undefined);
  });
});
