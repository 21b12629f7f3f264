import { assertEquals } from "@std/assert";
import {
  type PlannedProcessing,
  type PlannedTraining,
  processingPlan,
  shownCall,
  trainingPlan,
} from "../../../../runtime/cloud/start/plan.ts";
import { withTags } from "../../../../runtime/cloud/tags.ts";
import { VERSION } from "../../../../runtime/version.ts";
import { inFile } from "../../../helpers/settings.ts";
import { it, suite } from "../../../helpers/suite.ts";

const DIGEST = `sha256:${"0a".repeat(32)}`;
const IMAGE = `123456789012.dkr.ecr.eu-west-1.amazonaws.com/churn@${DIGEST}`;
const ROLE = "arn:aws:iam::123456789012:role/path/jobs";

const COMMON = {
  name: "churn-1",
  appName: "churn",
  image: IMAGE,
  role: ROLE,
  instanceType: "ml.m5.large",
  instanceCount: 1,
  volumeSize: 30,
  maxRun: 86_400,
  variables: {},
  tags: {},
  subnet: [],
  securityGroup: [],
  kmsKey: undefined,
  networkIsolation: inFile(false),
};

const TRAINING: PlannedTraining = {
  ...COMMON,
  output: { bucket: "b", key: "out" },
  channels: [{ name: "training", address: { bucket: "b", key: "data/" }, isSharded: false }],
  instanceGroup: [],
  hyperparameters: {},
  metrics: [],
  maxWait: undefined,
  checkpoints: undefined,
  launch: { entrypoint: undefined, arguments: undefined, hyperparameters: {} },
};

const PROCESSING: PlannedProcessing = {
  ...COMMON,
  inputs: [],
  outputs: [{
    name: "output",
    path: "/opt/ml/processing/output",
    place: { bucket: "b", key: "out" },
  }],
  launch: {
    launcher: "image",
    entrypoint: undefined,
    arguments: ["process", "sub/clean.py"],
  },
};

const TAGS = [
  { Key: "mlcli.app", Value: "churn" },
  { Key: "mlcli.version", Value: VERSION },
  { Key: "mlcli.image", Value: DIGEST },
];

function channel(name: string, uri: string, distribution = "FullyReplicated") {
  const S3DataSource = {
    S3DataType: "S3Prefix",
    S3Uri: uri,
    S3DataDistributionType: distribution,
  };
  return { ChannelName: name, DataSource: { S3DataSource } };
}

const LEAST_TRAINING = {
  TrainingJobName: "churn-1",
  AlgorithmSpecification: { TrainingImage: IMAGE, TrainingInputMode: "File" },
  RoleArn: ROLE,
  InputDataConfig: [channel("training", "s3://b/data/")],
  OutputDataConfig: { S3OutputPath: "s3://b/out" },
  ResourceConfig: { InstanceType: "ml.m5.large", InstanceCount: 1, VolumeSizeInGB: 30 },
  StoppingCondition: { MaxRuntimeInSeconds: 86_400 },
  Tags: TAGS,
};

const LEAST_PROCESSING = {
  ProcessingJobName: "churn-1",
  ProcessingOutputConfig: {
    Outputs: [{
      OutputName: "output",
      S3Output: {
        S3Uri: "s3://b/out",
        LocalPath: "/opt/ml/processing/output",
        S3UploadMode: "EndOfJob",
      },
    }],
  },
  ProcessingResources: {
    ClusterConfig: { InstanceType: "ml.m5.large", InstanceCount: 1, VolumeSizeInGB: 30 },
  },
  StoppingCondition: { MaxRuntimeInSeconds: 86_400 },
  AppSpecification: { ImageUri: IMAGE, ContainerArguments: ["process", "sub/clean.py"] },
  RoleArn: ROLE,
  Tags: TAGS,
};

const NETWORK = {
  subnet: [inFile("subnet-1"), inFile("subnet-2")],
  securityGroup: ["sg-1"],
};
const VPC = { Subnets: ["subnet-1", "subnet-2"], SecurityGroupIds: ["sg-1"] };

