import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import type { Job } from "../../helpers/box/jobs/job.ts";
import { runShellLine } from "../../helpers/cloud.ts";
import { BUCKET, CONFIGURATION, type JobApp, makeJobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

const README = fromFileUrl(new URL("../../../README.md", import.meta.url));

/** The command line that the README has for the whole road. */
async function lineOfReadme(): Promise<string> {
  const text = await Deno.readTextFile(README);
  const [, line] = /^```sh\n(mlcli deploy .*)\n```$/m.exec(text)!;
  return line!;
}

/** An app with its data, and the rest in its configuration file. */
async function makeApp(): Promise<JobApp> {
  const job = await makeJobApp({
    configuration: { ...CONFIGURATION, train: { ec2_type: "ml.m5.large" } },
  });
  await job.app.write(`${job.app.directory}/data/sales.csv`, "1\n");
  return job;
}

/** The endpoint's status, and what it serves. */
function served({ box }: JobApp): readonly unknown[] {
  const { status, variants: [variant] } = box.endpoints.endpoint("shop");
  return [status, variant!.model.request.PrimaryContainer.ModelDataUrl];
}

/** Where the artifact of a training lies. */
function artifact({ name }: Job): string {
  return `s3://${BUCKET}/app/output/${name}/output/model.tar.gz`;
}

/** What `$(...)` makes of a command, in this process. */
async function resultOf(job: JobApp, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await job.run(args);
  assertEquals(code, 0, stderr);
  return stdout.trimEnd();
}

suite("the README's command line, from data to an endpoint", () => {
  it("is the line that the README shows", async () => {
    assertEquals(
      await lineOfReadme(),
      'mlcli deploy -n shop -e ml.m5.large -m "$(mlcli train -i "$(mlcli upload-data -i data)")"',
    );
  });

  it("sends, trains and serves", async () => {
    await using job = await makeApp();
    const { box } = job;
    const { code, stdout, stderr } = await runShellLine(box, await lineOfReadme(), {
      cwd: job.app.directory,
    });
    assertEquals([code, stdout], [0, "shop\n"], stderr);
    assertEquals(served(job), ["InService", artifact(box.jobs.only("training"))]);
  });

  it("serves the new model, once more, and reads none of those of before", async () => {
    await using job = await makeApp();
    const { box } = job;
    for (const count of [1, 2]) {
      const data = await resultOf(job, ["upload-data", "-i", "data"]);
      const model = await resultOf(job, ["train", "-i", data]);
      const args = ["deploy", "-n", "shop", "-e", "ml.m5.large", "-m", model];
      assertEquals(await resultOf(job, args), "shop");
      assertEquals(box.jobs.all.length, count);
      const [input] = box.jobs.all.at(-1)!.request.InputDataConfig;
      assertEquals(input.DataSource.S3DataSource.S3Uri, `s3://${BUCKET}/app/data/`);
      assertEquals(box.s3.keys(BUCKET, "app/data/"), ["app/data/a.csv", "app/data/sales.csv"]);
      assertEquals(served(job), ["InService", artifact(box.jobs.all.at(-1)!)]);
      assertEquals([box.endpoints.models.size, box.endpoints.configurations.size], [1, 1]);
    }
  });

  it("ends where the training does, and makes no endpoint", async () => {
    await using job = await makeApp();
    const { box } = job;
    box.faults.outOfCapacity();
    const { code, stdout, stderr } = await runShellLine(box, await lineOfReadme(), {
      cwd: job.app.directory,
    });
    assertEquals([code, stdout], [2, ""], stderr);
    assertMatch(stderr, /^error: Training job \S+ failed$/m);
    assertStringIncludes(
      stderr,
      'error: Missing value for option "-m"\nhint: See mlcli --help. ' +
        "If you used $(...), its command printed nothing: see its error above.\n",
    );
    assert(!box.operations.some((name) => /Endpoint|Model$/.test(name)), box.operations.join());
  });
});
