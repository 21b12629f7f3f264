/**
 * What an endpoint is asked for with, checked by whoever read it.
 *
 * @module
 */

import type { App } from "../../app/app.ts";
import type { NamedRepository } from "../../contract/registry.ts";
import type { S3Address } from "../../contract/addresses.ts";
import type { Variables } from "../../contract/variables.ts";

/**
 * How long `deploy` waits where nobody says, in seconds: an endpoint mostly takes ten minutes, and may
 * take most of an hour.
 */
export const DEPLOY_SECONDS = 3_600;

/** The model that an endpoint is to serve. */
export type ModelSource =
  /** An archive, `model.tar.gz`, in S3. */
  | { readonly address: S3Address }
  /** A directory on this machine, as it was typed. */
  | { readonly directory: string };

/** How traffic goes over to a new configuration. */
export interface Canary {
  /** Of the new instances, the part that comes first, in percent: 1 to 50. */
  readonly percent: number;
  /** Alarms of CloudWatch: one that goes off while that lasts takes the update back. */
  readonly alarms: readonly string[];
}

/**
 * What to deploy. `undefined` is what nobody named: of a new endpoint the default counts then, of one
 * that is there what it has.
 */
export interface DeployRequest {
  readonly app: App;
  /** Tag of the app's image. */
  readonly tag: string;
  /** Repository in ECR; by default the one of the image's name. */
  readonly repository: NamedRepository | undefined;
  readonly endpoint: string | undefined;
  readonly model: ModelSource | undefined;
  readonly instanceType: string | undefined;
  readonly instanceCount: number | undefined;
  /** Serverless: memory in MB, and how many requests at once. Not there together with a type. */
  readonly memorySize: number | undefined;
  readonly maxConcurrency: number | undefined;
  /** How long a container may take until it answers /ping, in seconds. */
  readonly healthCheckTimeout: number | undefined;
  /** ARN of the role that SageMaker assumes, where somebody named it. */
  readonly executionRole: string | undefined;
  /** The role that mlcli acts in: of a new endpoint the one that SageMaker assumes without another. */
  readonly actingRole: string | undefined;
  /** Of the user's code. Those of an endpoint that is there stay, except for the same names. */
  readonly variables: Variables;
  readonly tags: Readonly<Record<string, string>>;
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly kmsKey: string | undefined;
  /** Where requests and answers are kept. */
  readonly dataCapture: S3Address | undefined;
  readonly canary: Canary | undefined;
  /** Options that the user gave, and not the app's file alone: `--data-capture`. */
  readonly typed: ReadonlySet<string>;
  /** Check everything, and change nothing. */
  readonly dryRun: boolean;
  /** Return when the endpoint has settled. */
  readonly wait: boolean;
  /** How long to wait at most, in seconds. */
  readonly timeout: number;
}
