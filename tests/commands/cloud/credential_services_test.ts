import { assertEquals, assertMatch } from "@std/assert";
import { runCloud } from "../../helpers/cloud.ts";
import { ACCOUNT } from "../../helpers/box/account.ts";
import { Box } from "../../helpers/box/box.ts";
import { type Fault, FaultyNetwork } from "../../helpers/faulty_network.ts";
import type { Message } from "../../helpers/http_message.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROLE = `arn:aws:iam::${ACCOUNT}:role/ml`;
const START_URL = "https://example.awsapps.com/start";

/** What the services below give. */
const KEY = {
  id: "ASIASERVICESERVICE01",
  secret: "service-secret-that-nobody-may-see-00005",
  token: "service-token-that-nobody-may-see-000006",
  user: `arn:aws:sts::${ACCOUNT}:assumed-role/ml/jo`,
};

const CONFIG = `
[profile sso]
sso_start_url = ${START_URL}
sso_region = eu-west-1
sso_account_id = ${ACCOUNT}
sso_role_name = dev
[profile session]
sso_session = corp
sso_account_id = ${ACCOUNT}
sso_role_name = dev
[sso-session corp]
sso_start_url = ${START_URL}
sso_region = eu-west-1
[profile web]
role_arn = ${ROLE}
role_session_name = jo
web_identity_token_file = HOME/token
[profile chained]
role_arn = ${ROLE}
source_profile = sso
`;

function message(body: string, type: string): Message {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}`;
  return { head, body };
}

/** SSO's and STS's services for who has no key yet: their requests are not signed. */
function answer({ head, body }: Message): Message | undefined {
  const json = (value: unknown): Message => message(JSON.stringify(value), "application/json");
  if (head.startsWith("GET /federation/credentials?")) {
    const { id: accessKeyId, secret: secretAccessKey, token: sessionToken } = KEY;
    const expiration = 4_000_000_000_000;
    return json({ roleCredentials: { accessKeyId, secretAccessKey, sessionToken, expiration } });
  }
  if (head.startsWith("POST /token ")) {
    return json({ accessToken: "access-2", expiresIn: 3600, refreshToken: "refresh-2" });
  }
  if (!body.includes("Action=AssumeRoleWithWebIdentity")) return undefined;
  return message(
    "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>" +
      `<AccessKeyId>${KEY.id}</AccessKeyId><SecretAccessKey>${KEY.secret}</SecretAccessKey>` +
      `<SessionToken>${KEY.token}</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>` +
      "</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>",
    "text/xml",
  );
}

async function sha1(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Lists endpoints in a profile, over a network with that fault in every answer. */
async function list(
  profile: string,
  fault: Fault | undefined,
): Promise<ProgramResult & { readonly operations: readonly string[] }> {
  await using aws = await Box.open();
  aws.keys.set(KEY.id, KEY);
  aws.roles.add(ROLE);
  aws.endpoints.add("churn");
  await using network = new FaultyNetwork(aws.url, () => fault, answer);
  await using home = await makeDirectory({ token: "web-token" });
  await home.write({ ".aws/config": CONFIG.replace("HOME", home.path) });
  const token = { accessToken: "access", startUrl: START_URL, region: "eu-west-1" };
  const cache = async (name: string, value: unknown) =>
    await home.write({ [`.aws/sso/cache/${await sha1(name)}.json`]: JSON.stringify(value) });
  await cache(START_URL, { ...token, expiresAt: "2099-01-01T00:00:00Z" });
  await cache("corp", {
    ...token,
    expiresAt: "2020-01-01T00:00:00Z",
    clientId: "client",
    clientSecret: "client-secret",
    refreshToken: "refresh",
  });
  const result = await runCloud(aws, ["list-endpoints", "--profile", profile], {
    env: {
      AWS_ENDPOINT_URL: network.url,
      HOME: home.path,
      AWS_ACCESS_KEY_ID: undefined,
      AWS_SECRET_ACCESS_KEY: undefined,
    },
  });
  return { ...result, operations: network.operations };
}

const SSO = /^GET \/federation\/credentials\?/;

suite("the services that give credentials", () => {
  for (
    const [profile, operations] of [
      ["sso", [SSO, /^ListEndpoints$/]],
      ["session", [/^POST \/token$/, SSO, /^ListEndpoints$/]],
      ["web", [/^AssumeRoleWithWebIdentity$/, /^ListEndpoints$/]],
      ["chained", [SSO, /^AssumeRole$/, /^ListEndpoints$/]],
    ] as const
  ) {
    it(`may close their connections: profile ${profile}`, async () => {
      const result = await list(profile, "closed after the answer");
      assertEquals([result.code, result.stdout.split("  ")[0], result.stderr], [0, "churn", ""]);
      assertEquals(result.operations.length, operations.length);
      operations.forEach((operation, index) => assertMatch(result.operations[index]!, operation));
    });

    it(`are said not to be reached, after three attempts: profile ${profile}`, async () => {
      const { code, stdout, stderr, operations: asked } = await list(profile, "closed in the body");
      assertEquals([code, stdout, asked.length], [1, "", 3]);
      assertMatch(stderr, /^error: Cannot reach AWS at 127.*\n {2}.+\nhint: .+\n$/);
    });
  }
});
