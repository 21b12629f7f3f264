import { assertEquals } from "@std/assert";
import { answerText, curlLine } from "../../../runtime/page/request.ts";
import { byteCount } from "../../../runtime/quantities.ts";
import { textOf } from "../../../runtime/page/text.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("values on the page", () => {
  for (
    const [value, text] of [
      [null, "–"],
      [undefined, "–"],
      ["<b>", "<b>"],
      [0.123456789, "0.123457"],
      [12345678, "12345678"],
      [1e-12, "1e-12"],
      [{ type: "b" }, '{"type":"b"}'],
      [false, "false"],
    ] as const
  ) {
    it(`${JSON.stringify(value)} is ${text}`, () => assertEquals(textOf(value), text));
  }

  for (
    const [bytes, text] of [[1, "1 byte"], [999, "999 bytes"], [51_234_567, "51.2 MB"]] as const
  ) {
    it(`${bytes} is ${text}`, () => assertEquals(byteCount(bytes), text));
  }
});

suite("an answer on the page", () => {
  for (
    const [type, body, text] of [
      [
        "application/json; charset=utf-8",
        '{"a":[12345678901234567890.10]}',
        '{\n  "a": [\n    12345678901234567890.10\n  ]\n}',
      ],
      ["application/json", "{broken", "{broken"],
      ["text/csv", "1,2\n", "1,2\n"],
      ["image/png", "\x89PNG\0", "Binary data (6 bytes)"],
      ["text/plain", "a".repeat(300_000), `${"a".repeat(200_000)}\n… (truncated)`],
    ] as const
  ) {
    it(`of the type ${type}, of ${body.length} letters`, () => {
      assertEquals(answerText(type, new TextEncoder().encode(body)), text);
    });
  }
});

suite("the line that sends the same request", () => {
  const request = { port: 8080, contentType: "text/csv", accept: "" };
  for (
    const [more, curl] of [
      [
        { body: { text: "1,2" } },
        "-H 'Content-Type: text/csv' --data-raw 1,2",
      ],
      [
        { accept: "a/b; c", body: { text: "@it's\n$(id)" } },
        "-H 'Content-Type: text/csv' -H 'Accept: a/b; c' --data-raw '@it'\\''s\n$(id)'",
      ],
      [
        { body: { file: "-my file" } },
        "-H 'Content-Type: text/csv' --data-binary '@-my file'",
      ],
    ] as const
  ) {
    it(`with ${JSON.stringify(more)}`, () => {
      assertEquals(
        curlLine({ ...request, ...more }),
        `curl http://localhost:8080/invocations ${curl}`,
      );
    });
  }
});
