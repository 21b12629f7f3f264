import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ask } from "../helpers/box/ask.ts";
import { Box } from "../helpers/box/box.ts";
import { unpacked } from "../helpers/box/engine/archive.ts";
import { LABEL, ownLabel } from "../helpers/box/engine/container.ts";
import { removeLeftovers } from "../helpers/box/engine/resources.ts";
import { EngineApi } from "../helpers/box/engine_api.ts";
import type { Job } from "../helpers/box/jobs/job.ts";
import { EXECUTION_ROLE } from "../helpers/box/jobs/job_store.ts";
import { pushShellImage } from "../helpers/box/shell_image.ts";
import { baseImage, engineRequest } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { gunzip } from "../helpers/tar.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

type Request = Record<string, unknown>;

let box: Box;
let image: string;

function newName(): string {
  return `job-${crypto.randomUUID().slice(0, 8)}`;
}

async function startTraining(code: string, more: Request = {}): Promise<Job> {
  const name = newName();
  const { body } = await ask(box, "sagemaker", "CreateTrainingJob", {
    TrainingJobName: name,
    AlgorithmSpecification: { TrainingImage: image, TrainingInputMode: "File" },
    RoleArn: EXECUTION_ROLE,
    OutputDataConfig: { S3OutputPath: "s3://data/output" },
    ResourceConfig: { InstanceType: "ml.m5.large", InstanceCount: 1, VolumeSizeInGB: 30 },
    StoppingCondition: { MaxRuntimeInSeconds: 600 },
    Environment: { CODE: code },
    ...more,
  });
  assertStringIncludes(JSON.stringify(body), `training-job/${name}`);
  return box.jobs.find("training", name)!;
}

/** The same, to its end. */
async function train(code: string, more: Request = {}): Promise<Job> {
  const job = await startTraining(code, more);
  await job.ended;
  return job;
}

function logOf(job: Job, host = "algo-1"): string {
  return box.logs.messages(job.logGroup, job.logStream(host)).join("\n");
}

/** The files of an archive in S3: name to text. */
async function archive(key: string): Promise<Record<string, string>> {
  const entries = await unpacked(await gunzip(await box.s3.bytes("data", key)));
  return Object.fromEntries(
    entries.filter(({ type }) => type === "file")
      .map(({ name, content }) => [name, new TextDecoder().decode(content)]),
  );
}

function channel(uri: string, distribution = "FullyReplicated"): Request {
  const S3DataSource = {
    S3DataType: "S3Prefix",
    S3Uri: uri,
    S3DataDistributionType: distribution,
  };
  return { ChannelName: "training", DataSource: { S3DataSource } };
}

/** As the engine lists it. */
interface EngineContainer {
  readonly Image: string;
  readonly Mounts: readonly { readonly Name: string }[];
  readonly HostConfig: { readonly NetworkMode: string };
}

const LABELLED = encodeURIComponent(JSON.stringify({ label: [LABEL] }));
const TWO_HOSTS = { InstanceType: "ml.m5.large", InstanceCount: 2, VolumeSizeInGB: 30 };

