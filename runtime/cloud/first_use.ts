/** Asks before the first job or endpoint of a directory in an AWS account: jobs and endpoints cost money. */

import type { App } from "../app/app.ts";
import { isRemembered, type Remembered, rememberIfPossible } from "../app/state.ts";
import { isAgreed } from "../agreement.ts";
import type { Aws } from "../aws/aws.ts";
import { AwsError } from "../aws/errors.ts";
import { regionWords } from "../aws/settings.ts";
import type { Context } from "../context.ts";
import { MlcliError } from "../errors.ts";

/** A job or an endpoint that costs money. */
export interface Use {
  readonly app: Pick<App, "directory">;
  /** The consequence, without a subject: `starts a training job (2 x ml.m5.large)`. */
  readonly does: string;
  /** Whether the user has agreed with `--yes`. */
  readonly yes: boolean;
}

/**
 * Asks once for each directory and account. The question names the instances, the region and the account.
 * Never asks in a pipe or in CI.
 *
 * @throws MlcliError if the user does not agree.
 */
export async function confirmFirstUse(
  { app: { directory }, does, yes }: Use,
  aws: Pick<Aws, "sts" | "sagemaker">,
  host: Pick<Context, "ask" | "canAsk" | "env" | "messages">,
): Promise<void> {
  if (yes || !host.canAsk || isCi(host.env("CI"))) return;
  const account = await callerAccount(aws);
  const use: Remembered = { directory, kind: "agreed", name: account };
  if (await isRemembered(use, host.env)) return;
  const { region } = await aws.sagemaker();
  const question = `This ${does} in ${regionWords(region)}, account ${account}. It costs money.\n` +
    "Continue? mlcli asks once per directory and account";
  if (!await isAgreed(question, host)) {
    throw new MlcliError("Nothing was changed, because you did not agree", {
      hint: "To agree without a question, add --yes",
    });
  }
  if (account === UNKNOWN) return;
  await rememberIfPossible(use, host.env, (reason) => {
    host.messages.note(`Cannot remember that you agreed, so mlcli will ask again: ${reason}`);
  });
}

const UNKNOWN = "unknown";

/** Returns the account's number, or "unknown": a job needs no access to AWS STS. */
async function callerAccount(aws: Pick<Aws, "sts">): Promise<string> {
  try {
    return (await (await aws.sts()).identity()).account;
  } catch (error) {
    if (error instanceof AwsError) return UNKNOWN;
    throw error;
  }
}

/** Returns whether the variable CI is set, as CI services set it. */
function isCi(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false"].includes(value.toLowerCase());
}

/** Instances of one type. */
export interface Instances {
  readonly type: string;
  readonly count: number;
}

/** Returns instances in words: `2 x ml.m5.large`. */
export function instancesText(groups: readonly Instances[]): string {
  return groups.map(({ type, count }) => `${count} x ${type}`).join(", ");
}
