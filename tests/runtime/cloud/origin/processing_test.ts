import { assertEquals } from "@std/assert";
import type { JobDetails } from "../../../../runtime/aws/sagemaker_jobs.ts";
import { processingDraft } from "../../../../runtime/cloud/origin/processing.ts";
import { it, suite } from "../../../helpers/suite.ts";

const IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/torch:2";
const ROOT = "/opt/ml/processing/";

function draftOf(job: object) {
  const all = { AppSpecification: { ImageUri: IMAGE }, ...job };
  return processingDraft(all as unknown as JobDetails["process"], "shop");
}

function input(name: string, uri: string, path: string, more: object = {}) {
  return {
    InputName: name,
    S3Input: { S3Uri: uri, S3DataType: "S3Prefix", LocalPath: ROOT + path, ...more },
  };
}

function output(name: string, uri: string, path: string) {
  return { OutputName: name, S3Output: { S3Uri: uri, LocalPath: ROOT + path } };
}

suite("the app of a processing job", () => {
  it("has all that mlcli process needs, by its own keys", () => {
    const { configuration, next, left } = draftOf({
      RoleArn: "arn:aws:iam::111122223333:role/jobs",
      ProcessingInputs: [
        input("raw", "s3://bucket/raw", "input/raw", { S3DataDistributionType: "ShardedByS3Key" }),
      ],
      ProcessingOutputConfig: {
        Outputs: [output("clean", "s3://bucket/clean", "output/clean")],
        KmsKeyId: "alias/mine",
      },
      ProcessingResources: {
        ClusterConfig: { InstanceType: "ml.m5.large", InstanceCount: 2, VolumeSizeInGB: 50 },
      },
      StoppingCondition: { MaxRuntimeInSeconds: 3_600 },
      NetworkConfig: {
        EnableNetworkIsolation: true,
        VpcConfig: { Subnets: ["subnet-1"], SecurityGroupIds: ["sg-1"] },
      },
    });
    assertEquals({ configuration, next, left }, {
      configuration: {
        image: IMAGE,
        execution_role: "arn:aws:iam::111122223333:role/jobs",
        process: {
          input_s3_location: ["raw=s3://bucket/raw"],
          shard: ["raw"],
          output_s3_location: ["clean=s3://bucket/clean"],
          ec2_type: "ml.m5.large",
          instance_count: 2,
          volume_size: 50,
          max_run: 3_600,
          network_isolation: true,
          subnet: ["subnet-1"],
          security_group: ["sg-1"],
          kms_key: "alias/mine",
        },
      },
      next: ["mlcli local process", "mlcli process"],
      left: [],
    });
  });

  const PYTHON = {
    ImageUri: IMAGE,
    ContainerEntrypoint: ["python3", `${ROOT}input/code/clean.py`],
  };
  const CODE = input("code", "s3://bucket/job/clean.py", "input/code");
  const start = (command: readonly string[], words: readonly string[] = []) => ({
    AppSpecification: {
      ImageUri: IMAGE,
      ContainerEntrypoint: command,
      ContainerArguments: words,
    },
  });
  const PROGRAMS: readonly (readonly [title: string, job: object, expected: object])[] = [
    ["ScriptProcessor", { AppSpecification: PYTHON, ProcessingInputs: [CODE] }, {
      process: { entry_point: "clean.py" },
      source: "shop/code",
      code: "job/clean.py",
    }],
    ["mlcli", {
      ...start(["/bin/sh", `${ROOT}input/code/start.sh`, "src/clean.py"], ["--rows", "1 000"]),
      ProcessingInputs: [input("code", "s3://bucket/code/", "input/code")],
    }, {
      process: { entry_point: "src/clean.py" },
      source: "shop/code",
      code: "code/",
      words: " -- --rows '1 000'",
    }],
    ["a command", start(["make"], ["all"]), { process: { command: ["make"] }, words: " -- all" }],
    ["a program of an image of mlcli's", {
      AppSpecification: { ImageUri: IMAGE, ContainerArguments: ["process", "clean.py"] },
    }, { process: undefined, words: " -- process clean.py" }],
    ["another launcher", {
      ...start(["smspark-submit", "--x", `${ROOT}input/code/clean.py`]),
      ProcessingInputs: [CODE],
    }, {
      process: { entry_point: "clean.py" },
      source: "shop/code",
      code: "job/clean.py",
      left: ["The job ran the script with smspark-submit --x, but mlcli uses Python or sh"],
    }],
  ];
  for (const [title, job, expected] of PROGRAMS) {
    it(`runs what the job ran: ${title}`, () => {
      const { configuration: { process, source_dir: source }, code, next, left } = draftOf(job);
      const words = next[0]!.replace("mlcli local process", "");
      assertEquals(
        { process, source, code: code?.address.key, words, left },
        { source: undefined, code: undefined, words: "", left: [], ...expected },
      );
    });
  }

  it("finds the script of FrameworkProcessor in its runproc.sh", () => {
    const { code, data } = draftOf({
      ...start(["/bin/bash", `${ROOT}input/entrypoint/runproc.sh`]),
      ProcessingInputs: [
        input("code", "s3://bucket/s/sourcedir.tar.gz", "input/code"),
        input("entrypoint", "s3://bucket/s/runproc.sh", "input/entrypoint"),
      ],
    });
    const { address, read } = code!.about!;
    assertEquals([address.key, data], ["s/runproc.sh", []]);
    const pip = "    pip install -r requirements.txt\nfi\n";
    for (const line of ['python clean.py "$@"', 'python3 -u clean.py "$@"  ']) {
      assertEquals(read(`#!/bin/bash\nset -e\n${pip}\n${line}\n`).entryPoint, "clean.py");
    }
    assertEquals(read("exit 1\n").entryPoint, undefined);
  });

  it("names inputs and outputs that lie elsewhere, here and there", () => {
    const { configuration, next, data, left } = draftOf({
      ProcessingInputs: [
        ...[input("input-1", "s3://bucket/raw", "input"), input("words", "s3://bucket/w", "words")],
        { InputName: "table", DatasetDefinition: {} },
        ...[
          input("a/b", "s3://bucket/x", "input/x"),
          input("up", "s3://bucket/x", "input/../../x"),
        ],
      ],
      ProcessingOutputConfig: { Outputs: [output("train", "s3://bucket/t", "train")] },
    });
    const folder = "shop/mlcli_base/local_test/test_dir/input/data";
    assertEquals(configuration.process, {
      input_s3_location: [
        `input-1:${ROOT}input=s3://bucket/raw`,
        `words:${ROOT}words=s3://bucket/w`,
      ],
      output_s3_location: [`train:${ROOT}train=s3://bucket/t`],
    });
    assertEquals(data.map(({ to }) => to), [`${folder}/processing`, `${folder}/words`]);
    assertEquals(next, [
      `mlcli local process -i input-1:${ROOT}input=${folder}/processing ` +
      `-i words:${ROOT}words=${folder}/words -o train:${ROOT}train`,
      "mlcli process",
    ]);
    const not = "was not converted: it needs an S3 prefix and a path below /opt/ml/processing";
    assertEquals(left, [`Data "table" ${not}`, `Data "a/b" ${not}`, `Data "up" ${not}`]);
  });
});
