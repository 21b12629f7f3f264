import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { JobApp } from "../../helpers/job_app.ts";
import { putImage } from "../../helpers/box/images.ts";
import { BUCKET, makeJobApp } from "../../helpers/job_app.ts";
import { EXECUTION_ROLE } from "../../helpers/box/jobs/job_store.ts";
import { it, suite } from "../../helpers/suite.ts";
import { entriesOf, gunzip } from "../../helpers/tar.ts";

/** AWS's own, in the region of the box. */
const SKLEARN = "141502667606.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-scikit-learn";
const TEAM = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/torch";

/** An app whose code lies in `src/`, and runs in an image of AWS's. */
async function makeOwnCode(
  configuration: Readonly<Record<string, unknown>> = {},
): Promise<JobApp & { readonly digest: string }> {
  const job = await makeJobApp({
    configuration: {
      image: `${SKLEARN}:1.9-0`,
      source_dir: "src",
      execution_role: EXECUTION_ROLE,
      train: { entry_point: "train.py" },
      ...configuration,
    },
  });
  await job.app.write(join(job.app.directory, "src/train.py"), "print(1)\n");
  await job.app.write(join(job.app.directory, "src/.env"), "SECRET=1");
  const repository = job.box.ecr.store.addOf("141502667606", "sagemaker-scikit-learn");
  const digest = await putImage(job.box.ecr, repository, { tag: "1.9-0" });
  return { ...job, digest, [Symbol.asyncDispose]: () => job[Symbol.asyncDispose]() };
}

const LEAST = ["train", "-o", `s3://${BUCKET}/shop`, "-e", "ml.m5.large"];

/** The keys below the results' place. */
const codeKeys = ({ box }: JobApp): readonly string[] => box.s3.keys(BUCKET, "shop/code/");

async function archiveIn(job: JobApp, key: string): Promise<Readonly<Record<string, string>>> {
  const bytes = await gunzip(await job.box.s3.bytes(BUCKET, key));
  const entries = await entriesOf(ReadableStream.from([bytes]));
  return Object.fromEntries([...entries].map(([name, { text }]) => [name, text]));
}

