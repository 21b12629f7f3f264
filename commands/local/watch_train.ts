/**
 * What `mlcli local train --watch` says.
 *
 * @module
 */

import type { Context } from "../../runtime/context.ts";
import type { TrainingJob } from "../../runtime/local/jobs.ts";
import { trainWatched } from "../../runtime/local/train_watched.ts";
import { errorText, tell } from "../../runtime/messages.ts";
import { printable } from "../../runtime/text.ts";
import { clockTime } from "../render/timestamp.ts";

/** Trains, and tells of each edit, until Ctrl-C. */
export async function watchTraining(
  job: TrainingJob,
  host: Parameters<typeof trainWatched>[1] & Pick<Context, "cwd">,
): Promise<void> {
  const { err, clock, cwd } = host;
  const say = (text: string): void => tell(err, printable(`${clockTime(clock.date())} ${text}\n`));
  await trainWatched(job, host, {
    onEnd: (failure) => {
      if (failure !== undefined) tell(err, errorText(failure, cwd));
      const how = failure === undefined ? "trained" : "not trained";
      say(`${how}; watching the code, the data and hyperparameters; Ctrl-C ends`);
    },
    onChange: ({ words }) => say(`${words}: training again`),
  });
}
