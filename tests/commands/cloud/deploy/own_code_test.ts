import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { putImage } from "../../../helpers/box/images.ts";
import {
  callsIn,
  changesOf,
  LEAST,
  makeDeployApp,
  MODEL,
  MODEL_KEY,
} from "../../../helpers/deploy_app.ts";
import { BUCKET, CONFIGURATION, type JobApp } from "../../../helpers/job_app.ts";
import { it, suite } from "../../../helpers/suite.ts";
import { entriesOf, gunzip, type RawEntry, tarGz } from "../../../helpers/tar.ts";

/** AWS's own, in the region of the box. */
const ACCOUNT = "141502667606";
const SKLEARN = `${ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-scikit-learn`;
const PREFIX = "app/models/shop/";
const OWN = ["deploy", "-n", "shop", "-e", "ml.m5.large"];

/** An app whose code lies in `src/`, and is served by an image of AWS's. */
async function makeOwnCode(
  deploy: Readonly<Record<string, unknown>> = { entry_point: "inference.py" },
): Promise<JobApp> {
  const image = `${SKLEARN}:1.9-0`;
  const job = await makeDeployApp({
    configuration: { ...CONFIGURATION, image, source_dir: "src", deploy },
  });
  const { app, box } = job;
  await app.write(join(app.directory, "src/inference.py"), "print(1)\n");
  await app.write(join(app.directory, "src/.env"), "SECRET=1");
  const repository = box.ecr.store.addOf(ACCOUNT, "sagemaker-scikit-learn");
  await putImage(box.ecr, repository, { tag: "1.9-0" });
  return job;
}

/** The keys of packed models. */
const packed = ({ box }: JobApp): readonly string[] => box.s3.keys(BUCKET, PREFIX);

async function archiveIn({ box }: JobApp, key: string): Promise<Readonly<Record<string, string>>> {
  const bytes = await gunzip(await box.s3.bytes(BUCKET, key));
  const entries = await entriesOf(ReadableStream.from([bytes]));
  return Object.fromEntries([...entries].map(([name, { text }]) => [name, text]));
}

/** The container of the model that is served. */
const container = ({ box }: JobApp) =>
  box.endpoints.endpoints.get("shop")!.current!.variants[0]!.model.request.PrimaryContainer;

const VARIABLES = {
  SAGEMAKER_CONTAINER_LOG_LEVEL: "20",
  SAGEMAKER_PROGRAM: "inference.py",
  SAGEMAKER_REGION: "eu-west-1",
  SAGEMAKER_SUBMIT_DIRECTORY: "/opt/ml/model/code",
};

