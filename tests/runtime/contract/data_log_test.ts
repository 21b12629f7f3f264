import { assertEquals, assertMatch } from "@std/assert";
import { failedObjects } from "../../../runtime/contract/data_log.ts";
import { it, suite } from "../../helpers/suite.ts";

const AT = "2020-10-14T04:08:19.693:[sagemaker logs]:";
const INPUT = { bucket: "data", key: "batch/" };

/** The words about one object, and its hint, for these lines about it. */
function told(...lines: readonly string[]): readonly [words: string, hint: string | undefined] {
  const [{ words, hint } = { words: "none", hint: undefined }, ...others] = failedObjects(
    lines.map((line) => `${AT} data/batch/a.csv: ${line}`),
    INPUT,
  );
  assertEquals(others, []);
  return [words, hint];
}

suite("failedObjects", () => {
  const rows:
    readonly (readonly [lines: readonly string[], words: string, hint: RegExp | undefined])[] = [
      [
        ["ClientError: 400", "", "Message:", "no column id"],
        "HTTP 400: no column id",
        /mlcli local transform/,
      ],
      [
        ["ClientError: 413", "", "Message:", "too large"],
        "HTTP 413: too large",
        /--max-payload/,
      ],
      [
        ["ClientError: 415", "", "Message:", "text/csv"],
        "HTTP 415: text/csv",
        /--content-type/,
      ],
      [
        [
          "Bad HTTP status received from algorithm: 500",
          "",
          "Message:",
          "<!DOCTYPE html><h1>Oops</h1>",
          "<p>again</p>",
        ],
        "HTTP 500: Oops again",
        /container's log/,
      ],
      [
        ["Unable to get response from algorithm"],
        "Unable to get response from algorithm",
        /--invocation-timeout/,
      ],
      [
        ["Model server did not respond to /invocations request within 600 seconds"],
        "Model server did not respond to /invocations request within 600 seconds",
        /--invocation-timeout/,
      ],
      [
        ["Failed to parse output from the algorithm as CSV"],
        "Failed to parse output from the algorithm as CSV",
        /filters and joins/,
      ],
      [
        ["ClientError: 400", "a\x1b]0;evil\x07b"],
        "HTTP 400: a?]0;evil?b",
        /local transform/,
      ],
      [["Something new"], "Something new", undefined],
    ];
  for (const [lines, words, hint] of rows) {
    it(`tells of ${lines[0]}: ${words}`, () => {
      const [found, advice] = told(...lines);
      assertEquals(found, `s3://data/batch/a.csv: ${words}`);
      if (hint) assertMatch(advice!, hint);
      else assertEquals(advice, undefined);
    });
  }

  it("takes each object once, and no other lines", () => {
    const found = failedObjects([
      `${AT} MaxConcurrentTransforms=1, MaxPayloadInMB=6, BatchStrategy=MULTI_RECORD`,
      "data/batch/a: ClientError: 400",
      "data/batch/b:c d: ClientError: 422",
      "data/batch/a: ",
      "data/batch/a: Message:",
      "elsewhere/batch/a: ClientError: 400",
      "data/no words",
    ], INPUT);
    assertEquals(found.map(({ words }) => words), [
      "s3://data/batch/a: HTTP 400",
      "s3://data/batch/b:c d: HTTP 422",
    ]);
  });

  it("shows the beginning of a long answer", () => {
    const [words] = told("ClientError: 400", "Message:", "x".repeat(10_000));
    assertEquals(words.length < 300, true);
  });
});