suite("the box's jobs on the engine", () => {
  beforeAll(async () => {
    box = await Box.open({ registry: true, jobs: true });
    image = await pushShellImage(box);
    box.s3.createBucket("data");
    await box.s3.put("data", "train/a.csv", "one\n");
    await box.s3.put("data", "train/sub/b.csv", "two\n");
    await box.s3.put("data", "train2.csv", "three\n");
  });
  afterAll(() => box[Symbol.asyncDispose]());

  it("a training finds what SageMaker gives it, and leaves what SageMaker keeps", async () => {
    const job = await train(
      'echo "$1 $TRAINING_JOB_NAME $AWS_REGION $(hostname)"; cd /opt/ml; cat input/config/h*; ' +
        "echo; cat input/data/training/a.csv input/data/training/sub/b.csv; ls model; " +
        "echo seven > model/model.txt; mkdir model/d; echo 8 > model/d/e; " +
        "echo plot > output/data/plot.txt; echo lost > output/lost.txt; echo to stderr >&2",
      {
        InputDataConfig: [channel("s3://data/train/")],
        HyperParameters: { epochs: "3" },
      },
    );
    assertEquals([job.status, job.failureReason], ["Completed", undefined]);
    assertEquals(
      logOf(job).replace("to stderr\n", "").replace("\nto stderr", ""),
      `train ${job.name} eu-west-1 algo-1\n{"epochs":"3"}\none\ntwo`,
    );
    assertStringIncludes(logOf(job), "to stderr");
    assertEquals(job.artifact, `s3://data/output/${job.name}/output/model.tar.gz`);
    const output = `output/${job.name}/output`;
    assertEquals(box.s3.keys("data", output), [
      `${output}/model.tar.gz`,
      `${output}/output.tar.gz`,
    ]);
    assertEquals(await archive(`${output}/model.tar.gz`), { "model.txt": "seven\n", "d/e": "8\n" });
    assertEquals(await archive(`${output}/output.tar.gz`), { "plot.txt": "plot\n" });
    assertEquals(job.transitions.map(({ Status }) => Status), [
      "Starting",
      "Downloading",
      "Training",
      "Uploading",
      "Completed",
    ]);
  });

  it("several hosts see each other, share what is sharded, and fail together", async () => {
    const job = await train(
      'for file in /opt/ml/input/data/training/*.csv; do echo "$(hostname) $(cat $file)"; done; ' +
        "hostname > /opt/ml/model/$(hostname); grep algo /etc/hosts | wc -l",
      {
        InputDataConfig: [channel("s3://data/train", "ShardedByS3Key")],
        ResourceConfig: TWO_HOSTS,
      },
    );
    assertEquals([job.status, job.failureReason], ["Completed", undefined]);
    assertStringIncludes(logOf(job, "algo-1"), "algo-1 one");
    assertEquals(logOf(job, "algo-2").includes("one"), false);
    assertEquals(await archive(`output/${job.name}/output/model.tar.gz`), {
      "algo-1": "algo-1\n",
      "algo-2": "algo-2\n",
    });
    const failed = await train("[ $(hostname) = algo-1 ] && sleep 600; exit 5", {
      ResourceConfig: TWO_HOSTS,
    });
    assertEquals(failed.failureReason, "AlgorithmError: Exit Code: 5");
  });

  it("groups of machines know of each other, and reach each other without a network", async () => {
    const group = (InstanceGroupName: string, InstanceType: string) => ({
      ...{ InstanceGroupName, InstanceType, InstanceCount: 1 },
    });
    // The first host stays until the second has looked for it, and ended.
    const code =
      "[ $(hostname) = algo-1 ] && sleep 600; cat /opt/ml/input/config/resource*; echo; " +
      "getent hosts algo-1 algo-2; exit 4";
    const job = await train(code, {
      ResourceConfig: {
        InstanceGroups: [group("gpu", "ml.g5.xlarge"), group("cpu", "ml.m5.large")],
        VolumeSizeInGB: 30,
      },
      EnableNetworkIsolation: true,
    });
    assertEquals(job.failureReason, "AlgorithmError: Exit Code: 4");
    const [told, ...found] = logOf(job, "algo-2").split("\n");
    assertEquals(found.map((line) => line.split(/ +/)[1]), ["algo-1", "algo-2"]);
    assertEquals(JSON.parse(told!), {
      current_host: "algo-2",
      current_instance_type: "ml.m5.large",
      current_group_name: "cpu",
      hosts: ["algo-1", "algo-2"],
      instance_groups: [
        { instance_group_name: "gpu", instance_type: "ml.g5.xlarge", hosts: ["algo-1"] },
        { instance_group_name: "cpu", instance_type: "ml.m5.large", hosts: ["algo-2"] },
      ],
      network_interface_name: "eth0",
    });
  });

  it("a processing goes on where a host has failed, and fails in the end", async () => {
    const name = newName();
    // The second host ends after the first, which fails.
    const code = "echo $(hostname) > /opt/ml/output/message; [ $(hostname) = algo-1 ] && exit 7; " +
      "while getent hosts algo-1 >&2; do sleep 0.1; done; echo went on";
    await ask(box, "sagemaker", "CreateProcessingJob", {
      ProcessingJobName: name,
      AppSpecification: { ImageUri: image },
      RoleArn: EXECUTION_ROLE,
      ProcessingResources: { ClusterConfig: TWO_HOSTS },
      Environment: { CODE: code },
    });
    const job = box.jobs.find("processing", name)!;
    await job.ended;
    assertStringIncludes(logOf(job, "algo-2"), "went on");
    assertEquals([job.status, job.exitMessage], ["Failed", "algo-1\n\nalgo-2\n"]);
    assertEquals(job.failureReason, "AlgorithmError: See job logs for more information");
  });
});

