/** `local train --watch`: trains, and again after each edit. */

import { isSystemError, MlcliError } from "../errors.ts";
import type { Clock } from "../time.ts";
import { channelsOf } from "./channels.ts";
import type { TrainingJob } from "./jobs.ts";
import { train } from "./train.ts";
import { linkBoundary } from "../app/links.ts";
import { type Change, Watch, watchedCode, type WatchedFolder } from "./watch/changes.ts";

/** Who hears what happens. */
export interface TrainingAudience {
  /** A run has ended as it should, or has failed; the next one waits for an edit. */
  readonly onEnd: (failure: unknown) => void;
  /** What was edited, also while a run went on: it is trained again now. */
  readonly onChange: (change: Change) => void;
}

/**
 * Trains until the user interrupts. A run goes on to its end, whatever is edited meanwhile.
 *
 * @throws Interrupted when the user stopped it; OutputClosed where nobody reads the output.
 */
export async function trainWatched(
  job: TrainingJob,
  host: Parameters<typeof train>[1] & { readonly clock: Clock },
  audience: TrainingAudience,
): Promise<never> {
  const { signal } = host.interruption;
  while (true) {
    // Before the run: what is edited meanwhile is newer than what it has read.
    const watch = await watchOf(job, host.clock);
    const look = await watch.look();
    audience.onEnd(await failureOf(() => train(job, host), signal));
    audience.onChange(await watch.change(look, signal));
  }
}

/** What a run failed with, if it did, and others may succeed. */
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
