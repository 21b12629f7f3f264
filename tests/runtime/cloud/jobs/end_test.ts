import { assertEquals } from "@std/assert";
import { billWords, secondsText } from "../../../../runtime/cloud/jobs/end.ts";
import type { CloudJob } from "../../../../runtime/cloud/jobs/job.ts";
import { it, suite } from "../../../helpers/suite.ts";

const JOB = {
  ...{ instanceType: "ml.m5.large", instanceCount: 1, groups: [], isSpot: false },
} as unknown as CloudJob;

suite("billWords", () => {
  it("multiplies by the machines", () => {
    assertEquals(billWords({ ...JOB, billableSeconds: 200 }), "3 min 20 s x 1 ml.m5.large billed");
    assertEquals(
      billWords({ ...JOB, billableSeconds: 200, instanceCount: 2 }),
      "3 min 20 s x 2 ml.m5.large = 6 min 40 s billed",
    );
    const groups = [
      { name: "gpu", type: "ml.g5.xlarge", count: 2 },
      { name: "cpu", type: "ml.m5.large", count: 1 },
    ];
    assertEquals(
      billWords({ ...JOB, billableSeconds: 200, instanceCount: 3, groups }),
      "3 min 20 s x (2 ml.g5.xlarge + 1 ml.m5.large) = 10 min billed",
    );
  });

  it("says what spot saved", () => {
    const spot = { ...JOB, isSpot: true, trainingSeconds: 500, billableSeconds: 100 };
    assertEquals(billWords(spot), "1 min 40 s x 1 ml.m5.large billed; spot saved 80%");
    assertEquals(billWords({ ...spot, trainingSeconds: 0 }), "1 min 40 s x 1 ml.m5.large billed");
  });

  it("says how long it ran where nobody tells what is billed", () => {
    const times = { startTime: new Date(1_000), endTime: new Date(46_500) };
    assertEquals(billWords({ ...JOB, ...times }), "46 s x 1 ml.m5.large");
    assertEquals(billWords(JOB), undefined);
  });
});

suite("secondsText", () => {
  const rows = [
    [0, "0 s"],
    [59, "59 s"],
    [60, "1 min"],
    [61, "1 min 1 s"],
    [3_599, "59 min 59 s"],
    [3_600, "1 h 0 min"],
    [86_400, "24 h 0 min"],
  ] as const;
  for (const [seconds, text] of rows) {
    it(`of ${seconds} is ${text}`, () => assertEquals(secondsText(seconds), text));
  }
});
