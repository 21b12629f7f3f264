/** `local train --watch`: trains, and again after each edit. */

import type { Context } from "../context.ts";
import { isSystemError, MlcliError } from "../errors.ts";
import { type Clock, clockTime } from "../time.ts";
import { channelsOf } from "./channels.ts";
import type { Host, TrainingJob } from "./jobs.ts";
import { train } from "./train.ts";
import { linkBoundary } from "../app/links.ts";
import { Watch, watchedCode, type WatchedFolder } from "./watch/changes.ts";

/**
 * Trains until the user interrupts. An edit does not stop a run.
 *
 * @throws Interrupted if the user stopped it; OutputClosed if nobody reads the output.
 */
export async function trainWatched(
  job: TrainingJob,
  host: Host & Pick<Context, "cwd">,
): Promise<never> {
  const { clock, cwd, messages, interruption: { signal } } = host;
  const say = (text: string): void => messages.state(`${clockTime(clock.date())} ${text}`);
  while (true) {
    // Before the run, so that edits during the run count.
    const watch = await watchOf(job, clock);
    const look = await watch.look();
    const failure = await failureOf(() => train(job, host), signal);
    if (failure !== undefined) messages.error(failure, cwd);
    const result = failure === undefined ? "trained" : "training failed";
    say(`${result}; watching for changes (press Ctrl-C to stop)`);
    const { words } = await watch.change(look, signal);
    say(`${words}: retraining`);
  }
}

/** Returns the error of a run after which others might succeed; `undefined`: the run succeeded. */
async function failureOf(run: () => Promise<void>, signal: AbortSignal): Promise<unknown> {
  try {
    await run();
    signal.throwIfAborted();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof MlcliError || isSystemError(error))) throw error;
    return error;
  }
}

async function watchOf({ app, inputs, program }: TrainingJob, clock: Clock): Promise<Watch> {
  const layout = app.paths;
  const { base, training, common, configInput, inputData, boundary } = layout;
  const sent = program.code?.source;
  const code = sent ? [watchedCode(sent)] : [{ path: training, shown: "training", boundary }, {
    path: common,
    shown: "common",
    boundary,
  }];
  return new Watch(
    [
      ...code,
      { path: configInput, shown: "input/config", boundary },
      ...await dataOf(layout, inputs, sent === undefined),
    ],
    [base, inputData],
    clock,
  );
}

async function dataOf(
  layout: Parameters<typeof channelsOf>[0],
  inputs: TrainingJob["inputs"],
  needsData: boolean,
): Promise<readonly WatchedFolder[]> {
  try {
    const channels = await channelsOf(layout, inputs, needsData);
    return await Promise.all(channels.map(async ({ name, source }) => ({
      path: source,
      shown: `input/data/${name}`,
      boundary: await linkBoundary(source, layout.boundary),
    })));
  } catch {
    // There is none yet, or something is wrong with it, which the run says.
    return [{ path: layout.inputData, shown: "input/data", boundary: layout.boundary }];
  }
}
