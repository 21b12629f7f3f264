import { assertEquals } from "@std/assert";
import { makeJobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("train", () => {
  it("tries", async () => {
    await using job = await makeJobApp();
    const { code, stdout, stderr } = await job.run([
      "train",
      "-i",
      "s3://job-data/app/data",
      "-e",
      "ml.m5.large",
      "--dry-run",
    ]);
    console.log(code, stdout, stderr, job.box.operations);
    assertEquals(code, 0);
    const second = await job.run([
      "train",
      "-i",
      "s3://job-data/app/data",
      "-e",
      "ml.m5.large",
      "--no-wait",
    ]);
    console.log(second, job.box.operations);
  });
});
