import { assertEquals } from "@std/assert";
import { answerText } from "../../../runtime/page/answers.ts";
import { curlLine, invokeLine } from "../../../runtime/page/request_lines.ts";
import { bytesText, textOf } from "../../../runtime/page/text.ts";
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
    it(`${bytes} is ${text}`, () => assertEquals(bytesText(bytes), text));
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
      ["image/png", "\x89PNG\0", "6 bytes that are no text:\nc2 89 50 4e 47 00"],
      ["text/plain", "a".repeat(300_000), `${"a".repeat(200_000)}\n… (cut here)`],
    ] as const
  ) {
    it(`of the type ${type}, of ${body.length} letters`, () => {
      assertEquals(answerText(type, new TextEncoder().encode(body)), text);
    });
  }
});

suite("the lines that send the same request", () => {
  const request = { port: 8080, contentType: "text/csv", accept: "" };
  for (
    const [more, curl, invoke] of [
      [
        { body: { text: "1,2" } },
        "-H 'Content-Type: text/csv' --data-raw 1,2",
        "printf %s 1,2 | mlcli local invoke -p 8080 --content-type text/csv",
      ],
      [
        { accept: "a/b; c", body: { text: "@it's\n$(id)" } },
        "-H 'Content-Type: text/csv' -H 'Accept: a/b; c' --data-raw '@it'\\''s\n$(id)'",
        "printf %s '@it'\\''s\n$(id)' | " +
        "mlcli local invoke -p 8080 --content-type text/csv --accept 'a/b; c'",
      ],
      [
        { body: { file: "-my file" } },
        "-H 'Content-Type: text/csv' --data-binary '@-my file'",
        "mlcli local invoke -p 8080 --content-type text/csv './-my file'",
      ],
    ] as const
  ) {
    it(`with ${JSON.stringify(more)}`, () => {
      const tried = { ...request, ...more };
      assertEquals(curlLine(tried), `curl http://localhost:8080/invocations ${curl}`);
      assertEquals(invokeLine(tried), invoke);
    });
  }
});
