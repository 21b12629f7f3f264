import { isRoleArn } from "../contract/addresses.ts";
import { REGION } from "../contract/region.ts";
import { MlcliError, UsageError } from "../errors.ts";
import { personSettings, settingsOrNone } from "../person.ts";
import { AwsError } from "./errors.ts";
import {
  type Environment,
  nestedValue,
  type ProfilesFile,
  profileValue,
  valueInFile,
} from "./profiles.ts";

/** A value, and who set it, as the user would look for it: `--region`, `AWS_REGION`, ... */
export interface Setting {
  readonly value: string;
  readonly source: string;
  /** A variable that says something else, and that this one is stronger than. */
  readonly overrules?: Setting;
}

/** What is `undefined` is left to the SDK. */
export interface AwsSettings {
  readonly region: Setting | undefined;
  /** Where the profile, too, names none. */
  readonly lastRegion?: Setting | undefined;
  /** Its region and addresses count even if the keys in the environment are used. */
  readonly profile: Setting | undefined;
  /** Whether no other place counts if the profile holds no credentials, not even the instance. */
  readonly isProfileAlone?: true;
  /** Whether the keys in the environment are used. `undefined`: they are not set. */
  readonly keys?: "used" | "overruled";
  /** The role to assume; without one the caller's own credentials are used. */
  readonly role: Setting | undefined;
}

export interface AwsOptions {
  readonly region: string | undefined;
  readonly profile: string | undefined;
  readonly iamRoleArn: string | undefined;
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
  for (const name of ADDRESSES) checkAddress(setting(env(name), name));
  const option = (name: string, value: string | undefined) => setting(value, name);
  const key = (name: string, value: string | undefined) =>
    setting(value, `${name} in ${configuration?.file}`);
  const variable = (name: string) => setting(env(name), name);
  const person = personSettings(env);
  const own = (name: "region" | "profile") => setting(person[name], `${name} in mlcli config`);
  // The SDK does not read the variables with DEFAULT, though every other AWS tool does.
  const regionVariable = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION");
  const profileVariable = variable("AWS_PROFILE") ?? variable("AWS_DEFAULT_PROFILE");
  const typedProfile = option("--profile", options.profile);
  const fileProfile = key("cloud_profile", configuration?.cloudProfile);
  const keys = keysIn(env, (typedProfile ?? fileProfile) !== undefined);
  return {
    region: checkedRegion(
      option("--region", options.region) ??
        stronger(key("cloud_region", configuration?.cloudRegion), regionVariable),
    ),
    ...person.region !== undefined && { lastRegion: own("region") },
    profile: typedProfile ?? stronger(fileProfile, profileVariable) ?? own("profile"),
    ...keys && { keys },
    role: checkedRole(
      option("--iam-role-arn", options.iamRoleArn) ?? variable("PLATFORM_ROLE"),
    ),
  };
}

function stronger(first: Setting | undefined, second: Setting | undefined): Setting | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return first.value === second.value ? first : { ...first, overrules: second };
}

/** `eu-west-1 (AWS_REGION)`: the region that was asked, and where to change it. */
export function regionWords(region: Setting | undefined): string {
  return region ? `${region.value} (${region.source})` : "the profile's region";
}

/** `unset AWS_PROFILE`, `remove cloud_profile in flats.json`: how to take a setting away. */
export function withoutSetting({ source }: Setting): string {
  if (source === OWN_PROFILE) return "run mlcli config set profile --unset";
  return `${source.startsWith("AWS_") ? "unset" : "remove"} ${source}`;
}

const OWN_PROFILE = "profile in mlcli config";

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

function profileWords(profile: Setting | undefined): string {
  return profile ? `profile "${profile.value}" (${profile.source})` : 'profile "default"';
}

/** Returns a note for each choice that overrules a variable, or the person's own profile. */
export function overruledNotes(settings: AwsSettings): readonly string[] {
  const { region, profile, keys } = settings;
  const notes: string[] = [];
  if (region?.overrules) {
    notes.push(`The region is ${regionWords(region)}, not ${regionWords(region.overrules)}`);
  }
  const next = keys === "used" ? profile : profile?.overrules;
  const isFile = profile?.source !== "--profile";
  const loser = keys === "overruled" && isFile ? KEY_ID : next && profileWords(next);
  if (loser) {
    notes.push(`The credentials come from ${credentialsSource(settings)}, not from ${loser}`);
  }
  return notes;
}

function setting(value: string | undefined, source: string): Setting | undefined {
  return value === undefined || value === "" ? undefined : { value, source };
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
function checkAddress(address: Setting | undefined): void {
  if (!address || /^https?:\/\//i.test(address.value) && URL.canParse(address.value)) return;
  throw wrongSetting(address, "a URL that begins with http:// or https://");
}

function checkedRegion(region: Setting | undefined): Setting | undefined {
  if (!region || REGION.test(region.value)) return region;
  throw wrongSetting(region, "a region such as eu-west-1");
}

function checkedRole(role: Setting | undefined): Setting | undefined {
  if (!role || isRoleArn(role.value)) return role;
  throw wrongSetting(role, "a role such as arn:aws:iam::ACCOUNT:role/NAME");
}

function wrongSetting({ value, source }: Setting, expected: string): MlcliError {
  const Failure = source.startsWith("--") ? UsageError : MlcliError;
  return new Failure(`Expected ${expected} but got "${value}"`, { hint: `Correct ${source}` });
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
  checkAddress({ value, source: `endpoint_url in profile ${profile}` });
  return value;
}
