import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { propertyName } from "../../../commands/options/option.ts";
import { readOptions } from "../../../commands/options/read.ts";
import { cloudOptions } from "../../../commands/options/shared.ts";
import {
  type AddressedService,
  addressOf,
  type AwsSettings,
  awsSettings,
  credentialsSource,
  localRegion,
  overruledNotes,
  regionWords,
} from "../../../runtime/aws/settings.ts";
import { MlcliError, UsageError } from "../../../runtime/errors.ts";
import type { Level } from "../../../runtime/setting.ts";
import { Box } from "../../helpers/box/box.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { typed } from "../../helpers/settings.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Who may set each, those that count first at first. */
const SOURCES = {
  region: ["--region", "cloud_region in app.json", "AWS_REGION", "AWS_DEFAULT_REGION"],
  // AWS CLI v2: awscli/botocore/configprovider.py, BOTOCORE_DEFAUT_SESSION_VARIABLES. boto3 and v1 of
  // the CLI read AWS_DEFAULT_PROFILE first: https://github.com/boto/botocore/issues/1725
  profile: ["--profile", "cloud_profile in app.json", "AWS_PROFILE", "AWS_DEFAULT_PROFILE"],
  role: ["--iam-role-arn", "PLATFORM_ROLE"],
} as const;

/** The settings where each source says this. */
function settingsOf(said: Readonly<Record<string, string | undefined>>): AwsSettings {
  // No option is empty: that ends a command before.
  const options = Object.fromEntries(
    Object.entries(said).filter(([source, value]) => source.startsWith("--") && value)
      .map(([flag, value]) => [propertyName(flag), value]),
  );
  const given = { options, arguments: [], rest: [] };
  return awsSettings(
    readOptions(cloudOptions, { given, env: (name) => said[name], path: "mlcli" }),
    {
      cloudRegion: said["cloud_region in app.json"],
      cloudProfile: said["cloud_profile in app.json"],
      file: "app.json",
    },
    (name) => said[name],
  );
}

/** Of what a source says. */
function levelOf(source: string): Level {
  if (source.startsWith("--")) return "typed";
  return source.endsWith("app.json") ? "file" : "variable";
}

/** A value that tells who said it. */
const valueOf = (place: number): string => `arn:aws:iam::123456789012:role/r${place}`;
const regionOf = (place: number): string => `eu-west-${place}`;

