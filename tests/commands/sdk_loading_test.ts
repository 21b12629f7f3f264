import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, toFileUrl } from "@std/path";
import configuration from "../../deno.json" with { type: "json" };
import { completeApp } from "../helpers/app.ts";
import { fakeContainers } from "../helpers/fake_containers.ts";
import { killedAfter, resultOf } from "../helpers/program.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/**
 * Runs the program with the SDK's packages replaced by one that cannot be loaded, type checks off.
 */
async function runWithoutSdk(
  directory: string,
  args: readonly string[],
  { cwd = directory, env = {} }: {
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<{ code: number; stderr: string }> {
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-all",
      "--no-check",
      "--quiet",
      "--config",
      `${ROOT}deno.json`,
      "--import-map",
      `${directory}/import_map.json`,
      `${ROOT}main.ts`,
      ...args,
    ],
    cwd,
    env: {
      AWS_REGION: "eu-west-1",
      DOCKER_HOST: "unix:///nonexistent.sock",
      ...env,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { code, stderr } = await resultOf(killedAfter(60_000, command.spawn()));
  return { code, stderr };
}

/** The imports of deno.json with the SDK's packages replaced. */
function importMap(replacement: string): { readonly imports: Record<string, string> } {
  const imports: Record<string, string> = {};
  for (const [name, target] of Object.entries(configuration.imports)) {
    if (name.startsWith("@aws-sdk/")) {
      imports[name] = toFileUrl(replacement).href;
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

  for (
    const args of [
      [],
      ["--help"],
      ["--version"],
      ["local"],
      ["local", "--help"],
      ["local", "train", "--help"],
      ["list-endpoints", "--help"],
      ["delete-endpoint", "--help"],
      ["list-jobs", "--help"],
      ["describe", "--help"],
      ["logs", "--help"],
      ["wait", "--help"],
      ["stop-job", "--help"],
    ]
  ) {
    it(`is not loaded by: mlcli ${args.join(" ")}`, async () => {
      assertEquals(await runWithoutSdk(directory, args), { code: 0, stderr: "" });
    });
  }

  it("is not loaded by a local command that runs", async () => {
    // It comes as far as it can without an app: to one of mlcli's own errors.
    const { code, stderr } = await runWithoutSdk(directory, ["local", "train"]);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: Not a valid mlcli directory/);
    const stopped = await runWithoutSdk(directory, ["local", "stop"]);
    assertEquals(stopped.code, 1);
    assertMatch(stopped.stderr, /^error: .*Docker/);
  });

  it("is not loaded by a training that finds its region in a profile", async () => {
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
    const run = await runWithoutSdk(directory, ["local", "train"], { cwd: app.directory, env });
    assertEquals(run, { code: 0, stderr: "" });
    const [create] = engine.callsOf("POST /containers/create");
    const { Env } = create!.body as { readonly Env: readonly string[] };
    assertEquals(Env.filter((variable) => variable.startsWith("AWS_")), ["AWS_REGION=sa-east-1"]);
  });

  it("is loaded by list-endpoints: the trap of this test works", async () => {
    const { code, stderr } = await runWithoutSdk(directory, ["list-endpoints"]);
    assertEquals(code, 1);
    assertMatch(stderr, /The SDK was loaded|does not provide an export/);
  });
});
