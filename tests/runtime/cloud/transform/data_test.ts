import { assertEquals, assertMatch } from "@std/assert";
import { dataWarnings, type TransformData } from "../../../../runtime/cloud/transform/data.ts";
import { it, suite } from "../../../helpers/suite.ts";

const SHAPE = {
  contentType: "text/csv",
  compression: "none",
  inputFilter: undefined,
  outputFilter: undefined,
} as const;

const DATA: TransformData = {
  input: { bucket: "b", key: "in/" },
  output: { bucket: "b", key: "out/" },
  keys: ["in/", "in/a.csv", "in/b.csv"],
  instanceCount: 1,
  transform: SHAPE,
  odd: {},
};

const ROWS: readonly (readonly [what: string, change: Partial<TransformData>, words?: RegExp])[] = [
  ["nothing", {}],
  ["nothing", { output: { bucket: "other", key: "in/out/" } }],
  [
    "outputs below the inputs",
    { output: { bucket: "b", key: "in/out/" } },
    /outputs are written into the input .*-o/,
  ],
  [
    "outputs beside the inputs",
    { output: { bucket: "b", key: "in" } },
    /outputs are written into the input/,
  ],
  [
    "outputs in a bucket that is all input",
    { input: { bucket: "b", key: "" } },
    /outputs are written into the input/,
  ],
  ["nothing", { input: { bucket: "b", key: "in/a.csv" }, keys: ["in/a.csv"] }],
  [
    "another key that begins alike",
    { input: { bucket: "b", key: "in/a.csv" }, keys: ["in/a.csv", "in/a.csv.\nb"] },
    /s3:\/\/b\/in\/a\.csv\.\S*b: its key starts .*to another prefix/,
  ],
  [
    "an archive",
    { keys: ["in/a.csv", "in/m.tar.gz"] },
    /^s3:\/\/b\/in\/m\.tar\.gz looks like an archive/,
  ],
  [
    "junk",
    { keys: ["in/a.csv", "in/.DS_Store", "in/__MACOSX/._a.csv"] },
    /^s3:\/\/b\/in\/\.DS_Store \(and 1 more\) looks like a system file .*Move such objects/,
  ],
  ["nothing", { input: { bucket: "b", key: "in/._a" }, keys: ["in/._a"] }],
  ["a header", { odd: { header: 1 } }, /^s3:\/\/b\/in\/a\.csv, line 1 looks like a header/],
  ["a range", { transform: { ...SHAPE, inputFilter: "$[1:2]" } }, /the end of range \$\[1:2\]/],
  [
    "requests that may be too large",
    { transform: { ...SHAPE, maxConcurrency: 50 } },
    /50 concurrent requests of 6 MB.*2 or less$/,
  ],
  ["nothing", { transform: { ...SHAPE, maxConcurrency: 50, maxPayload: 2 } }],
  ["idle instances", { instanceCount: 3 }, /Only 2 of 3 instances will get data.*fewer instances/],
  ["nothing", { instanceCount: 2 }],
  ["nothing", { instanceCount: 2, keys: [] }],
];

suite("dataWarnings", () => {
  for (const [what, change, words] of ROWS) {
    it(`warns of ${what}: ${JSON.stringify(change)}`, () => {
      const warnings = dataWarnings({ ...DATA, ...change })
        .map(({ message, hint }) => `${message}. ${hint}`);
      assertEquals(warnings.length, words ? 1 : 0, warnings.join("\n"));
      if (words) assertMatch(warnings[0]!, words);
    });
  }
});
