import { assert, assertEquals, assertThrows } from "@std/assert";
import { MlcliError, UsageError } from "../../../runtime/errors.ts";
import { awsSettings, regionWords } from "../../../runtime/aws/settings.ts";
import type { AwsSettings } from "../../../runtime/aws/settings.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Who may set each, those that count first at first. */
const SOURCES = {
  region: ["--region", "cloud_region in app.json", "AWS_REGION", "AWS_DEFAULT_REGION"],
  profile: ["--profile", "cloud_profile in app.json", "AWS_PROFILE"],
  role: ["--iam-role-arn", "PLATFORM_ROLE"],
} as const;

/** The settings where each source says this. */
function settingsOf(said: Readonly<Record<string, string | undefined>>): AwsSettings {
  return awsSettings(
    {
      region: said["--region"],
      profile: said["--profile"],
      iamRoleArn: said["--iam-role-arn"],
    },
    {
      cloudRegion: said["cloud_region in app.json"],
      cloudProfile: said["cloud_profile in app.json"],
      file: "app.json",
    },
    (name) => said[name],
  );
}

/** A value that tells who said it. */
const valueOf = (place: number): string => `arn:aws:iam::123456789012:role/r${place}`;
const regionOf = (place: number): string => `region-${place}`;

suite("awsSettings", () => {
  for (const [kind, sources] of Object.entries(SOURCES)) {
    const say = kind === "region" ? regionOf : valueOf;
    for (const unset of [undefined, ""]) {
      it(`the first of ${sources.join(", ")} that is not ${unset ?? "missing"} counts`, () => {
        for (let set = 0; set < 2 ** sources.length; set++) {
          const speaks = sources.map((_, place) => (set & 2 ** place) !== 0);
          const said = sources.map((source, place) => [source, speaks[place] ? say(place) : unset]);
          const first = speaks.indexOf(true);
          const expected = first < 0 ? undefined : { value: say(first), source: sources[first]! };
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

  it("needs no configuration of an app", () => {
    const { region, profile } = awsSettings(
      { region: undefined, profile: undefined, iamRoleArn: undefined },
      undefined,
      (name) => ({ AWS_REGION: "a", AWS_PROFILE: "b" })[name],
    );
    assertEquals([region?.source, profile?.source], ["AWS_REGION", "AWS_PROFILE"]);
  });

  const accepted: readonly (readonly [source: string, values: readonly string[]])[] = [
    ["--region", ["eu-west-1", "us-gov-west-1", "local", "7", "cn-north-10"]],
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

  const REGION = "A region is like eu-west-1; this one is named by";
  const ROLE = "A role is given as arn:aws:iam::ACCOUNT:role/NAME; this one is named by";
  const URL = "A URL begins with http:// or https://; this one is named by";
  const refused: readonly {
    readonly sources: readonly string[];
    readonly message: string;
    readonly hint: string;
    readonly values: readonly string[];
  }[] = [{
    sources: SOURCES.region,
    message: "Region not valid:",
    hint: REGION,
    values: [
      ...["EU-west-1", "eu_west_1", "-eu", "eu-", "eu--west", " eu", "eu ", "eu\n", "eu.west"],
      ...["eu/west", "evil.test#", "a@b", "ü"],
    ],
  }, {
    sources: SOURCES.role,
    message: "Role not valid:",
    hint: ROLE,
    values: [
      ...["ml", "arn:aws:iam::123456789012:role/", "arn:aws:iam::123456789012:user/ml"],
      ...["arn:aws:iam::12345678901:role/ml", "arn:aws:iam::1234567890123:role/ml"],
      ...["arn:aws:iam:eu:123456789012:role/ml", "arn:aws:sts::123456789012:role/ml"],
      ...["arn:AWS:iam::123456789012:role/ml", "arn:aws:iam::123456789012:role/a b"],
      ...[" arn:aws:iam::123456789012:role/ml", "arn:aws:iam::123456789012:role/ml\n"],
    ],
  }, {
    sources: ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_SAGEMAKER", "AWS_ENDPOINT_URL_STS"],
    message: "Not a URL:",
    hint: URL,
    values: [
      ...["localhost:4566", "ftp://host", "http://", "https://[", "http:/host", " http://host"],
      ...["x http://host", "//host"],
    ],
  }];
  for (const { sources, message, hint, values } of refused) {
    for (const source of sources) {
      it(`${source} may be none of ${values.length} others: ${message}`, () => {
        for (const value of values) {
          const error = assertThrows(() => settingsOf({ [source]: value }), MlcliError);
          assertEquals([error.message, error.hint], [
            `${message} "${value}"`,
            `${hint} ${source}.`,
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

suite("regionWords", () => {
  it("says who named the region", () => {
    assertEquals(
      regionWords({ value: "eu-west-1", source: "AWS_REGION" }),
      "eu-west-1 (AWS_REGION)",
    );
    assertEquals(regionWords(undefined), "that region");
  });
});