suite("awsSettings", () => {
  for (const [kind, sources] of Object.entries(SOURCES)) {
    const say = kind === "region" ? regionOf : valueOf;
    for (const unset of [undefined, ""]) {
      it(`the first of ${sources.join(", ")} that is not ${unset ?? "missing"} counts`, () => {
        for (let set = 0; set < 2 ** sources.length; set++) {
          const speaks = sources.map((_, place) => (set & 2 ** place) !== 0);
          const said = sources.map((source, place) => [source, speaks[place] ? say(place) : unset]);
          const first = speaks.indexOf(true);
          const variable = sources.findIndex((source, place) =>
            speaks[place] && source.startsWith("AWS_")
          );
          const isOverruled = sources[first]?.endsWith("app.json") && variable > 0;
          const settingOf = (place: number) => ({
            value: say(place),
            from: levelOf(sources[place]!),
            where: sources[place]!,
          });
          const expected = first < 0
            ? undefined
            : isOverruled
            ? { ...settingOf(first), overrules: settingOf(variable) }
            : settingOf(first);
          const settings = settingsOf(Object.fromEntries(said));
          assertEquals(settings, {
            region: undefined,
            profile: undefined,
            role: undefined,
            [kind]: expected,
          });
        }
      });
    }
  }

  it("awsSettings uses the user's own profile only if no variable sets one", async () => {
    await using directory = await makeDirectory({ "mlcli/config.json": '{"profile": "own"}' });
    for (const name of ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"]) {
      const said = { XDG_CONFIG_HOME: directory.path, [name]: "shell" };
      const where = "cloud_profile in app.json";
      assertEquals(settingsOf(said).profile, { value: "shell", from: "variable", where: name });
      assertEquals(settingsOf({ ...said, [where]: "team" }).profile?.where, where);
    }
    const { profile } = settingsOf({ XDG_CONFIG_HOME: directory.path });
    assertEquals(profile, { value: "own", from: "person", where: "profile in mlcli config" });
  });

  it("needs no configuration of an app", () => {
    const { region, profile } = awsSettings(
      { region: undefined, profile: undefined, iamRoleArn: undefined },
      undefined,
      (name) => ({ AWS_REGION: "eu-west-1", AWS_PROFILE: "b" })[name],
    );
    assertEquals([region?.where, profile?.where], ["AWS_REGION", "AWS_PROFILE"]);
  });

  const accepted: readonly (readonly [source: string, values: readonly string[]])[] = [
    ["--region", ["eu-west-1", "us-gov-west-1"]],
    ["--profile", ["a name", "Ä", "--x"]],
    ["--iam-role-arn", [
      "arn:aws:iam::123456789012:role/ml",
      "arn:aws-us-gov:iam::000000000000:role/path/to/ml@x",
    ]],
    ["AWS_ENDPOINT_URL", ["http://localhost:4566", "HTTPS://Emulator.test/path", "", undefined!]],
    ["AWS_ENDPOINT_URL_SAGEMAKER", ["https://[::1]:1"]],
    ["AWS_ENDPOINT_URL_STS", ["http://1.2.3.4"]],
    ["AWS_ENDPOINT_URL_KMS", ["nobody asks this one"]],
  ];
  for (const [source, values] of accepted) {
    it(`${source} may be ${values.join(", ")}`, () => {
      for (const value of values) settingsOf({ [source]: value });
    });
  }

  const refused: readonly {
    readonly sources: readonly string[];
    readonly expected: string;
    readonly values: readonly string[];
  }[] = [{
    sources: SOURCES.region,
    expected: "Expected a region such as eu-west-1",
    values: [
      ...["us-east-1a", " eu-west-1", "eu-west-1 ", "eu-west-1\n", "evil.test#", "a@b"],
    ],
  }, {
    sources: SOURCES.role,
    expected: "Expected a role such as arn:aws:iam::ACCOUNT:role/NAME",
    values: [
      ...["ml", "arn:aws:iam::123456789012:role/", "arn:aws:iam::123456789012:user/ml"],
      ...["arn:aws:iam::12345678901:role/ml", "arn:aws:iam::1234567890123:role/ml"],
      ...["arn:aws:iam:eu:123456789012:role/ml", "arn:aws:sts::123456789012:role/ml"],
      ...["arn:AWS:iam::123456789012:role/ml", "arn:aws:iam::123456789012:role/a b"],
      ...[" arn:aws:iam::123456789012:role/ml", "arn:aws:iam::123456789012:role/ml\n"],
    ],
  }, {
    sources: ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_SAGEMAKER", "AWS_ENDPOINT_URL_STS"],
    expected: "Expected a URL that begins with http:// or https://",
    values: [
      ...["localhost:4566", "ftp://host", "http://", "https://[", "http:/host", " http://host"],
      ...["x http://host", "//host"],
    ],
  }];
  for (const { sources, expected, values } of refused) {
    for (const source of sources) {
      it(`${source} may be none of ${values.length} others: ${expected}`, () => {
        for (const value of values) {
          const error = assertThrows(() => settingsOf({ [source]: value }), MlcliError);
          assertEquals([error.message, error.hint], [
            `${expected} but got "${value}"`,
            `Correct ${source}`,
          ]);
          // A line that was typed wrong ends with another status than a variable.
          assertEquals(error instanceof UsageError, source.startsWith("--"));
        }
      });
    }
  }

  it("checks only the region and the role that count", () => {
    const { region, role } = settingsOf({
      "--region": "eu-west-1",
      AWS_REGION: "NOT ONE",
      "--iam-role-arn": valueOf(1),
      PLATFORM_ROLE: "none",
    });
    assert(region && role);
  });
});

