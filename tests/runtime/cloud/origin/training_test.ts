import { assertEquals } from "@std/assert";
import type { JobDetails } from "../../../../runtime/aws/sagemaker_jobs.ts";
import { trainingDraft } from "../../../../runtime/cloud/origin/training.ts";
import { it, suite } from "../../../helpers/suite.ts";

type Job = JobDetails["train"];

const IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/torch:2";
const CODE = "/opt/ml/input/data/code";

/** A job of these parts. The service has many more members, with nothing in them. */
function draftOf(job: object, name = "shop") {
  const nothing = { DebugHookConfig: undefined, EnableManagedSpotTraining: false, VpcConfig: {} };
  const all = { AlgorithmSpecification: { TrainingImage: IMAGE }, ...nothing, ...job };
  return trainingDraft(all as unknown as Job, name);
}

function channel(name: string, uri: string, more: object = {}) {
  const S3DataSource = { S3DataType: "S3Prefix", S3Uri: uri };
  return { ChannelName: name, DataSource: { S3DataSource }, ...more };
}

/** The values of the hyperparameters' file, as text. */
function hyperparametersIn({ files }: ReturnType<typeof draftOf>): string {
  const [file] = files;
  return String(file?.content ?? "").replaceAll(/\s+/g, " ").trim();
}

