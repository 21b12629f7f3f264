import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  checkBaseJobName,
  checkJobName,
  checkJobNamePart,
  isJobName,
  jobName,
  platformJobName,
} from "../../../runtime/contract/job_names.ts";
import { isResourceName } from "../../../runtime/contract/limits.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

const NAMES: readonly (readonly [name: string, is: boolean, why: string])[] = [
  ["mlcli-churn-train-0badcafe", true, "as it is given"],
  ["mlcli-churn-process-0badcafe", false, "of another kind of job"],
  ["mlcli-chur-train-0badcafe", false, "of another app"],
  ["mlcli-churn-train-0badcaf", false, "too short"],
  ["mlcli-churn-train-0badcafe0", false, "too long"],
  ["mlcli-churn-train-0BADCAFE", false, "in capitals"],
  ["mlcli-churn-train-serve-80", false, "of a server"],
  ["x-mlcli-churn-train-0badcafe", false, "with something before it"],
  ["", false, "empty"],
];

suite("names of containers of jobs", () => {
  it("tell two jobs of an app apart", () => {
    const [one, other] = [jobName("churn", "train"), jobName("churn", "train")];
    assertMatch(one, /^mlcli-churn-train-[0-9a-f]{8}$/);
    assert(one !== other);
    assertMatch(jobName("churn", "process"), /^mlcli-churn-process-[0-9a-f]{8}$/);
  });

  it("are known again", () => {
    assertEquals(isJobName(jobName("a.b_c", "process"), "a.b_c", "process"), true);
  });

  for (const [name, is, why] of NAMES) {
    it(`${why}: ${name} is ${is ? "one" : "none"}`, () => {
      assertEquals(isJobName(name, "churn", "train"), is);
    });
  }
});

const TIME = "2026-03-01T09:30:00.123Z";
const STAMP = "2026-03-01-09-30-00-123";

/** Bases, and what of them a name keeps. */
const BASES: readonly (readonly [base: string, kept: string])[] = [
  ["churn", "churn-"],
  ["Churn-2", "Churn-2-"],
  ["a.b_c", "a-b-c-"],
  ["a".repeat(39), `${"a".repeat(39)}-`],
  ["a".repeat(40), `${"a".repeat(39)}-`],
  ["a".repeat(500), `${"a".repeat(39)}-`],
  [`${"a".repeat(38)}_b`, `${"a".repeat(38)}-`],
  ["a__", "a-"],
  ["__a", "a-"],
  ["é", ""],
  ["", ""],
];

suite("the name of a job on the platform", () => {
  for (const [base, kept] of BASES) {
    it(`of ${JSON.stringify(base.slice(0, 20))} (${base.length}): ${kept}...`, () => {
      const name = platformJobName(base, TIME);
      assertEquals(name, kept + STAMP);
      assert(isResourceName(name));
    });
  }

  it("is as long as it may be where the base is", () => {
    assertEquals(platformJobName("a".repeat(63), TIME).length, 63);
  });

  for (const base of ["churn", "a".repeat(63), "A--9"]) {
    it(`may begin with ${base.slice(0, 9)} (${base.length})`, () => checkBaseJobName(base));
  }

  for (const base of ["", "a_b", "a.b", "-a", "a-", "a b", "é", "a".repeat(64)]) {
    it(`may not begin with ${JSON.stringify(base.slice(0, 9))} (${base.length})`, () => {
      const { message, hint } = assertThrows(() => checkBaseJobName(base), UsageError);
      assertEquals([message, hint], [
        `Job name not valid: "${base}"`,
        "A name has 1 to 63 letters, digits and hyphens, with no hyphen at its start or end.",
      ]);
    });
  }
});

suite("the name of a job that is there", () => {
  for (const name of ["a", "churn-2026-03-01", "a".repeat(63)]) {
    it(`may be ${name.slice(0, 20)} (${name.length})`, () => checkJobName(name));
  }
  for (const name of ["", "a_b", "-a", "a".repeat(64), "s3://b/k"]) {
    it(`cannot be ${JSON.stringify(name.slice(0, 9))} (${name.length})`, () => {
      const { message } = assertThrows(() => checkJobName(name), UsageError);
      assertEquals(message, `No job is called "${name}"`);
    });
  }
  for (const part of ["a", "-", "a-", "-1", "a".repeat(63)]) {
    it(`may contain ${part.slice(0, 9)} (${part.length})`, () => checkJobNamePart(part));
  }
  for (const part of ["", "_", "a b", "a".repeat(64)]) {
    it(`cannot contain ${JSON.stringify(part.slice(0, 9))} (${part.length})`, () => {
      const { message } = assertThrows(() => checkJobNamePart(part), UsageError);
      assertEquals(message, `No job's name contains "${part}"`);
    });
  }
});
