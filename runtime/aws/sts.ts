/**
 * AWS's Security Token Service: who asks.
 *
 * @module
 */

import { strangeAnswer } from "./explanations.ts";
import { GetCallerIdentityCommand, STSClient } from "./sdk/sts.ts";
import type { AwsSession } from "./session.ts";

/** Whose credentials they are. */
export interface Identity {
  /** Id of the account: twelve digits. */
  readonly account: string;
  readonly arn: string;
}

/** What mlcli asks. Each throws an `AwsError`, or `Interrupted`. */
export interface Sts {
  /** Needs no permission. */
  identity(): Promise<Identity>;
}

/**
 * Makes a client; nothing is sent yet.
 * @throws AwsError when no region is named.
 */
export async function openSts(session: AwsSession): Promise<Sts> {
  const client = new STSClient(await session.clientConfiguration("STS"));
  const region = await session.regionOf(client);
  return {
    async identity() {
      const { Account, Arn, $metadata } = await session.send(
        "sts:GetCallerIdentity",
        undefined,
        region,
        () => client.send(new GetCallerIdentityCommand({}), session.requestOptions),
      );
      if (!Account || !Arn) throw strangeAnswer($metadata.httpStatusCode);
      return { account: Account, arn: Arn };
    },
  };
}
