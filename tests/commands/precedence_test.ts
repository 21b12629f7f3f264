import { assertEquals } from "@std/assert";
import { main } from "../../main.ts";
import type { AwsSettings } from "../../runtime/aws/settings.ts";
import type { Context } from "../../runtime/context.ts";
import { MlcliError } from "../../runtime/errors.ts";
import {
  type CommandName,
  commandsWith,
  except,
  type Exceptions,
  openStage,
  wordsOf,
} from "../helpers/command_lines.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { CONFIGURATION } from "../helpers/job_app.ts";
import { it, suite } from "../helpers/suite.ts";

/** Sources of a value: the options, the app's configuration, the environment. */
interface Said {
  readonly args?: readonly string[];
  readonly configuration?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Of region, profile and role, as `value (source)`. */
type Asked = Readonly<Partial<Record<keyof AwsSettings, string>>>;

/** Settings with which a cloud command calls SageMaker. */
async function asked(command: readonly string[], said: Said): Promise<Asked> {
  const { args = [], configuration = {}, env = {} } = said;
  await using directory = await makeDirectory({
    "demo.json": JSON.stringify({ image_name: "demo", ...configuration }),
  });
  const { aws, settings } = recordingAws();
  const context = fakeContext({
    cwd: directory.path,
    env: (name) => env[name],
    engine: () => Promise.reject(new MlcliError("No engine")),
    aws,
  });
  await main([...command, ...args], context);
  assertEquals(settings.length, 1, context.err.text);
  return settings[0]!;
}

/** Returns a function that refuses to connect to AWS, and the settings that it gets. */
function recordingAws(): { readonly aws: Context["aws"]; readonly settings: readonly Asked[] } {
  const settings: Asked[] = [];
  const aws = (all: AwsSettings): Promise<never> => {
    const set = Object.entries(all).filter(([, setting]) => setting !== undefined);
    settings.push(
      Object.fromEntries(set.map(([name, { value, where }]) => [name, `${value} (${where})`])),
    );
    return Promise.reject(new MlcliError("No platform"));
  };
  return { aws, settings };
}

const ROLE = "arn:aws:iam::123456789012:role/";
const REGION = { args: ["--region", "eu-west-1"] };
const PROFILE = { args: ["--profile", "mine"] };
const BOTH = { args: [...REGION.args, ...PROFILE.args] };
const CONFIGURED = { configuration: { cloud_region: "eu-west-2", cloud_profile: "team" } };
const ENV = {
  env: {
    AWS_REGION: "eu-west-3",
    AWS_DEFAULT_REGION: "eu-north-1",
    AWS_PROFILE: "shell",
    PLATFORM_ROLE: `${ROLE}env`,
  },
};
const IN_REGION = "eu-west-2 (cloud_region in demo.json)";
const IN_PROFILE = "team (cloud_profile in demo.json)";
const BY_ENV = { role: `${ROLE}env (PLATFORM_ROLE)` };

const rows: readonly (readonly [title: string, said: Said, asked: Asked])[] = [
  ["nothing", {}, {}],
  ["--region alone", REGION, { region: "eu-west-1 (--region)" }],
  ["the configuration alone", CONFIGURED, { region: IN_REGION, profile: IN_PROFILE }],
  ["the environment alone", ENV, {
    region: "eu-west-3 (AWS_REGION)",
    profile: "shell (AWS_PROFILE)",
    ...BY_ENV,
  }],
  ["AWS_DEFAULT_REGION alone", { env: { AWS_DEFAULT_REGION: "eu-north-1" } }, {
    region: "eu-north-1 (AWS_DEFAULT_REGION)",
  }],
  ["an empty AWS_REGION beside AWS_DEFAULT_REGION", {
    env: { AWS_REGION: "", AWS_DEFAULT_REGION: "eu-north-1", AWS_PROFILE: "", PLATFORM_ROLE: "" },
  }, { region: "eu-north-1 (AWS_DEFAULT_REGION)" }],
  ["the configuration beside the environment", { ...CONFIGURED, ...ENV }, {
    region: IN_REGION,
    profile: IN_PROFILE,
    ...BY_ENV,
  }],
  ["--region beside both", { ...REGION, ...CONFIGURED, ...ENV }, {
    region: "eu-west-1 (--region)",
    profile: IN_PROFILE,
    ...BY_ENV,
  }],
  ["--profile beside both", { ...PROFILE, ...CONFIGURED, ...ENV }, {
    region: IN_REGION,
    profile: "mine (--profile)",
    ...BY_ENV,
  }],
  ["--region and --profile beside both", { ...BOTH, ...CONFIGURED, ...ENV }, {
    region: "eu-west-1 (--region)",
    profile: "mine (--profile)",
    ...BY_ENV,
  }],
  ["--region beside the environment", { ...REGION, ...ENV }, {
    region: "eu-west-1 (--region)",
    profile: "shell (AWS_PROFILE)",
    ...BY_ENV,
  }],
  ["cloud_region beside AWS_PROFILE", {
    configuration: { cloud_region: "eu-west-2" },
    ...ENV,
  }, { region: IN_REGION, profile: "shell (AWS_PROFILE)", ...BY_ENV }],
  ["--iam-role-arn beside PLATFORM_ROLE", { args: ["--iam-role-arn", `${ROLE}mine`], ...ENV }, {
    region: "eu-west-3 (AWS_REGION)",
    profile: "shell (AWS_PROFILE)",
    role: `${ROLE}mine (--iam-role-arn)`,
  }],
  ["-r", { args: ["-r", `${ROLE}mine`] }, { role: `${ROLE}mine (--iam-role-arn)` }],
  ["--app-name with --region", { args: ["-a", "demo", ...REGION.args], ...CONFIGURED }, {
    region: "eu-west-1 (--region)",
    profile: IN_PROFILE,
  }],
];

suite("settings of mlcli list-endpoints", () => {
  for (const [title, said, expected] of rows) {
    it(`list-endpoints follows ${title}`, async () => {
      assertEquals(await asked(["list-endpoints"], said), expected);
    });
  }
});

/** Commands with `--region` that call AWS only with other arguments. */
const ARGUMENTS: Readonly<Partial<Record<CommandName, readonly string[]>>> = {
  "doctor": ["doctor", "--cloud"],
};

const EXCEPTIONS: Exceptions = {
  "init": "it writes the region into the configuration file",
};

suite("a command with --region", () => {
  it("each command with --region uses that region, the file's profile and the environment's role", async () => {
    const configuration = { ...CONFIGURATION, ...CONFIGURED.configuration };
    await using stage = await openStage({ configuration });
    const file = `cloud_profile in ${stage.app.name}.json`;
    const expected = { region: "eu-west-1 (--region)", profile: `team (${file})`, ...BY_ENV };
    for (const name of except(await commandsWith("--region"), EXCEPTIONS)) {
      const { aws, settings } = recordingAws();
      const words = [...ARGUMENTS[name] ?? stage.filled(wordsOf(name)), ...REGION.args];
      const options = { engine: stage.engineOf(name), cloud: undefined, aws, ...ENV };
      const { stderr } = await stage.run(words, options);
      assertEquals({ name, settings }, { name, settings: [expected] }, stderr);
    }
  });
});

suite("what mlcli init writes", () => {
  const given: Readonly<Record<string, readonly [option: string, value: string]>> = {
    image_name: ["--image-name", "team/demo"],
    python_version: ["--python-version", "3.10"],
    requirements: ["--requirements", "r.txt"],
    base_image: ["--base-image", "base:1"],
    cloud_region: ["--region", "eu-west-1"],
    cloud_profile: ["--profile", "mine"],
    platform: ["--platform", "linux/amd64"],
  };
  const defaults = { image_name: "demo", python_version: "3.12", requirements: "requirements.txt" };

  async function written(args: readonly string[]): Promise<unknown> {
    await using directory = await makeDirectory();
    const context = fakeContext({
      cwd: directory.path,
      env: (name) => name.startsWith("AWS_") ? "us-east-1" : undefined,
    });
    assertEquals(await main(["init", "demo", ...args], context), 0, context.err.text);
    const { $schema, metric_definitions: _, ...rest } = JSON.parse(
      await Deno.readTextFile(`${directory.path}/demo.json`),
    );
    assertEquals($schema, "./demo/mlcli_base/.schema.json");
    return rest;
  }

  it("is the defaults, and nothing of the environment", async () => {
    assertEquals(await written([]), defaults);
  });

  for (const [key, [option, value]] of Object.entries(given)) {
    it(`is ${option} before anything else`, async () => {
      const { python_version, ...others } = defaults;
      const rest = key === "base_image" ? others : { python_version, ...others };
      assertEquals(await written([option, value]), { ...rest, [key]: value });
    });
  }
});