/** What is asked for, and what the call has more, or differently, than the least. */
const TRAININGS: readonly (readonly [string, Partial<PlannedTraining>, Record<string, unknown>])[] =
  [
    ["the least", {}, {}],
    ["metrics", { metrics: [{ name: "loss", regex: "loss=(.*?);" }] }, {
      AlgorithmSpecification: {
        ...LEAST_TRAINING.AlgorithmSpecification,
        MetricDefinitions: [{ Name: "loss", Regex: "loss=(.*?);" }],
      },
    }],
    ["hyperparameters and variables", { hyperparameters: { epochs: "2" }, variables: { A: "b" } }, {
      HyperParameters: { epochs: "2" },
      Environment: { A: "b" },
    }],
    [
      "several channels, one of them split, one a single object",
      {
        channels: [
          { name: "training", address: { bucket: "b", key: "" }, isSharded: true },
          { name: "labels", address: { bucket: "b", key: "l.csv" }, isSharded: false },
        ],
      },
      {
        InputDataConfig: [
          channel("training", "s3://b/", "ShardedByS3Key"),
          channel("labels", "s3://b/l.csv"),
        ],
      },
    ],
    ["an output with a slash", { output: { bucket: "b", key: "out//" } }, {}],
    ["a whole bucket for the output", { output: { bucket: "b", key: "" } }, {
      OutputDataConfig: { S3OutputPath: "s3://b/" },
    }],
    [
      "instances",
      { instanceType: "ml.p3.2xlarge", instanceCount: 2, volumeSize: 100, maxRun: 60 },
      {
        ResourceConfig: { InstanceType: "ml.p3.2xlarge", InstanceCount: 2, VolumeSizeInGB: 100 },
        StoppingCondition: { MaxRuntimeInSeconds: 60 },
      },
    ],
    [
      "groups, with a key that one of them takes",
      {
        kmsKey: inFile("alias/k"),
        instanceGroup: [
          { name: "gpu", type: "ml.g5.xlarge", count: 2 },
          { name: "cpu", type: "ml.m5.large", count: 1 },
        ],
      },
      {
        OutputDataConfig: { S3OutputPath: "s3://b/out", KmsKeyId: "alias/k" },
        ResourceConfig: {
          InstanceGroups: [
            { InstanceGroupName: "gpu", InstanceType: "ml.g5.xlarge", InstanceCount: 2 },
            { InstanceGroupName: "cpu", InstanceType: "ml.m5.large", InstanceCount: 1 },
          ],
          VolumeSizeInGB: 30,
          VolumeKmsKeyId: "alias/k",
        },
      },
    ],
    ["spot", { maxWait: 90_000, checkpoints: { bucket: "b", key: "ckpt/" } }, {
      EnableManagedSpotTraining: true,
      StoppingCondition: { MaxRuntimeInSeconds: 86_400, MaxWaitTimeInSeconds: 90_000 },
      CheckpointConfig: { S3Uri: "s3://b/ckpt", LocalPath: "/opt/ml/checkpoints" },
    }],
    ["a key", { kmsKey: inFile("alias/k") }, {
      OutputDataConfig: { S3OutputPath: "s3://b/out", KmsKeyId: "alias/k" },
      ResourceConfig: {
        InstanceType: "ml.m5.large",
        InstanceCount: 1,
        VolumeSizeInGB: 30,
        VolumeKmsKeyId: "alias/k",
      },
    }],
    ["a key, which a disk of the instance's own cannot have", {
      kmsKey: inFile("alias/k"),
      instanceType: "ml.g5.xlarge",
    }, {
      OutputDataConfig: { S3OutputPath: "s3://b/out", KmsKeyId: "alias/k" },
      ResourceConfig: { InstanceType: "ml.g5.xlarge", InstanceCount: 1, VolumeSizeInGB: 30 },
    }],
    ["a network, or none", { ...NETWORK, networkIsolation: inFile(true) }, {
      VpcConfig: VPC,
      EnableNetworkIsolation: true,
    }],
    ["tags, which win over mlcli's", { tags: { team: "a", "mlcli.app": "mine" } }, {
      Tags: [
        { Key: "team", Value: "a" },
        { Key: "mlcli.app", Value: "mine" },
        ...TAGS.slice(1),
      ],
    }],
  ];

