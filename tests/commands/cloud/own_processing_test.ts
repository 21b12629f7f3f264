import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { putImage } from "../../helpers/box/images.ts";
import { EXECUTION_ROLE } from "../../helpers/box/jobs/job_store.ts";
import { BUCKET, type JobApp, makeJobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

/** AWS's own, in the region of the box. */
const SKLEARN = "141502667606.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-scikit-learn";
const HERE = `s3://${BUCKET}`;
const LEAST = ["process", "-e", "ml.m5.large", "--no-wait"];

/** An app whose code lies in `src/`, and runs in an image of AWS's, which is of this configuration. */
async function makeOwn(
  configuration: Readonly<Record<string, unknown>> = {},
  config: Readonly<Record<string, unknown>> = {},
): Promise<JobApp & { readonly digest: string }> {
  const job = await makeJobApp({
    configuration: {
      image: `${SKLEARN}:1.9-0`,
      source_dir: "src",
      execution_role: EXECUTION_ROLE,
      ...configuration,
    },
  });
  await job.app.write(join(job.app.directory, "src/clean.py"), "print(1)\n");
  const repository = job.box.ecr.store.addOf("141502667606", "sagemaker-scikit-learn");
  const digest = await putImage(job.box.ecr, repository, { tag: "1.9-0", config });
  return { ...job, digest, [Symbol.asyncDispose]: () => job[Symbol.asyncDispose]() };
}

/** What the last job was asked for. */
function requestOf({ box }: JobApp) {
  return box.jobs.all.at(-1)!.request;
}

/** Name, path, address, and of an input how it is given. */
function dataIn(request: ReturnType<typeof requestOf>) {
  // deno-lint-ignore no-explicit-any -- JSON
  type Entry = Readonly<Record<string, any>>;
  const inputs: readonly Entry[] = request.ProcessingInputs ?? [];
  const outputs: readonly Entry[] = request.ProcessingOutputConfig.Outputs;
  return {
    inputs: inputs.map((
      { InputName, S3Input: { LocalPath, S3Uri, S3DataDistributionType } },
    ) => [InputName, LocalPath, S3Uri, S3DataDistributionType].join(" ")),
    outputs: outputs.map(({ OutputName, S3Output: { LocalPath, S3Uri } }) =>
      [OutputName, LocalPath, S3Uri].join(" ")
    ),
  };
}

const ALL = "FullyReplicated";
const INPUT = "/opt/ml/processing/input";
const OUTPUT = "/opt/ml/processing/output";

suite("process with code of the user's own", () => {
  it("sends it once, as an input, and starts it as SDK v2 does", async () => {
    await using job = await makeOwn({ process: { entry_point: "./clean.py", file: undefined } });
    const line = [...LEAST, "-i", `raw=${HERE}/app/data`, "-o", `clean=${HERE}/shop/c`];
    const { code, stderr } = await job.run([...line, "--", "--rows", "1 000"]);
    assertEquals(code, 0, stderr);
    const request = requestOf(job);
    const [key, script, ...more] = job.box.s3.keys(BUCKET, "shop/c/code/");
    const [, hash] = /^shop\/c\/code\/([\da-f]{32})\/sourcedir\.tar\.gz$/.exec(key!)!;
    assertEquals([script, more], [`shop/c/code/${hash}/start.sh`, []]);
    assertEquals(request.AppSpecification, {
      ImageUri: `${SKLEARN}@${job.digest}`,
      ContainerEntrypoint: ["/bin/sh", `${INPUT}/code/start.sh`, "clean.py"],
      ContainerArguments: ["--rows", "1 000"],
    });
    assertEquals(dataIn(request), {
      inputs: [
        `raw ${INPUT}/raw ${HERE}/app/data/ ${ALL}`,
        `code ${INPUT}/code ${HERE}/shop/c/code/${hash}/ ${ALL}`,
      ],
      outputs: [`clean ${OUTPUT}/clean ${HERE}/shop/c`],
    });
    const tags = request.Tags.map(({ Key, Value }: { Key: string; Value: string }) => [Key, Value]);
    assertEquals(Object.fromEntries(tags)["mlcli.code"], hash);
    const again = await job.run(line);
    assertEquals([again.code, again.stderr.includes("Uploaded ")], [0, false], again.stderr);
  });

  it("shares data among instances, and not code", async () => {
    await using job = await makeOwn({ s3_prefix: `${HERE}/app` });
    const data = [
      "-i",
      `a=${HERE}/app/data`,
      "-i",
      `b:/opt/ml/processing/b=${HERE}/app/other/b.csv`,
    ];
    const { code, stderr } = await job.run([
      ...[...LEAST, "--entry-point", "clean.py", ...data, "--shard", "all"],
      ...["-o", "one", "-o", "two:/opt/ml/processing/2"],
    ]);
    assertEquals(code, 0, stderr);
    const { name, request } = job.box.jobs.only("processing");
    const { inputs, outputs } = dataIn(request);
    assertEquals(inputs.slice(0, 2), [
      `a ${INPUT}/a ${HERE}/app/data/ ShardedByS3Key`,
      `b /opt/ml/processing/b ${HERE}/app/other/b.csv ShardedByS3Key`,
    ]);
    assertMatch(inputs[2]!, /^code \S+ s3:\/\/job-data\/app\/code\/[\da-f]{32}\/ FullyReplicated$/);
    assertEquals(outputs, [
      `one ${OUTPUT}/one ${HERE}/app/output/${name}/one`,
      `two /opt/ml/processing/2 ${HERE}/app/output/${name}/two`,
    ]);
  });

  it("shows all of it with --dry-run, and changes nothing", async () => {
    await using job = await makeOwn({ s3_prefix: `${HERE}/app` });
    await job.app.write(join(job.app.directory, "src/requirements.txt"), "six\n");
    const line = [...LEAST, "--entry-point", "clean.py", "--network-isolation", "--dry-run"];
    const { code, stdout, stderr } = await job.run(line);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, "--network-isolation blocks the network");
    const [about, archive, script, call] = JSON.parse(stdout);
    assertEquals([about.code.launcher, about.code.entry_point], ["script", "clean.py"]);
    assertEquals([archive.input.Key, script.input.Key], [
      `app/code/${about.code.hash}/sourcedir.tar.gz`,
      `app/code/${about.code.hash}/start.sh`,
    ]);
    const [input] = call.input.ProcessingInputs;
    assertEquals(input.S3Input.S3Uri, about.code.input);
    assertEquals([job.box.jobs.all, job.box.s3.keys(BUCKET, "app/code/")], [[], []]);
  });

  it("runs a command of the image without any, and what is typed beats the file", async () => {
    await using job = await makeOwn({ process: { entry_point: "clean.py" }, s3_prefix: HERE });
    const words = ["--command", "bash", "--command=-c", "--", "echo 1"];
    assertEquals((await job.run([...LEAST, ...words])).code, 0);
    const { AppSpecification, ProcessingInputs } = requestOf(job);
    assertEquals([AppSpecification.ContainerEntrypoint, AppSpecification.ContainerArguments], [
      ["bash", "-c"],
      ["echo 1"],
    ]);
    assertEquals(ProcessingInputs, undefined);
    await using other = await makeOwn({ process: { file: "p.py" }, s3_prefix: HERE });
    const typed = await other.run([...LEAST, "--entry-point", "clean.py"]);
    assertEquals([typed.code, requestOf(other).AppSpecification.ContainerEntrypoint[2]], [
      0,
      "clean.py",
    ], typed.stderr);
  });
});