suite("train with code of the user's own", () => {
  it("train sends code once, and names it in the channel, the hyperparameters and the tags", async () => {
    await using job = await makeOwnCode();
    const commit = "c".repeat(40);
    await job.app.write(join(job.app.directory, ".git/HEAD"), commit);
    const { code, stderr } = await job.run([...LEAST, "--hyperparameter", "epochs=3"]);
    assertEquals(code, 0, stderr);
    const { name, request } = job.box.jobs.only("training");
    const [key, ...more] = codeKeys(job);
    const [, hash] = /^shop\/code\/([\da-f]{32})\/sourcedir\.tar\.gz$/.exec(key!)!;
    assertEquals(more, []);
    assertEquals(await archiveIn(job, key!), { "train.py": "print(1)\n" });
    assertStringIncludes(
      stderr,
      "note: Not sent, because they might contain secrets or form loops: .env\n",
    );
    assertStringIncludes(stderr, `Uploaded s3://${BUCKET}/${key}\n`);
    assertEquals(request.AlgorithmSpecification, {
      TrainingImage: `${SKLEARN}@${job.digest}`,
      TrainingInputMode: "File",
    });
    assertEquals(request.HyperParameters, {
      epochs: "3",
      sagemaker_container_log_level: "20",
      sagemaker_job_name: JSON.stringify(name),
      sagemaker_program: '"train.py"',
      sagemaker_region: '"eu-west-1"',
      sagemaker_submit_directory: '"/opt/ml/input/data/code/sourcedir.tar.gz"',
    });
    assertEquals(
      request.InputDataConfig.map(({ ChannelName, DataSource }: {
        ChannelName: string;
        DataSource: { S3DataSource: unknown };
      }) => [ChannelName, DataSource.S3DataSource]),
      [["code", {
        S3DataType: "S3Prefix",
        S3Uri: `s3://${BUCKET}/shop/code/${hash}/`,
        S3DataDistributionType: "FullyReplicated",
      }]],
    );
    const tags = Object.fromEntries(
      request.Tags.map(({ Key, Value }: { Key: string; Value: string }) => [Key, Value]),
    );
    assertEquals([tags["mlcli.code"], tags["mlcli.commit"]], [hash, commit]);

    const again = await job.run([...LEAST, "--no-wait"]);
    assertEquals([again.code, again.stderr.includes("Uploaded ")], [0, false]);
  });

  it("asks an image of mlcli's for torchrun", async () => {
    const asked = { sagemaker_torch_distributed_enabled: "true" };
    await using job = await makeJobApp({
      configuration: { distribution: "torchrun", execution_role: EXECUTION_ROLE },
    });
    const repository = job.box.ecr.store.of("123456789012", job.app.name)!;
    const config = { Labels: { "mlcli.harness": "1" } };
    await putImage(job.box.ecr, repository, { tag: "latest", config });
    const line = [...LEAST, "-i", `s3://${BUCKET}/app/data`, "--no-wait"];
    const { code, stderr } = await job.run(line);
    assertEquals(code, 0, stderr);
    assertEquals(job.box.jobs.only("training").request.HyperParameters, asked);
  });

  it("names a module of a package as Python does", async () => {
    await using job = await makeOwnCode({ train: { entry_point: "shop/train.py" } });
    await job.app.write(join(job.app.directory, "src/shop/train.py"), "");
    await job.app.write(join(job.app.directory, "src/setup.py"), "");
    const { code, stderr } = await job.run([...LEAST, "--no-wait"]);
    assertEquals(code, 0, stderr);
    const { HyperParameters } = job.box.jobs.only("training").request;
    assertEquals(HyperParameters.sagemaker_program, '"shop.train"');
  });

  it("sends it with the key that is named, whatever lies there", async () => {
    await using job = await makeOwnCode();
    await job.run([...LEAST, "--no-wait"]);
    for (const _ of [1, 2]) {
      const { code, stderr } = await job.run([...LEAST, "--no-wait", "--kms-key", "alias/own"]);
      assertEquals(code, 0, stderr);
      assertStringIncludes(stderr, `Uploaded s3://${BUCKET}/${codeKeys(job)[0]}\n`);
    }
  });

  it("remembers no image of a dry run", async () => {
    await using job = await makeOwnCode({ image: TEAM, launcher: "script" });
    await putImage(job.box.ecr, job.box.ecr.store.addOf("111122223333", "team/torch"), {
      tag: "latest",
    });
    for (const [more, expected] of [[["--dry-run"], 1], [["--no-wait"], 0]] as const) {
      assertEquals((await job.run([...LEAST, "--image", TEAM, ...more])).code, 0);
      assertEquals((await job.run([...LEAST, "--dry-run"])).code, expected);
    }
  });

  it("sends what S3 has otherwise again, and other code to another place", async () => {
    await using job = await makeOwnCode();
    await job.run([...LEAST, "--no-wait"]);
    const [key] = codeKeys(job);
    await job.box.s3.put(BUCKET, key!, "of somebody else");
    const { stderr } = await job.run([...LEAST, "--no-wait"]);
    assertStringIncludes(stderr, `Uploaded s3://${BUCKET}/${key}\n`);
    assertEquals(await archiveIn(job, key!), { "train.py": "print(1)\n" });
    await job.app.write(join(job.app.directory, "src/train.py"), "print(2)\n");
    await job.run([...LEAST, "--no-wait"]);
    assertEquals(codeKeys(job).length, 2);
  });

  it("runs it by the start script, or a command of the image, in any other image", async () => {
    await using job = await makeOwnCode({ image: TEAM });
    const repository = job.box.ecr.store.addOf("111122223333", "team/torch");
    const digest = await putImage(job.box.ecr, repository, { tag: "latest" });
    const image = ["--image", TEAM, "--no-wait"];
    const { code, stderr } = await job.run([...LEAST, ...image, "--launcher", "script"]);
    assertEquals(code, 0, stderr);
    const { request, name } = job.box.jobs.only("training");
    assertEquals(request.AlgorithmSpecification, {
      TrainingImage: `${TEAM}@${digest}`,
      TrainingInputMode: "File",
      ContainerEntrypoint: ["/bin/sh"],
      ContainerArguments: ["/opt/ml/input/data/code/start.sh", "train.py"],
    });
    assertEquals(request.HyperParameters, undefined);
    assertEquals(codeKeys(job).map((key) => key.split("/").at(-1)), [
      "sourcedir.tar.gz",
      "start.sh",
    ]);
    const words = ["--command", "/bin/train", "--command", "--fast"];
    const data = ["-i", `s3://${BUCKET}/app/data`];
    const own = await job.run([...LEAST, ...data, "--no-wait", ...words, "--", "-x", "1"]);
    assertEquals(own.code, 0, own.stderr);
    const { AlgorithmSpecification: algorithm, InputDataConfig } = job.box.jobs.all
      .find((one) => one.name !== name)!.request;
    assertEquals([algorithm.ContainerEntrypoint, algorithm.ContainerArguments], [
      ["/bin/train", "--fast"],
      ["-x", "1"],
    ]);
    assertEquals(InputDataConfig.length, 1);
  });

  it("sees in the registry what runs it, and asks where it may not look", async () => {
    await using job = await makeOwnCode({ image: TEAM });
    const repository = job.box.ecr.store.addOf("111122223333", "team/torch");
    const line = [...LEAST, "--image", TEAM];
    const words = async () => JSON.parse((await job.run([...line, "--dry-run"])).stdout)[0];
    await putImage(job.box.ecr, repository, { tag: "latest" });
    assertEquals((await words()).code.launcher, "script");
    const config = { Env: ["PATH=/bin", "SAGEMAKER_TRAINING_MODULE=x:main"] };
    await putImage(job.box.ecr, repository, { tag: "latest", config });
    assertEquals((await words()).code.launcher, "toolkit");
    // What is not what the manifest names, or out of reach, tells nothing.
    const other = job.box.ecr.front.offer(new TextEncoder().encode('{"config": {}}'));
    for (const downloadUrl of [other, "http://127.0.0.1:9/x", "file:///etc/passwd"]) {
      job.box.faults.before = ({ operation, input }) =>
        operation === "GetDownloadUrlForLayer"
          ? Response.json({ downloadUrl, layerDigest: input.layerDigest })
          : undefined;
      const { code, stderr } = await job.run([...line, "--dry-run"]);
      assertEquals(code, 2, stderr);
      assertStringIncludes(stderr, "Cannot determine how to start");
    }
    job.box.faults.before = () => undefined;
    // An image may hold anything.
    await putImage(job.box.ecr, repository, { tag: "latest", config: { Env: "x", Labels: 1 } });
    assertEquals((await words()).code.launcher, "script");
    job.box.faults.deny("ecr:GetDownloadUrlForLayer");
    const { code, stderr } = await job.run(line);
    assertEquals(code, 2);
    assertMatch(
      stderr,
      /^error: Cannot determine how to start train\.py in .*torch\nhint: Use --launcher toolkit /m,
    );
    assertEquals(job.box.jobs.all, []);
    assertEquals(codeKeys(job), []);
  });

  it("replaces the code of an image of mlcli's, with --send-code, and of no other", async () => {
    await using job = await makeJobApp();
    const repository = job.box.ecr.store.of("123456789012", job.app.name)!;
    const line = [...LEAST, "-i", `s3://${BUCKET}/app/data`, "--no-wait", "--send-code"];
    const other = await job.run(line);
    assertEquals([other.code, job.box.jobs.all], [1, []]);
    assertMatch(other.stderr, /^error: .*:latest does not support --send-code/m);
    const config = { Labels: { "mlcli.harness": "1" } };
    await putImage(job.box.ecr, repository, { tag: "latest", config });
    const { code, stderr } = await job.run(line);
    assertEquals(code, 0, stderr);
    const { request } = job.box.jobs.only("training");
    assertEquals(
      request.InputDataConfig.map(({ ChannelName }: { ChannelName: string }) => ChannelName),
      ["training", "code"],
    );
    job.box.faults.deny("ecr:GetDownloadUrlForLayer");
    const unknown = await job.run(line);
    assertEquals(unknown.code, 1);
    assertMatch(unknown.stderr, /^error: Cannot determine whether .* supports --send-code/m);
    // Data of that name would be taken for code.
    const data = ["-i", `code=s3://${BUCKET}/app/data`, "-e", "ml.m5.large"];
    assertEquals((await job.run(["train", ...data])).code, 2);
  });

  it("shows all of it with --dry-run, and changes nothing", async () => {
    await using job = await makeOwnCode();
    const { code, stdout } = await job.run([...LEAST, "--dry-run"]);
    assertEquals(code, 0);
    const [about, put, call] = JSON.parse(stdout);
    const { hash, channel } = about.code;
    assertEquals(about.code, {
      source_dir: "src",
      entry_point: "train.py",
      launcher: "toolkit",
      hash,
      commit: null,
      files: 1,
      bytes: about.code.bytes,
      left_out: [".env"],
      channel: `s3://${BUCKET}/shop/code/${hash}/`,
    });
    assertEquals(put, {
      action: "s3:PutObject",
      input: { Bucket: BUCKET, Key: `shop/code/${hash}/sourcedir.tar.gz` },
    });
    assertEquals(call.input.InputDataConfig[0].DataSource.S3DataSource.S3Uri, channel);
    assertEquals(call.input.HyperParameters.sagemaker_program, '"train.py"');
    assertEquals([codeKeys(job), job.box.jobs.all], [[], []]);
  });

  it("goes below s3_prefix, to the caller's own account alone", async () => {
    await using job = await makeOwnCode({ s3_prefix: `s3://${BUCKET}/app` });
    const { code, stderr } = await job.run([...LEAST, "--no-wait"]);
    assertEquals(code, 0, stderr);
    assertMatch(job.box.s3.keys(BUCKET, "app/code/")[0]!, /^app\/code\/[\da-f]{32}\/sourcedir/);
    // upload-data does not delete it.
    await job.app.write(join(job.app.directory, "data/a.csv"), "1");
    const line = ["upload-data", "-i", "data", "--target-dir", `s3://${BUCKET}/app`, "--delete"];
    assertEquals((await job.run(line)).code, 0);
    assertEquals(job.box.s3.keys(BUCKET, "app/code/").length, 1);
  });

  it("is encrypted with the key that is named", async () => {
    await using job = await makeOwnCode();
    await job.run([...LEAST, "--no-wait", "--kms-key", "alias/team"]);
    const put = job.box.requests.find(({ operation }) => operation === "PutObject")!;
    const { headers } = job.box.s3.buckets.get(BUCKET)!.objects.get(put.input["Key"])!;
    assertEquals(headers?.["x-amz-server-side-encryption-aws-kms-key-id"], "alias/team");
  });

  for (
    const [what, args, words] of [
      [
        "a channel of that name",
        ["-i", `code=s3://${BUCKET}/app/data`],
        'Channel name "code" is reserved for code',
      ],
      [
        "SDK v3's",
        ["-i", `sm_drivers=s3://${BUCKET}/app/data`],
        'Channel name "sm_drivers" is reserved for code',
      ],
      [
        "arguments without a command",
        ["--", "x"],
        'Arguments after "--" have no effect without "--command"',
      ],
      [
        "two programs",
        ["--command", "x", "--entry-point", "a.py"],
        'Options "--command" and "--entry-point"',
      ],
      [
        "a tag beside an image",
        ["-t", "v2"],
        'Option "--docker-tag" has no effect with the existing image',
      ],
      [
        "a file that is not there",
        ["--entry-point", "trian.py"],
        "Entry point not found: src/trian.py",
      ],
      ["a directory that is not there", ["--source-dir", "nowhere"], "Not a directory: nowhere"],
      [
        "--send-code",
        ["--send-code"],
        'Option "--send-code" requires the Dockerfile of mlcli init, and no entry point or command',
      ],
      [
        "another tool's word",
        ["--entrypoint", "x"],
        "Use --command for a program of the image, or --entry-point for a file of your code.",
      ],
    ] as const
  ) {
    it(`is refused with ${what}, before anything is sent`, async () => {
      await using job = await makeOwnCode();
      const { code, stderr } = await job.run([...LEAST, ...args]);
      assert(code !== 0);
      assertStringIncludes(stderr, words);
      assertEquals([codeKeys(job), job.box.jobs.all], [[], []]);
    });
  }

  it("is refused where nothing would start torchrun", async () => {
    await using job = await makeOwnCode();
    const asked = ["--distribution", "torchrun", "--launcher", "image"];
    const { code, stderr } = await job.run([...LEAST, "-i", `s3://${BUCKET}/app/data`, ...asked]);
    assertEquals([code, codeKeys(job), job.box.jobs.all], [2, [], []], stderr);
    assertStringIncludes(stderr, "torchrun cannot start the program of ");
  });

  it("warns of packages that are to be installed without a network", async () => {
    await using job = await makeOwnCode();
    await job.app.write(join(job.app.directory, "src/requirements.txt"), "six\n");
    const { stderr } = await job.run([...LEAST, "--no-wait", "--network-isolation"]);
    assertStringIncludes(stderr, "--network-isolation blocks the network");
  });
});