const PROCESSINGS: readonly (readonly [
  string,
  Partial<PlannedProcessing>,
  Record<string, unknown>,
])[] = [
  ["the least", {}, {}],
  ["an entry point and variables", {
    launch: { launcher: "script", entrypoint: ["/bin/sh", "x"], arguments: ["--rows", "1 0"] },
    variables: { A: "b" },
  }, {
    AppSpecification: {
      ImageUri: IMAGE,
      ContainerEntrypoint: ["/bin/sh", "x"],
      ContainerArguments: ["--rows", "1 0"],
    },
    Environment: { A: "b" },
  }],
  ["the image alone", {
    launch: { launcher: "image", entrypoint: undefined, arguments: [] },
  }, { AppSpecification: { ImageUri: IMAGE } }],
  ["an input", { inputs: [input(false)] }, inputs("FullyReplicated")],
  ["an input in parts", { inputs: [input(true)] }, inputs("ShardedByS3Key")],
  ["a key", { kmsKey: inFile("alias/k") }, {
    ProcessingOutputConfig: { ...LEAST_PROCESSING.ProcessingOutputConfig, KmsKeyId: "alias/k" },
    ProcessingResources: {
      ClusterConfig: {
        ...LEAST_PROCESSING.ProcessingResources.ClusterConfig,
        VolumeKmsKeyId: "alias/k",
      },
    },
  }],
  ["a network", NETWORK, { NetworkConfig: { VpcConfig: VPC } }],
  ["no network", { networkIsolation: inFile(true) }, {
    NetworkConfig: { EnableNetworkIsolation: true },
  }],
];

function input(isSharded: boolean): PlannedProcessing["inputs"][number] {
  const path = "/opt/ml/processing/input";
  return { name: "input", path, place: { bucket: "b", key: "raw/" }, isSharded };
}

function inputs(distribution: string): Record<string, unknown> {
  const S3Input = {
    S3Uri: "s3://b/raw/",
    LocalPath: "/opt/ml/processing/input",
    S3DataType: "S3Prefix",
    S3InputMode: "File",
    S3DataDistributionType: distribution,
  };
  return { ProcessingInputs: [{ InputName: "input", S3Input }] };
}

suite("the plan of a job on SageMaker", () => {
  for (const [what, asked, expected] of TRAININGS) {
    it(`of a training: ${what}`, () => {
      const planned: unknown = trainingPlan({ ...TRAINING, ...asked });
      assertEquals(planned, { ...LEAST_TRAINING, ...expected });
    });
  }

  for (const [what, asked, expected] of PROCESSINGS) {
    it(`of a processing job: ${what}`, () => {
      const planned: unknown = processingPlan({ ...PROCESSING, ...asked });
      assertEquals(planned, { ...LEAST_PROCESSING, ...expected });
    });
  }

  it("has 50 tags at most, the user's before mlcli's", () => {
    const tags = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`t${index}`, ""]));
    const { Tags = [] } = trainingPlan({ ...TRAINING, tags });
    assertEquals([Tags.length, Tags[48]?.Key, Tags[49]?.Key], [50, "t48", "mlcli.app"]);
  });

  it("can do without mlcli's tags", () => {
    const plan = trainingPlan({ ...TRAINING, tags: { team: "a" } });
    assertEquals(withTags(plan, { team: "a" }).Tags, [{ Key: "team", Value: "a" }]);
    assertEquals(Object.hasOwn(withTags(plan, {}), "Tags"), false);
  });

  it("is shown without the values of variables", () => {
    const variables = { TOKEN: "secret", A: "" };
    const action = "sagemaker:CreateTrainingJob";
    const shown: unknown = shownCall(action, trainingPlan({ ...TRAINING, variables }));
    assertEquals(shown, {
      action,
      input: { ...LEAST_TRAINING, Environment: { TOKEN: "***", A: "***" } },
    });
  });
});