suite("process of an image that exists", () => {
  it("runs its own program, as far as it is known that it has one", async () => {
    await using job = await makeOwn({ s3_prefix: HERE });
    const { code, stderr } = await job.run([...LEAST, "--", "-x"]);
    assertEquals(code, 0, stderr);
    assertEquals(requestOf(job).AppSpecification, {
      ImageUri: `${SKLEARN}@${job.digest}`,
      ContainerArguments: ["-x"],
    });
    assertEquals((await job.run(LEAST)).code, 0);
    assertEquals(requestOf(job).AppSpecification.ContainerArguments, undefined);
    const script = await job.run([...LEAST, "-f", "p.py"]);
    assertEquals(script.code, 2);
    assertStringIncludes(
      script.stderr,
      `${SKLEARN}:1.9-0 is not one\nhint: For any image with Python, use `,
    );
    job.box.faults.deny("ecr:GetDownloadUrlForLayer");
    assertEquals((await job.run([...LEAST, "-f", "p.py"])).code, 0);
  });

  it("of mlcli's wants a script", async () => {
    const config = { Labels: { "mlcli.harness": "1" } };
    await using job = await makeOwn({ s3_prefix: HERE }, config);
    const missing = await job.run(LEAST);
    assertEquals([missing.code, job.box.jobs.all], [2, []]);
    assertMatch(
      missing.stderr,
      /^error: Missing required option "--file"\nhint: mlcli process runs/m,
    );
    assertEquals((await job.run([...LEAST, "-f", "p.py"])).code, 0);
    await using own = await makeJobApp();
    const { code, stderr } = await own.run(LEAST);
    assertEquals([code, own.box.operations], [2, []]);
    assertStringIncludes(stderr, 'error: Missing required option "--file"\n');
  });
});