suite("deploy with code of the user's own", () => {
  it("puts it into the archive once, and sets the variables that AWS's images read", async () => {
    await using job = await makeOwnCode();
    const { code, stderr } = await job.run([...LEAST, "--env", "SAGEMAKER_PROGRAM=mine.py"]);
    assertEquals(code, 0, stderr);
    const [key = "", ...more] = packed(job);
    assertMatch(key, /^app\/models\/shop\/[\da-f]{16}\/model\.tar\.gz$/);
    assertEquals(more, []);
    assertEquals(await archiveIn(job, key), {
      "model.txt": "seven",
      "code/inference.py": "print(1)\n",
    });
    assertStringIncludes(stderr, `Uploaded the model with the code to s3://${BUCKET}/${key}\n`);
    const { ModelDataUrl, Environment } = container(job);
    assertEquals(ModelDataUrl, `s3://${BUCKET}/${key}`);
    assertEquals(Environment, { ...VARIABLES, SAGEMAKER_PROGRAM: "mine.py" });
    // The same model and code: the same key, and nothing to do.
    job.box.requests.length = 0;
    const again = await job.run(LEAST);
    assertEquals([again.code, again.stderr.includes("Uploaded ")], [0, false], again.stderr);
    assertEquals(packed(job), [key]);
    await job.app.write(join(job.app.directory, "src/inference.py"), "print(2)\n");
    // Without a model: the code goes into what is served.
    const edited = await job.run(OWN);
    assertEquals(edited.code, 0, edited.stderr);
    assertStringIncludes(edited.stderr, "Changes: model data");
    const last = container(job).ModelDataUrl.slice(`s3://${BUCKET}/`.length);
    assertEquals((await archiveIn(job, last))["code/inference.py"], "print(2)\n");
    assertEquals((await archiveIn(job, last))["model.txt"], "seven");
    // What is served has this code already.
    job.box.requests.length = 0;
    const same = await job.run(OWN);
    assertEquals([same.code, changesOf(job)], [0, []], same.stderr);
    // The same model with other code: another key. Something else at a key is sent anew.
    const before = packed(job);
    const named = await job.run(LEAST);
    assertEquals(named.code, 0, named.stderr);
    const [made = ""] = packed(job).filter((one) => !before.includes(one));
    assertEquals((await archiveIn(job, made))["code/inference.py"], "print(2)\n");
    await job.box.s3.put(BUCKET, made, "of somebody else");
    const restored = await job.run(LEAST);
    assertStringIncludes(
      restored.stderr,
      `Uploaded the model with the code to s3://${BUCKET}/${made}\n`,
    );
    assertEquals((await archiveIn(job, made))["model.txt"], "seven");
  });

  it("keeps variables of an endpoint that are not about the code", async () => {
    await using job = await makeOwnCode();
    const level = "SAGEMAKER_CONTAINER_LOG_LEVEL";
    await job.run([...LEAST, "--env", `${level}=10`]);
    await job.app.write(join(job.app.directory, "src/serve.py"), "");
    const renamed = await job.run([...LEAST, "--entry-point", "serve.py"]);
    assertEquals(renamed.code, 0, renamed.stderr);
    const expected = { ...VARIABLES, [level]: "10", SAGEMAKER_PROGRAM: "serve.py" };
    assertEquals(container(job).Environment, expected);
    // Without code, what the endpoint keeps may not fit the model.
    await job.app.write(
      join(job.app.directory, `${job.app.name}.json`),
      JSON.stringify({ ...CONFIGURATION, image: `${SKLEARN}:1.9-0` }),
    );
    const { stderr } = await job.run(LEAST);
    assertStringIncludes(
      stderr,
      "shop keeps SAGEMAKER_PROGRAM=serve.py, so the new model must contain",
    );
    const many = Array.from({ length: 100 }, (_, index) => ["--env", `A${index}=b`]).flat();
    await job.app.write(join(job.app.directory, "inference.py"), "");
    const refused = await job.run([...LEAST, "--entry-point", "inference.py", ...many]);
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.stderr, "more than 100 environment variables (found 102)");
  });

  it("wants the model to be named where it is not known what an endpoint serves", async () => {
    await using job = await makeOwnCode({});
    await job.run(LEAST);
    const [model] = job.box.endpoints.models.keys();
    job.box.endpoints.models.delete(model!);
    job.box.requests.length = 0;
    const { code, stderr } = await job.run([...OWN, "--env", "A=b"]);
    assertEquals([code, changesOf(job)], [1, []]);
    assertStringIncludes(stderr, "error: Cannot determine the model of endpoint shop\n");
    assertStringIncludes(
      stderr,
      "The model or its configuration was deleted. Choose the model with --model.\n",
    );
    assertEquals((await job.run([...LEAST, "--env", "A=b"])).code, 0);
  });

  it("replaces the archive's own code, which is said, and keeps all else as it is", async () => {
    await using job = await makeOwnCode();
    const entries: readonly RawEntry[] = [
      { name: "./code/old.py", content: "old" },
      { name: "./code/", type: "5" },
      { name: "short", pax: { path: `./deep/${"d".repeat(120)}/w` }, content: "weights" },
      { name: "current", type: "2", link: "deep" },
      { name: "codes", content: "kept" },
    ];
    await job.box.s3.put(BUCKET, MODEL_KEY, await tarGz(entries));
    const { code, stderr } = await job.run(LEAST);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, `Replacing code/ in ${MODEL} with src\n`);
    const archive = await archiveIn(job, packed(job)[0]!);
    assertEquals(Object.keys(archive), [
      `./deep/${"d".repeat(120)}/w`,
      "current",
      "codes",
      "code/inference.py",
    ]);
  });

  it("refuses archives that nobody could unpack, and leaves nothing", async () => {
    for (
      const [entry, words] of [
        [{ name: "../m", content: "" }, "points outside the archive"],
        [{ name: "m", type: "2", link: "/etc" }, "might be outside the archive"],
        [{ name: "m", type: "1", link: "code/m" }, "is a link into code/"],
        [{ name: "m", type: "6" }, "is not a file, a directory or a link"],
      ] as const
    ) {
      await using job = await makeOwnCode();
      await job.box.s3.put(BUCKET, MODEL_KEY, await tarGz([entry as RawEntry]));
      const { code, stderr } = await job.run(LEAST);
      assertEquals(code, 1, stderr);
      assertStringIncludes(stderr, words);
      assertEquals([packed(job), job.box.endpoints.models.size], [[], 0]);
    }
  });

  it("is packed with a directory, a run's model, or alone", async () => {
    await using job = await makeOwnCode();
    await job.app.write(job.app.testPath("model/code/old.py"), "old");
    await job.app.write(job.app.testPath("model/m"), "nine");
    const run = job.app.testPath("../jobs/shop-1");
    await job.app.write(join(run, "model/m"), "of a run");
    const model = join(job.app.name, "mlcli_base/local_test/test_dir/model");
    for (
      const [words, expected] of [
        [["-m", model], { m: "nine", "code/inference.py": "print(1)\n" }],
        [["--run", "shop-1"], { m: "of a run", "code/inference.py": "print(1)\n" }],
      ] as const
    ) {
      const { code, stderr } = await job.run([...OWN, ...words]);
      assertEquals(code, 0, stderr);
      assertEquals(stderr.includes("Replacing code/ in "), words[0] === "-m");
      const key = container(job).ModelDataUrl.slice(`s3://${BUCKET}/`.length);
      const { ".gitkeep": _, ...archive } = await archiveIn(job, key);
      assertEquals(archive, expected);
    }
    const alone = await job.run(["deploy", "-n", "other", "-e", "ml.m5.large"]);
    assertEquals(alone.code, 0, alone.stderr);
    const [key] = job.box.s3.keys(BUCKET, "app/models/other/");
    assertEquals(await archiveIn(job, key!), { "code/inference.py": "print(1)\n" });
    const none = await job.run([...OWN, "--run", "shop-2"]);
    assertEquals(none.code, 1);
    assertStringIncludes(none.stderr, 'error: Run "shop-2" does not exist\n');
    const both = await job.run([...OWN, "--run", "last", "-m", "x"]);
    assertEquals(both.code, 2);
  });

  it("shows it in a dry run, and sends nothing", async () => {
    await using job = await makeOwnCode();
    const { code, stdout, stderr } = await job.run([...LEAST, "--dry-run"]);
    assertEquals(code, 0, stderr);
    const { actions, model } = callsIn(stdout);
    assertEquals(actions.slice(0, 3), [
      "s3:CreateMultipartUpload",
      "s3:UploadPart",
      "s3:CompleteMultipartUpload",
    ]);
    assertMatch(model.PrimaryContainer.ModelDataUrl, /\/app\/models\/shop\/[\da-f]{16}\//);
    assertEquals([packed(job), changesOf(job)], [[], []]);
  });

  it("refuses code for the app's own image, and for a model without an archive", async () => {
    await using own = await makeDeployApp();
    await own.app.write(join(own.app.directory, "inference.py"), "");
    const refused = await own.run([...LEAST, "--entry-point", "inference.py"]);
    assertEquals(refused.code, 2);
    assertStringIncludes(
      refused.stderr,
      "error: An entry point is not supported with the app's own image\n",
    );
    await using job = await makeOwnCode();
    const unused = await own.run([...LEAST, "--repack"]);
    assertEquals(unused.code, 2);
    assertStringIncludes(unused.stderr, 'Option "--repack" has no effect without an entry point');
    const prefix = await job.run([...OWN, "-m", `s3://${BUCKET}/app/`]);
    assertEquals(prefix.code, 2);
    assertStringIncludes(
      prefix.stderr,
      "error: Cannot add code to a model that is not an archive",
    );
  });
});