const KEYS = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "secret" };
const KEY_ID = "AWS_ACCESS_KEY_ID";
const FROM = "The credentials come from";

/** What is set, the source of the credentials, and the notes. Reports name the cases. */
const SIGNERS: readonly (readonly [
  title: string,
  said: Readonly<Record<string, string>>,
  source: string,
  ...notes: string[],
])[] = [
  ["nothing is set", {}, 'profile "default"'],
  ["only keys are set", KEYS, KEY_ID],
  [
    "both keys are spaces",
    { AWS_ACCESS_KEY_ID: " ", AWS_SECRET_ACCESS_KEY: " " },
    'profile "default"',
  ],
  // https://github.com/aws/aws-cli/issues/3304, https://github.com/aws/aws-cli/issues/7174,
  // https://github.com/aws/aws-sdk-js-v3/issues/2549, https://github.com/aws/aws-sdk-js/issues/4406
  [
    "keys and AWS_PROFILE are set",
    { ...KEYS, AWS_PROFILE: "shell" },
    KEY_ID,
    `${FROM} AWS_ACCESS_KEY_ID, not from profile "shell" (AWS_PROFILE)`,
  ],
  [
    "keys and AWS_DEFAULT_PROFILE are set",
    { ...KEYS, AWS_DEFAULT_PROFILE: "shell" },
    KEY_ID,
    `${FROM} AWS_ACCESS_KEY_ID, not from profile "shell" (AWS_DEFAULT_PROFILE)`,
  ],
  // https://github.com/aws/aws-cli/issues/113, https://github.com/aws/aws-cli/issues/861
  ["--profile is typed and keys are set", {
    ...KEYS,
    AWS_PROFILE: "shell",
    "--profile": "typed",
  }, 'profile "typed" (--profile)'],
  // https://github.com/serverless/serverless/issues/7573,
  // https://github.com/hashicorp/terraform/issues/13782
  [
    "the configuration file names a profile and keys are set",
    { ...KEYS, AWS_PROFILE: "shell", "cloud_profile in app.json": "team" },
    'profile "team" (cloud_profile in app.json)',
    `${FROM} profile "team" (cloud_profile in app.json), not from AWS_ACCESS_KEY_ID`,
  ],
  [
    "the configuration file and AWS_PROFILE name different profiles",
    { AWS_PROFILE: "shell", "cloud_profile in app.json": "team" },
    'profile "team" (cloud_profile in app.json)',
    `${FROM} profile "team" (cloud_profile in app.json), not from profile "shell" (AWS_PROFILE)`,
  ],
  ["the configuration file and AWS_PROFILE name one profile", {
    AWS_PROFILE: "team",
    "cloud_profile in app.json": "team",
  }, 'profile "team" (cloud_profile in app.json)'],
  ["both profile variables are set", {
    AWS_PROFILE: "one",
    AWS_DEFAULT_PROFILE: "other",
  }, 'profile "one" (AWS_PROFILE)'],
  // https://github.com/aws/aws-cli/issues/9561
  ["only the secret of the keys is set", {
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_PROFILE: "shell",
  }, 'profile "shell" (AWS_PROFILE)'],
  // https://github.com/CircleCI-Public/aws-cli-orb/issues/139
  ["a session token is left without keys", {
    AWS_SESSION_TOKEN: "token",
    AWS_PROFILE: "shell",
  }, 'profile "shell" (AWS_PROFILE)'],
  ["keys and profiles are empty", {
    AWS_ACCESS_KEY_ID: "",
    AWS_SECRET_ACCESS_KEY: " ",
    AWS_PROFILE: "",
  }, 'profile "default"'],
  [
    "a region of the configuration file overrules AWS_REGION",
    {
      ...KEYS,
      "cloud_region in app.json": "eu-west-1",
      AWS_REGION: "us-east-1",
    },
    KEY_ID,
    "The region is eu-west-1 (cloud_region in app.json), not us-east-1 (AWS_REGION)",
  ],
];

