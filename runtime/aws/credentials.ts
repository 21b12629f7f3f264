import { messageOf } from "../errors.ts";
import { VERSION } from "../version.ts";
import type { Connections } from "./connections.ts";
import { AwsError, NotConfigured } from "./errors.ts";
import { awsError, type Request } from "./explanations.ts";
import type { Secrets } from "./secrets.ts";
import { addressOf, type AwsSettings, credentialsSource, withoutSetting } from "./settings.ts";
import { sentences, shellWord } from "../text.ts";

/** The SDK's providers of credentials from other places than the environment. */
type Providers = typeof import("@aws-sdk/credential-providers");
type Provider = ReturnType<Providers["fromNodeProviderChain"]>;
type Credentials = Awaited<ReturnType<Provider>>;

/** Credentials are renewed so long (ms) before they end, as by the SDK. */
const EARLY = 300_000;

/**
 * The credentials of a session: found once for all its clients, and again when they have expired, also
 * where only the service knows that.
 */
export class SessionCredentials {
  #provider: Provider;
  #options: Parameters<Provider>[0];
  #found: Promise<Credentials> | undefined;

  constructor(private readonly context: CredentialsContext) {
    this.#provider = credentialsProvider(context);
  }

  /** The provider for clients; `memoized` says that they need not cache its result. */
  readonly provider = Object.assign(
    async (options: Parameters<Provider>[0]): Promise<Credentials> => {
      this.#options = options;
      const found = this.#found;
      if (found && !hasEnded(await found)) return await found;
      // Calls at the same time share the result.
      return await (this.#found === found ? this.#find() : this.#found!);
    },
    { memoized: true as const },
  );

  /**
   * Finds credentials again, where the service refuses the present ones: reads files and assumes roles
   * anew. Returns whether there are other ones.
   */
  async renew(): Promise<boolean> {
    const before = await this.#found?.catch(() => undefined);
    this.#provider = credentialsProvider(this.context);
    const now = await this.#find();
    return now.accessKeyId !== before?.accessKeyId || now.sessionToken !== before.sessionToken;
  }

  async #find(): Promise<Credentials> {
    const found = this.#provider(this.#options);
    this.#found = found;
    try {
      return await found;
    } catch (error) {
      if (this.#found === found) this.#found = undefined;
      throw error;
    }
  }
}

function hasEnded({ expiration }: Credentials): boolean {
  return expiration !== undefined && expiration.getTime() - Date.now() < EARLY;
}

export interface CredentialsContext {
  readonly settings: AwsSettings;
  readonly env: (name: string) => string | undefined;
  readonly secrets: Secrets;
  /** Connections to the services that give credentials: STS, SSO. */
  readonly connections: Connections;
  /** Called with the source of the caller's own credentials when they are found. */
  readonly onSource: (source: string) => void;
}

/** The credentials to sign with: those of the role where there is one, else the caller's own. */
export function credentialsProvider(context: CredentialsContext): Provider {
  const own = ownCredentials(context);
  const { role } = context.settings;
  if (!role) return own;
  const assumed = lazy(async ({ fromTemporaryCredentials }) => {
    const endpoint = await addressOf("STS", context.settings, context.env);
    return fromTemporaryCredentials({
      masterCredentials: own,
      clientConfig: {
        requestHandler: context.connections,
        ...endpoint !== undefined && { endpoint },
      },
      // Shows in CloudTrail who acted in the role.
      params: { RoleArn: role.value, RoleSessionName: `mlcli-${VERSION}` },
    });
  });
  return guarded(context, assumed, (error) => assumeRoleError(error, context));
}

/** A provider whose code is loaded when credentials are first asked for. */
function lazy(make: (providers: Providers) => Provider | Promise<Provider>): Provider {
  let made: Promise<Provider> | undefined;
  return async (identity) =>
    await (await (made ??= import("@aws-sdk/credential-providers").then(make)))(identity);
}

function ownCredentials(context: CredentialsContext): Provider {
  const { settings, env, onSource } = context;
  const keys = settings.keys === "used" ? keysOf(env) : undefined;
  const provider: Provider = keys
    ? () => {
      onSource(credentialsSource(settings));
      return Promise.resolve(keys);
    }
    : lazy((providers) => profileOrChain(context, providers));
  return guarded(context, provider, (error) => ownCredentialsError(error, context));
}

/**
 * Reads the keys in the environment, for which the SDK would load all its credential providers. Pasted
 * values often end with a space or a line break, which no key has.
 */
function keysOf(env: CredentialsContext["env"]): Credentials | undefined {
  const value = (name: string): string | undefined => env(name)?.trim() || undefined;
  const accessKeyId = value("AWS_ACCESS_KEY_ID");
  const secretAccessKey = value("AWS_SECRET_ACCESS_KEY");
  if (!accessKeyId || !secretAccessKey) return undefined;
  const sessionToken = value("AWS_SESSION_TOKEN") ?? value("AWS_SECURITY_TOKEN");
  const credentialScope = value("AWS_CREDENTIAL_SCOPE");
  return { accessKeyId, secretAccessKey, sessionToken, credentialScope };
}

/**
 * Tries the profile alone, then the SDK's default chain. The chain alone would go on to the next
 * kind when a profile's process or session fails, and end with 'no credentials' instead of the
 * reason.
 */
function profileOrChain(
  { settings, env, connections, onSource }: CredentialsContext,
  { fromIni, fromNodeProviderChain }: Providers,
): Provider {
  const clientConfig = { requestHandler: connections };
  const options = {
    profile: settings.profile?.value,
    // Another program may have changed the files.
    ignoreCache: true,
    clientConfig,
    // Some of the SDK's providers look here instead.
    parentClientConfig: clientConfig,
    logger: SILENT,
  };
  const fromProfile = fromIni(options);
  const fromChain = fromNodeProviderChain(options);
  return async (identity) => {
    try {
      const found = await fromProfile(identity);
      onSource(credentialsSource(settings));
      return found;
    } catch (error) {
      if (settings.isProfileAlone || !holdsNoCredentials(error)) throw error;
    }
    const found = await fromChain(identity);
    onSource(CHAIN_VARIABLES.find((name) => env(name)) ?? "the instance metadata");
    return found;
  };
}

/** Without a logger, the SDK prints warnings, such as that both a profile and keys are set. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Variables that name other sources, in the order of the SDK's chain. */
const CHAIN_VARIABLES = [
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

/** Remembers what is secret in the credentials found, and explains why there are none. */
function guarded(
  { secrets, connections }: CredentialsContext,
  provider: Provider,
  explain: (error: unknown) => AwsError,
): Provider {
  return async (identity) => {
    // Forgets an earlier request's failure.
    connections.failure = undefined;
    try {
      const credentials = await provider(identity);
      secrets.add(credentials);
      return credentials;
    } catch (error) {
      throw explain(error);
    }
  };
}

/** Words of @aws-sdk/credential-provider-ini; its errors have no codes. */
function holdsNoCredentials(error: unknown): boolean {
  return messageOf(error).startsWith("Could not resolve credentials using profile");
}

function assumeRoleError(error: unknown, context: CredentialsContext): AwsError {
  const explained = awsError(error, assumeRole(context), context.secrets);
  if (explained.refusal !== "denied") return explained;
  const { value, where } = context.settings.role!;
  return mayNotBeAssumed(`role ${value}`, where, explained);
}

function mayNotBeAssumed(role: string, source: string, error: AwsError): AwsError {
  return new AwsError("credentials", `Cannot assume ${role}`, {
    hint: "Check the role's trust policy and your permission sts:AssumeRole, or choose another " +
      `role (this one is set by ${source})`,
    quote: error.quote,
    cause: error.cause,
  });
}

function assumeRole({ settings }: CredentialsContext): Request {
  return { action: "sts:AssumeRole", region: settings.region, settings };
}

/** The SDK's own words about credentials that it could not get, and what they mean. */
const REASONS:
  readonly (readonly [RegExp, (profile: string) => [message: string, hint: string]])[] = [
    // First, since the command and what it wrote follow, and may have any of the words below.
    [/credential_process|^Command failed/, (profile) => [
      `The credential_process of profile "${profile}" failed`,
      // Neither the command nor what it wrote is shown: both may hold secrets.
      `Run the command of the profile to see its error. To show the command: aws configure get credential_process --profile ${
        shellWord(profile)
      }`,
    ]],
    // The file's path follows.
    [/aws login|\breauthenticate\b|^Failed to load token from /, (profile) => [
      `The login session of profile "${profile}" is missing or has expired`,
      `Log in: aws login --profile ${shellWord(profile)}`,
    ]],
    [/SSO|aws sso login/i, (profile) => [
      `The SSO session of profile "${profile}" is missing or has expired`,
      `Log in: aws sso login --profile ${shellWord(profile)}`,
    ]],
    [/multi-factor/, (profile) => [
      `Profile "${profile}" requires an MFA code, which mlcli cannot ask for`,
      "Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN to the result of aws sts " +
      "get-session-token, and do not set a profile. For a local run, pass them with --env instead of " +
      "--aws-credentials.",
    ]],
  ];

function ownCredentialsError(error: unknown, context: CredentialsContext): AwsError {
  const { settings, secrets, connections } = context;
  const profile = settings.profile?.value ?? "default";
  if (connections.failure) return requestError(connections.failure, profile, context);
  if (!isAboutCredentials(error)) return requestError(error, profile, context);
  const words = messageOf(error);
  const reason = REASONS.find(([pattern]) => pattern.test(words))?.[1];
  if (reason) {
    const [message, hint] = reason(profile);
    return new AwsError("credentials", message, { hint });
  }
  const where = settings.profile ? ` for profile "${profile}"` : "";
  return new NotConfigured(`No AWS credentials found${where}`, {
    hint: missingHint(settings),
    cause: secrets.redactError(error),
  });
}

function missingHint({ profile, keys, region }: AwsSettings): string {
  if (!profile) {
    return "Run aws configure, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or choose a profile " +
      "with AWS_PROFILE";
  }
  const configure = `Run aws configure --profile ${shellWord(profile.value)}, or choose another ` +
    `profile (this one is set by ${profile.where})`;
  if (!keys) return configure;
  const andRegion = region ? "" : " and set AWS_REGION";
  return sentences(
    configure,
    `To use AWS_ACCESS_KEY_ID instead, ${withoutSetting(profile)}${andRegion}.`,
  );
}

/** A profile may hold a role, a session or a token, and getting credentials for it can fail. */
function requestError(error: unknown, profile: string, context: CredentialsContext): AwsError {
  const code = (error as { code?: string }).code;
  if (code === "ENOENT" || code === "EACCES") {
    return new AwsError("credentials", "Cannot read the web identity token", {
      hint: "Check AWS_WEB_IDENTITY_TOKEN_FILE, or web_identity_token_file in the profile",
      quote: messageOf(error),
    });
  }
  const explained = awsError(error, assumeRole(context), context.secrets);
  if (explained.refusal !== "denied") return explained;
  return mayNotBeAssumed(`the role of profile "${profile}"`, "the profile", explained);
}

function isAboutCredentials(error: unknown): boolean {
  const name = (error as Error)?.name;
  return name === "CredentialsProviderError" || name === "TokenProviderError" ||
    name === "ProviderError";
}
