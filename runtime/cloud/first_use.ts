/** Asks before the first job or endpoint of a directory in an AWS account, because both cost money. */

import type { App } from "../app/app.ts";
import { isRemembered, remember, type Remembered } from "../app/state.ts";
import { isAgreed } from "../agreement.ts";
import type { Aws } from "../aws/aws.ts";
import { regionWords } from "../aws/settings.ts";
import type { Context } from "../context.ts";
import { MlcliError } from "../errors.ts";
import type { JobReport } from "./jobs/follow.ts";

/** What is about to cost money. */
export interface Use {
  readonly app: Pick<App, "directory">;
  /** What happens, without a subject: `starts a training job (2 x ml.m5.large)`. */
  readonly does: string;
  /** Whether the user has agreed with `--yes`. */
  readonly yes: boolean;
}

/**
 * States what is about to be used and asks once for each directory and account. Never asks in a pipe
 * or in CI.
 *
 * @throws MlcliError if the user does not agree.
 */
export async function confirmFirstUse(
  { app: { directory }, does, yes }: Use,
  aws: Pick<Aws, "sts" | "sagemaker">,
  host: Pick<Context, "ask" | "canAsk" | "env">,
  report: Pick<JobReport, "always" | "note">,
): Promise<void> {
  if (yes || !host.canAsk) return;
  const { account } = await (await aws.sts()).identity();
  const use: Remembered = { directory, kind: "agreed", name: account };
  if (await isRemembered(use, host.env)) return;
  const { region } = await aws.sagemaker();
  report.always(`This ${does} in ${regionWords(region)}, account ${account}. It costs money.`);
  if (!await isAgreed("Continue? mlcli asks once per directory and account", host)) {
    throw new MlcliError("Nothing was changed, because you did not agree", {
      hint: "To agree without a question, add --yes",
    });
  }
  await remember(use, host.env).catch((error) => {
    if (!(error instanceof MlcliError)) throw error;
    report.note(`Cannot remember that you agreed, so mlcli will ask again: ${error.message}`);
  });
}

/** Returns the instances in words: `2 x ml.m5.large`. */
export function instancesText(count: number, type: string): string {
  return `${count} x ${type}`;
}