suite("the source of the caller's own credentials", () => {
  for (const [title, said, source, ...notes] of SIGNERS) {
    it(`credentialsSource is ${source} if ${title}, with ${notes.length} notes`, () => {
      const settings = settingsOf(said);
      assertEquals(
        { source: credentialsSource(settings), notes: overruledNotes(settings) },
        { source, notes },
      );
    });
  }

  it("credentialsSource is the keys if mlcli config names a profile, and a note says so", async () => {
    await using home = await makeDirectory({ "mlcli/config.json": '{"profile": "mine"}' });
    const settings = settingsOf({ ...KEYS, XDG_CONFIG_HOME: home.path });
    assertEquals(overruledNotes(settings), [
      `${FROM} AWS_ACCESS_KEY_ID, not from profile "mine" (profile in mlcli config)`,
    ]);
    assertEquals(settings.profile?.value, "mine");
  });

  // "Partial credentials found in env" in the AWS CLI: https://github.com/boto/botocore/pull/331
  it("awsSettings throws if a key has no secret, unless a profile is named that overrules it", () => {
    const half = { AWS_ACCESS_KEY_ID: "AKID", AWS_PROFILE: "shell" };
    const { message, hint } = assertThrows(() => settingsOf(half), MlcliError);
    assertEquals({ message, hint }, {
      message: "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not",
      hint: "Set both, or unset AWS_ACCESS_KEY_ID to use a profile",
    });
    for (const name of ["--profile", "cloud_profile in app.json"]) {
      assertEquals(settingsOf({ ...half, [name]: "team" }).profile?.value, "team");
    }
  });
});

suite("regionWords", () => {
  it("says who named the region", () => {
    assertEquals(
      regionWords({ value: "eu-west-1", from: "variable", where: "AWS_REGION" }),
      "eu-west-1 (AWS_REGION)",
    );
    assertEquals(regionWords(undefined), "the profile's region");
  });
});

/** What names a region. */
interface Named {
  readonly cloudRegion?: string;
  readonly cloudProfile?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: string;
  readonly credentials?: string;
}

const region = (profile: string, name: string) => `[${profile}]\nregion = ${name}\n`;
const BOTH = { AWS_REGION: "eu-west-2", AWS_DEFAULT_REGION: "eu-west-3" };

/** The rungs, each with all those below it. */
const PROFILES: Named = {
  credentials: region("default", "ap-south-1") + region("dev", "sa-east-1") +
    region("mine", "ca-west-1"),
  config: region("default", "af-south-1"),
};
const ROWS: readonly (readonly [name: string, named: Named, region: string])[] = [
  ["cloud_region", { ...PROFILES, cloudRegion: "eu-west-1", env: BOTH }, "eu-west-1"],
  ["AWS_REGION", { ...PROFILES, env: BOTH }, "eu-west-2"],
  ["AWS_DEFAULT_REGION", { ...PROFILES, env: { AWS_DEFAULT_REGION: "eu-west-3" } }, "eu-west-3"],
  ["the profile of cloud_profile", {
    ...PROFILES,
    cloudProfile: "dev",
    env: { AWS_PROFILE: "mine" },
  }, "sa-east-1"],
  ["the profile of AWS_PROFILE", {
    ...PROFILES,
    env: { AWS_PROFILE: "mine", AWS_DEFAULT_PROFILE: "dev" },
  }, "ca-west-1"],
  [
    "the profile of AWS_DEFAULT_PROFILE",
    { ...PROFILES, env: { AWS_DEFAULT_PROFILE: "dev" } },
    "sa-east-1",
  ],
  ["the profile default", PROFILES, "ap-south-1"],
  ["the same in the config file", { config: region("default", "af-south-1") }, "af-south-1"],
  [
    "no other than that of the profile",
    { config: region("profile dev", "eu-west-1") },
    "us-east-1",
  ],
  ["us-east-1, where nobody does", {}, "us-east-1"],
  ["what is empty does not", {
    env: { AWS_REGION: "", AWS_DEFAULT_REGION: "", AWS_PROFILE: "" },
    credentials: "[default]\nregion =\n",
    config: region("default", "af-south-1"),
  }, "af-south-1"],
  ["what cannot be a region does not", {
    cloudRegion: "EU",
    env: { AWS_REGION: "eu west", AWS_DEFAULT_REGION: "eu-west-3\nA=b" },
    credentials: region("default", "eu_west"),
    config: region("default", "af-south-1"),
  }, "af-south-1"],
  ["a profile that is not there does not", { ...PROFILES, cloudProfile: "no" }, "us-east-1"],
  ["what a profile points to does not", {
    config: "[profile dev]\nsource_profile = default\nsso_session = a\n" +
      "[sso-session a]\nsso_region = eu-west-1\nregion = eu-west-1\n" +
      region("default", "af-south-1"),
    env: { AWS_PROFILE: "dev" },
  }, "us-east-1"],
  [
    "a file that is no such file does not",
    { credentials: "\0\xff[[[", config: "region" },
    "us-east-1",
  ],
];