suite("an image that mlcli did not push", () => {
  for (
    const [what, image, words, hint] of [
      [
        "of ECR Public",
        "public.ecr.aws/deep-learning-containers/pytorch:2.13-cpu",
        "SageMaker does not support images from Amazon ECR Public",
        "Use the image from AWS's account for this region: --image 763104351884.dkr.ecr.eu-west-1.amazonaws.com/pytorch:2.13-cpu",
      ],
      [
        "of another registry",
        "ghcr.io/team/torch:2",
        "SageMaker supports only images in Amazon ECR, not ghcr.io/team/torch:2",
        "docker tag ghcr.io/team/torch:2 ACCOUNT.dkr.ecr.eu-west-1.amazonaws.com/team/torch:2",
      ],
      [
        "of another region",
        "683313688378.dkr.ecr.us-east-1.amazonaws.com/sagemaker-scikit-learn:1.9-0",
        "SageMaker in eu-west-1 cannot use an image in another region",
        `Use the image from AWS's account for this region: --image ${SKLEARN}:1.9-0`,
      ],
      [
        "of the wrong account of AWS's",
        "763104351884.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-scikit-learn:1.9-0",
        "Image 763104351884.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-scikit-learn:1.9-0 does not exist",
        "Use the image from AWS's account for this region: 141502667606",
      ],
      [
        "that is not there",
        `${TEAM}:9`,
        `Image ${TEAM}:9 does not exist`,
        "Check the account ID, the repository and the tag",
      ],
    ] as const
  ) {
    it(`${what} is refused, with what to do`, async () => {
      await using job = await makeOwnCode();
      const { code, stderr } = await job.run([...LEAST, "--image", image, "--launcher", "script"]);
      assertEquals(code, 1, stderr);
      assertStringIncludes(stderr, words);
      assertStringIncludes(stderr, hint);
      assertEquals(job.box.jobs.all, []);
    });
  }

  it("is taken as it is named where it may not be looked up", async () => {
    await using job = await makeOwnCode();
    job.box.faults.deny("ecr:BatchGetImage");
    const { code, stderr } = await job.run([...LEAST, "--no-wait"]);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, `Cannot check that ${SKLEARN}:1.9-0 exists`);
    const { request } = job.box.jobs.only("training");
    assertEquals(request.AlgorithmSpecification.TrainingImage, `${SKLEARN}:1.9-0`);
  });

  it("that only the file names is AWS's, the caller's own, or has to be typed once", async () => {
    await using job = await makeOwnCode({ image: `${TEAM}:1` });
    const repository = job.box.ecr.store.addOf("111122223333", "team/torch");
    await putImage(job.box.ecr, repository, { tag: "1" });
    const script = [...LEAST, "--no-wait", "--launcher", "script"];
    const refused = await job.run(script);
    assertEquals(refused.code, 1);
    assertStringIncludes(
      refused.stderr,
      `error: mlcli does not trust the image ${TEAM}:1, set by ${job.app.name}.json: its registry`,
    );
    assertStringIncludes(
      refused.stderr,
      `hint: Confirm once that you trust it: mlcli train --image ${TEAM}:1\n`,
    );
    assertEquals(job.box.operations.filter((one) => !one.startsWith("sts:")), []);
    assertEquals((await job.run([...script, "--image", `${TEAM}:1`])).code, 0);
    assertEquals((await job.run(script)).code, 0);
    // The other half of the cloud asks, too.
    const other = await makeOwnCode({ image: `${TEAM}:1` });
    await using _other = other;
    for (
      const line of [["process", "-f", "p.py"], [
        "deploy",
        "-n",
        "shop",
        "-m",
        "s3://job-data/m/model.tar.gz",
      ]]
    ) {
      const { code, stderr } = await other.run([...line, "-e", "ml.m5.large"]);
      assertEquals([code, stderr.includes("mlcli does not trust the image ")], [1, true], stderr);
    }
  });
});
