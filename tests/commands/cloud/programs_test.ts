import { assertEquals, assertMatch } from "@std/assert";
import { runCloud } from "../../helpers/cloud.ts";
import { pushesOf } from "../../helpers/fake_pushes.ts";
import { BUCKET, makeJobApp } from "../../helpers/job_app.ts";
import { addJob } from "../../helpers/jobs.ts";
import { it, suite } from "../../helpers/suite.ts";
import { tarGz } from "../../helpers/tar.ts";

const KEY = "churn/model.tar.gz";

/** What each prints: its result alone. The rest is told by the tests that run in process. */
const PROGRAMS: readonly (readonly [args: readonly string[], stdout: RegExp])[] = [
  [
    ["train", "-i", `s3://${BUCKET}/app/data`, "-e", "ml.m5.large"],
    /^s3:\/\/job-data\/app\/output\/test-\S+\/output\/model\.tar\.gz\n$/,
  ],
  [["process", "-f", "p.py", "-e", "ml.m5.large", "--no-wait"], /^test-\S+\n$/],
  [["push"], /^localhost:\d+\/test-\w+@sha256:[0-9a-f]{64}\n$/],
  [["download-model", `s3://${BUCKET}/${KEY}`, "--to", "model"], /^model\n$/],
  [["list-jobs"], /^churn {2}InProgress {2}.+\n$/],
  [["describe", "churn"], /^Name: {11}churn\n/],
  [["describe", "shop"], /^Name: {11}shop\n/],
  [["stop-job", "churn"], /^churn\n$/],
];

suite("a cloud command, as a program", () => {
  for (const [args, expected] of PROGRAMS) {
    it(`prints its result: mlcli ${args[0]} ${args[1] ?? ""}`, async () => {
      await using job = await makeJobApp();
      await using engine = await pushesOf(job);
      addJob(job.box, "churn", []);
      job.box.endpoints.add("shop");
      await job.box.s3.put(BUCKET, KEY, await tarGz([{ name: "weights", content: "7" }]));
      const { code, stdout, stderr } = await runCloud(job.box, args, {
        cwd: job.app.directory,
        // For push alone: the others compare images where there is an engine.
        env: args[0] === "push" ? { DOCKER_HOST: `unix://${engine.socket}` } : {},
      });
      assertEquals(code, 0, stderr);
      assertMatch(stdout, expected);
    });
  }
});
