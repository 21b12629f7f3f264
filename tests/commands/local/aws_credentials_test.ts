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

import { assertEquals, assertMatch } from "@std/assert";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { Box } from "../../helpers/box/box.ts";
import { contentOf, makeDirectory } from "../../helpers/directory.ts";
import { type FakeContainers, fakeContainers, portOf } from "../../helpers/fake_containers.ts";
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
  run(args: readonly string[], options?: Partial<InProcessOptions>): Promise<ProgramResult>;
  /** The variables of the container that was created last. */
  variables(): Readonly<Record<string, string>>;
}

/** An app, and a user with profiles that the box knows. */
async function onStage(
  work: (stage: Stage) => Promise<void>,
  configuration: Readonly<Record<string, unknown>> = {},
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
    files: { "processing/processing.py": "" },
  });
  await using servers = new AsyncDisposableStack();
  await using engine = await fakeContainers({
    onInput: () => {},
    program: ({ body, end }) =>
      body.Cmd[0] === "serve" ? void servers.use(pingServer(portOf(body))) : end(0),
  });
  await work({
    box,
    app,
    engine,
    run: (args, options) =>
      runInProcess(["local", ...args], {
        cwd: app.directory,
        engine,
        input: fakeInput([]),
        cloud: { ...cloud, AWS_CONFIG_FILE: `${home.path}/config` },
        ...options,
      }),
    variables: () =>
      Object.fromEntries(engine.created.at(-1).Env.map((one: string) => one.split(/=(.*)/s))),
  });
}

const LENT = ["--aws-credentials", "team"];

