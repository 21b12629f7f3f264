/** Checks whether an app can be served: its layout, its model, and its image. */

import { isOfAppsDirectory } from "../../app/image.ts";
import { requireLayoutInside, requireModel, requireTestDirectory } from "../../app/layout.ts";
import type { Paths } from "../../app/paths.ts";
import { environmentDifferences, networkDifferences } from "../../contract/differences.ts";
import { holdsHarness } from "../../contract/images.ts";
import type { ImageDetails } from "../../docker/images.ts";
import { MlcliError } from "../../errors.ts";
import { makeDirectory } from "../../files.ts";
import { failedRunWarning } from "../../model/kept_models.ts";
import { sharingModel } from "../../model/lock.ts";
import { runsWithModel, type Version, versionOf } from "../../model/version_of.ts";
import { currentRun } from "../../model/versions.ts";
import { codeDifferences } from "../differences/code.ts";
import type { Findings } from "../differences/findings.ts";
import { imageDifferences } from "../differences/image.ts";
import type { Host, ServingJob } from "../jobs.ts";
import type { PlannedServer } from "../plan.ts";
import { settleEarlierRuns } from "../runs/earlier.ts";

export interface OfServedImage {
  readonly image: ImageDetails;
  readonly planned: Pick<PlannedServer, "withInit" | "reportFile">;
}

/** What follows from the image, and what would be different on SageMaker. */
export async function lookAtImage(
  job: ServingJob,
  asked: Promise<ImageDetails>,
  findings: Findings,
): Promise<OfServedImage> {
  const image = await asked;
  if (job.code) requireReadsModelCode(job, image);
  findings.add([
    ...environmentDifferences("serve", job.variables),
    ...networkDifferences(job.network),
    ...imageDifferences(job.app, image),
    ...job.code ? [] : await codeDifferences(job, "prediction", image),
  ]);
  const withInit = holdsHarness(image) && !job.strict;
  return { image, planned: { withInit, reportFile: undefined } };
}

/** @throws MlcliError for an image of mlcli's, which serves `prediction/`. */
function requireReadsModelCode({ app }: ServingJob, image: ImageDetails): void {
  if (!holdsHarness(image)) return;
  throw new MlcliError(`${app.image} runs prediction/serve, not an entry point`, {
    hint: "Remove the entry point: only images that run the model's code/, such as AWS's, use it",
  });
}

/**
 * Requires that the app can be served in its current state, and finishes earlier runs.
 *
 * @returns the job with the whole name of its run, because a number in the list means another run later.
 * @throws MlcliError if the layout cannot be used, or there is no model.
 */
export async function requireServable(
  job: ServingJob,
  host: Pick<Host, "engine" | "interruption" | "messages" | "caller">,
): Promise<ServingJob> {
  const layout = job.app.paths;
  await requireLayoutInside(layout, "prediction");
  await requireTestDirectory(layout);
  await settleEarlierRuns(job, host);
  const { messages, interruption: { signal } } = host;
  const { run } = await sharingModel(
    layout,
    { messages, signal },
    () => servedVersion(layout, job),
  );
  const warning = run && await failedRunWarning(layout, run);
  if (warning) messages.warning(warning, `See why: mlcli local describe ${run}`);
  if (job.run === undefined || run === undefined) return job;
  // Each run, also a transform, moves the numbers of the list.
  if (run !== job.run) messages.note(`Using the model of run ${run}`);
  return { ...job, run };
}

/** Returns the model to serve, and the run that made it. @throws MlcliError if there is none. */
export async function servedVersion(
  layout: Paths,
  { run, app }: Pick<ServingJob, "run" | "app">,
): Promise<Version> {
  if (run !== undefined) return await versionOf(layout, run);
  // A model in an image, or one that an image downloads, is not a model of the app.
  if (isOfAppsDirectory(app)) await requireModel(layout, () => runsWithModel(layout));
  else await makeDirectory(layout.model);
  return { run: await currentRun(layout), model: layout.model };
}
