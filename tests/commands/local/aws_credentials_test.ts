/**
 * `--aws-credentials`, on an engine and an AWS of the tests.
 *
 * Public reports about credentials in local containers:
 * https://github.com/aws/sagemaker-python-sdk/issues/403 (code finds no credentials),
 * https://github.com/aws/sagemaker-python-sdk/issues/3464 (a role's credentials are not passed on),
 * https://github.com/mesosphere-backup/aws-cli/issues/13 (the session token is missing),
 * https://github.com/aws/aws-sam-cli/issues/6012 (a local run needs a login that it doesn't use),
 * https://github.com/aws/aws-mwaa-local-runner/issues/405 (credentials expire after an hour).
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { OutputClosed } from "../../../runtime/errors.ts";
import { CLOCK } from "../../../runtime/time.ts";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { Box } from "../../helpers/box/box.ts";
import { commandsWith, wordsWith } from "../../helpers/command_lines.ts";
import { contentOf, makeDirectory } from "../../helpers/directory.ts";
import {
  type FakeContainer,
  type FakeContainers,
  fakeContainers,
  portOf,
} from "../../helpers/fake_containers.ts";
import { eventually } from "../../helpers/eventually.ts";
import { fakeClock } from "../../helpers/fake_context.ts";
import { fakeInput } from "../../helpers/fake_keyboard.ts";
import { type InProcessOptions, Keys, runInProcess } from "../../helpers/in_process.ts";
import { pingServer } from "../../helpers/ping_server.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROLE = "arn:aws:iam::123456789012:role/data-reader";

interface Stage {
  readonly box: Box;
  readonly app: TestApp;
  readonly engine: FakeContainers;
  /** Runs `mlcli local`. In an argument, BASE stands for the app's directory `mlcli_base`. */
  run(args: readonly string[], options?: Partial<InProcessOptions>): Promise<ProgramResult>;
  /** The variables of each container, in the order of their creation. */
  variables(): readonly Readonly<Record<string, string>>[];
}

interface StageOptions {
  /** Of the app's file. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** What the code of a job does. Default: it ends with 0. */
  readonly code?: (container: FakeContainer) => void;
  /** Further variables of the user. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Calls `work` with an app, and with a user who has profiles that the box knows. */
async function onStage(
  { configuration = {}, code = ({ end }) => end(0), env = {} }: StageOptions,
  work: (stage: Stage) => Promise<void>,
): Promise<void> {
  await using box = await Box.open();
  box.roles.add(ROLE);
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_REGION: _, ...cloud } = box
    .env();
  const keys = `aws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`;
  await using home = await makeDirectory({
    config: `[profile team]\nregion = eu-north-1\n${keys}[profile plain]\n${keys}` +
      `[profile wrong]\n${keys.replace(/= user/, "= other")}` +
      "[profile bare]\nregion = eu-north-1\n" +
      `[profile reader]\nrole_arn = ${ROLE}\nsource_profile = team\n` +
      `[profile pasted]\n${keys}aws_session_token = pasted\n`,
  });
  await using app = await completeApp({
    configuration,
    files: { "processing/processing.py": "", "../../rows.csv": "1\n" },
  });
  await using servers = new AsyncDisposableStack();
  await using engine = await fakeContainers({
    onInput: () => {},
    program: (container) => {
      const { body } = container;
      if (body.Cmd[0] !== "serve") return code(container);
      servers.use(pingServer(portOf(body)));
    },
  });
  await work({
    box,
    app,
    engine,
    run: (args, options) =>
      runInProcess(["local", ...args.map((arg) => arg.replace("BASE", app.path()))], {
        cwd: app.directory,
        engine,
        input: fakeInput([]),
        cloud: { ...cloud, ...env, AWS_CONFIG_FILE: `${home.path}/config` },
        ...options,
      }),
    variables: () =>
      engine.created.map(({ Env }) =>
        Object.fromEntries(Env.map((one: string) => one.split(/=(.*)/s)))
      ),
  });
}

const LENT = ["--aws-credentials", "team"];

const NAMES = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] as const;

