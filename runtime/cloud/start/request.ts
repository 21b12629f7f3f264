/**
 * What a job on SageMaker is asked for with, checked by whoever read it.
 *
 * @module
 */

import type { App } from "../../app/app.ts";
import type { RemoteChannel } from "../../contract/channels.ts";
import type { NamedRepository } from "../../contract/registry.ts";
import type { S3Address } from "../../contract/addresses.ts";
import type { Variables } from "../../contract/variables.ts";

/** What all jobs have in common. `undefined` is what nobody named. */
export interface JobRequest {
  readonly app: App;
  /** Tag of the app's image. */
  readonly tag: string;
  /** Repository in ECR; by default the one of the image's name. */
  readonly repository: NamedRepository | undefined;
  readonly baseJobName: string | undefined;
  readonly instanceType: string | undefined;
  readonly instanceCount: number;
  /** Disk of an instance, in GB. */
  readonly volumeSize: number;
  /** In seconds. */
  readonly maxRun: number;
  /** ARN of the role that SageMaker assumes. */
  readonly executionRole: string | undefined;
  /** Of the user's code. */
  readonly variables: Variables;
  /** Of the job. */
  readonly tags: Readonly<Record<string, string>>;
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly kmsKey: string | undefined;
  readonly networkIsolation: boolean;
  /** Options that the user gave, and not the app's file alone: `--output-s3-dir`. */
  readonly typed: ReadonlySet<string>;
  /** Check everything, and create nothing. */
  readonly dryRun: boolean;
  /** Return when the job has ended. */
  readonly wait: boolean;
}

/** What to train with. */
export interface TrainingRequest extends JobRequest {
  readonly inputs: readonly RemoteChannel[];
  readonly output: S3Address | undefined;
  /** `key=value`; they win over those of the app's file. */
  readonly hyperparameters: readonly string[];
  readonly spot: boolean;
  /** How long a job on spot instances may wait and run, in seconds. */
  readonly maxWait: number | undefined;
  readonly checkpoints: S3Address | undefined;
}

/** What to process. */
export interface ProcessingRequest extends JobRequest {
  /** Relative to `processing/`. */
  readonly file: string | undefined;
  /** Arguments of the script. */
  readonly arguments: readonly string[];
  readonly input: S3Address | undefined;
  readonly output: S3Address | undefined;
  /** Whether each instance gets a part of the objects. */
  readonly inputSharded: boolean;
}