suite("the region of a local run", () => {
  for (const [name, { config, credentials, env = {}, ...configuration }, expected] of ROWS) {
    it(`is named by: ${name}`, async () => {
      await using directory = await makeDirectory({
        ...config === undefined ? {} : { config },
        ...credentials === undefined ? {} : { credentials },
      });
      const variables: Readonly<Record<string, string>> = {
        AWS_CONFIG_FILE: `${directory.path}/config`,
        AWS_SHARED_CREDENTIALS_FILE: `${directory.path}/credentials`,
        ...env,
      };
      assertEquals(await localRegion(configuration, (name) => variables[name]), expected);
    });
  }

  it("is that of the other file where one cannot be read, and a default where both cannot", async () => {
    await using directory = await makeDirectory({
      "folder/": "",
      config: region("default", "af-south-1"),
    });
    const from = (config: string) =>
      localRegion({}, (name) =>
        ({
          AWS_CONFIG_FILE: `${directory.path}/${config}`,
          AWS_SHARED_CREDENTIALS_FILE: `${directory.path}/folder`,
        })[name]);
    assertEquals([await from("config"), await from("folder")], ["af-south-1", "us-east-1"]);
  });
});

const CONFIG = `
[default]
endpoint_url = http://of-default
[profile all]
endpoint_url = http://of-all
[profile some]
services = here
endpoint_url = http://of-some
[profile only]
services = here
[profile nowhere]
services = missing
[profile plain]
region = eu-west-1
[profile ignoring]
endpoint_url = http://of-ignoring
ignore_configured_endpoint_urls = true
[profile wrong]
endpoint_url = localhost:4566
[services here]
endpoint_url = http://of-nothing
s3 =
  endpoint_url = http://of-s3 # of this one
  addressing_style = path
cloudwatch_logs=
\tendpoint_url=http://of-logs
[services other]
s3 =
  endpoint_url = http://of-other
`;

