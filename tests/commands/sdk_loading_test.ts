import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, toFileUrl } from "@std/path";
import configuration from "../../deno.json" with { type: "json" };
import { completeApp } from "../helpers/app.ts";
import { Box } from "../helpers/box/box.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { LEAST as DEPLOY, makeDeployApp } from "../helpers/deploy_app.ts";
import { fakeContainers } from "../helpers/fake_containers.ts";
import { killedAfter, OUTSIDE_STUDIO, resultOf } from "../helpers/program.ts";
import { besidesRun } from "../helpers/runs.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";
import { tarGz } from "../helpers/tar.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/**
 * Runs the program with the SDK's packages replaced by one that cannot be loaded, type checks off.
 */
async function runWithoutSdk(
  directory: string,
  args: readonly string[],
  { cwd = directory, env = {}, map = "import_map.json", program = "main.ts" }: {
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly map?: string;
    /** Path of the module to run. */
    readonly program?: string;
  } = {},
): Promise<{ code: number; stderr: string }> {
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-all", "--no-check", "--quiet", "--config", `${ROOT}deno.json`],
      ...["--import-map", `${directory}/${map}`],
      ...OUTSIDE_STUDIO,
      `${ROOT}${program}`,
      ...args,
    ],
    cwd,
    env: {
      AWS_REGION: "eu-west-1",
      DOCKER_HOST: "unix:///nonexistent.sock",
      XDG_STATE_HOME: "/dev/null",
      ...env,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { code, stderr } = await resultOf(killedAfter(60_000, command.spawn()));
  return { code, stderr };
}

/** What only some commands need, and what takes long to load. */
const HEAVY = /^@aws-sdk\/|^@bufbuild\//;

/** The imports of deno.json with those packages replaced, but for these. */
function importMap(
  replacement: string,
  kept: readonly string[] = [],
): { readonly imports: Record<string, string> } {
  const imports: Record<string, string> = {};
  for (const [name, target] of Object.entries(configuration.imports)) {
    if (HEAVY.test(name) && !kept.includes(name)) {
      imports[name] = imports[`${name}/wire`] = toFileUrl(replacement).href;
      continue;
    }
    imports[name] = target;
    // deno.json means these too, an import map does not.
    const [scheme, rest] = target.split(/:(.*)/, 2);
    imports[`${name}/`] = `${scheme}:/${rest}/`;
  }
  return { imports };
}

suite("the AWS SDK", () => {
  let directory = "";

  beforeAll(async () => {
    directory = await Deno.makeTempDir({ prefix: "mlcli-test-sdk-" });
    await Deno.writeTextFile(`${directory}/trap.ts`, 'throw new Error("The SDK was loaded");\n');
    const map = importMap(`${directory}/trap.ts`);
    await Deno.writeTextFile(`${directory}/import_map.json`, JSON.stringify(map));
  });

  afterAll(() => Deno.remove(directory, { recursive: true }));

  it("the AWS SDK is not loaded by the help of any command", async () => {
    const program = "tests/helpers/print_helps.ts";
    assertEquals(await runWithoutSdk(directory, [], { program }), { code: 0, stderr: "" });
  });

  for (const args of [[], ["--help"], ["--version"], ["local"]]) {
    it(`the AWS SDK is not loaded by: mlcli ${args.join(" ")}`, async () => {
      assertEquals(await runWithoutSdk(directory, args), { code: 0, stderr: "" });
    });
  }

  it("the AWS SDK is not loaded by a local command that runs", async () => {
    // It comes as far as it can without an app: to one of mlcli's own errors.
    const { code, stderr } = await runWithoutSdk(directory, ["local", "train"]);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: Not a valid mlcli directory/);
    const stopped = await runWithoutSdk(directory, ["local", "stop"]);
    assertEquals(stopped.code, 1);
    assertMatch(stopped.stderr, /^error: .*Docker/);
  });

  it("the AWS SDK is not loaded by a training run that finds its region in a profile", async () => {
    await using app = await completeApp();
    await using engine = await fakeContainers({ program: ({ end }) => end(0) });
    const config = `${directory}/config`;
    await Deno.writeTextFile(config, "[profile dev]\nregion = sa-east-1\n");
    const env = {
      DOCKER_HOST: `unix://${engine.socket}`,
      AWS_REGION: "",
      AWS_DEFAULT_REGION: "",
      AWS_PROFILE: "dev",
      AWS_CONFIG_FILE: config,
      AWS_SHARED_CREDENTIALS_FILE: `${directory}/none`,
    };
    const run = besidesRun(
      await runWithoutSdk(directory, ["local", "train"], { cwd: app.directory, env }),
    );
    assertEquals(run, { code: 0, stderr: "" });
    const [create] = engine.callsOf("POST /containers/create");
    const { Env } = create!.body as { readonly Env: readonly string[] };
    assertEquals(Env.filter((variable) => variable.startsWith("AWS_")), ["AWS_REGION=sa-east-1"]);
  });

  for (
    const [clients, args] of [
      [["sagemaker"], ["list-jobs"]],
      [["sagemaker"], ["describe", "job"]],
      [["sagemaker"], ["stop-job", "job"]],
      [["sagemaker", "cloudwatch-logs"], ["logs", "job"]],
      [["sagemaker-runtime"], ["invoke-endpoint", "-n", "churn", "data/a.csv"]],
      [["sagemaker-runtime"], ["invoke-endpoint", "-n", "churn", "--stream", "data/a.csv"]],
      [["s3"], ["upload-data", "-i", "data", "--target-dir", "s3://bucket/data"]],
      [["s3"], ["download-model", "s3://bucket/model.tar.gz", "--to", "model"]],
    ] as const
  ) {
    it(`is loaded in part: mlcli ${args[0]} needs the clients of ${clients.join(", ")}`, async () => {
      await using box = await Box.open();
      box.s3.createBucket("bucket");
      await box.s3.put(
        "bucket",
        "model.tar.gz",
        await tarGz([{ name: "model.json", content: "1" }]),
      );
      box.jobs.add("training", "job");
      box.endpoints.add("churn");
      await using place = await makeDirectory({ "data/a.csv": "1" });
      const map = `map-${clients.join("-")}.json`;
      const kept = clients.map((client) => `@aws-sdk/client-${client}`);
      const text = JSON.stringify(importMap(`${directory}/trap.ts`, kept));
      await Deno.writeTextFile(`${directory}/${map}`, text);
      const options = { cwd: place.path, env: box.env(), map };
      const { code, stderr } = await runWithoutSdk(directory, args, options);
      assertEquals(code, 0, stderr);
    });
  }

  it("is loaded in part: mlcli deploy needs the clients of sagemaker, ecr, s3", async () => {
    await using job = await makeDeployApp();
    const kept = ["sagemaker", "ecr", "s3"].map((client) => `@aws-sdk/client-${client}`);
    const map = "map-deploy.json";
    const text = JSON.stringify(importMap(`${directory}/trap.ts`, kept));
    await Deno.writeTextFile(`${directory}/${map}`, text);
    const options = { cwd: job.app.directory, env: job.box.env(), map };
    const { code, stderr } = await runWithoutSdk(directory, DEPLOY, options);
    assertEquals(code, 0, stderr);
  });

  it("is loaded by list-endpoints: the trap of this test works", async () => {
    const { code, stderr } = await runWithoutSdk(directory, ["list-endpoints"]);
    assertEquals(code, 1);
    assertMatch(stderr, /The SDK was loaded|does not provide an export/);
  });
});