suite("the box's jobs on the engine: the end", () => {
  it("of the box is the end of its containers, volumes, networks and images", async () => {
    const box = await Box.open({ registry: true, jobs: true });
    const { host } = box.ecr.front;
    let volumesOf: readonly string[] = [];
    let network = "";
    try {
      const image = await pushShellImage(box);
      box.s3.createBucket("data");
      await ask(box, "sagemaker", "CreateTrainingJob", {
        TrainingJobName: "endless",
        AlgorithmSpecification: { TrainingImage: image, TrainingInputMode: "File" },
        RoleArn: EXECUTION_ROLE,
        OutputDataConfig: { S3OutputPath: "s3://data/output" },
        ResourceConfig: TWO_HOSTS,
        StoppingCondition: { MaxRuntimeInSeconds: 600 },
        Environment: { CODE: "echo ready; sleep 600" },
      });
      const job = box.jobs.only("training");
      await eventually(() =>
        Promise.resolve(box.logs.messages(job.logGroup, job.logStream("algo-2")).length > 0)
      );
      const all = JSON.parse(await engineRequest("GET", "/containers/json", [200]));
      const mine: EngineContainer[] = all.filter((one: EngineContainer) => one.Image === image);
      volumesOf = mine.flatMap(({ Mounts }) => Mounts.map(({ Name }) => Name));
      network = mine[0]!.HostConfig.NetworkMode;
      assertEquals([mine.length, volumesOf.length], [2, 6]);
      assertMatch(network, /^mlcli-box-/);
    } finally {
      await box[Symbol.asyncDispose]();
    }
    const containers = await engineRequest("GET", "/containers/json?all=1", [200]);
    assertEquals(containers.includes(host), false);
    // Tests beside this one have the same label, of this process, but not these names.
    const volumes = await engineRequest("GET", `/volumes?filters=${LABELLED}`, [200]);
    for (const name of volumesOf) assertEquals(volumes.includes(name), false);
    const networks = await engineRequest("GET", "/networks", [200]);
    assertEquals(networks.includes(network), false);
    const images = await engineRequest("GET", "/images/json", [200]);
    assertEquals(images.includes(host), false);
  });

  it("comes later for what a killed process left", async () => {
    using engine = new EngineApi();
    const { Id } = await engine.json("POST", "/containers/create", {
      // No process has this number.
      body: {
        Image: baseImage(),
        Cmd: ["none"],
        Labels: { [LABEL]: `${Deno.hostname()}:999999999` },
      },
    });
    const own = await engine.json("POST", "/containers/create", {
      body: { Image: baseImage(), Cmd: ["none"], Labels: ownLabel() },
    });
    try {
      await removeLeftovers(engine);
      // A test beside this one may have begun to remove it, and still be at it.
      await eventually(async () => {
        const answer = await engine.call("GET", `/containers/${Id}/json`, { expect: [200, 404] });
        await answer.body?.cancel();
        return answer.status === 404;
      });
      await engine.send("GET", `/containers/${own.Id}/json`);
    } finally {
      await engine.send("DELETE", `/containers/${own.Id}`);
    }
  });
});
