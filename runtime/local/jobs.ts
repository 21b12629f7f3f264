/** What the local commands are asked for. */

import type { App } from "../app/app.ts";
import type { Context } from "../context.ts";
import type { Channel } from "../contract/channels.ts";
import type { Role } from "../contract/jobs.ts";
import type { PlacedData } from "../contract/processing_data.ts";
import type { AskedTransform } from "../contract/transform.ts";
import type { PullLogin } from "../docker/images.ts";
import type { ContainerRequest, PublishedPort, ServerRequest } from "../serving/plan.ts";
import type { ProgramRequest } from "../source/program.ts";
import type { ContainerCredentials, Variables } from "../contract/variables.ts";

/** What is asked for with every container of the user's code. */
export interface LocalJob extends ContainerRequest {
  readonly app: App;
  /** Tag of the app's image. */
  readonly tag: string;
  /** For an image that exists, and that the app names. */
  readonly images: ImageAccess;
  /** Without it, the code gets no AWS credentials. */
  readonly lender?: CredentialsLender | undefined;
  /** As SageMaker has it; then every difference that is found makes the run fail, too. */
  readonly strict: boolean;
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

/** What is asked for with what runs to its end. */
export interface BatchJob extends LocalJob {
  /** Whether its code reads what is typed: on a terminal of its own, where mlcli has one. */
  readonly interactive: boolean;
  /** Seconds between SIGTERM and SIGKILL; by default as few as with docker, or SageMaker's. */
  readonly grace: number | undefined;
  /** Whether its data is copied, so that it may write to it. */
  readonly copyInputs: boolean;
  readonly hosts: Hosts;
  /** Ports of its container to publish on 127.0.0.1; none if it has several hosts. */
  readonly ports: readonly PublishedPort[];
}

/** What may ask pip for packages when it starts. */
export interface InstallingJob {
  /** Whether pip gets what this machine knows of its network. */
  readonly usesNetworkSettings: boolean;
}

/** What to train, and with what. */
export interface TrainingJob extends BatchJob, InstallingJob {
  /** `key=value` as given on the command line; they win over the file's. */
  readonly hyperparameters: readonly string[];
  /** Data that the user named, instead of the layout's. */
  readonly inputs: readonly Channel[];
  /** Seconds after which it is stopped as SageMaker stops one: a rehearsal. */
  readonly stopAfter: number | undefined;
  /** Whether it finds and keeps checkpoints in `/opt/ml/checkpoints`. */
  readonly checkpoints: boolean;
  readonly program: ProgramRequest;
}

export type ProcessingOutput = PlacedData<string | undefined>;

/** Which script or program to run, and on what. */
export interface ProcessingJob extends BatchJob, InstallingJob {
  /** Relative to `processing/`, as the user typed it; `undefined` where another program runs. */
  readonly file: string | undefined;
  /** Its arguments are the script's, too. */
  readonly program: ProgramRequest;
  /** Absolute paths of data that the user named; none: the layout's. */
  readonly inputs: readonly PlacedData<string>[];
  /**
   * Absolute paths of where results are moved; `undefined`: to `output/NAME` of the layout. None at all:
   * the layout's `output` itself.
   */
  readonly outputs: readonly ProcessingOutput[];
}

/** What to serve, and where. */
export interface ServingJob extends LocalJob, InstallingJob, ServerRequest {
  /** Port on the host; 0 picks a free one. */
  readonly port: number;
  /** How long the server may take to answer `/ping` with 200, in seconds. */
  readonly timeout: number;
  /** The run whose model is meant, or `last`; `undefined`: the current model. */
  readonly run: string | undefined;
  /** Code that AWS's inference images find in the model; `undefined`: the app's, or the image's own. */
  readonly code: ProgramRequest["code"];
}

/** What to transform, with which server. */
export interface TransformJob extends ServingJob {
  /** Absolute path of a file, or of a directory. */
  readonly input: string;
  /** Absolute path of a directory; `undefined`: the layout's. */
  readonly output: string | undefined;
  readonly asked: AskedTransform;
}

/** What to run in the place of the user's code. */
export interface ShellJob extends LocalJob, Pick<BatchJob, "ports"> {
  /** Whose container it is to be. */
  readonly role: Role;
  /** A program and its arguments; empty: a shell. */
  readonly command: readonly string[];
  /** Of a job. */
  readonly program: ProgramRequest;
}

/** What may be done about an image that exists elsewhere. */
export interface ImageAccess {
  /** @throws MlcliError where the app's file names an image of a stranger's. */
  readonly requireTrusted: () => Promise<"person" | "registry">;
  /** @throws MlcliError where there are no credentials for it. */
  readonly login: (registry: string) => Promise<PullLogin | undefined>;
  /**
   * Returns the platform to pull if the configuration names none; undefined: the engine's own.
   *
   * @throws MlcliError if `DOCKER_DEFAULT_PLATFORM` is not a platform.
   */
  readonly defaultPlatform: () => string | undefined;
}

/** What pip is told of this machine's network: variables, and files by their names. */
export interface PipNetwork {
  readonly variables: Variables;
  readonly files: Readonly<Record<string, string>>;
}

/** Shows what takes long, in a sentence that may change, until it is done. */
export type Waiting = <T>(text: () => string, work: Promise<T>) => Promise<T>;

/** What the local flows may use of the context. */
export type Host =
  & Pick<
    Context,
    "input" | "out" | "err" | "env" | "interruption" | "caller" | "engine" | "region" | "clock"
  >
  & {
    /** Without it, nothing is shown. */
    readonly waiting?: Waiting;
    /** Of this machine, for packages that code asks for when it starts. */
    readonly pipNetwork?: () => Promise<PipNetwork>;
  };
