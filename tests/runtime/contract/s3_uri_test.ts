import { assertEquals } from "@std/assert";
import { asDirectory, parseS3Uri, s3Uri, within } from "../../../runtime/contract/s3_uri.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("addresses in S3", () => {
  for (
    const [text, expected] of [
      ["s3://data/churn/train.csv", { bucket: "data", key: "churn/train.csv" }],
      ["s3://data", { bucket: "data", key: "" }],
      ["s3://data/", { bucket: "data", key: "" }],
      ["s3://my.data-1/a b/ü?#%41", { bucket: "my.data-1", key: "a b/ü?#%41" }],
      ["s3://data//twice", { bucket: "data", key: "/twice" }],
      [`s3://data/${"k".repeat(1_024)}`, { bucket: "data", key: "k".repeat(1_024) }],
      [`s3://data/${"k".repeat(1_025)}`, undefined],
      [`s3://data/${"ü".repeat(513)}`, undefined],
      ["s3://ab", undefined],
      ["s3://Data/x", undefined],
      ["s3://data-/x", undefined],
      ["s3:///x", undefined],
      ["s3://data/..", undefined],
      ["s3://data/../other/x", undefined],
      ["s3://data/a/./b", undefined],
      ["s3://data/a..b/.c/...", { bucket: "data", key: "a..b/.c/..." }],
      ["s3://data/a\x1b[2J", undefined],
      ["s3://data/a\nb", undefined],
      ["s3://data/a\u202eb", undefined],
      ["s3:/data/x", undefined],
      ["S3://data/x", undefined],
      ["https://data/x", undefined],
      ["data/x", undefined],
      ["", undefined],
    ] as const
  ) {
    it(`${JSON.stringify(text.slice(0, 40))} is ${expected ? "one" : "none"}`, () => {
      assertEquals(parseS3Uri(text), expected);
    });
  }

  it("are written as they are read", () => {
    assertEquals(s3Uri({ bucket: "data", key: "churn/" }), "s3://data/churn/");
  });

  it("end with a slash as directories, unless they are a whole bucket", () => {
    const directories = ["", "churn", "churn/"].map((key) => asDirectory({ bucket: "data", key }));
    assertEquals(directories.map(({ key }) => key), ["", "churn/", "churn/"]);
  });

  it("lead into directories", () => {
    const keys = ["", "churn", "churn/"].map((key) => within({ bucket: "data", key }, "out"));
    assertEquals(keys.map(({ key }) => key), ["out", "churn/out", "churn/out"]);
  });
});
