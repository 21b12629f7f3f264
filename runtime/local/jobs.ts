/** Requests of the local commands. */

import type { App } from "../app/app.ts";
import type { Context } from "../context.ts";
import type { Channel } from "../contract/channels.ts";
import type { Role } from "../contract/jobs.ts";
import type { PlacedData } from "../contract/processing_data.ts";
import type { AskedTransform } from "../contract/transform.ts";
import type { PullLogin } from "../docker/images.ts";
import type { Waiting } from "../messages.ts";
import type { ContainerRequest, PublishedPort, ServerRequest } from "../serving/plan.ts";
import type { ProgramRequest } from "../source/program.ts";
import type { ContainerCredentials, Variables } from "../contract/variables.ts";

/** Settings of a container of the user's code, named like their options, and values derived from them. */
export interface LocalJob extends ContainerRequest {
  readonly app: App;
  /** Access to an existing image. */
  readonly images: ImageAccess;
  /** Without it, the code gets no AWS credentials. */
  readonly lender?: CredentialsLender | undefined;
}

/** Gets the credentials of an AWS profile. */
export interface CredentialsLender {
  /** For `AWS_REGION`: of the profile, or else of all local runs. */
  readonly region: string;
  /**
   * Returns credentials for a container that starts now.
   *
   * @throws MlcliError if AWS gives none.
   */
  readonly lend: () => Promise<ContainerCredentials>;
}

/** Something that a host is made to suffer, to see how the job takes it. */
export interface Fault {
  readonly kind: "kill" | "freeze";
  /** `algo-2` */
  readonly host: string;
  /** Seconds after the start. */
  readonly after: number;
  /** How long it lasts, in seconds; `undefined`: to the end. */
  readonly seconds: number | undefined;
}

/** On how many hosts a job runs. */
export interface Hosts {
  readonly count: number;
  readonly shards: readonly string[];
  readonly faults: readonly Fault[];
}

export const ONE_HOST: Hosts = { count: 1, shards: [], faults: [] };

/** A training or a processing run. */
export interface BatchJob extends LocalJob, Publishing {
  readonly dockerTag: string;
  /** Whether the code reads the user's keyboard. */
  readonly interactive: boolean;
  /** Seconds between SIGTERM and SIGKILL (default: Docker's, or SageMaker's with `strict`). */
  readonly grace: number | undefined;
  readonly copyInputs: boolean;
  readonly hosts: Hosts;
  readonly program: ProgramRequest;
  /** Whether pip gets this machine's network settings. */
  readonly networkSettings: boolean;
}

interface Publishing {
  /** Ports to publish on 127.0.0.1; none if there are several hosts. */
  readonly publish: readonly PublishedPort[];
}

export interface TrainingJob extends BatchJob {
  /** `key=value`; they win over the file's. */
  readonly hyperparameter: readonly string[];
  /** Data that the user named, instead of the app's. */
  readonly inputs: readonly Channel[];
  /** Seconds after which the run is stopped as on SageMaker. */
  readonly stopAfter: number | undefined;
  /** Whether the code finds and keeps checkpoints in `/opt/ml/checkpoints`. */
  readonly checkpoints: boolean;
}

export type ProcessingOutput = PlacedData<string | undefined>;

export interface ProcessingJob extends BatchJob {
  /** Relative to `processing/`; `undefined`: another program runs. */
  readonly file: string | undefined;
  /** With absolute paths; none: the app's test data. */
  readonly inputs: readonly PlacedData<string>[];
  /**
   * With absolute paths; `undefined`: `output/NAME` of the app. Without any output, everything stays in
   * the app's `output/`.
   */
  readonly outputs: readonly ProcessingOutput[];
}

export interface ServingJob extends LocalJob, ServerRequest {
  /** Port on this machine; with 0, a free one. */
  readonly port: number;
  /** Seconds until the server must respond to `/ping` with 200. */
  readonly timeout: number;
  /** Run whose model is served, or `last`; `undefined`: the current model. */
  readonly run: string | undefined;
  /** Code for an AWS inference image; `undefined`: the app's, or the image's own. */
  readonly code: ProgramRequest["code"];
  /** Whether pip gets this machine's network settings. */
  readonly networkSettings: boolean;
}

export interface TransformJob extends ServingJob, AskedTransform {
  /** Absolute path of a file or a directory. */
  readonly input: string;
  /** Absolute path of a directory; `undefined`: the app's. */
  readonly output: string | undefined;
}

export interface ShellJob extends Pick<BatchJob, "dockerTag" | "program">, LocalJob, Publishing {
  /** Job whose container is used. */
  readonly role: Role;
  /** Program and arguments that replace the user's code; empty: a shell. */
  readonly command: readonly string[];
}

/** What may be done about an image that exists elsewhere. */
export interface ImageAccess {
  /** @throws MlcliError where the app's file names an image of a stranger's. */
  readonly requireTrusted: () => Promise<"person" | "registry">;
  /** @throws MlcliError where there are no credentials for it. */
  readonly login: (registry: string) => Promise<PullLogin | undefined>;
}

/** Network settings of this machine for pip: variables, and files by their names. */
export interface PipNetwork {
  readonly variables: Variables;
  readonly files: Readonly<Record<string, string>>;
}

/** Part of the context that local flows use. */
export type Host =
  & Pick<
    Context,
    | "input"
    | "out"
    | "err"
    | "messages"
    | "env"
    | "interruption"
    | "caller"
    | "engine"
    | "region"
    | "clock"
  >
  & {
    /** Without it, nothing is shown. */
    readonly waiting?: Pick<Waiting, "during">;
    /** Of this machine, for packages that code asks for when it starts. */
    readonly pipNetwork?: () => Promise<PipNetwork>;
  };
