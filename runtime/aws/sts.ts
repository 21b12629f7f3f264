import { GetCallerIdentityCommand, GetSessionTokenCommand, STSClient } from "@aws-sdk/client-sts";
import type { ContainerCredentials } from "../contract/variables.ts";
import { strangeAnswer } from "./explanations.ts";
import type { AwsSession } from "./session.ts";

export interface Identity {
  /** Id of the account: twelve digits. */
  readonly account: string;
  readonly arn: string;
  /** The source of the credentials, before a role was assumed: `AWS_ACCESS_KEY_ID`. */
  readonly source: string;
}

/** What mlcli asks AWS's Security Token Service. Each throws an `AwsError`, or `Interrupted`. */
export interface Sts {
  /** Needs no permission. */
  identity(): Promise<Identity>;
  /**
   * Returns variables that AWS's SDKs read, with the session's own credentials if they expire, or else with
   * others for an hour; and when they expire, if that is known.
   */
  lentCredentials(): Promise<Pick<ContainerCredentials, "variables" | "expires">>;
}

/** How long credentials for long-lived keys last, in seconds: the most that a root user gets. */
const SESSION_SECONDS = 3_600;

export async function openSts(session: AwsSession): Promise<Sts> {
  const client = new STSClient(await session.clientConfiguration("STS"));
  const { ask } = await session.service(client, "sts");
  return {
    async identity() {
      const identity = new GetCallerIdentityCommand({});
      const { Account, Arn } = await ask(identity, undefined, ["Account", "Arn"]);
      return { account: Account, arn: Arn, source: session.credentialsSource };
    },
    async lentCredentials() {
      const own = await client.config.credentials();
      if (own.sessionToken) {
        const { accessKeyId, secretAccessKey, sessionToken, expiration } = own;
        return lent(accessKeyId, secretAccessKey, sessionToken, expiration);
      }
      const exchange = new GetSessionTokenCommand({ DurationSeconds: SESSION_SECONDS });
      const answer = await ask(exchange, undefined, ["Credentials"]);
      const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = answer.Credentials;
      if (!AccessKeyId || !SecretAccessKey || !SessionToken) throw strangeAnswer(answer);
      return lent(AccessKeyId, SecretAccessKey, SessionToken, Expiration);
    },
  };
}

function lent(id: string, secret: string, token: string, expires: Date | undefined) {
  const variables = {
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_SESSION_TOKEN: token,
  };
  return { variables, expires: expires?.getTime() };
}
