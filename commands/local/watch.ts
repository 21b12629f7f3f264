/** The messages of `mlcli local train --watch` and `mlcli local deploy --watch`. */

import type { Context } from "../../runtime/context.ts";
import type { Host, ServingJob, TrainingJob } from "../../runtime/local/jobs.ts";
import { serveWatched } from "../../runtime/local/server/watched.ts";
import { trainWatched } from "../../runtime/local/train_watched.ts";
import { errorText, noteText, tell } from "../../runtime/messages.ts";
import { printable } from "../../runtime/text.ts";
import { clockTime } from "../render/format.ts";

/** Until Ctrl-C. */
export async function watchTraining(
  job: TrainingJob,
  host: Parameters<typeof trainWatched>[1] & Pick<Context, "cwd">,
): Promise<void> {
  const { err, clock, cwd } = host;
  const say = (text: string): void => tell(err, printable(`${clockTime(clock.date())} ${text}\n`));
  await trainWatched(job, host, {
    onEnd: (failure) => {
      if (failure !== undefined) tell(err, errorText(failure, cwd));
      const how = failure === undefined ? "trained" : "training failed";
      say(`${how}; watching for changes (press Ctrl-C to stop)`);
    },
    onChange: ({ words }) => say(`${words}: retraining`),
  });
}

/**
 * Until Ctrl-C or `local stop`.
 *
 * @param announce prints the address.
 */
export async function watchDeploy(
  job: ServingJob,
  context: Context & Pick<Host, "pipNetwork">,
  announce: (server: { readonly port: number }) => Promise<void>,
): Promise<void> {
  const { err, clock, cwd } = context;
  const say = (text: string): void => tell(err, printable(`${clockTime(clock.date())} ${text}\n`));
  await serveWatched(job, context, {
    onReady: async (port) => {
      await announce({ port });
      say("watching for changes (press Ctrl-C to stop)");
    },
    onStart: ({ words }) => say(`${words}: starting a new server`),
    onSwitch: ({ words }, seconds) => say(`${words}: new server ready in ${seconds.toFixed(1)} s`),
    onFailure: ({ words }, error) => {
      tell(err, errorText(error, cwd));
      say(`${words}: new server failed; the previous one keeps running`);
    },
    onEnd: (error) => {
      tell(err, errorText(error, cwd));
      say("no server is running; waiting for the next change");
    },
  });
  tell(err, noteText("Stopped by mlcli local stop"));
}
