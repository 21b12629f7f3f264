import { assert, assertEquals, assertMatch } from "@std/assert";
import { isJobName, jobName } from "../../../runtime/contract/job_names.ts";
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

suite("job names", () => {
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
