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
  const UNREAD = "Failed to parse output from the algorithm as CSV";
  const NONE = "Unable to get response from algorithm";
  const LATE = "Model server did not respond to /invocations request within 600 seconds";
  const rows: readonly (readonly [lines: string, words: string, hint: RegExp | undefined])[] = [
    [
      "ClientError: 400\n\nMessage:\nno column id",
      "HTTP 400: no column id",
      /^To find the failing record, /,
    ],
    ["ClientError: 413\n\nMessage:\ntoo large", "HTTP 413: too large", /--max-payload/],
    ["ClientError: 415\n\nMessage:\ntext/csv", "HTTP 415: text/csv", /--content-type/],
    ["ClientError: 400\na\x1b]0;evil\x07b", "HTTP 400: a?]0;evil?b", /local transform/],
    [
      "Bad HTTP status received from algorithm: 500\n\nMessage:\n<!DOCTYPE html><h1>Oops</h1>\n<p>again",
      "HTTP 500: Oops again",
      /container's log/,
    ],
    [NONE, NONE, /--invocation-timeout/],
    [LATE, LATE, /--invocation-timeout/],
    [UNREAD, UNREAD, /^Filters and joins/],
    ["Something new", "Something new", undefined],
  ];
  for (const [lines, words, hint] of rows) {
    it(`tells of ${words}`, () => {
      const [found, advice] = told(...lines.split("\n"));
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
