import { assertEquals, assertMatch } from "@std/assert";
import { EXECUTION_ROLE } from "../../helpers/box/jobs/job_store.ts";
import { changesOf } from "../../helpers/deploy_app.ts";
import { BUCKET, type JobApp, makeJobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What `train` and `process` say differently. */
const COMMANDS = {
  train: {
    least: ["train", "-i", `s3://${BUCKET}/app/data`, "-e", "ml.m5.large"],
    output: "--output-s3-dir",
    longestRun: 2_419_200,
    longestValue: 512,
  },
  process: {
    least: ["process", "-f", "p.py", "-e", "ml.m5.large"],
    output: "--output-s3-location",
    longestRun: 777_600,
    longestValue: 256,
  },
} as const;

type Command = keyof typeof COMMANDS;

type Refusal = readonly [
  what: string,
  args: readonly string[],
  code: 1 | 2,
  words: string | RegExp,
  prepare?: (job: JobApp) => unknown,
];

/** Writes the app's configuration file. */
function configure(text: string): (job: JobApp) => unknown {
  return ({ app }) => app.write(`${app.directory}/${app.name}.json`, text);
}

/** What both refuse: what is added to the least that they are told. */
function ofBoth(command: Command): readonly Refusal[] {
  const { output, longestRun, longestValue } = COMMANDS[command];
  return [
    ["docker's --tag", ["--tag", "v2"], 2, "hint: To choose the image's tag, use -t"],
    [
      "a run that is too long",
      ["--max-run", String(longestRun + 1)],
      2,
      `1 to ${longestRun} seconds, such as 90s, 5m or 1h, but got "${longestRun + 1}"`,
    ],
    [
      "a subnet alone",
      ["--subnet", "subnet-1"],
      2,
      'error: Option "--subnet" has no effect without "--security-group"\nhint: ',
    ],
    [
      "a security group alone",
      ["--security-group", "sg-1"],
      2,
      '"--security-group" has no effect without "--subnet"',
    ],
    [
      "too many subnets",
      ["--security-group", "sg-1", ...Array(17).fill("--subnet=s")],
      2,
      'error: Option "--subnet" has 17 values, but SageMaker allows 16\n',
    ],
    [
      "too many tags",
      Array.from({ length: 51 }, (_, index) => `--tag=t${index}=1`),
      2,
      'error: Option "--tag" has 51 values, but SageMaker allows 50\n',
    ],
    [
      "a role that is none",
      ["--execution-role", "jobs"],
      2,
      'error: Option "--execution-role" must be the ARN of a role',
    ],
    ["a base name that is none", ["-n", "a_b"], 2, 'error: Invalid job name: "a_b"'],
    [
      "a value that is too long",
      ["--env", `A=${"x".repeat(longestValue + 1)}`],
      1,
      `error: SageMaker rejects environment variable values longer than ${longestValue} ` +
      'characters: "A"',
    ],
    [
      "an image that is not pushed",
      ["-t", "v2"],
      1,
      "error: test-\\w+:v2 has not been pushed: .*\nhint: Run mlcli push --docker-tag v2 first",
    ],
    [
      "another repository",
      ["--repository", "team/other"],
      1,
      "error: .*repository team/other does not exist in eu-west-1",
    ],
    [
      "a bucket that is not there",
      ["-o", "s3://no-such-bucket/x"],
      1,
      "error: The bucket no-such-bucket does not exist\nhint: ",
    ],
    [
      "nowhere to put its results",
      ["--execution-role", EXECUTION_ROLE],
      2,
      `error: Missing required option "${output}"\nhint: Set it, or set "s3_prefix"`,
      configure("{}"),
    ],
    [
      "a role that nobody names",
      [],
      2,
      `error: Missing required option "--execution-role"\nhint: .*"execution_role" in "${command}"`,
      configure("{}"),
    ],
    [
      "a wrong value in the file",
      [],
      1,
      `error: test-\\w+\\.json: "max_run" in "${command}" must be a duration of 1 to ` +
      `${longestRun} seconds, such as 90s, 5m or 1h, but got "x"\nhint: Correct "max_run" in test-\\w+\\.json\n`,
      configure(`{"${command}": {"max_run": "x"}}`),
    ],
    [
      "an object in the file that is none",
      [],
      1,
      `error: test-\\w+\\.json: "${command}" must be an object`,
      configure(`{"${command}": true}`),
    ],
  ];
}

const { train: { least: TRAIN }, process: { least: PROCESS } } = COMMANDS;

/** A training on groups of instances. */
function groups(...all: readonly string[]): readonly string[] {
  return [...TRAIN.slice(0, 3), ...all.map((group) => `--instance-group=${group}`)];
}

const OF_TRAIN: readonly Refusal[] = [
  ["docker's -e", ["train", "-e", "A=b"], 2, /hint: .*--env NAME=VALUE/],
  ["a local type", ["train", "-e", "local"], 2, /must be an instance type such as ml\.m5\.large/],
  ["another machine's data", ["train", "-i", "/data"], 2, /hint: .*mlcli upload-data/],
  [
    "nothing that the cloud needs",
    ["train"],
    2,
    /^error: Missing required options "--input-s3-dir", "--ec2-type"\nhint: mlcli train runs on SageMaker\. Set them, or set "input_s3_dir" and "ec2_type" in "train" of test-\w+\.json\. To run locally: mlcli local train\n$/,
  ],
  [
    "no input",
    ["train", "-e", "ml.m5.large"],
    2,
    /Missing required option "--input-s3-dir"\nhint: .* Set it, or set "input_s3_dir" in "train"[^,]*\.json\.\n$/,
  ],
  [
    "data that is not there",
    ["train", "-i", `s3://${BUCKET}/app/dat`, "-e", "ml.m5.large"],
    1,
    new RegExp(
      `error: No data at s3://${BUCKET}/app/dat/\\nhint: Upload data: mlcli upload-data`,
    ),
  ],
  [
    "two channels of one name",
    [...TRAIN, "-i", `training=s3://${BUCKET}/x`],
    2,
    /error: Two inputs have the name "training"\nhint: .*--input-s3-dir NAME=s3:/,
  ],
  ["a group that is none", groups("gpu=ml.g5.xlarge"), 2, /must be NAME=TYPE:NUMBER, such as/],
  ["a group without instances", groups("gpu=ml.g5.xlarge:0"), 2, /must be NAME=TYPE:NUMBER/],
  ["a group of no type", groups("gpu=g5:1"), 2, /such as ml\.m5\.large/],
  [
    "groups beside machines",
    [...TRAIN, "--instance-group", "gpu=ml.g5.xlarge:2"],
    2,
    /error: Options "--instance-group" and "--ec2-type" cannot be used together\n/,
  ],
  [
    "six groups",
    groups(...Array(6).fill("a=ml.m5.large:1")),
    2,
    /has 6 values, but SageMaker allows 5\n/,
  ],
  [
    "several groups with torchrun",
    [...groups("a=ml.m5.large:1", "b=ml.m5.large:1"), "--distribution", "torchrun"],
    2,
    /"--distribution" does not support several instance groups\n/,
  ],
  [
    "twin groups",
    groups(...Array(2).fill("a=ml.m5.large:1")),
    2,
    /instance groups have the name "a"\n/,
  ],
  [
    "groups of two architectures",
    groups("a=ml.m5.large:1", "b=ml.c7g.large:2"),
    2,
    /ml\.m5\.large and ml\.c7g\.large cannot run the same image, because their architectures differ\n/,
  ],
  [
    "--max-wait without --spot",
    [...TRAIN, "--max-wait", "90000"],
    2,
    /error: Option "--max-wait" has no effect without "--spot"/,
  ],
  [
    "a wait shorter than the run",
    [...TRAIN, "--spot", "--max-wait", "5"],
    2,
    /error: Option "--max-wait" \(5\) is less than "--max-run" \(86400\)\nhint: /,
  ],
  [
    "a hyperparameter without a value",
    [...TRAIN, "--hyperparameter", "epochs"],
    2,
    /error: Option "--hyperparameter" must be KEY=VALUE/,
  ],
  [
    "what SageMaker would refuse, all of it",
    [...TRAIN, "--hyperparameter", `a=${"x".repeat(2_501)}`, `--env=A=${"x".repeat(513)}`],
    1,
    /^error: SageMaker rejects hyperparameter values longer than 2,500 characters: "a"\n {2}SageMaker rejects environment variable values longer than 512 characters: "A"\. .*\nhint: Move long values to a file in an input channel\n$/,
  ],
  [
    "a broken file of hyperparameters",
    TRAIN,
    1,
    /error: .*hyperparameters\.json is not valid JSON/,
    ({ app }) => app.write(app.testPath("input/config/hyperparameters.json"), "{"),
  ],
];

const OF_PROCESS: readonly Refusal[] = [
  ["docker's -e", ["process", "-e", "A=b"], 2, /hint: .*--env NAME=VALUE/],
  ["a local type", ["process", "-e", "local"], 2, /must be an instance type such as ml\.m5\.large/],
  ["101 instances", [...PROCESS, "-c", "101"], 2, /1 to 100, but got "101"/],
  ["a disk of 17 TB", [...PROCESS, "--volume-size", "17000"], 2, /1 to 16384/],
  [
    "nothing that the cloud needs",
    ["process"],
    2,
    /^error: Missing required options "--file", "--ec2-type"\nhint: mlcli process runs on SageMaker\. Set them, or set "file" and "ec2_type" in "process" of test-\w+\.json\. To run locally: mlcli local process\n$/,
  ],
  [
    "no type",
    ["process", "-f", "p.py"],
    2,
    /Missing required option "--ec2-type"\nhint: .*To run locally: mlcli local process\n$/,
  ],
  [
    "no script",
    ["process", "-e", "ml.m5.large"],
    2,
    /Missing required option "--file"\nhint: .*"file" in "process" of test-\w+\.json\.\n$/,
  ],
  [
    "data that is not there",
    [...PROCESS, "-i", `s3://${BUCKET}/none`],
    1,
    new RegExp(`error: No data at s3://${BUCKET}/none/\\n`),
  ],
  [
    "a script that is not there",
    ["process", "-f", "x.py", "-e", "ml.m5.large"],
    1,
    /error: Processing file not found: x\.py\nhint: Choose one of these files in .*\/processing\/: p\.py/,
  ],
  [
    "a script elsewhere",
    ["process", "-f", "../training/training.py", "-e", "ml.m5.large"],
    1,
    /error: Processing file not found: \.\.\/training\/training\.py/,
  ],
  [
    "parts of no input",
    [...PROCESS, "--shard", "all"],
    2,
    /error: Option "--shard" has no effect: the job has no input\nhint: /,
  ],
  [
    "an input to split that it does not have",
    [...PROCESS, "-c", "2", "-i", "a=s3://bucket/c", "--shard", "x"],
    2,
    /error: Cannot shard "x": the job has no input of that name\nhint: Use a or all\n/,
  ],
  [
    "an argument that is too long",
    [...PROCESS, "--", "x".repeat(257)],
    1,
    /error: SageMaker rejects arguments longer than 256 characters in a processing job: argument 3\n/,
  ],
];

for (
  const [command, own] of [
    ["train", OF_TRAIN],
    ["process", OF_PROCESS],
  ] as const
) {
  suite(`${command} refuses, before anything is changed`, () => {
    const both = ofBoth(command).map(([what, more, ...rest]): Refusal => [
      what,
      [...COMMANDS[command].least, ...more],
      ...rest,
    ]);
    for (const [what, args, expected, words, prepare] of [...own, ...both]) {
      it(what, async () => {
        await using job = await makeJobApp();
        await prepare?.(job);
        const at = args.includes("--") ? args.indexOf("--") : args.length;
        for (const dryRun of [[], ["--dry-run"]]) {
          const { code, stdout, stderr } = await job.run(args.toSpliced(at, 0, ...dryRun));
          assertEquals([code, stdout], [expected, ""], stderr);
          assertMatch(stderr.slice(stderr.indexOf("error: ")), new RegExp(words));
          assertEquals(changesOf(job), []);
        }
      });
    }
  });
}
