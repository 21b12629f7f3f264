import { assertEquals } from "@std/assert";
import {
  processingFiles,
  type ProcessingRequest,
  trainingFiles,
} from "../../../runtime/contract/configuration_files.ts";
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
const CHANNEL = {
  TrainingInputMode: "File",
  S3DistributionType: "FullyReplicated",
  RecordWrapperType: "None",
};

suite("configuration files", () => {
  it("of a training: hyperparameters, a key a channel, the host", () => {
    assertEquals(trainingFiles({ epochs: "3" }, ["training", "validation"]), {
      "hyperparameters.json": { epochs: "3" },
      "inputdataconfig.json": { training: CHANNEL, validation: CHANNEL },
      "resourceconfig.json": RESOURCES,
    });
    assertEquals(trainingFiles({}, [])["inputdataconfig.json"], {});
  });

  const request: ProcessingRequest = {
    job: { name: "demo-2026", region: "eu-west-1" },
    image: "demo:v1",
    entrypoint: [],
    arguments: ["process", "a.py"],
    variables: {},
  };

  it("of a processing job: each key of a real one's, the host", () => {
    assertEquals(processingFiles(request), {
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
      entrypoint: ["python3", "/a.py"],
      arguments: [],
      variables,
    });
    // deno-lint-ignore no-explicit-any
    const { AppSpecification, Environment } = files["processingjobconfig.json"] as any;
    assertEquals(Environment, variables);
    assertEquals(AppSpecification, {
      ImageUri: "demo:v1",
      ContainerEntrypoint: ["python3", "/a.py"],
      ContainerArguments: null,
    });
  });
});