suite("process with code, a key and several outputs", () => {
  it("sends the code again with the key that is named", async () => {
    await using job = await makeOwn({ process: { entry_point: "clean.py" } });
    const line = [...LEAST, "-o", `clean=${HERE}/shop/c`];
    await job.run(line);
    for (const _ of [1, 2]) {
      const { code, stderr } = await job.run([...line, "--kms-key", "alias/own"]);
      assertEquals(code, 0, stderr);
      assertStringIncludes(stderr, "sourcedir.tar.gz\n");
    }
  });

  it("looks at the place of each output", async () => {
    await using job = await makeOwn();
    const line = [...LEAST, "-o", `a=${HERE}/a`, "-o", "b=s3://not-there/b"];
    const { code, stderr } = await job.run(line);
    assertEquals([code, job.box.jobs.all.length], [1, 0], stderr);
    assertStringIncludes(stderr, "not-there");
  });
});

suite("process is refused", () => {
  for (
    const [what, args, words] of [
      [
        "with an input of the code's name",
        ["-i", `code=${HERE}/app/data`],
        'Input name "code" is reserved',
      ],
      ["with a directory", ["-i", "raw=data"], "must be an S3 URI"],
      ["without an address of data", ["-i", "raw="], "must be an S3 URI"],
      [
        "with paths in one another",
        ["-o", "a", "-o", "b:/opt/ml/processing/output/a/b"],
        "overlap",
      ],
      [
        "with another path",
        ["-o", `a:/tmp=${HERE}/x`],
        "must have a path below /opt/ml/processing",
      ],
      ["with a script and a file", ["-f", "p.py"], '"--file" and "--entry-point" cannot be used'],
      [
        "with another tool's word",
        ["--entrypoint", "x"],
        "Use --command for a program of the image",
      ],
      [
        "with ten inputs and code",
        Array.from({ length: 10 }, (_, n) => ["-i", `a${n}=${HERE}/app/data`]).flat(),
        "up to 9 inputs besides the code",
      ],
    ] as const
  ) {
    it(`${what}, before anything is sent`, async () => {
      await using job = await makeOwn({ s3_prefix: `${HERE}/app` });
      const line = [...LEAST, "--entry-point", "clean.py", ...args];
      const { code, stderr } = await job.run(line);
      assertEquals(code, 2, stderr);
      assertStringIncludes(stderr, words);
      assertEquals([job.box.operations, job.box.jobs.all], [[], []]);
    });
  }

  it("where the file names two programs, or no place", async () => {
    await using job = await makeOwn({ process: { file: "p.py", entry_point: "clean.py" } });
    const two = await job.run(LEAST);
    assertEquals(two.code, 1);
    assertStringIncludes(
      two.stderr,
      '"file" in "process" cannot be used together with "entry_point"',
    );
    await using other = await makeOwn();
    const { code, stderr } = await other.run([...LEAST, "-o", "clean"]);
    assertEquals(code, 2);
    assert(stderr.startsWith('error: Output "clean" has no S3 URI\n'), stderr);
  });
});