/** What is asked at which address, with which profile and variables. */
const ADDRESSES: readonly (readonly [
  profile: string | undefined,
  service: AddressedService,
  variables: Readonly<Record<string, string>>,
  address: string | undefined,
])[] = [
  [undefined, "S3", {}, "http://of-default"],
  ["all", "S3", {}, "http://of-all"],
  ["some", "S3", {}, "http://of-s3"],
  ["some", "CLOUDWATCH_LOGS", {}, "http://of-logs"],
  ["some", "SAGEMAKER", {}, "http://of-some"],
  ["only", "S3", {}, "http://of-s3"],
  ["only", "ECR", {}, undefined],
  ["nowhere", "S3", {}, undefined],
  ["plain", "STS", {}, undefined],
  ["ignoring", "S3", {}, undefined],
  ["ignoring", "S3", { AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "false" }, "http://of-ignoring"],
  ["all", "S3", { AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "true" }, undefined],
  ["some", "S3", { AWS_ENDPOINT_URL: "http://v" }, "http://v"],
  ["some", "S3", { AWS_ENDPOINT_URL_S3: "http://s3", AWS_ENDPOINT_URL: "http://v" }, "http://s3"],
  ["some", "S3", { AWS_ENDPOINT_URL_ECR: "http://ecr" }, "http://of-s3"],
  ["some", "S3", { AWS_ENDPOINT_URL: "" }, "http://of-s3"],
];

async function addressIn(
  config: string,
  profile: string | undefined,
  service: AddressedService,
  variables: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  await using home = await makeDirectory({ config });
  const env: Readonly<Record<string, string>> = {
    ...variables,
    AWS_CONFIG_FILE: `${home.path}/config`,
    AWS_SHARED_CREDENTIALS_FILE: `${home.path}/credentials`,
  };
  const setting = profile === undefined ? undefined : typed(profile, "--profile");
  return await addressOf(service, { profile: setting }, (name) => env[name]);
}

suite("addressOf", () => {
  for (const [profile, service, variables, address] of ADDRESSES) {
    const words = JSON.stringify(variables);
    it(`${service} with profile ${profile} and ${words} is asked at ${address}`, async () => {
      assertEquals(await addressIn(CONFIG, profile, service, variables), address);
    });
  }

  it("refuses what is no URL, and says whose it is", async () => {
    const { message, hint } = await assertRejects(
      () => addressIn(CONFIG, "wrong", "S3"),
      MlcliError,
    );
    assertEquals([message, hint], [
      'Expected a URL that begins with http:// or https:// but got "localhost:4566"',
      "Correct endpoint_url in profile wrong",
    ]);
  });
});

const ROLE = "arn:aws:iam::123456789012:role/ml";

/** A profile of an emulator, whose address is for all services or for each of them. */
const PROFILES_WITH_ADDRESSES = {
  "endpoint_url": (url: string) => `endpoint_url = ${url}`,
  "services": (url: string) =>
    "services = local\n[services local]\n" +
    ["s3", "sts", "sagemaker", "cloudwatch_logs", "ecr"]
      .map((service) => `${service} =\n  endpoint_url = ${url}\n`).join(""),
};

suite("a profile of an emulator that --profile names", () => {
  for (const [key, text] of Object.entries(PROFILES_WITH_ADDRESSES)) {
    it(`leads all services to its ${key}`, async () => {
      await using box = await Box.open();
      box.s3.createBucket("bucket");
      const { AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...cloud } = box.env();
      box.roles.add(ROLE);
      await using directory = await makeDirectory({
        "a.csv": "1\n",
        config: `[profile emulator]\naws_access_key_id = ${AWS_ACCESS_KEY_ID}\n` +
          `aws_secret_access_key = ${AWS_SECRET_ACCESS_KEY}\n${text(AWS_ENDPOINT_URL!)}\n`,
      });
      const run = (...args: readonly string[]) =>
        runInProcess([...args, "--profile", "emulator"], {
          cwd: directory.path,
          cloud: { ...cloud, AWS_CONFIG_FILE: `${directory.path}/config` },
        });
      const sent = await run("upload-data", "-i", "a.csv", "--target-dir", "s3://bucket/data");
      assertEquals([sent.code, sent.stdout], [0, "s3://bucket/data/a.csv\n"]);
      const jobs = await run("list-jobs", "--iam-role-arn", ROLE);
      assertEquals([jobs.code, jobs.stdout, jobs.stderr], [0, "", ""]);
      assertEquals(box.requests.some(({ operation }) => operation === "AssumeRole"), true);
    });
  }
});