suite("deploy of an image that brings its model", () => {
  it("needs none, and keeps what an endpoint has", async () => {
    await using job = await makeOwnCode({});
    const ami = ["--inference-ami-version", "al2-ami-sagemaker-inference-gpu-3-1"];
    const made = await job.run([...OWN, "--env", "HF_MODEL_ID=team/llm", ...ami]);
    assertEquals(made.code, 0, made.stderr);
    const { ModelDataUrl, ModelDataSource, Environment } = container(job);
    assertEquals([ModelDataUrl, ModelDataSource], [undefined, undefined]);
    assertEquals(Environment, { HF_MODEL_ID: "team/llm" });
    const { variants } = job.box.endpoints.endpoints.get("shop")!.current!;
    assertEquals(variants[0]!.request.InferenceAmiVersion, ami[1]);
    // An uncompressed model, which an update keeps.
    const prefixed = await job.run([...OWN, "-m", `s3://${BUCKET}/app/data/`]);
    assertEquals(prefixed.code, 0, prefixed.stderr);
    const source = {
      S3DataSource: {
        S3Uri: `s3://${BUCKET}/app/data/`,
        S3DataType: "S3Prefix",
        CompressionType: "None",
      },
    };
    assertEquals(container(job).ModelDataSource, source);
    await job.app.write(join(job.app.directory, "inference.py"), "");
    const code = await job.run([...OWN, "--entry-point", "inference.py"]);
    assertEquals(code.code, 2);
    assertStringIncludes(code.stderr, "error: Cannot add code to a model that is not an archive");
    const kept = await job.run([...OWN, "--env", "A=b"]);
    assertEquals(kept.code, 0, kept.stderr);
    assertStringIncludes(kept.stderr, "Changes: variables\n");
    assertEquals(container(job).ModelDataSource, source);
    const archive = await job.run(LEAST);
    assertEquals(archive.code, 0, archive.stderr);
    const again = await job.run([...OWN, "--env", "A=c"]);
    assertEquals(again.code, 0, again.stderr);
    assertEquals([container(job).ModelDataUrl, container(job).ModelDataSource], [MODEL, undefined]);
  });

  it("is not supported for serverless endpoints, nor for a prefix of nothing", async () => {
    await using job = await makeOwnCode({});
    const serverless = ["deploy", "-n", "shop", "--memory-size-in-mb", "2048"];
    for (
      const [line, code, words] of [
        [
          [...serverless, "-m", `s3://${BUCKET}/app/data/`],
          2,
          "requires a model archive, not an S3 directory",
        ],
        [
          [...serverless, "--inference-ami-version", "a"],
          2,
          "is not supported for serverless endpoints",
        ],
        [
          [...OWN, "-m", `s3://${BUCKET}/nothing/`],
          1,
          `No model found in s3://${BUCKET}/nothing/`,
        ],
        [
          [...OWN, "-m", `s3://${BUCKET}/app/model/`],
          1,
          `hint: Use the archive in this directory: ${MODEL}\n`,
        ],
        [[...OWN, "--inference-ami-version", "a b"], 2, "must be an AMI version such as al2-ami"],
      ] as const
    ) {
      const done = await job.run(line);
      assertEquals(done.code, code, done.stderr);
      assertStringIncludes(done.stderr, words);
    }
    assertEquals(changesOf(job), []);
    await using own = await makeDeployApp();
    const missing = await own.run(OWN);
    assertEquals(missing.code, 2);
    assertStringIncludes(missing.stderr, 'error: Missing required option "--model"\n');
  });
});
