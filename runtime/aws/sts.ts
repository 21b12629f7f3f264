import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import type { AwsSession } from "./session.ts";

export interface Identity {
  /** Id of the account: twelve digits. */
  readonly account: string;
  readonly arn: string;
}

/** What mlcli asks AWS's Security Token Service. Each throws an `AwsError`, or `Interrupted`. */
export interface Sts {
  /** Needs no permission. */
  identity(): Promise<Identity>;
}

export async function openSts(session: AwsSession): Promise<Sts> {
  const client = new STSClient(await session.clientConfiguration("STS"));
  const { ask } = await session.service(client, "sts");
  return {
    async identity() {
      const identity = new GetCallerIdentityCommand({});
      const { Account, Arn } = await ask(identity, undefined, ["Account", "Arn"]);
      return { account: Account, arn: Arn };
    },
  };
}