suite("--aws-credentials", () => {
  const commands = [
    ["train"],
    ["process", "--file", "processing.py"],
    ["deploy", "--port", "0"],
    ["shell", "--", "true"],
    ["shell", "process", "--", "true"],
    ["shell", "serve", "--", "true"],
  ];
  for (const [name, ...more] of commands) {
    const args = [name!, ...LENT, ...more];
    it(`gives the container of local ${args.join(" ")} an hour's credentials of the profile`, async () => {
      await onStage(async ({ box, run, variables }) => {
        const { code, stderr } = await run(args);
        assertEquals(code, 0, stderr);
        const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION } =
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
          /^note: The container gets the AWS credentials of profile "team", valid until \d{4}-\d\d-\d\d \d\d:\d\d$/m,
        );
      });
    });
  }

  it("passes on credentials that expire anyway, without another request", async () => {
    await onStage(async ({ box, run, variables }) => {
      const { code, stderr } = await run(["train", "--aws-credentials", "reader"]);
      assertEquals(code, 0, stderr);
      assertEquals(variables()["AWS_ACCESS_KEY_ID"], "ASIAROLEROLEROLE0001");
      assertEquals(box.operations, ["sts:AssumeRole"]);
    });
  });

  it("gives no time for a pasted session token, whose end is unknown", async () => {
    await onStage(async ({ run, variables, box }) => {
      const { stderr } = await run(["train", "--aws-credentials", "pasted"]);
      assertEquals([variables()["AWS_SESSION_TOKEN"], box.operations], ["pasted", []]);
      assertMatch(stderr, /^note: The container gets the AWS credentials of profile "pasted"$/m);
    });
  });

  it("leaves the region of a local run if the profile names none", async () => {
    await onStage(async ({ run, variables }) => {
      await run(["train", "--aws-credentials", "plain"]);
      assertEquals(variables()["AWS_REGION"], "ap-south-1");
    }, { cloud_region: "ap-south-1" });
  });

  it("lets --env replace the region, but no key", async () => {
    await onStage(async ({ run, engine, variables }) => {
      const mixed = await run(["train", ...LENT, "--env", "AWS_ACCESS_KEY_ID=AKIA"]);
      assertEquals([mixed.code, engine.created], [2, []]);
      assertMatch(
        mixed.stderr,
        /^error: Both --aws-credentials and --env set AWS_ACCESS_KEY_ID\.$/m,
      );
      await run(["train", ...LENT, "--env", "AWS_REGION=us-west-2"]);
      assertEquals(variables()["AWS_REGION"], "us-west-2");
    });
  });

  for (const command of ["train", "process", "deploy", "transform", "shell"]) {
    it(`is rejected by local ${command} --strict`, async () => {
      await onStage(async ({ run, engine }) => {
        const input = command === "transform" ? ["--input", "x"] : [];
        const { code, stderr } = await run([command, ...LENT, "--strict", ...input]);
        assertEquals([code, engine.created], [2, []]);
        assertMatch(
          stderr,
          /^error: Options "--aws-credentials" and "--strict" do not go together\./,
        );
      });
    });
  }

  it("has no variable and no key, and ignores cloud_profile", async () => {
    await onStage(async ({ run, box, variables }) => {
      const env = { MLCLI_AWS_CREDENTIALS: "team", AWS_PROFILE: "team" };
      const { code, stderr } = await run(["train"], { env });
      assertEquals([code, box.operations], [0, []], stderr);
      assertEquals(Object.keys(variables()).filter((name) => /^AWS_(?!REGION)/.test(name)), []);
    }, { cloud_profile: "team", local: { aws_credentials: "team" }, aws_credentials: "team" });
  });

  it("prints and records only names", async () => {
    await onStage(async ({ run, app }) => {
      const dry = await run(["train", ...LENT, "--dry-run"]);
      assertEquals(dry.code, 0, dry.stderr);
      const { Env } = JSON.parse(dry.stdout).container;
      const names = [
        "AWS_ACCESS_KEY_ID",
        "AWS_REGION",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
      ];
      assertEquals(Env.filter((one: string) => one.startsWith("AWS_")).sort(), names);
      await run(["train", ...LENT]);
      const job = await run(["list-jobs", "last", "--output", "json"]);
      assertEquals(JSON.parse(job.stdout).variables, names, job.stderr);
      const files = Object.values(await contentOf(app.directory)).join("\n");
      assertEquals(/nobody-may-see/.exec(files + dry.stdout), null);
    });
  });

  it("asks AWS for nothing in a dry run", async () => {
    await onStage(async ({ run, box }) => {
      await run(["train", ...LENT, "--dry-run"]);
      assertEquals(box.operations, []);
    });
  });

  const failures: Readonly<Record<string, readonly [args: readonly string[], error: RegExp]>> = {
    "an unknown profile": [
      ["nobody"],
      /^error: Profile not found: nobody\nhint: It is named by --aws-credentials .+ lists all\.$/m,
    ],
    "a profile that has only a region": [
      ["bare"],
      /^error: No credentials found for profile "bare"\nhint: .+ has some with --aws-credentials\.$/m,
    ],
    "a wrong secret": [["wrong"], /^error: The secret does not belong to the access key$/m],
  };
  for (const [title, [args, error]] of Object.entries(failures)) {
    it(`fails before a container exists with ${title}`, async () => {
      await onStage(async ({ run, engine, box }) => {
        box.expectsWrongSignature = true;
        for (const command of ["train", "deploy"]) {
          const { code, stderr } = await run([command, "--aws-credentials", ...args]);
          assertEquals([code, engine.created], [1, []]);
          assertMatch(stderr, error);
          const { stdout } = await run(["list-jobs", "--output", "json"]);
          assertEquals(JSON.parse(stdout), []);
        }
      });
    });
  }

  it("fails if AWS denies the exchange, instead of passing long-lived keys on", async () => {
    await onStage(async ({ run, engine, box }) => {
      box.faults.deny("sts:GetSessionToken");
      const { code, stderr } = await run(["train", ...LENT]);
      assertEquals([code, engine.created], [1, []]);
      assertMatch(stderr, /^error: AccessDeniedException: sts:GetSessionToken$/m);
    });
  });
});

suite("a server's AWS credentials", () => {
  const renewals = {
    "--foreground": "Press Ctrl-C and start the server again.",
    "--watch": "To renew them, save a file that mlcli watches.",
  };
  for (const [flag, hint] of Object.entries(renewals)) {
    it(`cause a warning five minutes before they expire, with ${flag}`, async () => {
      await onStage(async ({ run, engine }) => {
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
  }
});
