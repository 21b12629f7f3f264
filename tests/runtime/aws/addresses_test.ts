import { assertEquals, assertRejects } from "@std/assert";
import { type AddressedService, addressOf } from "../../../runtime/aws/settings.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { Box } from "../../helpers/box/box.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

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
  const setting = profile === undefined ? undefined : { value: profile, source: "--profile" };
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
      'Not a URL: "localhost:4566"',
      "A URL begins with http:// or https://; this one is named by endpoint_url of profile wrong.",
    ]);
  });
});

const ROLE = "arn:aws:iam::123456789012:role/ml";

/** A profile of an emulator, whose address is for all services or for each of them. */
const PROFILES = {
  "endpoint_url": (url: string) => `endpoint_url = ${url}`,
  "services": (url: string) =>
    "services = local\n[services local]\n" +
    ["s3", "sts", "sagemaker", "cloudwatch_logs", "ecr"]
      .map((service) => `${service} =\n  endpoint_url = ${url}\n`).join(""),
};

suite("a profile of an emulator that --profile names", () => {
  for (const [key, text] of Object.entries(PROFILES)) {
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
