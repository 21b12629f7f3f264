import { generateKeyPairSync } from "node:crypto";
import process from "node:process";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { ConnectionError } from "../../../runtime/aws/connection_error.ts";
import {
  Connections,
  type SdkRequest,
  type SdkResponse,
} from "../../../runtime/aws/connections.ts";
import { credentialsProvider } from "../../../runtime/aws/credentials.ts";
import { AwsError } from "../../../runtime/aws/errors.ts";
import { Secrets } from "../../../runtime/aws/secrets.ts";
import { awsSettings } from "../../../runtime/aws/settings.ts";
import { VERSION } from "../../../runtime/version.ts";
import { assumedRole, stsError } from "../../helpers/box/answers.ts";
import { makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { replaced } from "../../helpers/replaced.ts";
import { typed } from "../../helpers/settings.ts";
import { afterAll, beforeAll, it, suite } from "../../helpers/suite.ts";

const ROLE = "arn:aws:iam::123456789012:role/ml";
const SECRET = "secret-of-the-environment";
const KEYS = { AWS_ACCESS_KEY_ID: "AKIDENV", AWS_SECRET_ACCESS_KEY: SECRET };

const KEY = "aws_access_key_id = AKIDFILE\naws_secret_access_key = secret-of-the-file\n";
const CONFIG = `
[profile keys]
${KEY}
[profile bare]
region = eu-west-1
[profile sso]
sso_session = corp
sso_account_id = 123456789012
sso_role_name = dev
[sso-session corp]
sso_start_url = https://example.test/start
sso_region = eu-west-1
[profile live-sso]
sso_session = live
sso_account_id = 123456789012
sso_role_name = dev
[sso-session live]
sso_start_url = https://example.test/start
sso_region = eu-west-1
[profile login]
login_session = arn:aws:iam::123456789012:user/jo
[profile live-login]
login_session = live
[profile process]
credential_process = false aws sso login, aws login, multi-factor, secret-of-the-command
[profile mfa]
role_arn = ${ROLE}
source_profile = keys
mfa_serial = arn:aws:iam::123456789012:mfa/jo
[profile role]
role_arn = ${ROLE}
source_profile = keys
[profile web]
role_arn = ${ROLE}
web_identity_token_file = /nonexistent/token
`;

/** Where the SDK keeps the session: its file is named by the SHA-1 of `live`. */
const SESSION = "lasso/.aws/sso/cache/98aadb37083eddd855c27feccb15dc8c5b127fd0.json";
const TOKEN = { accessToken: "token", expiresAt: "2099-01-01T00:00:00Z" };

/** Where it keeps a login: named by the SHA-256 of `live`. This one has to be renewed. */
const LOGIN = "lasso/login/247610f4dedd4ab7247d07dbda19c81ca9817f85820742cad49d407ffae9e4ed.json";
const RENEWABLE = {
  accessToken: { accountId: "123456789012", expiresAt: "2020-01-01T00:00:00Z" },
  clientId: "client",
  refreshToken: "token",
  dpopKey: generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey
    .export({ format: "pem", type: "sec1" }),
};

/** STS, and others who give credentials, in memory: answers every request with the same. */
class Sts extends Connections {
  readonly requests: string[] = [];

  constructor(readonly answer: () => Response) {
    super({ env: () => undefined });
  }

  override async handle(request: SdkRequest): Promise<{ readonly response: SdkResponse }> {
    this.requests.push(await new Response(request.body).text());
    this.failure = undefined;
    try {
      const { status, headers, body } = await answered(this.answer());
      return { response: { statusCode: status, reason: "", headers, body } };
    } catch (error) {
      if (error instanceof ConnectionError) this.failure = error;
      throw error;
    }
  }
}

async function answered(answer: Response) {
  const headers = Object.fromEntries(answer.headers);
  return { status: answer.status, headers, body: await answer.bytes() };
}

const refusal = (code: string, message: string) => () => stsError({ code, message, status: 403 });
const noLogin = (error: string) => () =>
  Response.json({ error, message: "No" }, {
    status: 403,
    headers: { "x-amzn-errortype": "AccessDeniedException" },
  });
const noAnswer = (): never => {
  // Without a code that the SDK asks again for.
  throw new ConnectionError("certificate not trusted", "sts.test", "UnknownIssuer");
};
const nobody = (): never => {
  throw new Error("Nobody is to be asked");
};

interface Options {
  readonly profile?: string;
  /** What names the profile. */
  readonly by?: string;
  readonly region?: string;
  readonly role?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly sts?: () => Response;
}

suite("credentialsProvider", () => {
  let home: TestDirectory;
  let surroundings: Disposable;

  beforeAll(async () => {
    home = await makeDirectory({
      config: CONFIG,
      [SESSION]: JSON.stringify(TOKEN),
      [LOGIN]: JSON.stringify(RENEWABLE),
    });
    // What the SDK reads by itself; of this file's tests alone, others run beside them.
    const env = {
      // A name that has a word of the SDK's.
      HOME: `${home.path}/lasso`,
      AWS_LOGIN_CACHE_DIRECTORY: `${home.path}/lasso/login`,
      AWS_CONFIG_FILE: `${home.path}/config`,
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_REGION: "eu-west-1",
      PATH: process.env.PATH,
    };
    surroundings = replaced(process, { env });
  });

  afterAll(async () => {
    surroundings[Symbol.dispose]();
    await home[Symbol.asyncDispose]();
  });

  function providerFor({ profile, by, region, role, env: own = {}, sts = nobody }: Options) {
    const variables: Readonly<Record<string, string>> = {
      AWS_CONFIG_FILE: `${home.path}/config`,
      ...own,
    };
    const env = (name: string) => variables[name];
    const isInFile = by?.startsWith("cloud_profile") ?? false;
    const settings = awsSettings(
      {
        region: region === undefined ? undefined : typed(region, "--region"),
        profile: isInFile || profile === undefined ? undefined : typed(profile, "--profile"),
        iamRoleArn: role === undefined
          ? undefined
          : { value: role, from: "variable", where: "PLATFORM_ROLE" },
      },
      { ...isInFile && profile && { cloudProfile: profile }, file: "app.json" },
      env,
    );
    const secrets = new Secrets(() => undefined);
    const connections = new Sts(sts);
    const sources: string[] = [];
    const onSource = (source: string): void => void sources.push(source);
    const context = { settings, env, secrets, connections, onSource };
    return { provider: credentialsProvider(context), secrets, connections, sources };
  }

  const found: readonly (readonly [
    name: string,
    options: Options,
    keys: readonly unknown[],
    source: string,
  ])[] = [
    [
      "keys of the environment",
      { env: KEYS },
      ["AKIDENV", SECRET, undefined, undefined],
      "AWS_ACCESS_KEY_ID",
    ],
    [
      "a session of the environment",
      { env: { ...KEYS, AWS_SESSION_TOKEN: "token", AWS_CREDENTIAL_SCOPE: "scope" } },
      ["AKIDENV", SECRET, "token", "scope"],
      "AWS_ACCESS_KEY_ID",
    ],
    [
      "empty variables are not set",
      { env: { ...KEYS, AWS_SESSION_TOKEN: "", AWS_CREDENTIAL_SCOPE: "" } },
      ["AKIDENV", SECRET, undefined, undefined],
      "AWS_ACCESS_KEY_ID",
    ],
    // https://github.com/boto/botocore/issues/2001,
    // https://github.com/argoproj/argo-workflows/issues/981
    [
      "pasted keys with spaces and line breaks",
      {
        env: {
          AWS_ACCESS_KEY_ID: " AKIDENV\r",
          AWS_SECRET_ACCESS_KEY: `${SECRET}\n`,
          AWS_SESSION_TOKEN: "token ",
        },
      },
      ["AKIDENV", SECRET, "token", undefined],
      "AWS_ACCESS_KEY_ID",
    ],
    [
      "a session token in the older variable",
      { env: { ...KEYS, AWS_SECURITY_TOKEN: "token" } },
      ["AKIDENV", SECRET, "token", undefined],
      "AWS_ACCESS_KEY_ID",
    ],
    // https://github.com/aws/aws-sdk-js-v3/issues/3065
    [
      "keys of the environment, before a profile that a variable names",
      { env: { ...KEYS, AWS_PROFILE: "keys" } },
      ["AKIDENV", SECRET, undefined, undefined],
      "AWS_ACCESS_KEY_ID",
    ],
    [
      "a profile that is typed, before the environment",
      { profile: "keys", env: KEYS },
      ["AKIDFILE", "secret-of-the-file", undefined, undefined],
      'profile "keys" (--profile)',
    ],
    [
      "a profile of the configuration file, before the environment",
      { profile: "keys", by: "cloud_profile", env: KEYS },
      ["AKIDFILE", "secret-of-the-file", undefined, undefined],
      'profile "keys" (cloud_profile in app.json)',
    ],
  ];
  for (const [name, options, expected, source] of found) {
    it(`finds ${name}, names its source, and keeps the secret`, async () => {
      const { provider, secrets, sources } = providerFor(options);
      const { accessKeyId, secretAccessKey, sessionToken, credentialScope } = await provider();
      assertEquals([accessKeyId, secretAccessKey, sessionToken, credentialScope], expected);
      assertEquals(secrets.redact(secretAccessKey), "[secret]");
      assertEquals(sources, [source]);
    });
  }

  for (
    const source of [
      "AWS_WEB_IDENTITY_TOKEN_FILE",
      "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
      "AWS_CONTAINER_CREDENTIALS_FULL_URI",
      "the instance metadata",
    ]
  ) {
    it(`asks the SDK's other providers if no profile holds any, and names ${source}`, async () => {
      const env = { ...process.env, AWS_ACCESS_KEY_ID: "AKIDCHAIN", AWS_SECRET_ACCESS_KEY: SECRET };
      using _process = replaced(process, { env });
      const { provider, sources } = providerFor({ env: { [source]: "set" } });
      assertEquals((await provider()).accessKeyId, "AKIDCHAIN");
      assertEquals(sources, [source]);
    });
  }

  it("assumes a role with them, once for many who ask, and keeps its secrets", async () => {
    const key = {
      id: "ASIAROLE",
      secret: "secret-of-the-role",
      token: "token-of-the-role",
      user: "",
    };
    const sts = () => assumedRole(key, "x");
    const { provider, secrets, connections } = providerFor({ role: ROLE, env: KEYS, sts });
    assertEquals((await provider()).accessKeyId, "ASIAROLE");
    const asked = new URLSearchParams(connections.requests.join());
    assertEquals([asked.get("RoleArn"), asked.get("RoleSessionName")], [ROLE, `mlcli-${VERSION}`]);
    assertEquals(
      secrets.redact(`${key.secret} ${key.token} ${SECRET}`).match(/secret\]/g)?.length,
      3,
    );
  });

  it("tells why there are none now, not why a request before failed", async () => {
    const { provider, connections } = providerFor({ profile: "sso" });
    connections.failure = new ConnectionError("no such host", "sagemaker.test", "dns error");
    const error = await assertRejects(() => provider(), AwsError);
    assertEquals(error.message, 'The SSO session of profile "sso" is missing or has expired');
  });

  const NONE = "Run aws configure, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or choose a " +
    "profile with AWS_PROFILE";
  const bare = (source: string) =>
    "Run aws configure --profile bare, or choose another profile (this one is set by " +
    `${source})`;
  const NO_ROLE = "Check the role's trust policy and your permission sts:AssumeRole, or choose " +
    "another role (this one is set by ";
  const DENIED = "User: jo is not authorized to perform: sts:AssumeRole";
  const denied = refusal("AccessDenied", DENIED);
  const odd = refusal("Odd", "Because");
  const expired = refusal("ExpiredToken", "Too late");

  const EXPIRED_SSO = 'The SSO session of profile "sso" is missing or has expired';
  const RENEW_SSO = "Log in: aws sso login --profile sso";

  const refused: readonly (readonly [
    name: string,
    options: Options,
    message: string,
    hint: string | RegExp,
    quote?: string,
    refusal?: string,
  ])[] = [
    ["nothing", {}, "No AWS credentials found", NONE],
    [
      "a secret without an id",
      { env: { AWS_SECRET_ACCESS_KEY: SECRET } },
      "No AWS credentials found",
      NONE,
    ],
    // https://github.com/aws/aws-cli/issues/8270
    [
      "a typed profile with nothing but a region, and keys",
      { profile: "bare", env: KEYS },
      'No AWS credentials found for profile "bare"',
      `${
        bare("--profile")
      }. To use AWS_ACCESS_KEY_ID instead, remove --profile and set AWS_REGION.`,
    ],
    [
      "a typed profile that holds none, a region and keys",
      { profile: "bare", region: "eu-west-2", env: KEYS },
      'No AWS credentials found for profile "bare"',
      `${bare("--profile")}. To use AWS_ACCESS_KEY_ID instead, remove --profile.`,
    ],
    [
      "a configuration file's profile with nothing but a region, and keys",
      { profile: "bare", by: "cloud_profile", env: KEYS },
      'No AWS credentials found for profile "bare"',
      `${bare("cloud_profile in app.json")}. To use AWS_ACCESS_KEY_ID instead, remove ` +
      "cloud_profile in app.json and set AWS_REGION.",
    ],
    [
      "a profile with nothing but a region, and no keys",
      { env: { AWS_PROFILE: "bare" } },
      'No AWS credentials found for profile "bare"',
      bare("AWS_PROFILE"),
    ],
    ["an SSO session that is over", { profile: "sso" }, EXPIRED_SSO, RENEW_SSO],
    [
      "a login that is over",
      { profile: "login" },
      'The login session of profile "login" is missing or has expired',
      "Log in: aws login --profile login",
    ],
    ...["TOKEN_EXPIRED", "USER_CREDENTIALS_CHANGED", "OTHER"].map((code) =>
      [
        `a login that is refused: ${code}`,
        { profile: "live-login", sts: noLogin(code) },
        'The login session of profile "live-login" is missing or has expired',
        "Log in: aws login --profile live-login",
      ] as const
    ),
    [
      "a process that fails",
      { profile: "process" },
      'The credential_process of profile "process" failed',
      "Run the command of the profile to see its error. To show the command: aws configure get credential_process --profile process",
    ],
    [
      "a device for codes",
      { profile: "mfa" },
      'Profile "mfa" requires an MFA code, which mlcli cannot ask for',
      "Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN to the result of aws sts " +
      "get-session-token, and do not set a profile. For a local run, pass them with --env instead of " +
      "--aws-credentials.",
    ],
    [
      "a token that is not there",
      { profile: "web" },
      "Cannot read the web identity token",
      "Check AWS_WEB_IDENTITY_TOKEN_FILE, or web_identity_token_file in the profile",
      "ENOENT: no such file or directory, open '/nonexistent/token'",
    ],
    [
      "a role of a profile that may not be assumed",
      { profile: "role", sts: denied },
      'Cannot assume the role of profile "role"',
      `${NO_ROLE}the profile)`,
      DENIED,
    ],
    [
      "keys of a profile with a role that have expired",
      { profile: "role", sts: expired },
      "The AWS credentials have expired",
      /^Renew the credentials of profile "role": /,
    ],
    [
      "a role that may not be assumed",
      { role: ROLE, env: KEYS, sts: denied },
      `Cannot assume role ${ROLE}`,
      `${NO_ROLE}PLATFORM_ROLE)`,
      DENIED,
    ],
    [
      "a role with keys that have expired",
      { role: ROLE, env: KEYS, sts: expired },
      "The AWS credentials have expired",
      /^Set new values for AWS_ACCESS_KEY_ID, /,
    ],
    [
      "a role that STS refuses for a reason of its own",
      { role: ROLE, env: KEYS, sts: odd },
      "sts:AssumeRole failed: Because",
      "To see details, set MLCLI_DEBUG=1",
      undefined,
      "other",
    ],
    ["a role and no credentials for it", { role: ROLE, profile: "sso" }, EXPIRED_SSO, RENEW_SSO],
  ];
  const unreachable = ([
    ["a role of a profile", { profile: "role" }],
    ["an SSO session", { profile: "live-sso" }],
    ["a role", { role: ROLE, env: KEYS }],
  ] as const).map(([name, options]) =>
    [
      `${name} and no connection`,
      { ...options, sts: noAnswer },
      "The certificate of sts.test is not trusted",
      /AWS_CA_BUNDLE/,
      "UnknownIssuer",
      "unreachable",
    ] as const
  );
  for (
    const [name, options, message, hint, quote, why = "credentials"] of [...refused, ...unreachable]
  ) {
    it(`explains ${name}: ${message}`, async () => {
      const { provider } = providerFor(options);
      const error = await assertRejects(() => provider(), AwsError);
      assertEquals([error.refusal, error.message, error.quote], [why, message, quote]);
      if (typeof hint === "string") assertEquals(error.hint, hint);
      else assert(hint.test(error.hint!), error.hint);
      // What the SDK threw may hold secrets: if at all, a copy without them goes with it.
      const { cause } = error;
      if (cause instanceof Error) assertEquals(cause.constructor, Error);
      if (quote === DENIED || message.startsWith("No credentials")) assert(cause);
    });
  }
});
