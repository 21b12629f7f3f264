import { isRoleArn } from "../contract/addresses.ts";
import { REGION } from "../contract/region.ts";
import { MlcliError, UsageError } from "../errors.ts";
import { personSettings, settingsOrNone } from "../person.ts";
import type { Level, Setting } from "../setting.ts";
import { AwsError } from "./errors.ts";
import {
  type Environment,
  nestedValue,
  type ProfilesFile,
  profileValue,
  valueInFile,
} from "./profiles.ts";

/** What is `undefined` is left to the SDK. */
export interface AwsSettings {
  readonly region: AwsSetting | undefined;
  /** The region if the profile sets none. */
  readonly lastRegion?: AwsSetting | undefined;
  /** Its region and addresses count even if the keys in the environment are used. */
  readonly profile: AwsSetting | undefined;
  /** Whether no other place counts if the profile holds no credentials, not even the instance. */
  readonly isProfileAlone?: true;
  /** Whether the keys in the environment are used. `undefined`: they are not set. */
  readonly keys?: "used" | "overruled";
  /** The role to assume; without one the caller's own credentials are used. */
  readonly role: AwsSetting | undefined;
}

export interface AwsSetting extends Setting<string> {
  /** A variable with another value that this setting wins over. */
  readonly overrules?: Setting<string>;
}

export interface AwsOptions {
  readonly region: Setting<string> | undefined;
  readonly profile: Setting<string> | undefined;
  readonly iamRoleArn: Setting<string> | undefined;
}

export interface AwsConfiguration {
  readonly cloudRegion?: string;
  readonly cloudProfile?: string;
  /** The configuration file, for messages. */
  readonly file: string;
}

/**
 * Resolves the account, region and role of a command: options come before the app's configuration, that
 * before the environment, and that before the person's settings. In the environment, keys come before
 * profiles, as in the AWS CLI v2. An empty variable counts as not set.
 *
 * @throws MlcliError for a region, role or address that cannot be one, or if only one of the two keys is
 * set; UsageError where an option named it.
 */
export function awsSettings(
  options: AwsOptions,
  configuration: AwsConfiguration | undefined,
  env: Environment,
): AwsSettings {
  const variable = (name: string) => setting(env(name), "variable", name);
  for (const name of ADDRESSES) checkAddress(variable(name));
  const key = (name: string, value: string | undefined) =>
    setting(value, "file", `${name} in ${configuration?.file}`);
  const person = personSettings(env);
  const own = (name: "region" | "profile") =>
    setting(person[name], "person", `${name} in mlcli config`);
  // The SDK does not read the variables with DEFAULT, though every other AWS tool does.
  const regionVariable = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION");
  const profileVariable = variable("AWS_PROFILE") ?? variable("AWS_DEFAULT_PROFILE");
  // The specification lets the file win over these variables.
  const region = options.region ??
    stronger(key("cloud_region", configuration?.cloudRegion), regionVariable);
  const profile = options.profile ??
    stronger(key("cloud_profile", configuration?.cloudProfile), profileVariable) ?? own("profile");
  const keys = keysIn(env, profile?.from === "typed" || profile?.from === "file");
  return {
    region: checkedRegion(region),
    ...person.region !== undefined && { lastRegion: own("region") },
    profile,
    ...keys && { keys },
    role: checkedRole(options.iamRoleArn),
  };
}

function stronger(
  first: Setting<string> | undefined,
  second: Setting<string> | undefined,
): AwsSetting | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return first.value === second.value ? first : { ...first, overrules: second };
}

/** `eu-west-1 (AWS_REGION)`: the region that was asked, and where to change it. */
export function regionWords(region: Setting<string> | undefined): string {
  return region ? `${region.value} (${region.where})` : "the profile's region";
}

/** Returns how to remove a setting: `unset AWS_PROFILE`, `remove cloud_profile in flats.json`. */
export function withoutSetting({ from, where }: Setting<string>): string {
  if (from === "person") return "run mlcli config set profile --unset";
  return `${from === "variable" ? "unset" : "remove"} ${where}`;
}

const KEY_ID = "AWS_ACCESS_KEY_ID";

/** Throws if only the key ID is set, as the AWS CLI does: a profile might be of another account. */
function keysIn(env: Environment, isProfileChosen: boolean): AwsSettings["keys"] {
  const [id, secret] = [KEY_ID, "AWS_SECRET_ACCESS_KEY"].map((name) => env(name)?.trim());
  if (id && secret) return isProfileChosen ? "overruled" : "used";
  if (!id || isProfileChosen) return undefined;
  throw new AwsError("credentials", `${KEY_ID} is set, but AWS_SECRET_ACCESS_KEY is not`, {
    hint: `Set both, or unset ${KEY_ID} to use a profile`,
  });
}

/** `AWS_ACCESS_KEY_ID`, `profile "team" (--profile)`: the source of the caller's own credentials. */
export function credentialsSource({ keys, profile }: AwsSettings): string {
  return keys === "used" ? KEY_ID : profileWords(profile);
}

function profileWords(profile: Setting<string> | undefined): string {
  return profile ? `profile "${profile.value}" (${profile.where})` : 'profile "default"';
}

/** Returns a note for each choice that overrules a variable, or the person's own profile. */
export function overruledNotes(settings: AwsSettings): readonly string[] {
  const { region, profile, keys } = settings;
  const notes: string[] = [];
  if (region?.overrules) {
    notes.push(`The region is ${regionWords(region)}, not ${regionWords(region.overrules)}`);
  }
  const next = keys === "used" ? profile : profile?.overrules;
  const loser = keys === "overruled" && profile?.from !== "typed"
    ? KEY_ID
    : next && profileWords(next);
  if (loser) {
    notes.push(`The credentials come from ${credentialsSource(settings)}, not from ${loser}`);
  }
  return notes;
}