suite("--aws-credentials", () => {
  async function assertGiven(args: readonly string[]): Promise<void> {
    await onStage({}, async ({ box, run, variables }) => {
      const { code, stderr } = await run(args);
      assertEquals(code, 0, stderr);
      const [{ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION } = {}] =
        variables();
      assertEquals({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION }, {
        AWS_ACCESS_KEY_ID: "ASIASESSIONSESSI0001",
        AWS_SECRET_ACCESS_KEY: "session-secret-that-nobody-may-see-00001",
        AWS_SESSION_TOKEN: "session-token-that-nobody-may-see-000001",
        AWS_REGION: "eu-north-1",
      });
      const asked = box.requests.map((
        { operation, input },
      ) => [operation, input.DurationSeconds]);
      assertEquals(asked, [["GetSessionToken", "3600"]]);
      assertMatch(
        stderr,
        /^note: The container receives the AWS credentials of profile "team" \(valid until \d{4}-\d\d-\d\d \d\d:\d\d\)$/m,
      );
    });
  }

  it("each command with --aws-credentials gives the container the profile's credentials for an hour", async () => {
    for (const name of await commandsWith("--aws-credentials")) {
      await assertGiven(wordsWith(name, ...LENT).slice(1));
    }
  });

  for (const role of ["process", "serve"]) {
    const args = ["shell", role, ...LENT, "--", "true"];
    it(`local ${args.join(" ")} gives the container an hour's credentials of the profile`, () =>
      assertGiven(args));
  }

  it("gives all hosts of a run the credentials of one request", async () => {
    await onStage({}, async ({ box, run, variables }) => {
      const { code, stderr } = await run(["train", ...LENT, "--instance-count", "2"]);
      assertEquals(code, 0, stderr);
      const ids = variables().map(({ AWS_ACCESS_KEY_ID }) => AWS_ACCESS_KEY_ID);
      assertEquals([ids, box.requests.length], [Array(2).fill("ASIASESSIONSESSI0001"), 1]);
    });
  });

  it("passes on a role's credentials as they are, and ignores PLATFORM_ROLE", async () => {
    const env = { PLATFORM_ROLE: "arn:aws:iam::123456789012:role/other" };
    await onStage({ env }, async ({ box, run, variables }) => {
      const { code, stderr } = await run(["train", "--aws-credentials", "reader"]);
      assertEquals(code, 0, stderr);
      assertEquals(variables()[0]!["AWS_ACCESS_KEY_ID"], "ASIAROLEROLEROLE0001");
      assertEquals(box.operations, ["sts:AssumeRole"]);
    });
  });

  it("names no time for a pasted session token, which doesn't tell when it expires", async () => {
    await onStage({}, async ({ run, variables, box }) => {
      const { stderr } = await run(["train", "--aws-credentials", "pasted"]);
      assertEquals([variables()[0]!["AWS_SESSION_TOKEN"], box.operations], ["pasted", []]);
      assertMatch(
        stderr,
        /^note: The container receives the AWS credentials of profile "pasted"$/m,
      );
    });
  });

  it("keeps the region of local runs if the profile names none, without cloud_profile", async () => {
    for (
      const [file, region] of [[{ cloud_region: "ap-south-1" }, "ap-south-1"], [
        {},
        "us-east-1",
      ]] as const
    ) {
      const configuration = { ...file, cloud_profile: "team" };
      await onStage({ configuration }, async ({ run, variables }) => {
        await run(["train", "--aws-credentials", "plain"]);
        assertEquals(variables()[0]!["AWS_REGION"], region);
      });
    }
  });

  it("runs the job in the region of the profile", async () => {
    const configuration = { cloud_region: "ap-south-1" };
    await onStage({ configuration }, async ({ run, variables }) => {
      await run(["train", ...LENT]);
      assertMatch(variables()[0]!["TRAINING_JOB_ARN"]!, /^arn:aws:sagemaker:eu-north-1:/);
    });
  });

  it("lets --env replace the region, but no key", async () => {
    await onStage({}, async ({ run, engine, variables }) => {
      const mixed = await run(["train", ...LENT, "--env", "AWS_ACCESS_KEY_ID=AKIA"]);
      assertEquals([mixed.code, engine.created], [2, []]);
      assertMatch(
        mixed.stderr,
        /^error: Option "--aws-credentials" and AWS_ACCESS_KEY_ID cannot be used together$/m,
      );
      await run(["train", ...LENT, "--env", "AWS_REGION=us-west-2"]);
      assertEquals(variables()[0]!["AWS_REGION"], "us-west-2");
    });
  });

  for (const command of ["train", "process", "deploy", "transform", "shell"]) {
    it(`local ${command} rejects --aws-credentials with --strict`, async () => {
      await onStage({}, async ({ run, engine }) => {
        const input = command === "transform" ? ["--input", "x"] : [];
        const { code, stderr } = await run([command, ...LENT, "--strict", ...input]);
        assertEquals([code, engine.created], [2, []]);
        assertMatch(
          stderr,
          /^error: Options "--aws-credentials" and "--strict" cannot be used together\n/,
        );
      });
    });
  }

  it("no variable and no key of a repository's file lends credentials", async () => {
    const configuration = {
      cloud_profile: "team",
      local: { aws_credentials: "team" },
      aws_credentials: "team",
    };
    const env = { MLCLI_AWS_CREDENTIALS: "team", AWS_PROFILE: "team" };
    await onStage({ configuration, env }, async ({ run, box, variables }) => {
      const { code, stderr } = await run(["train"]);
      assertEquals([code, box.operations], [0, []], stderr);
      assertEquals(Object.keys(variables()[0]!).filter((name) => /^AWS_(?!REGION)/.test(name)), []);
    });
  });

  it("a dry run prints the names of the variables, and asks AWS for nothing", async () => {
    await onStage({}, async ({ run, box }) => {
      const { code, stdout, stderr } = await run(["train", ...LENT, "--dry-run"]);
      assertEquals([code, box.operations], [0, []], stderr);
      const { Env } = JSON.parse(stdout).container;
      const planned = Env.filter((one: string) => one.startsWith("AWS_")).sort();
      assertEquals(planned, [...NAMES, "AWS_REGION=eu-north-1"].sort());
    });
  });

  it("what the code prints and raises is shown and recorded without the values", async () => {
    const code = ({ body, out, err, end }: FakeContainer): void => {
      const { Source } = body.HostConfig.Mounts.find(({ Target }) => Target === "/opt/ml/output")!;
      const values = body.Env!.filter((one) => /SECRET|TOKEN/.test(one)).join(" ");
      Deno.writeTextFileSync(`${Source}/failure`, `RuntimeError: ${values}`);
      out(values.slice(0, 40));
      out(values.slice(40));
      out("\nepoch 1\nses");
      err(`RuntimeError: ${values}\n`);
      end(1);
    };
    await onStage({ code }, async ({ run, app }) => {
      const { stdout, stderr } = await run(["train", ...LENT]);
      assertMatch(stdout, /^AWS_SECRET_ACCESS_KEY=\*{40} AWS_SESSION_TOKEN=\*{40}\nepoch 1\nses$/);
      assertMatch(stderr, /^error: Training failed: RuntimeError: AWS_SECRET_ACCESS_KEY=\*{40} /m);
      const job = JSON.parse((await run(["list-jobs", "last", "--output", "json"])).stdout);
      assertEquals(job.variables, NAMES);
      const { [`${app.name}/mlcli_base/local_test/test_dir/output/failure`]: own, ...files } =
        await contentOf(app.directory);
      assert(own?.includes("nobody-may-see"), "the code's own file");
      const text = [stdout, stderr, JSON.stringify(job), ...Object.values(files)].join("\n");
      assertEquals(/nobody-may-see.{9}/.exec(text), null);
    });
  });

  const failures: Readonly<Record<string, readonly [profile: string, error: RegExp]>> = {
    "an unknown profile": [
      "nobody",
      /^error: AWS profile "nobody" not found\nhint: Check --aws-credentials: .+ configure list-profiles\.$/m,
    ],
    "a wrong secret": [
      "wrong",
      /^error: The AWS secret access key does not match the access key ID$/m,
    ],
  };
  for (const [title, [profile, error]] of Object.entries(failures)) {
    it(`train and deploy create no container for ${title}`, async () => {
      await onStage({}, async ({ run, engine, box }) => {
        box.expectsWrongSignature = true;
        for (const command of ["train", "deploy"]) {
          const { code, stderr } = await run([command, "--aws-credentials", profile]);
          assertEquals([code, engine.created], [1, []]);
          assertMatch(stderr, error);
          const { stdout } = await run(["list-jobs", "--output", "json"]);
          assertEquals(JSON.parse(stdout), []);
        }
      });
    });
  }

  it("a profile without credentials doesn't lend those of the machine", async () => {
    let asked = 0;
    await using space = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
      asked++;
      return Response.json({
        AccessKeyId: "ASIASPACE",
        SecretAccessKey: "secret-of-the-space",
        Token: "token-of-the-space",
        Expiration: "2099-01-01T00:00:00Z",
      });
    });
    const env = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${space.addr.port}/creds`,
    };
    await onStage({ env }, async ({ run, engine }) => {
      const { code, stderr } = await run(["train", "--aws-credentials", "bare"]);
      assertEquals({ code, asked, created: engine.created }, { code: 1, asked: 0, created: [] });
      assertMatch(
        stderr,
        /^error: No AWS credentials found for profile "bare"\nhint: .+ \(this one is set by --aws-credentials\)$/m,
      );
    });
  });

  it("long-lived keys stay outside if AWS denies the exchange", async () => {
    await onStage({}, async ({ run, engine, box }) => {
      box.faults.deny("sts:GetSessionToken");
      const { code, stderr } = await run(["train", ...LENT]);
      assertEquals([code, engine.created], [1, []]);
      assertMatch(stderr, /^error: AccessDeniedException: sts:GetSessionToken$/m);
    });
  });

  it("Ctrl-C ends the wait for AWS, and no container is created", async () => {
    await onStage({}, async ({ run, engine, box }) => {
      const keys = new Keys();
      box.faults.delay("sts:GetSessionToken", 20_000);
      const running = run(["train", ...LENT], { keys });
      await eventually(() => Promise.resolve(box.requests.length === 1));
      keys.press();
      const { code, stderr } = await running;
      assertEquals({ code, created: engine.created }, { code: 130, created: [] }, stderr);
    });
  });
});

suite("a server's AWS credentials", () => {
  const renewals = {
    "--foreground": "To renew them, press Ctrl-C and restart the server",
    "--watch": "To renew them, save a file of your code: mlcli then restarts the server",
  };
  for (const [flag, hint] of Object.entries(renewals)) {
    it(`deploy ${flag} warns five minutes before AWS credentials expire`, async () => {
      await onStage({}, async ({ run, engine }) => {
        const keys = new Keys();
        const clock = fakeClock();
        const { code, stderr } = await run(["deploy", "--port", "0", flag, ...LENT], {
          keys,
          clock,
          onMessage: (text) => /expire at/.test(text) && keys.press(),
        });
        assertEquals([code, engine.left], [130, []], stderr);
        const [, said] = /^warning: The AWS credentials of the server expire at .+\nhint: (.+)$/m
          .exec(stderr) ?? [];
        assertEquals(said, hint);
        const wait = clock.pauses.find((one) => one > 600_000)! / 60_000;
        assertEquals(Math.round(wait), 55);
      });
    });

    it(`deploy ${flag} survives a warning about AWS credentials that cannot be printed`, async () => {
      await onStage({}, async ({ run }) => {
        const keys = new Keys();
        const onMessage = (text: string): void => {
          if (!/expire at/.test(text)) return;
          setTimeout(() => keys.press(), 50);
          throw new OutputClosed();
        };
        const { code, stderr } = await run(["deploy", "--port", "0", flag, ...LENT], {
          keys,
          clock: fakeClock(),
          onMessage,
        });
        assertEquals(code, 130, stderr);
      });
    });

    it(`deploy ${flag} doesn't warn weeks before AWS credentials expire`, async () => {
      await onStage({}, async ({ run, box }) => {
        box.sts.sessionLasts = 40 * 86_400;
        const keys = new Keys();
        const onOutput = (): void => void setTimeout(() => keys.press(), 50);
        const args = ["deploy", "--port", "0", flag, ...LENT];
        const { code, stderr } = await run(args, { keys, onOutput });
        assertEquals([code, /expire at/.test(stderr)], [130, false], stderr);
      });
    });
  }

  it("deploy --watch gets new AWS credentials for each new server", async () => {
    await onStage({}, async ({ run, app, variables }) => {
      const keys = new Keys();
      const { code, stderr } = await run(["deploy", "--port", "0", "--watch", ...LENT], {
        keys,
        clock: CLOCK,
        onMessage: (text) => {
          if (/ watching /.test(text)) Deno.writeTextFileSync(app.path("prediction/serve"), "new");
          if (/: new server ready in /.test(text)) keys.press();
        },
      });
      assertEquals(code, 130, stderr);
      const ids = variables().map(({ AWS_ACCESS_KEY_ID }) => AWS_ACCESS_KEY_ID);
      assertEquals(ids, ["ASIASESSIONSESSI0001", "ASIASESSIONSESSI0002"]);
    });
  });
});
