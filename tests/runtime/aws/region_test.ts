import { assertEquals } from "@std/assert";
import { localRegion } from "../../../runtime/aws/settings.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

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
  ["the profile of AWS_PROFILE", { ...PROFILES, env: { AWS_PROFILE: "mine" } }, "ca-west-1"],
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
