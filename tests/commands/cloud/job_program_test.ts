import { assertEquals, assertMatch } from "@std/assert";
import { runCloud } from "../../helpers/cloud.ts";
import { BUCKET, makeJobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What only the program itself shows; the rest is in train_test.ts and process_test.ts. */
suite("train and process, as a program", () => {
  it("train: the artifact alone on standard output", async () => {
    await using job = await makeJobApp();
    const options = { cwd: job.app.directory };
    const args = ["train", "-i", `s3://${BUCKET}/app/data`, "-e", "ml.m5.large"];
    const { code, stdout, stderr } = await runCloud(job.box, args, options);
    const { name } = job.box.jobs.only("training");
    const artifact = `s3://${BUCKET}/app/output/${name}/output/model.tar.gz`;
    assertEquals([code, stdout], [0, `${artifact}\n`], stderr);
    const refused = await runCloud(job.box, ["train"], options);
    assertEquals([refused.code, refused.stdout], [2, ""]);
    assertMatch(refused.stderr, /^error: Missing required options .*\nhint: .*\n$/);
  });

  it("process: the job's name alone on standard output, with --no-wait", async () => {
    await using job = await makeJobApp();
    const options = { cwd: job.app.directory };
    const args = ["process", "-f", "p.py", "-e", "ml.m5.large", "--no-wait"];
    const { code, stdout, stderr } = await runCloud(job.box, args, options);
    const { name } = job.box.jobs.only("processing");
    assertEquals([code, stdout], [0, `${name}\n`], stderr);
    const refused = await runCloud(job.box, ["process"], options);
    assertEquals([refused.code, refused.stdout], [2, ""]);
    assertMatch(refused.stderr, /^error: Missing required options .*\nhint: .*\n$/);
  });
});
