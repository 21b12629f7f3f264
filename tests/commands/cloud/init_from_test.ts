import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Box } from "../../helpers/box/box.ts";
import type { JobKind } from "../../helpers/box/jobs/job.ts";
import { filesBelow, makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { type InProcessOptions, runInProcess } from "../../helpers/in_process.ts";
import { PROCESSING, TRAINING } from "../../helpers/jobs.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";
import { type RawEntry, tarGz } from "../../helpers/tar.ts";

const JOB = "flats-2026-03-01-09-30-00-123";
const IMAGE = `123456789012.dkr.ecr.eu-west-1.amazonaws.com/churn@sha256:${"0".repeat(64)}`;
const INPUTS = "flats/mlcli_base/local_test/test_dir/input/";

class Place implements AsyncDisposable {
  private constructor(readonly box: Box, readonly directory: TestDirectory) {}

  static async open(): Promise<Place> {
    const box = await Box.open();
    box.s3.createBucket("data");
    return new Place(box, await makeDirectory());
  }

  /** Adds a job that has ended, and objects. */
  async job(
    request: object,
    objects: Readonly<Record<string, string | Uint8Array>> = {},
    kind: JobKind = "training",
  ): Promise<void> {
    const all = kind === "training"
      ? { ...TRAINING, AlgorithmSpecification: { TrainingImage: IMAGE } }
      : { ...PROCESSING, AppSpecification: { ImageUri: IMAGE } };
    this.box.jobs.add(kind, JOB, { ...all, ...request }).end({ status: "Completed" });
    for (const [key, content] of Object.entries(objects)) {
      await this.box.s3.put("data", key, content);
    }
  }

  init(args: readonly string[], options: Partial<InProcessOptions> = {}): Promise<ProgramResult> {
    const { directory: { path: cwd }, box } = this;
    return runInProcess(["init", ...args], { cwd, cloud: box.env(), ...options });
  }

  /** Makes an app of the job, which has to succeed. Returns what was said. */
  async made(...args: readonly string[]): Promise<string> {
    const { code, stderr } = await this.init(["--from", `training-job/${JOB}`, ...args]);
    assertEquals(code, 0, stderr);
    return stderr;
  }

  files(): Promise<Record<string, string>> {
    return filesBelow(this.directory.path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.directory[Symbol.asyncDispose]();
    await this.box[Symbol.asyncDispose]();
  }
}

/** A training by SDK v2, and its code. */
const SCRIPT_MODE = {
  HyperParameters: {
    epochs: "20",
    sagemaker_program: '"train.py"',
    sagemaker_submit_directory: '"s3://data/code/sourcedir.tar.gz"',
  },
};

function archiveOf(...more: readonly RawEntry[]): Promise<Uint8Array> {
  return tarGz([{ name: "train.py", content: "print(1)\n", mode: 0o755 }, ...more]);
}

suite("mlcli init --from training-job/NAME", () => {
  for (
    const [image, typed] of [
      [IMAGE, ""],
      ["763104351884.dkr.ecr.eu-west-1.amazonaws.com/pytorch-training:2.10", ""],
      ["111122223333.dkr.ecr.eu-west-1.amazonaws.com/team:2", " --image "],
      ["evil.example.com/churn:latest", " --image "],
    ] as const
  ) {
    it(`has the person type the image that is nobody's they know: ${image}`, async () => {
      await using at = await Place.open();
      await using state = await makeDirectory();
      await at.job({ AlgorithmSpecification: { TrainingImage: image } });
      const env = { XDG_STATE_HOME: state.path };
      const { stderr } = await at.init(["--from", `training-job/${JOB}`], { env });
      const option = typed && typed + image;
      assertStringIncludes(stderr, `\n  mlcli local train${option}\n  mlcli train${option}\n`);
      assertEquals(await filesBelow(state.path), {}, "nothing is remembered");
    });
  }

  it("makes an app once, with the job's code, and says what comes next", async () => {
    await using at = await Place.open();
    await at.job(SCRIPT_MODE, {
      "code/sourcedir.tar.gz": await archiveOf({ name: "lib/a.py", content: "A = 1\n" }),
    });
    const { code, stdout, stderr } = await at.init(["--from", `training-job/${JOB}`]);
    assertEquals(code, 0, stderr);
    assertEquals(stdout.split("\n").filter((line) => !/gitkeep|gitignore|schema/.test(line)), [
      "flats.json",
      `${INPUTS}config/hyperparameters.json`,
      "flats/code/lib/a.py",
      "flats/code/train.py",
      "flats/MIGRATION.md",
      "",
    ]);
    assertEquals(
      stderr.replace(/^.*(?=^note: Variable values)/ms, ""),
      [
        "note: Variable values were not copied. To pass those of your shell: " +
        "mlcli local train --env API_KEY",
        "note: No data was downloaded. To download a sample of training, use --data 100MB.",
        "note: These notes are also in flats/MIGRATION.md",
        "Next:",
        "  mlcli local train",
        "  mlcli train",
        "",
      ].join("\n"),
    );
    const files = await at.files();
    assertEquals(files["flats/code/train.py"], "print(1)\n");
    const { $schema: _schema, ...configuration } = JSON.parse(files["flats.json"]!);
    assertEquals(configuration, {
      image: IMAGE,
      execution_role: TRAINING.RoleArn,
      launcher: "toolkit",
      source_dir: "flats/code",
      cloud_region: "eu-west-1",
      train: {
        entry_point: "train.py",
        input_s3_dir: ["training=s3://data/train/"],
        output_s3_dir: "s3://data/output",
        ec2_type: "ml.m5.large",
        instance_count: 1,
        volume_size: 30,
        max_run: 3_600,
      },
    });
    assert(!Object.values(files).join().includes("nobody-may-see"));
    const again = await at.init(["--from", `training-job/${JOB}`]);
    assertEquals([again.code, again.stdout], [0, ""]);
    assertEquals(again.stderr, "Nothing to do: flats is complete\n");
    assertEquals(await at.files(), files);
    assertEquals(at.box.operations.filter((one) => one === "s3:GetObject").length, 1);
  });

  it("takes over what SDK v3 sent: plain files, and a requirements file of another name", async () => {
    await using at = await Place.open();
    const channel = (name: string, key: string) => ({
      ChannelName: name,
      DataSource: { S3DataSource: { S3DataType: "S3Prefix", S3Uri: `s3://data/${key}` } },
    });
    const about = { source_dir: "src", entry_script: "run.py", requirements: "needs.txt" };
    await at.job({ InputDataConfig: [channel("code", "c"), channel("sm_drivers", "d")] }, {
      ...{ "c/run.py": "1", "c/needs.txt": "numpy\n", "c/.env": "s3cret", "c/lib/": "" },
      ...{ "c/lib/a.py": "2", "d/sourcecode.json": JSON.stringify(about), "d/sm_train.sh": "" },
    });
    const said = await at.made();
    const files = await at.files();
    const { launcher, train } = JSON.parse(files["flats.json"]!);
    assertEquals([launcher, train.entry_point], ["script", "run.py"]);
    const code = Object.entries(files).filter(([path]) => path.startsWith("flats/code/"));
    assertEquals(Object.fromEntries(code), {
      ...{ "flats/code/run.py": "1", "flats/code/lib/a.py": "2" },
      ...{ "flats/code/needs.txt": "numpy\n", "flats/code/requirements.txt": '-r "needs.txt"\n' },
    });
    const text =
      "Not copied, because they might contain secrets or are links that point outside the project: .env";
    assertStringIncludes(said, text);
    assertStringIncludes(files["flats/MIGRATION.md"]!, `- ${text}\n`);
  });

  for (
    const [title, objects, words] of [
      ["is gone", {}, "the code no longer exists"],
      [
        "leads out",
        { "code/sourcedir.tar.gz": [{ name: "../out.py" }] },
        "../out.py points outside the archive",
      ],
      ["has a link out", {
        "code/sourcedir.tar.gz": [{ name: "a", type: "2", link: "/etc/passwd" }],
      }, "a is a link to /etc/passwd"],
      ["is no archive", { "code/sourcedir.tar.gz": "no" }, "Cannot unpack"],
    ] as const
  ) {
    it(`goes on without code that ${title}`, async () => {
      await using at = await Place.open();
      const all = Object.entries(objects).map(async ([key, entries]) =>
        [key, typeof entries === "string" ? entries : await archiveOf(...entries)] as const
      );
      await at.job(SCRIPT_MODE, Object.fromEntries(await Promise.all(all)));
      const said = await at.made();
      const line = said.split("\n").find((one) => one.includes("Cannot copy s3://"))!;
      assertStringIncludes(line, words);
      assertEquals(line.endsWith(". Put the code into flats/code/."), true, line);
      const files = await at.files();
      assertEquals(Object.keys(files).filter((path) => path.includes("/code/")), []);
      assertEquals(JSON.parse(files["flats.json"]!).train.entry_point, "train.py");
    });
  }

  it("fetches a sample of each channel: whole objects, the smallest first", async () => {
    await using at = await Place.open();
    const channel = (name: string, key: string) => ({
      ChannelName: name,
      DataSource: { S3DataSource: { S3DataType: "S3Prefix", S3Uri: `s3://data/${key}` } },
    });
    const channels = [channel("training", "train"), channel("one", "x/one.csv")];
    await at.job({
      InputDataConfig: [...channels, channel("none", "n/"), channel("large", "l")],
    }, {
      ...{ "train/": "", "train/b/two": "2".repeat(600), "train/three": "3".repeat(500) },
      ...{ "train/small": "1", "train-old/x": "o".repeat(400), "x/one.csv": "1" },
      "l/huge": "1".repeat(2_000),
    });
    const before = await at.init(["--from", `training-job/${JOB}`, "--data", "1KB", "--dry-run"]);
    assertEquals([before.code, await at.files()], [0, {}]);
    assert(!at.box.operations.includes("s3:GetObject"));
    const said = await at.made("--data", "1KB");
    for (
      const line of [
        "note: training: 3 of 4 objects, 901 bytes of 1.5 kB",
        "note: one: 1 of 1 objects, 1 byte of 1 byte",
        "note: large: 0 of 1 objects, 0 bytes of 2.0 kB",
        "note: Cannot download none (s3://data/n/): no objects found",
      ]
    ) assertStringIncludes(said, `${line}\n`);
    const files = await at.files();
    const data = Object.keys(files).filter((path) => path.startsWith(`${INPUTS}data/`));
    assertEquals(data.map((path) => path.slice(`${INPUTS}data/`.length)).sort(), [
      "one/one.csv",
      "training/small",
      "training/three",
      "training/train-old/x",
    ]);
    assertEquals(files[`${INPUTS}data/training/small`], "1");
    assertEquals(await at.made("--data", "1KB").then((text) => text.split("\n").at(-2)), NOTHING);
  });

  it("says what of the data may not be read, and goes on", async () => {
    await using at = await Place.open();
    await at.job({}, { "train/a": "1" });
    at.box.faults.deny("s3:ListBucket");
    const said = await at.made("--data", "1MB");
    assertStringIncludes(said, "Cannot download training (s3://data/train/): AccessDenied");
  });

  it("ends where an object can be no file, and leaves nothing", async () => {
    await using at = await Place.open();
    await at.job({}, { "train/../../x": "1" });
    const { code, stderr } = await at.init(["--from", `training-job/${JOB}`, "--data", "1MB"]);
    assertEquals([code, await at.files()], [1, {}]);
    assertStringIncludes(
      stderr,
      "error: Cannot save S3 object train/../../x: its key is not a valid path\n",
    );
  });

  it("prints nothing that a terminal would obey", async () => {
    await using at = await Place.open();
    const hostile = "\x1b[2J\nmlcli: x";
    await at.job({
      AlgorithmSpecification: {
        TrainingImage: IMAGE,
        ContainerEntrypoint: [hostile],
        ContainerArguments: [hostile],
      },
      Environment: { [hostile]: "1" },
      InputDataConfig: [{ ChannelName: hostile, DataSource: { FileSystemDataSource: {} } }],
    });
    const said = await at.made();
    const { "flats/MIGRATION.md": text = "" } = await at.files();
    for (const one of [said, text]) assert(!one.includes("\x1b") && !/^mlcli: x/m.test(one), one);
  });

  it("takes ARNs and addresses, whose region counts, and names that are typed", async () => {
    await using at = await Place.open();
    await at.job({});
    const arn = `arn:aws:sagemaker:eu-west-1:123456789012:training-job/${JOB}`;
    const env = { AWS_REGION: "us-east-1" };
    const made = await at.init(["mine", "--from", arn], { env });
    assertEquals(made.code, 0, made.stderr);
    assertEquals(JSON.parse((await at.files())["mine.json"]!).cloud_region, "eu-west-1");
    // Beside another app, the commands have to name it.
    const other = await at.init(["--from", arn], { env });
    assertStringIncludes(other.stderr, "\n  mlcli local train --app-name flats\n");
  });

  for (
    const [what, words] of [
      ["training-job/other", "ResourceNotFound: training job other"],
      ["processing-job/other", "ResourceNotFound: processing job other"],
      ["endpoint/other", "ResourceNotFound: endpoint other"],
      ["model/other", "ResourceNotFound: model other"],
    ] as const
  ) {
    it(`is an error for what is not there: ${what}`, async () => {
      await using at = await Place.open();
      const { code, stdout, stderr } = await at.init(["--from", what]);
      assertEquals([code, stdout, await at.files()], [1, "", {}]);
      assertStringIncludes(stderr, `error: ${words}\n`);
    });
  }

  it("is an error for a job of an algorithm, which has no image", async () => {
    await using at = await Place.open();
    await at.job({ AlgorithmSpecification: { AlgorithmName: "arn:x" } });
    const { code, stderr } = await at.init(["--from", `training-job/${JOB}`]);
    assertEquals([code, await at.files()], [1, {}]);
    assertStringIncludes(stderr, `error: training-job/${JOB} has no image`);
  });
});

const NOTHING = "Nothing to do: flats is complete";

suite("mlcli init --from processing-job/NAME", () => {
  it("finds the script in what FrameworkProcessor sent", async () => {
    await using at = await Place.open();
    const input = (name: string, key: string, path = name) => ({
      InputName: name,
      S3Input: {
        ...{ S3DataType: "S3Prefix", S3Uri: `s3://data/${key}` },
        LocalPath: `/opt/ml/processing/input/${path}`,
      },
    });
    await at.job(
      {
        AppSpecification: {
          ImageUri: IMAGE,
          ContainerEntrypoint: ["/bin/bash", "/opt/ml/processing/input/entrypoint/runproc.sh"],
          ContainerArguments: ["--rows", "1 000"],
        },
        ProcessingInputs: [
          ...[input("raw", "raw/"), input("code", "s/sourcedir.tar.gz")],
          input("entrypoint", "s/runproc.sh"),
        ],
      },
      {
        ...{ "raw/a.csv": "1", "s/sourcedir.tar.gz": await archiveOf() },
        "s/runproc.sh": '#!/bin/bash\nset -e\npython3 train.py "$@"\n',
      },
      "processing",
    );
    const { code, stderr } = await at.init(["--from", `processing-job/${JOB}`, "--data", "1MB"]);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, "\n  mlcli local process -- --rows '1 000'\n");
    const files = await at.files();
    const { process, source_dir } = JSON.parse(files["flats.json"]!);
    assertEquals([process.entry_point, source_dir], ["train.py", "flats/code"]);
    assertEquals(process.input_s3_location, ["raw=s3://data/raw/"]);
    assertEquals(files[`${INPUTS}data/processing/raw/a.csv`], "1");
    assertEquals(files["flats/code/train.py"], "print(1)\n");
  });
});

suite("mlcli init --from endpoint/NAME and model/NAME", () => {
  it("makes the same app of both, with what the endpoint runs on", async () => {
    await using at = await Place.open();
    const { endpoints } = at.box;
    endpoints.addModel("flats-model", {
      PrimaryContainer: {
        Image: IMAGE,
        ModelDataUrl: "s3://data/model.tar.gz",
        Environment: { API_KEY: "nobody-may-see" },
      },
      ExecutionRoleArn: TRAINING.RoleArn,
    });
    endpoints.add("flats", { model: "flats-model" });
    for (const what of ["endpoint/flats", "model/flats-model"]) {
      const { code, stderr } = await at.init(["--from", what]);
      assertEquals(code, 0, stderr);
      assertStringIncludes(stderr, "mlcli download-model");
    }
    const files = await at.files();
    const [endpoint, model] = ["flats.json", "flats-model.json"].map((name) =>
      JSON.parse(files[name]!)
    );
    assertEquals(endpoint.deploy.model, "s3://data/model.tar.gz");
    assertEquals(model.deploy, { model: "s3://data/model.tar.gz" });
    assertEquals([endpoint.image, model.image], [IMAGE, IMAGE]);
    assert(!Object.values(files).join().includes("nobody-may-see"));
  });
});
