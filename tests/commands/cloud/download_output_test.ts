import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { Box } from "../../helpers/box/box.ts";
import type { JobEnd, JobKind } from "../../helpers/box/jobs/job.ts";
import { filesBelow } from "../../helpers/directory.ts";
import { type InProcessOptions, Keys, runInProcess } from "../../helpers/in_process.ts";
import { TRANSFORM } from "../../helpers/jobs.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";

const BUCKET = "data";

class Place implements AsyncDisposable {
  private constructor(readonly box: Box, readonly app: TestApp) {}

  static async open(): Promise<Place> {
    const box = await Box.open();
    box.s3.createBucket(BUCKET);
    return new Place(box, await completeApp());
  }

  /** Has a job of that kind leave these objects. */
  async leave(
    kind: JobKind,
    request: Readonly<Record<string, unknown>>,
    objects: Readonly<Record<string, string>>,
    end: JobEnd = { status: "Completed" },
  ): Promise<void> {
    const job = this.box.jobs.add(kind, "job-1", request);
    for (const [key, content] of Object.entries(objects)) {
      await this.box.s3.put(BUCKET, key, content);
    }
    job.end(end);
  }

  download(args: readonly string[], options?: Partial<InProcessOptions>): Promise<ProgramResult> {
    const { app: { directory: cwd }, box } = this;
    return runInProcess(["download-output", ...args], { cwd, cloud: box.env(), ...options });
  }

  files(directory: string): Promise<Record<string, string> | undefined> {
    return filesBelow(`${this.app.directory}/${directory}`).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]();
    await this.box[Symbol.asyncDispose]();
  }
}

const PROCESSING = {
  ProcessingOutputConfig: {
    Outputs: [
      { OutputName: "clean", S3Output: { S3Uri: `s3://${BUCKET}/clean` } },
      { OutputName: "report", S3Output: { S3Uri: `s3://${BUCKET}/report/` } },
    ],
  },
};
const TRAINING = { OutputDataConfig: { S3OutputPath: `s3://${BUCKET}/output` } };

