import { assertEquals } from "@std/assert";
import {
  processingFiles,
  type ProcessingRequest,
  trainingFiles,
} from "../../../runtime/contract/configuration_files.ts";
import { CODE_INPUT, plainData } from "../../../runtime/contract/processing_data.ts";
import { it, suite } from "../../helpers/suite.ts";

const RESOURCES = {
  current_group_name: "homogeneousCluster",
  current_host: "algo-1",
  current_instance_type: "local",
  hosts: ["algo-1"],
  instance_groups: [{
    hosts: ["algo-1"],
    instance_group_name: "homogeneousCluster",
    instance_type: "local",
  }],
  network_interface_name: "eth0",
};
const ALONE = { current: "algo-1", hosts: ["algo-1"], groupHosts: ["algo-1"] };
const HOSTS = ["algo-1", "algo-2"];
const SECOND = { current: "algo-2", hosts: HOSTS, groupHosts: HOSTS.toReversed() };
const CHANNEL = {
  TrainingInputMode: "File",
  S3DistributionType: "FullyReplicated",
  RecordWrapperType: "None",
};

suite("configuration files", () => {
  it("of a training: hyperparameters, a key a channel, the host", () => {
    const channels = ["training", "validation"].map((name) => ({ name, isSharded: false }));
    assertEquals(trainingFiles({ epochs: "3" }, channels, ALONE), {
      "hyperparameters.json": { epochs: "3" },
      "inputdataconfig.json": { training: CHANNEL, validation: CHANNEL },
      "resourceconfig.json": RESOURCES,
    });
    assertEquals(trainingFiles({}, [], ALONE)["inputdataconfig.json"], {});
  });

  it("of a training on several hosts: all of them, their order in the group, what is sharded", () => {
    const files = trainingFiles({}, [
      { name: "all", isSharded: false },
      { name: "part", isSharded: true },
    ], SECOND);
    const part = { ...CHANNEL, S3DistributionType: "ShardedByS3Key" };
    assertEquals(files["inputdataconfig.json"], { all: CHANNEL, part });
    const instance_groups = [{ ...RESOURCES.instance_groups[0], hosts: ["algo-2", "algo-1"] }];
    const hosts = { current_host: "algo-2", hosts: HOSTS, instance_groups };
    assertEquals(files["resourceconfig.json"], { ...RESOURCES, ...hosts });
  });

  const request: ProcessingRequest = {
    job: { name: "demo-2026", region: "eu-west-1" },
    image: "demo:v1",
    launch: { entrypoint: undefined, arguments: ["process", "a.py"] },
    inputs: [plainData("input")],
    outputs: [plainData("output")],
    variables: {},
  };

  it("of a processing job: each key of a real one's, the host", () => {
    assertEquals(processingFiles(request, ALONE), {
      "processingjobconfig.json": {
        ProcessingJobArn: "arn:aws:sagemaker:eu-west-1:000000000000:processing-job/demo-2026",
        ProcessingJobName: "demo-2026",
        AppSpecification: {
          ImageUri: "demo:v1",
          ContainerEntrypoint: null,
          ContainerArguments: ["process", "a.py"],
        },
        ProcessingInputs: [{
          InputName: "input",
          AppManaged: false,
          S3Input: {
            LocalPath: "/opt/ml/processing/input",
            S3Uri: "s3://amzn-s3-demo-bucket/demo-2026/input",
            S3DataDistributionType: "FullyReplicated",
            S3DataType: "S3Prefix",
            S3InputMode: "File",
            S3CompressionType: "None",
            S3DownloadMode: "StartOfJob",
          },
          DatasetDefinition: null,
        }],
        ProcessingOutputConfig: {
          Outputs: [{
            OutputName: "output",
            AppManaged: false,
            S3Output: {
              LocalPath: "/opt/ml/processing/output",
              S3Uri: "s3://amzn-s3-demo-bucket/demo-2026/output",
              S3UploadMode: "EndOfJob",
            },
            FeatureStoreOutput: null,
          }],
          KmsKeyId: null,
        },
        ProcessingResources: {
          ClusterConfig: {
            InstanceCount: 1,
            InstanceType: "local",
            VolumeSizeInGB: 30,
            VolumeKmsKeyId: null,
          },
        },
        RoleArn: "arn:aws:iam::000000000000:role/mlcli-local",
        StoppingCondition: { MaxRuntimeInSeconds: 86400 },
      },
      "resourceconfig.json": { current_host: "algo-1", hosts: ["algo-1"] },
    });
  });

  it("of a processing job: entry point and variables where they are given", () => {
    const variables = { MODE: "fast" };
    const files = processingFiles({
      ...request,
      launch: { entrypoint: ["python3", "/a.py"], arguments: [] },
      inputs: [{ name: "a", path: "/opt/ml/processing/input/a" }, CODE_INPUT],
      outputs: [{ name: "a", path: "/opt/ml/processing/other" }],
      variables,
    }, ALONE);
    // deno-lint-ignore no-explicit-any
    const all = files["processingjobconfig.json"] as any;
    const { AppSpecification, Environment } = all;
    const placesOf = (list: readonly Record<string, unknown>[], name: string, of: string) =>
      list.map((one) => [one[name], ...Object.values(one[of] as object).slice(0, 2)]);
    const bucket = "s3://amzn-s3-demo-bucket/demo-2026";
    assertEquals(placesOf(all.ProcessingInputs, "InputName", "S3Input"), [
      ["a", "/opt/ml/processing/input/a", `${bucket}/input/a`],
      ["code", "/opt/ml/processing/input/code", `${bucket}/input/code`],
    ]);
    assertEquals(placesOf(all.ProcessingOutputConfig.Outputs, "OutputName", "S3Output"), [
      ["a", "/opt/ml/processing/other", `${bucket}/other`],
    ]);
    assertEquals(Environment, variables);
    assertEquals(AppSpecification, {
      ImageUri: "demo:v1",
      ContainerEntrypoint: ["python3", "/a.py"],
      ContainerArguments: null,
    });
  });

  it("of a processing job on several hosts: how many, which, what is sharded", () => {
    const inputs = [{ ...plainData("input"), isSharded: true }, CODE_INPUT];
    const files = processingFiles({ ...request, inputs }, SECOND);
    // deno-lint-ignore no-explicit-any
    const { ProcessingInputs, ProcessingResources } = files["processingjobconfig.json"] as any;
    const [first, second] = ProcessingInputs;
    assertEquals(first.S3Input.S3DataDistributionType, "ShardedByS3Key");
    assertEquals(second.S3Input.S3DataDistributionType, "FullyReplicated");
    assertEquals(ProcessingResources.ClusterConfig.InstanceCount, 2);
    assertEquals(files["resourceconfig.json"], { current_host: "algo-2", hosts: HOSTS });
  });
});
