import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
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
  await job.app.write(`${job.app.directory}/data/a.csv`, "1\n");
  return job;
}

suite("the README's command line, from data to an endpoint", () => {
  it("is the issue's", async () => {
    assertEquals(
      await lineOfReadme(),
      'mlcli deploy -n shop -e ml.m5.large -m "$(mlcli train -i "$(mlcli upload-data -i data)")"',
    );
  });

  it("sends, trains and serves; once more, it serves the new model", async () => {
    await using job = await makeApp();
    const { box } = job;
    const run = async () =>
      await runShellLine(box, await lineOfReadme(), { cwd: job.app.directory });
    const { code, stdout, stderr } = await run();
    assertEquals([code, stdout], [0, "shop\n"], stderr);
    const first = box.jobs.only("training");
    assertEquals(
      first.request.InputDataConfig[0].DataSource.S3DataSource.S3Uri,
      `s3://${BUCKET}/app/data/`,
    );
    const served = () => {
      const { status, variants } = box.endpoints.endpoint("shop");
      const [{ model }] = variants as [(typeof variants)[number]];
      return [status, model.request.PrimaryContainer.ModelDataUrl];
    };
    const artifact = (name: string) => `s3://${BUCKET}/app/output/${name}/output/model.tar.gz`;
    assertEquals(served(), ["InService", artifact(first.name)]);
    const again = await run();
    assertEquals([again.code, again.stdout], [0, "shop\n"], again.stderr);
    const [, second] = box.jobs.all;
    // The model of before is none of the data.
    assertEquals(second!.request.InputDataConfig, first.request.InputDataConfig);
    assertEquals(box.s3.keys(BUCKET, "app/data/"), ["app/data/a.csv"]);
    assertEquals(served(), ["InService", artifact(second!.name)]);
    assertEquals([box.endpoints.models.size, box.endpoints.configurations.size], [1, 1]);
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
      'error: Missing value for option "-m".\nhint: mlcli --help lists what it takes. ' +
        "What stands there as $(...) printed nothing: its error is above.\n",
    );
    assert(!box.operations.some((name) => /Endpoint|Model$/.test(name)), box.operations.join());
  });
});