suite("download-output", () => {
  it("download-output downloads only the outputs of a transform job, into a directory with the job's name", async () => {
    await using at = await Place.open();
    await at.leave("transform", TRANSFORM, {
      ...{ "scored/a.csv.out": "1", "scored/b/c.csv.out": "2", "scored/notes.txt": "mine" },
      ...{ "scored/earlier.csv.out": "old", "scored/later.csv.out": "new" },
    });
    const minutes = (count: number) => new Date(Date.now() + count * 60_000);
    at.box.s3.object(BUCKET, "scored/earlier.csv.out")!.modified = minutes(-1);
    at.box.s3.object(BUCKET, "scored/later.csv.out")!.modified = minutes(1);
    const { code, stdout, stderr } = await at.download(["job-1"]);
    assertEquals([code, stdout], [0, "job-1\n"], stderr);
    assertEquals(
      stderr,
      "note: Skipped objects that the job did not write: s3://data/scored/earlier.csv.out, " +
        "s3://data/scored/later.csv.out, s3://data/scored/notes.txt\nDownloaded 2 files (2 bytes)\n",
    );
    assertEquals(await at.files("job-1"), { "a.csv.out": "1", "b/c.csv.out": "2" });
  });

  it("fetches each output of a processing job into a directory of its name", async () => {
    await using at = await Place.open();
    await at.leave("processing", PROCESSING, {
      ...{ "clean/": "", "clean/a.csv": "1", "clean/b/c.csv": "2", "report/r.html": "3" },
      "clean-not/x": "4",
    });
    const { code, stdout, stderr } = await at.download(["job-1", "--to", "there/x"]);
    assertEquals([code, stdout], [0, "there/x\n"], stderr);
    assertEquals(await at.files("there"), {
      ...{ "x/clean/a.csv": "1", "x/clean/b/c.csv": "2", "x/report/r.html": "3" },
    });
  });

  it("fetches output.tar.gz of a training, and says how to get the model", async () => {
    await using at = await Place.open();
    const artifact = `s3://${BUCKET}/output/job-1/output/model.tar.gz`;
    const model = { "output/job-1/output/model.tar.gz": "m" };
    await at.leave("training", TRAINING, model, { status: "Completed", artifact });
    const none = await at.download(["job-1"]);
    assertEquals([none.code, none.stdout], [1, ""]);
    assertMatch(none.stderr, /^error: The training job job-1 has no output \(Completed\)\n/);
    assertStringIncludes(none.stderr, "mlcli download-model job-1");
    await at.box.s3.put(BUCKET, "output/job-1/output/output.tar.gz", "o");
    assertEquals((await at.download(["job-1"])).code, 0);
    assertEquals(await at.files("job-1"), { "output.tar.gz": "o" });
  });

  it("refuses a job that goes on, one of a name that several have, and none", async () => {
    await using at = await Place.open();
    at.box.jobs.add("transform", "job-1", TRANSFORM);
    const going = await at.download(["job-1"]);
    assertMatch(going.stderr, /^error: Job job-1 has no output yet \(InProgress\)\n/);
    at.box.jobs.add("processing", "job-1", PROCESSING);
    assertMatch((await at.download(["job-1"])).stderr, /^error: Several jobs are named "job-1"\n/);
    assertMatch((await at.download(["job-2"])).stderr, /^error: ResourceNotFound: job job-2\n/);
    assertEquals((await at.download(["../x"])).code, 2);
    assertEquals(await at.files("job-1"), undefined);
  });

  it("leaves a directory as it is that is not empty, and fills an empty one", async () => {
    await using at = await Place.open();
    await at.leave("processing", PROCESSING, { "clean/a": "1" });
    await at.app.write(`${at.app.directory}/job-1/mine`, "mine");
    const { code, stdout, stderr } = await at.download(["job-1"]);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^error: Directory job-1 is not empty\n/);
    assertEquals(await at.files("job-1"), { mine: "mine" });
    await Deno.mkdir(`${at.app.directory}/empty`);
    assertEquals((await at.download(["job-1", "--to", "empty"])).code, 0);
    assertEquals(await at.files("empty"), { "clean/a": "1" });
  });

  const [CLEAN] = PROCESSING.ProcessingOutputConfig.Outputs;
  for (
    const [what, key, output] of [
      ["a key", "clean/../../x", CLEAN],
      ["an output's name", "../evil", { ...CLEAN, OutputName: "../evil" }],
    ] as const
  ) {
    it(`refuses ${what} that leads out, and fetches nothing`, async () => {
      await using at = await Place.open();
      const ProcessingOutputConfig = { Outputs: [output] };
      await at.leave("processing", { ProcessingOutputConfig }, { "clean/a": "1", [key]: "evil" });
      const { code, stdout, stderr } = await at.download(["job-1"]);
      assertEquals([code, stdout, await at.files("job-1")], [1, "", undefined], stderr);
      assertStringIncludes(
        stderr,
        `error: Cannot save S3 object ${key}: its key is not a valid path\n`,
      );
      assertEquals(at.box.operations.includes("s3:GetObject"), false);
    });
  }

  it("leaves nothing where two keys are a file and a directory", async () => {
    await using at = await Place.open();
    await at.leave("processing", PROCESSING, { "clean/a": "1", "clean/a/b": "2" });
    const { code, stderr } = await at.download(["job-1"]);
    assertEquals([code, await at.files("job-1")], [1, undefined]);
    assertMatch(stderr, /^error: Cannot write clean\/a/);
  });

  it("leaves nothing half-written after Ctrl-C, and can be asked for again", async () => {
    await using at = await Place.open();
    const objects = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`clean/${n}`, "1"]));
    await at.leave("processing", PROCESSING, objects);
    const keys = new Keys();
    let count = 0;
    at.box.faults.after = ({ operation }) => {
      if (operation === "GetObject" && ++count === 10) keys.press();
      return undefined;
    };
    const { code, stdout } = await at.download(["job-1"], { keys });
    assertEquals([code, stdout, await at.files("job-1")], [130, "", undefined]);
    const names = (await Array.fromAsync(Deno.readDir(at.app.directory))).map(({ name }) => name);
    assertEquals(names.filter((name) => name.startsWith(".mlcli")), []);
    at.box.faults.after = () => undefined;
    assertEquals((await at.download(["job-1"])).code, 0);
    assertEquals(Object.keys((await at.files("job-1"))!).length, 30);
  });
});