function setting(
  value: string | undefined,
  from: Level,
  where: string,
): Setting<string> | undefined {
  return value === undefined || value === "" ? undefined : { value, from, where };
}

/** The variables in which the SDK looks for other addresses than those of the region. */
const ADDRESSES = [
  "AWS_ENDPOINT_URL",
  "AWS_ENDPOINT_URL_SAGEMAKER",
  "AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME",
  "AWS_ENDPOINT_URL_STS",
  "AWS_ENDPOINT_URL_ECR",
  "AWS_ENDPOINT_URL_S3",
  "AWS_ENDPOINT_URL_CLOUDWATCH_LOGS",
];

/** @throws MlcliError for what is no URL. */
function checkAddress(address: Omit<Setting<string>, "from"> | undefined): void {
  if (!address || /^https?:\/\//i.test(address.value) && URL.canParse(address.value)) return;
  throw wrongSetting(address, "a URL that begins with http:// or https://");
}

function checkedRegion(region: AwsSetting | undefined): AwsSetting | undefined {
  if (!region || REGION.test(region.value)) return region;
  throw wrongSetting(region, "a region such as eu-west-1");
}

function checkedRole(role: Setting<string> | undefined): Setting<string> | undefined {
  if (!role || isRoleArn(role.value)) return role;
  throw wrongSetting(role, "a role such as arn:aws:iam::ACCOUNT:role/NAME");
}

function wrongSetting(
  { value, from, where }: Partial<Setting<string>>,
  expected: string,
): MlcliError {
  const Failure = from === "typed" ? UsageError : MlcliError;
  return new Failure(`Expected ${expected} but got "${value}"`, { hint: `Correct ${where}` });
}

export type RegionConfiguration = Pick<AwsConfiguration, "cloudRegion" | "cloudProfile">;

/** Where no region is named: AWS's first one. */
const DEFAULT_REGION = "us-east-1";

/**
 * The region that a local run tells its code. It never fails: what is missing, broken or not a region is
 * skipped. The first that is named: `cloud_region`, `AWS_REGION`, `AWS_DEFAULT_REGION`, `region` of the
 * profile (`cloud_profile`, `AWS_PROFILE`, `AWS_DEFAULT_PROFILE`, the person's, or `default`), the
 * person's, `us-east-1`. What a profile points to (`sso_session`, `source_profile`) is not asked.
 */
export async function localRegion(
  { cloudRegion, cloudProfile }: RegionConfiguration,
  env: Environment,
): Promise<string> {
  const regions = [cloudRegion, env("AWS_REGION"), env("AWS_DEFAULT_REGION")];
  const { profile, region } = settingsOrNone(env);
  const named = cloudProfile || env("AWS_PROFILE") || env("AWS_DEFAULT_PROFILE") || profile;
  return regions.find(isPossible) ??
    await regionOfProfile(named || "default", env) ??
    region ?? DEFAULT_REGION;
}

/** The SDK prefers the credentials file for this key (`NODE_REGION_CONFIG_FILE_OPTIONS`). */
const FILES: readonly ProfilesFile[] = ["credentials", "config"];

/** Returns the region that a profile names itself; `undefined` if it names none, or not a region. */
export async function regionOfProfile(
  profile: string,
  env: Environment,
): Promise<string | undefined> {
  for (const file of FILES) {
    try {
      const region = await valueInFile(file, profile, "region", env);
      if (isPossible(region)) return region;
    } catch (error) {
      // The file cannot be read: a cloud command reports it, a local one does not need it.
      if (!(error instanceof AwsError)) throw error;
    }
  }
}

function isPossible(region: string | undefined): region is string {
  return region !== undefined && REGION.test(region);
}

/** Services as the variables name them: `AWS_ENDPOINT_URL_S3`. */
export type AddressedService =
  | "SAGEMAKER"
  | "SAGEMAKER_RUNTIME"
  | "ECR"
  | "S3"
  | "CLOUDWATCH_LOGS"
  | "STS";

/**
 * The configured address of a service; `undefined`: AWS's own.
 *
 * The SDK reads it from the environment, and from the profile that AWS_PROFILE names, but not from a
 * profile that is named otherwise. The SDK's order is kept: the environment before the profile, one
 * service's address before that of all. (SDKs and Tools reference guide, "Service-specific endpoints".)
 *
 * @throws MlcliError where a profile has one that is no URL.
 */
export async function addressOf(
  service: AddressedService,
  settings: Pick<AwsSettings, "profile">,
  env: Environment,
): Promise<string | undefined> {
  const profile = settings.profile?.value ?? "default";
  const valueOf = (key: string) => profileValue(profile, key, env);
  const ignored = env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") ||
    await valueOf("ignore_configured_endpoint_urls");
  if (ignored === "true") return undefined;
  const variable = env(`AWS_ENDPOINT_URL_${service}`) || env("AWS_ENDPOINT_URL");
  if (variable) return variable;
  const services = await valueOf("services");
  const value = (services &&
    await nestedValue(`services ${services}`, service.toLowerCase(), "endpoint_url", env)) ||
    await valueOf("endpoint_url");
  if (!value) return undefined;
  checkAddress({ value, where: `endpoint_url in profile ${profile}` });
  return value;
}
