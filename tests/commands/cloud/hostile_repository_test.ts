import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Box } from "../../helpers/box/box.ts";
import { Refused } from "../../helpers/box/service.ts";
import { LEAST as DEPLOY, makeDeployApp, MODEL } from "../../helpers/deploy_app.ts";
import { BUCKET, CONFIGURATION, makeJobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

/** A bucket of somebody who takes what others write. */
const THEIRS = "take-it-all";
const OTHER_ACCOUNT = "999999999999";

const DATA = ["-i", `s3://${BUCKET}/app/data`, "-e", "ml.m5.large"];
const TRAIN = ["train", ...DATA, "--no-wait"];
const PROCESS = ["process", "-f", "p.py", "-e", "ml.m5.large", "--no-wait"];

const TRANSFORM = ["transform", ...DATA, "-m", MODEL, "--no-wait"];

const NOTHING_THERE = '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
  "<Name>take-it-all</Name><KeyCount>0</KeyCount><IsTruncated>false</IsTruncated></ListBucketResult>";

/** Anybody may write to the bucket, as its owner wishes: only the condition on the owner keeps it. */
function openToAll(box: Box): void {
  box.s3.createBucket(THEIRS, { owner: OTHER_ACCOUNT });
  box.faults.before = ({ service, operation, input, headers }) => {
    if (service !== "s3" || input.Bucket !== THEIRS) return undefined;
    const expected = headers.get("x-amz-expected-bucket-owner") ?? OTHER_ACCOUNT;
    if (expected !== OTHER_ACCOUNT) return new Response(null, { status: 403 });
    return new Response(operation === "HeadBucket" ? null : NOTHING_THERE);
  };
}

/** Files that were put, jobs that were created. */
function changes(box: Box): readonly string[] {
  return box.operations.filter((name) => /:(Create|Put|Upload|Delete)/.test(name));
}

const S3_PREFIX = /"s3_prefix" in [\w-]+\.json/;

suite("a bucket that only the configuration file names", () => {
  for (
    const [title, configuration, args, where, flag] of [
      ["upload-data", {}, ["upload-data", "-i", "."], S3_PREFIX, "--target-dir"],
      ["train", {}, TRAIN, S3_PREFIX, "--output-s3-dir"],
      [
        "train, its own key",
        { train: { output_s3_dir: `s3://${THEIRS}/x` } },
        TRAIN,
        /"output_s3_dir" in "train" of /,
        "--output-s3-dir",
      ],
      [
        "checkpoints",
        { train: { output_s3_dir: `s3://${BUCKET}/x`, checkpoint_s3_dir: `s3://${THEIRS}/x` } },
        TRAIN,
        /"checkpoint_s3_dir" in "train" of /,
        "--checkpoint-s3-dir",
      ],
      [
        "train, code",
        {},
        [
          ...[...TRAIN, "-o", `s3://${BUCKET}/x`],
          ...["--source-dir", "weights", "--entry-point", "train.py", "--launcher", "script"],
        ],
        S3_PREFIX,
        undefined,
      ],
      ["process", {}, PROCESS, S3_PREFIX, "--output-s3-location"],
      [
        "process, its own key",
        { process: { output_s3_location: `s3://${THEIRS}/x` } },
        PROCESS,
        /"output_s3_location" in "process" of /,
        "--output-s3-location",
      ],
      ["transform", {}, TRANSFORM, S3_PREFIX, "--output-s3-dir"],
      [
        "transform, its own key",
        { transform: { output_s3_dir: `s3://${THEIRS}/x` } },
        TRANSFORM,
        /"output_s3_dir" in "transform" of /,
        "--output-s3-dir",
      ],
      [
        "deploy, what is captured",
        { deploy: { data_capture: `s3://${THEIRS}/x` } },
        DEPLOY,
        /"data_capture" in "deploy" of /,
        "--data-capture",
      ],
      [
        "deploy, a packed model",
        { deploy: { model: "weights" } },
        DEPLOY.slice(0, -2),
        S3_PREFIX,
        "mlcli upload-data -i model.tar.gz --target-dir",
      ],
    ] as const
  ) {
    it(`gets nothing where it is another account's: ${title}`, async () => {
      await using job = await makeDeployApp({
        configuration: { ...CONFIGURATION, s3_prefix: `s3://${THEIRS}/x`, ...configuration },
        files: { "../../weights/m": "m", "../../weights/train.py": "" },
      });
      openToAll(job.box);
      const { code, stdout, stderr } = await job.run(args);
      assertEquals([code, stdout], [1, ""], stderr);
      assertMatch(
        stderr,
        /^error: The bucket take-it-all \(set by .*\) does not belong to your account \d{12}$/m,
      );
      assertMatch(stderr, where);
      assertStringIncludes(
        stderr,
        flag === undefined
          ? 'hint: To use your own bucket, set "s3_prefix" in '
          : `hint: If you trust the bucket, set it as an option: ${flag} s3://${THEIRS}/x`,
      );
      assertEquals(changes(job.box), []);
    });
  }

  it("may be anybody's where the user names it", async () => {
    await using job = await makeDeployApp();
    openToAll(job.box);
    for (
      const args of [
        ["upload-data", "-i", ".", "--target-dir", `s3://${THEIRS}/x`, "--dry-run"],
        [...TRAIN, "-o", `s3://${THEIRS}/x`, "--checkpoint-s3-dir", `s3://${THEIRS}/y`],
        [...PROCESS, "--output-s3-location", `s3://${THEIRS}/x`],
        [...TRANSFORM, "-o", `s3://${THEIRS}/x`],
        [...DEPLOY, "--data-capture", `s3://${THEIRS}/x`],
      ]
    ) {
      job.box.requests.length = 0;
      const { code, stderr } = await job.run(args);
      assertEquals(code, 0, stderr);
      assert(!job.box.operations.includes("sts:GetCallerIdentity"));
    }
  });

  it("takes what is sent where it is the caller's own, on that condition", async () => {
    await using job = await makeJobApp();
    await job.app.write(`${job.app.directory}/data/small`, "1");
    await job.app.write(`${job.app.directory}/data/large`, new Uint8Array(9 * 1024 ** 2));
    const { owner } = job.box.s3.bucket(BUCKET);
    const conditions: string[] = [];
    job.box.faults.before = ({ service, operation, headers }) => {
      const condition = headers.get("x-amz-expected-bucket-owner") ?? "none";
      if (service === "s3") conditions.push(`${operation}: ${condition}`);
      return undefined;
    };
    const { code, stdout, stderr } = await job.run(["upload-data", "-i", "data"]);
    assertEquals([code, stdout], [0, `s3://${BUCKET}/app/data/\n`], stderr);
    // One question without it: the answer says what a refusal of the other means.
    assertEquals(conditions.filter((one) => !one.endsWith(`: ${owner}`)), ["HeadBucket: none"]);
    const parts = job.box.operations.filter((name) => name === "s3:UploadPart");
    assertEquals(parts.length, 2);
  });

  it("gets data under that condition where it may not be looked at, and no job's results", async () => {
    await using job = await makeJobApp();
    job.box.faults.deny("s3:ListBucket");
    const sent = await job.run(["upload-data", "-i", `${job.app.name}.json`]);
    assertEquals(sent.code, 0, sent.stderr);
    assertMatch(
      sent.stderr,
      /^note: Cannot check that your account owns the bucket job-data\. /,
    );
    job.box.requests.length = 0;
    const { code, stderr } = await job.run(TRAIN);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: Cannot determine who owns bucket job-data \(set by "s3_pre/m);
    assertMatch(
      stderr,
      /^hint: To let mlcli check, add the permission s3:ListBucket\. If you trust the bucket, set it/m,
    );
    assertEquals(changes(job.box), []);
    const typed = await job.run([...TRAIN, "-o", `s3://${BUCKET}/app/output`]);
    assertEquals(typed.code, 0, typed.stderr);
  });

  it("gets nothing where the caller's account cannot be found out", async () => {
    await using job = await makeJobApp();
    job.box.faults.deny("sts:GetCallerIdentity");
    for (const args of [TRAIN, ["upload-data", "-i", "."]]) {
      const { code, stderr } = await job.run(args);
      assertEquals(code, 1);
      assertMatch(
        stderr,
        /^error: Cannot check that your account owns the bucket job-data \(set by "s3_prefix" in .*\): AccessDeniedException: sts/m,
      );
      assertMatch(
        stderr,
        /^hint: If you trust the bucket, set it/m,
      );
      assertEquals(changes(job.box), []);
    }
  });
});

suite("credentials that have expired", () => {
  it("ask to be renewed, and not to trust a bucket", async () => {
    await using job = await makeJobApp();
    job.box.faults.refuse("sts:GetCallerIdentity", new Refused("ExpiredToken", "Expired."), 9);
    for (const args of [TRAIN, ["upload-data", "-i", "."]]) {
      const { code, stderr } = await job.run(args);
      assertEquals(code, 1);
      assertMatch(
        stderr,
        /^error: The AWS credentials have expired\nhint: Set new values for AWS_ACCESS_KEY_ID, /m,
      );
      assert(!stderr.includes("trust"), stderr);
    }
  });
});

suite("upload-data --delete in a hostile repository", () => {
  it("deletes nothing below a place that only the configuration file names", async () => {
    await using job = await makeJobApp();
    const { code, stderr } = await job.run(["upload-data", "-i", ".", "--delete"]);
    assertEquals([code, stderr], [
      2,
      'error: Option "--delete" requires "--target-dir"\n' +
      `hint: To confirm where objects are deleted, set --target-dir s3://${BUCKET}/app/data/\n`,
    ]);
    assertEquals(job.box.requests.length, 0);
  });

  it("keeps results that an object of a command names", async () => {
    const there = (key: string) => `s3://${BUCKET}/app/${key}`;
    await using job = await makeJobApp({
      configuration: {
        ...CONFIGURATION,
        train: { output_s3_dir: there("trained"), checkpoint_s3_dir: there("ckpt/") },
        process: { output_s3_location: there("made") },
      },
    });
    const kept = ["ckpt/1", "made/1", "output/1", "trained/1"];
    for (const key of [...kept, "old"]) await job.box.s3.put(BUCKET, `app/${key}`, "1");
    const args = ["-i", `${job.app.name}.json`, "--target-dir", there(""), "--delete"];
    const { code, stderr } = await job.run(["upload-data", ...args]);
    assertEquals(code, 0, stderr);
    assertEquals(
      job.box.s3.keys(BUCKET),
      [...kept, `${job.app.name}.json`].map((key) => `app/${key}`).sort(),
    );
  });
});

/** Keys by an ARN, also of several regions, and by an alias. */
const keyOf = (account: string, key = "key/0a-1b", partition = "aws"): string =>
  `arn:${partition}:kms:eu-west-1:${account}:${key}`;

suite("a key that only the configuration file names", () => {
  const COMMANDS = [
    ["train", TRAIN],
    ["process", PROCESS],
    ["transform", TRANSFORM],
    ["deploy", DEPLOY],
  ] as const;
  for (const [kind, args] of COMMANDS) {
    it(`locks nothing where it is another account's: ${kind}`, async () => {
      for (
        const key of [
          ...[keyOf(OTHER_ACCOUNT), keyOf(OTHER_ACCOUNT, "alias/theirs"), keyOf("", "key/1")],
          ...[keyOf(OTHER_ACCOUNT, "key/mrk-1", "aws-cn"), keyOf(OTHER_ACCOUNT, "1", "aws-us-gov")],
        ]
      ) {
        const configuration = { ...CONFIGURATION, [kind]: { kms_key: key } };
        await using job = await makeDeployApp({ configuration });
        for (const more of [[], ["--dry-run"]]) {
          const { code, stdout, stderr } = await job.run([...args, ...more]);
          assertEquals([code, stdout, changes(job.box)], [1, "", []], stderr);
          assertStringIncludes(
            stderr,
            `error: The KMS key ${key} (set by "kms_key" in "${kind}" of ${job.app.name}.json) does ` +
              "not belong to your account 123456789012\n" +
              `hint: If you trust the key, set it as an option: --kms-key ${key}\n`,
          );
        }
        job.box.requests.length = 0;
        const typed = await job.run([...args, "--dry-run", "--kms-key", key]);
        assertEquals(typed.code, 0, typed.stderr);
        assertStringIncludes(typed.stdout, `"${key}"`);
      }
    });

    it(`is taken where it is the caller's own: ${kind}`, async () => {
      const own = [keyOf("123456789012"), keyOf("123456789012", "alias/a", "aws-cn")];
      for (const key of [...own, "0a-1b", "mrk-1", "alias/a"]) {
        const configuration = { ...CONFIGURATION, [kind]: { kms_key: key } };
        await using job = await makeDeployApp({ configuration });
        const { code, stdout, stderr } = await job.run([...args, "--dry-run"]);
        assertEquals(code, 0, stderr);
        assertStringIncludes(stdout, `"${key}"`);
      }
    });
  }

  it("is refused where nobody tells whose the account is", async () => {
    const configuration = { ...CONFIGURATION, deploy: { kms_key: keyOf("123456789012") } };
    await using job = await makeDeployApp({ configuration });
    job.box.faults.deny("sts:GetCallerIdentity");
    const { code, stderr } = await job.run(DEPLOY);
    assertEquals([code, changes(job.box)], [1, []]);
    assertMatch(
      stderr,
      /^error: Cannot check that your account owns the KMS key arn:\S+ \(set by .*\): /m,
    );
  });
});

suite("what else the configuration file of a hostile repository says", () => {
  for (
    const [title, train, words] of [
      [
        "takes no variable of the caller's",
        { env: ["AWS_SECRET_ACCESS_KEY"] },
        /^error: [\w-]+\.json: "env" in "train" must have a value for each variable\n/,
      ],
      [
        "takes no variable of the caller's by itself",
        { env: "AWS_SECRET_ACCESS_KEY" },
        /must have a value for each variable\n/,
      ],
      [
        "takes no variable that only looks like an option",
        { env: { "": "x" } },
        /must be NAME=VALUE/,
      ],
    ] as const
  ) {
    it(title, async () => {
      await using job = await makeJobApp({ configuration: { ...CONFIGURATION, train } });
      const { code, stderr } = await job.run(TRAIN);
      assertEquals(code, 1);
      assertMatch(stderr, words);
      assertEquals(job.box.requests.length, 0);
    });
  }

  it("train sends neither a directory outside the repository nor private files", async () => {
    const model = `../${crypto.randomUUID()}`;
    const options = (where: string) => ({
      configuration: { ...CONFIGURATION, deploy: { endpoint_name: "shop", model: where } },
    });
    for (const where of [model, "/etc", "link"]) {
      await using job = await makeDeployApp(options(where));
      const outside = `${job.app.directory}/${model}`;
      await job.app.write(`${outside}/id_rsa`, "secret");
      await Deno.symlink(outside, `${job.app.directory}/link`);
      try {
        const { code, stderr } = await job.run(["deploy", "-e", "ml.m5.large"]);
        assertEquals(code, 1);
        assertMatch(stderr, /^error: "model" in [\w-]+\.json is outside /m);
        assertStringIncludes(
          stderr,
          "hint: To use it anyway, set it on the command line: --model PATH\n",
        );
        assertEquals(changes(job.box), []);
      } finally {
        await Deno.remove(outside, { recursive: true });
      }
    }
    for (const where of [".git", "keys/.ssh", ".git/annex/.."]) {
      await using job = await makeDeployApp(options(where));
      await job.app.write(
        `${job.app.directory}/.git/config`,
        "[remote]\n\turl = https://token@host",
      );
      await job.app.write(`${job.app.directory}/keys/.ssh/config`, "Host a");
      const { code, stderr } = await job.run(["deploy", "-e", "ml.m5.large"]);
      assertEquals([code, changes(job.box)], [1, []]);
      assertMatch(stderr, /^error: "model" in [\w-]+\.json is a private path: /m);
    }
    await using job = await makeDeployApp(options("weights"));
    await job.app.write(`${job.app.directory}/weights/model.json`, "7");
    await job.app.write(`${job.app.directory}/weights/.env`, "TOKEN=secret");
    const { code, stderr } = await job.run(["deploy", "-e", "ml.m5.large"]);
    assertEquals(code, 0, stderr);
    assertMatch(stderr, /^note: Skipped files that might contain secrets: .*\.env$/m);
    const [key] = job.box.s3.keys(BUCKET, "app/models/");
    const target = `${job.app.directory}/unpacked`;
    await job.run(["download-model", `s3://${BUCKET}/${key}`, "--to", target]);
    assertEquals(await Array.fromAsync(Deno.readDir(target), ({ name }) => name), ["model.json"]);
  });

  it("names neither files of variables nor the caller's account, region and role", async () => {
    const train = {
      env_file: "/etc/passwd",
      profile: "admin",
      region: "us-east-1",
      iam_role_arn: "arn:aws:iam::123456789012:role/Admin",
      app_name: "other",
      dry_run: false,
    };
    await using job = await makeJobApp({ configuration: { ...CONFIGURATION, train } });
    const { code, stdout, stderr } = await job.run([...TRAIN, "--dry-run"]);
    assertEquals(code, 0, stderr);
    for (const key of Object.keys(train)) {
      assertMatch(stderr, new RegExp(`^warning: .*"${key}" in "train" has no effect`, "m"));
    }
    assertEquals(stdout.includes("Environment"), false);
    assertEquals(changes(job.box), []);
  });

  for (
    const address of [
      `s3://${BUCKET}/x\x1b[2Jy`,
      `s3://${BUCKET}/x\u202ey`,
      `s3://${BUCKET}/x\u009b2Jy`,
      `s3://${BUCKET}/../other`,
      `s3://${BUCKET}/a/./b`,
      `s3://${BUCKET}/..`,
    ]
  ) {
    it(`names no address that can be another: ${JSON.stringify(address)}`, async () => {
      const configuration = { ...CONFIGURATION, s3_prefix: address };
      await using job = await makeJobApp({ configuration });
      const { code, stderr } = await job.run(["upload-data", "-i", "."]);
      assertEquals(code, 1);
      assertMatch(stderr, /^error: [\w-]+\.json: "s3_prefix" must be an S3 URI/);
      const typed = await job.run(["upload-data", "-i", ".", "--target-dir", address]);
      assertEquals(typed.code, 2);
      assertMatch(typed.stderr, /^error: Option "--target-dir" must be an S3 URI, but is "/);
      const said = stderr + typed.stderr;
      assert(!["\x1b", "\x9b", "\u202e"].some((one) => said.includes(one)), said);
      assertEquals(job.box.requests.length, 0);
    });
  }

  it("puts nothing into hints that a shell would run", async () => {
    const configuration = { ...CONFIGURATION, s3_prefix: `s3://${THEIRS}/$(touch x);y` };
    await using job = await makeJobApp({ configuration });
    openToAll(job.box);
    const { stderr } = await job.run(["upload-data", "-i", "."]);
    assertMatch(stderr, /--target-dir 's3:\/\/take-it-all\/\$\(touch x\);y\/data\/'\n$/);
    const typed = await job.run([
      "train",
      "-i",
      `s3://${BUCKET}/$(touch x)/`,
      "-e",
      "ml.m5.large",
      "-o",
      `s3://${BUCKET}/o`,
    ]);
    assertMatch(typed.stderr, /--target-dir 's3:\/\/job-data\/\$\(touch x\)\/'\n$/);
  });
});

suite("values of variables", () => {
  it("are in no error of a platform that quotes them", async () => {
    await using job = await makeJobApp();
    const secret = "a-value-that-nobody-may-see";
    job.box.faults.refuse(
      "sagemaker:CreateTrainingJob",
      new Refused(
        "ValidationException",
        `Value '{TOKEN=${secret}}' at 'environment' is bad: ${secret}`,
      ),
    );
    const args = [...TRAIN, "--env", `TOKEN=${secret}`, "--env", "A=at"];
    const { code, stdout, stderr } = await job.run(args, { env: { MLCLI_DEBUG: "1" } });
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /Value '\{TOKEN=\*\*\*\}' at 'environment' is bad: \*\*\*/);
    assertEquals(stderr.includes(secret), false);
  });
});