suite("the app of a training job", () => {
  it("has all that mlcli train needs, by its own keys", () => {
    const { configuration, left, next, data, taken } = draftOf({
      AlgorithmSpecification: {
        TrainingImage: IMAGE,
        TrainingInputMode: "File",
        MetricDefinitions: [{ Name: "loss", Regex: "loss=(.*)" }],
      },
      RoleArn: "arn:aws:iam::111122223333:role/jobs",
      InputDataConfig: [
        channel("training", "s3://bucket/data/", { CompressionType: "None" }),
        {
          ChannelName: "words",
          DataSource: {
            S3DataSource: {
              S3DataType: "S3Prefix",
              S3Uri: "s3://bucket/words",
              S3DataDistributionType: "ShardedByS3Key",
            },
          },
        },
      ],
      OutputDataConfig: { S3OutputPath: "s3://bucket/out", KmsKeyId: "alias/mine" },
      ResourceConfig: { InstanceType: "ml.m5.large", InstanceCount: 2, VolumeSizeInGB: 50 },
      StoppingCondition: { MaxRuntimeInSeconds: 3_600, MaxWaitTimeInSeconds: 7_200 },
      EnableManagedSpotTraining: true,
      CheckpointConfig: { S3Uri: "s3://bucket/kept", LocalPath: "/opt/ml/checkpoints" },
      EnableNetworkIsolation: true,
      VpcConfig: { Subnets: ["subnet-1"], SecurityGroupIds: ["sg-1"] },
    });
    assertEquals({ configuration, left, next }, {
      configuration: {
        image: IMAGE,
        metric_definitions: [{ Name: "loss", Regex: "loss=(.*)" }],
        execution_role: "arn:aws:iam::111122223333:role/jobs",
        train: {
          input_s3_dir: ["training=s3://bucket/data/", "words=s3://bucket/words"],
          shard: ["words"],
          output_s3_dir: "s3://bucket/out",
          ec2_type: "ml.m5.large",
          instance_count: 2,
          volume_size: 50,
          max_run: 3_600,
          spot: true,
          max_wait: 7_200,
          checkpoint_s3_dir: "s3://bucket/kept",
          network_isolation: true,
          subnet: ["subnet-1"],
          security_group: ["sg-1"],
          kms_key: "alias/mine",
        },
      },
      left: [],
      next: ["mlcli local train", "mlcli train"],
    });
    const folder = "shop/mlcli_base/local_test/test_dir/input/data";
    assertEquals(data.map(({ name, to }) => [name, to]), [
      ["training", `${folder}/training`],
      ["words", `${folder}/words`],
    ]);
    assertEquals(taken[0], ["`AlgorithmSpecification.TrainingImage`", "`image`"]);
    assertEquals(taken.at(-1), ["`OutputDataConfig.KmsKeyId`", "`train.kms_key`"]);
  });

  const V2 = { sagemaker_program: '"train.py"', sagemaker_job_name: '"shop-1"' };
  const S3 = { bucket: "bucket", key: "shop-1/source/sourcedir.tar.gz" };
  const CODE_CHANNEL = channel("code", "s3://bucket/code/");
  const OWN = { launcher: "script", source_dir: "shop/code" };
  const PROGRAMS: readonly (readonly [title: string, job: object, expected: object])[] = [
    ["SDK v2, its code in S3", {
      HyperParameters: {
        ...V2,
        sagemaker_submit_directory: '"s3://bucket/shop-1/source/sourcedir.tar.gz"',
      },
    }, {
      top: { launcher: "toolkit", source_dir: "shop/code" },
      train: { entry_point: "train.py" },
      code: S3,
    }],
    ["SDK v2 in isolation, and mlcli: its code in a channel", {
      HyperParameters: { ...V2, sagemaker_submit_directory: `"${CODE}/sourcedir.tar.gz"` },
      InputDataConfig: [CODE_CHANNEL],
    }, {
      top: { launcher: "toolkit", source_dir: "shop/code" },
      train: { entry_point: "train.py" },
      code: { bucket: "bucket", key: "code/" },
    }],
    ["torchrun by SDK v2", {
      HyperParameters: { ...V2, sagemaker_torch_distributed_enabled: "true" },
    }, {
      top: { launcher: "toolkit", distribution: "torchrun" },
      train: { entry_point: "train.py" },
    }],
    ["SDK v3", {
      AlgorithmSpecification: {
        TrainingImage: IMAGE,
        ContainerEntrypoint: ["/bin/bash"],
        ContainerArguments: ["-c", "chmod +x sm_train.sh && sm_train.sh"],
      },
      InputDataConfig: [CODE_CHANNEL, channel("sm_drivers", "s3://bucket/drivers")],
    }, { top: OWN, train: undefined, code: { bucket: "bucket", key: "code/" } }],
    ["mlcli's start script", {
      AlgorithmSpecification: {
        TrainingImage: IMAGE,
        ContainerEntrypoint: ["/bin/sh"],
        ContainerArguments: [`${CODE}/start.sh`, "src/train.py"],
      },
      InputDataConfig: [CODE_CHANNEL],
    }, {
      top: OWN,
      train: { entry_point: "src/train.py" },
      code: { bucket: "bucket", key: "code/" },
    }],
    ["a command", {
      AlgorithmSpecification: {
        TrainingImage: IMAGE,
        ContainerEntrypoint: ["python3", "-u"],
        ContainerArguments: ["/opt/program/run.py", "a b"],
      },
    }, {
      top: {},
      train: { command: ["python3", "-u"] },
      words: " -- /opt/program/run.py 'a b'",
    }],
  ];
  for (const [title, job, expected] of PROGRAMS) {
    it(`runs what the job ran: ${title}`, () => {
      const { configuration, code, next, left } = draftOf(job);
      const { train, image: _image, ...top } = configuration;
      const words = next[0]!.replace("mlcli local train", "");
      assertEquals(
        { top, train, code: code?.address, words, left },
        { code: undefined, words: "", left: [], ...expected },
      );
    });
  }

  it("reads what SDK v3 says of the code", () => {
    const { code } = draftOf({
      InputDataConfig: [channel("code", "s3://b1b/c"), channel("sm_drivers", "s3://b1b/d")],
    });
    assertEquals(code!.about!.address, { bucket: "b1b", key: "d/sourcecode.json" });
    const { read } = code!.about!;
    const text = { source_dir: "src", entry_script: "./train.py", requirements: "needs.txt" };
    assertEquals(read(JSON.stringify(text)), {
      entryPoint: "train.py",
      requirements: "needs.txt",
      left: [],
    });
    const [left] = read('{"command": "torchrun train.py"}').left!;
    assertEquals(left!.slice(0, 45), "The job ran this command: torchrun train.py. ");
    assertEquals(read("[1"), { entryPoint: undefined, requirements: undefined, left: [] });
  });

  for (
    const [title, values, expected] of [
      [
        "as the toolkit would hear them",
        {
          ...V2,
          epochs: "10",
          rate: "1e-3",
          seed: "12345678901234567890",
          name: '"adam"',
          zip: '"01234"',
          year: '"2026"',
          layers: "[64, 32]",
          free: "as it is",
        },
        '{ "epochs": 10, "rate": 1e-3, "seed": 12345678901234567890, "name": "adam", ' +
        '"zip": "01234", "year": "\\"2026\\"", "layers": [ 64, 32 ], "free": "as it is" }',
      ],
      [
        "as they were sent, without SDK v2",
        { epochs: "10", name: '"adam"', _tuning_objective_metric: "loss" },
        '{ "epochs": "10", "name": "\\"adam\\"" }',
      ],
      ["if there are any", V2, ""],
    ] as const
  ) {
    it(`keeps hyperparameters ${title}`, () => {
      assertEquals(hyperparametersIn(draftOf({ HyperParameters: values })), expected);
    });
  }

  const LEFT: readonly (readonly [job: object, left: readonly string[], more?: object])[] = [
    [{ Environment: { API_KEY: "s3cret", B: "s3cret" } }, [
      "Variable values were not copied. To pass those of your shell: mlcli local train " +
      "--env API_KEY --env B",
    ]],
    [{ InputDataConfig: [channel("a", "s3://bucket/a", { InputMode: "FastFile" })] }, [
      'Channel "a" used FastFile mode, but mlcli uses File mode',
    ], { input_s3_dir: ["a=s3://bucket/a"] }],
    [{ InputDataConfig: [{ ChannelName: "disk", DataSource: { FileSystemDataSource: {} } }] }, [
      'Channel "disk" was not converted: it needs an S3 prefix and a valid name',
    ]],
    [{ InputDataConfig: [channel("..", "s3://bucket/a"), channel("b", "s3://bucket/../a")] }, [
      'Channel ".." was not converted: it needs an S3 prefix and a valid name',
      'Channel "b" was not converted: it needs an S3 prefix and a valid name',
    ]],
    [{ InputDataConfig: [channel("code", "s3://bucket/sent/")] }, [
      'Channel "code" is not used (s3://bucket/sent/): the image runs its own code',
    ]],
    [{ AlgorithmSpecification: { TrainingImage: IMAGE, ContainerArguments: ["fit"] } }, [
      "mlcli has no setting for ContainerArguments",
    ]],
    [{ CheckpointConfig: { S3Uri: "s3://bucket/kept", LocalPath: "/kept" } }, [
      "mlcli has no setting for CheckpointConfig.LocalPath",
    ], { checkpoint_s3_dir: "s3://bucket/kept" }],
    [{ DebugHookConfig: { S3OutputPath: "s3://b1b/c" }, TuningJobArn: "arn:x" }, [
      "mlcli has no setting for DebugHookConfig, TuningJobArn",
    ]],
    [{
      ResourceConfig: {
        InstancePreferences: [{ InstanceType: "ml.g5.xlarge" }],
        SelectedInstanceType: "ml.g5.xlarge",
        SelectedInstanceCount: 1,
        KeepAlivePeriodInSeconds: 60,
      },
    }, [
      "mlcli has no setting for ResourceConfig.InstancePreferences, " +
      "ResourceConfig.KeepAlivePeriodInSeconds",
    ], { ec2_type: "ml.g5.xlarge", instance_count: 1 }],
    [
      {
        ResourceConfig: {
          InstanceGroups: [
            { InstanceGroupName: "gpu", InstanceType: "ml.g5.xlarge", InstanceCount: 2 },
          ],
        },
      },
      [],
      { instance_group: ["gpu=ml.g5.xlarge:2"] },
    ],
  ];
  for (const [job, left, more] of LEFT) {
    it(`says what it has not: ${left[0] ?? "nothing"}`, () => {
      const found = draftOf(job);
      assertEquals(found.left, left);
      assertEquals(found.configuration.train, more as Record<string, unknown>);
    });
  }
});
