/**
 * What the local commands are asked for.
 *
 * @module
 */

import type { App } from "../app/app.ts";
import type { Context } from "../context.ts";
import type { Channel } from "../contract/channels.ts";

/** What is asked for with every container of the user's code. */
export interface LocalJob {
  readonly app: App;
  /** Tag of the app's image. */
  readonly tag: string;
  /** Memory limit in bytes; none when undefined. */
  readonly memory: number | undefined;
  /** Whether programs of the image may gain privileges, as `sudo` does. */
  readonly allowPrivileges: boolean;
}

/** What to train, and with what. */
export interface TrainingJob extends LocalJob {
  /** `key=value` as given on the command line; they win over the file's. */
  readonly hyperparameters: readonly string[];
  /** Data that the user named, instead of the layout's. */
  readonly inputs: readonly Channel[];
}

/** Which script to run. */
export interface ProcessingJob extends LocalJob {
  /** Relative to `processing/`, as the user typed it. */
  readonly file: string;
  /** Absolute path of data that the user named, instead of the layout's. */
  readonly input: string | undefined;
}

/** What to serve, and where. */
export interface ServingJob extends LocalJob {
  /** Port on the host; 0 picks a free one. */
  readonly port: number;
  /** How long the server may take to answer `/ping` with 200, in seconds. */
  readonly timeout: number;
  /** Names that the server may be called by, besides its own; in lower case. */
  readonly allowedHosts: readonly string[];
}

/** What the local flows may use of the context. */
export type Host = Pick<Context, "out" | "err" | "interruption" | "caller" | "engine" | "region">;
