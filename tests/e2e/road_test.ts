import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { TestApp } from "../helpers/app.ts";
import type { Box } from "../helpers/box/box.ts";
import { unpacked } from "../helpers/box/engine/archive.ts";
import type { Job } from "../helpers/box/jobs/job.ts";
import { startCloud } from "../helpers/cloud.ts";
import { eventually } from "../helpers/eventually.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { openRoad, type Road, ROAD_BUCKET } from "../helpers/road.ts";
import { gunzip } from "../helpers/tar.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

suite("the road to SageMaker", () => {
  let road: Road;
  let box: Box;
  let app: TestApp;

  const run = (...args: readonly string[]): Promise<ProgramResult> => road.run(...args);
  const done = (...args: readonly string[]): Promise<string> => road.done(...args);

  const train = (...more: readonly string[]): Promise<ProgramResult> =>
    run("train", "-i", `s3://${ROAD_BUCKET}/numbers/`, "-e", "ml.m5.large", ...more);

  beforeAll(async () => {
    road = await openRoad({ jobs: true });
    ({ box, app } = road);
  });

  afterAll(async () => {
    await road[Symbol.asyncDispose]();
  });

  it("leads from an app to an artifact, and back to an answer on this machine", async () => {
    await app.write(`${app.directory}/raw/a.txt`, "10\n20\n");
    const raw = await done("upload-data", "-i", "raw", "--target-dir", `s3://${ROAD_BUCKET}/raw`);
    assertEquals(raw, `s3://${ROAD_BUCKET}/raw/`);
    const scaled = await done(
      ...["process", "-f", "scale.py", "-i", raw, "-e", "ml.m5.large"],
      ...["-o", `s3://${ROAD_BUCKET}/scaled`, "--", "0.5"],
    );
    assertEquals(scaled, `s3://${ROAD_BUCKET}/scaled`);
    assertEquals(box.s3.keys(ROAD_BUCKET, "scaled/"), ["scaled/a.txt"]);
    const { code, stdout, stderr } = await run(
      ...["train", "-i", `${scaled}/`, "-e", "ml.m5.large", "-n", "road"],
    );
    assertEquals(code, 0, stderr);
    const [, name] = new RegExp(
      `^s3://${ROAD_BUCKET}/app/output/(road-[\\d-]+)/output/model\\.tar\\.gz\n$`,
    ).exec(stdout)!;
    // The log came, between the states of its job.
    assertMatch(stderr, /Training in progress\.\n2 numbers on algo-1\n/);
    assertMatch(stderr, /numbers on algo-1\n(.*\n)*Completed/);
    assertMatch(stderr, /Time: \d+ s x 1 ml\.m5\.large billed\n$/);
    assertStringIncludes(await done("list-jobs"), `${name}  Completed  `);
    await done("download-model", name!);
    const address = await done("local", "deploy", "--port", "0");
    const port = ["--port", new URL(address).port];
    try {
      await app.write(`${app.directory}/number`, "4");
      // The mean of 5 and 10, four times.
      assertEquals(await done("local", "invoke", "number", ...port), "30.0");
    } finally {
      await done("local", "stop", ...port);
    }
  });

  it("ends with the code's own failure, whole, and the remedy", async () => {
    const { code, stdout, stderr } = await train("--hyperparameter", "mode=raise");
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^error: Training job \S+ failed\n {2}AlgorithmError: /m);
    assertMatch(stderr, /ValueError: no such column: price/);
    assertMatch(stderr, /^hint: .*mlcli local train/m);
  });

  it("runs edited code in the image that was pushed, with --send-code", async () => {
    const path = app.path("training/training.py");
    const before = await Deno.readTextFile(path);
    const common = app.path("common/edited.py");
    await app.write(common, "WORD = 'edited'\n");
    await app.write(
      path,
      before.replace("import json", "import edited, json") + "print(edited.WORD)\n",
    );
    try {
      const { code, stderr } = await train("--send-code");
      assertEquals(code, 0, stderr);
      assertMatch(stderr, /\nedited\n3 numbers on algo-1\n/);
      // The image's own is as it was.
      const own = await train();
      assertEquals([own.code, own.stderr.includes("edited")], [0, false], own.stderr);
    } finally {
      await app.write(path, before);
      await Deno.remove(common);
    }
  });

  it("says that memory ran out", async () => {
    box.machines.settings.memory = 256 * 2 ** 20;
    try {
      const { code, stdout, stderr } = await train("--hyperparameter", "mode=memory");
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /ClientError: Please use an instance type with more memory/);
      assertMatch(stderr, /^hint: The job probably ran out of memory/m);
    } finally {
      box.machines.settings.memory = undefined;
    }
  });

  it("goes on after Ctrl-C; what was stopped leaves its artifact", async () => {
    const child = startCloud(
      box,
      [
        ...["train", "-i", `s3://${ROAD_BUCKET}/numbers/`, "-e", "ml.m5.large"],
        ...["--hyperparameter", "mode=wait"],
      ],
      { cwd: app.directory },
    );
    const job = await interruptedAt(child, "waiting");
    assertEquals([job.code, job.stdout], [130, ""]);
    const [, name] = /mlcli stop-job ([\w-]+)/.exec(job.stderr)!;
    assertEquals((await done("list-jobs", "--status", "InProgress")).split("  ")[0], name);
    assertEquals(await done("stop-job", name!, "--wait"), name);
    const { code, stdout } = await run("wait", name!);
    assertEquals(code, 1);
    assertEquals(stdout, `s3://${ROAD_BUCKET}/app/output/${name}/output/model.tar.gz\n`);
  });

  it("is over when its time is, with what the code saved", async () => {
    // Late enough for a busy machine to have started the code, which saves then.
    const { code, stdout, stderr } = await train(
      ...["--hyperparameter", "mode=wait", "--max-run", "5"],
    );
    assertEquals(code, 1);
    assertMatch(stdout, /\/output\/model\.tar\.gz\n$/);
    assertMatch(stderr, /MaxRuntimeExceeded/);
    assertMatch(stderr, /^hint: .*--max-run/m);
  });

  it("goes on from its checkpoint where a spare instance was taken away", async () => {
    const running = train(
      ...["--hyperparameter", "mode=checkpoint", "--spot"],
      ...["--checkpoint-s3-dir", `s3://${ROAD_BUCKET}/checkpoints/`],
    );
    const job = await jobThatLogs("kept a checkpoint");
    box.machines.interrupt(job);
    const { code, stdout, stderr } = await running;
    assertEquals(code, 0, stderr);
    assertMatch(stdout, /\/output\/model\.tar\.gz\n$/);
    assertMatch(stderr, /goes on after epoch 7/);
    assertMatch(stderr, /spot/i);
  });

  it("shows the log of each machine, by its name", async () => {
    const { code, stderr } = await train("-c", "2");
    assertEquals(code, 0, stderr);
    assertMatch(stderr, /^algo-1: 3 numbers on algo-1$/m);
    assertMatch(stderr, /^algo-2: 3 numbers on algo-2$/m);
  });

  it("splits a channel between three machines, and packs what each made", async () => {
    const { code, stdout, stderr } = await train(
      ...["-c", "3", "--shard", "training", "--hyperparameter", "mode=hosts"],
    );
    assertEquals(code, 0, stderr);
    const [, key] = new RegExp(`^s3://${ROAD_BUCKET}/(.*)\n$`).exec(stdout)!;
    const model = await unpacked(await gunzip(await box.s3.bytes(ROAD_BUCKET, key!)));
    assertEquals(
      model.map(({ name, content }) => [name, new TextDecoder().decode(content)]).sort(),
      [["algo-1", "1.5"], ["algo-2", "6.0"], ["algo-3", "0.0"]],
    );
    assertMatch(
      stderr,
      /numbers\/: Only 2 of 3 instances will get data, because each object goes to one instance\./,
    );
  });

  it("names the machine that failed first", async () => {
    const { code, stderr } = await train("-c", "3", "--hyperparameter", "mode=raise on algo-2");
    assertEquals(code, 1, stderr);
    assertMatch(
      stderr,
      /^ {2}algo-2 failed first:\n(.*\n)* {2}ValueError: no such column: price$/m,
    );
    assertMatch(stderr, /^hint: .*mlcli local train/m);
  });

  it("ends where no machine is to be had", async () => {
    box.faults.outOfCapacity();
    try {
      const { code, stdout, stderr } = await train();
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /CapacityError/);
      assertMatch(stderr, /^hint: .*(--ec2-type|another)/m);
    } finally {
      box.faults.hasCapacity = true;
    }
  });

  /** Reads a program until it has said something, and interrupts it. */
  async function interruptedAt(child: Deno.ChildProcess, words: string): Promise<ProgramResult> {
    const [shown, kept] = child.stderr.tee();
    const watching = (async () => {
      let text = "";
      for await (const piece of shown.pipeThrough(new TextDecoderStream())) {
        const isNew = !text.includes(words);
        text += piece;
        if (isNew && text.includes(words)) child.kill("SIGINT");
      }
    })();
    const [stdout, stderr, { code }] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(kept).text(),
      child.status,
      watching,
    ]);
    return { code, stdout, stderr };
  }

  async function jobThatLogs(words: string): Promise<Job> {
    const group = "/aws/sagemaker/TrainingJobs";
    let found: Job | undefined;
    await eventually(() => {
      const stream = box.logs.streams(group).find(({ name }) =>
        box.logs.messages(group, name).includes(words)
      );
      found = box.jobs.all.find(({ name }) => stream?.name.startsWith(`${name}/`));
      return Promise.resolve(found !== undefined);
    });
    return found!;
  }
});
