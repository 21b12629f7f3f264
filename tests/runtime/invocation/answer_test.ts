import { assertEquals } from "@std/assert";
import { printAnswer, refusalWords, typeHint } from "../../../runtime/invocation/answer.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("an answer", () => {
  for (
    const [title, pieces, last] of [
      ["of pieces", [[1, 2], [], [3]], 3],
      ["whose last piece is empty", [[1, 2], []], 2],
      ["without a byte", [[]], undefined],
      ["without a piece", [], undefined],
    ] as const
  ) {
    it(`${title} is passed on in order, and its last byte known`, async () => {
      const written: number[] = [];
      async function* come(): AsyncGenerator<Uint8Array, void, void> {
        for (const piece of pieces) yield new Uint8Array(piece);
      }
      const out = { write: (bytes: Uint8Array) => Promise.resolve(void written.push(...bytes)) };
      assertEquals(await printAnswer(come(), out), last);
      assertEquals(written, pieces.flat());
    });
  }
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
