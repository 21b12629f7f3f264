/**
 * What `train --dry-run` costs, all its questions to the platform included, against what Debian's
 * `aws` takes to print an empty form for the same call.
 */

import { BUCKET, makeJobApp } from "../../tests/helpers/job_app.ts";
import { AWS, ensureAws, NO_SETTINGS } from "./aws.ts";
import type { Comparison } from "./measure.ts";
import { mlcli, time } from "./program.ts";

/** The comparison, and the platform that is asked, on loopback. */
export interface TrainBench extends AsyncDisposable {
  readonly comparison: Comparison;
}

/** Starts the platform. Undefined when Debian's aws is not there, and cannot be installed. */
export async function makeTrainBench(signal: AbortSignal): Promise<TrainBench | undefined> {
  if (!await ensureAws(signal)) return undefined;
  const job = await makeJobApp();
  const { directory: cwd } = job.app;
  // Nothing of the machine's own AWS settings.
  const env = {
    ...job.box.env(),
    ...NO_SETTINGS,
  };
  const data = `s3://${BUCKET}/app/data`;
  const line = mlcli("train", "--dry-run", "-i", data, "-e", "ml.m5.large");
  return {
    comparison: {
      title: "train --dry-run",
      unit: "ms",
      ours: { command: "mlcli train --dry-run", measure: () => time(line, { cwd, env }) },
      theirs: {
        command: "aws sagemaker create-training-job --generate-cli-skeleton",
        measure: () =>
          time([AWS, "sagemaker", "create-training-job", "--generate-cli-skeleton"], { env }),
      },
      goal: { atMost: 0.5 },
      rounds: 20,
    },
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}
