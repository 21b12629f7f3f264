/**
 * What a job is on its machines: the same for trainings and processings.
 *
 * @module
 */

import type { Entry } from "../engine/archive.ts";

/** What runs, and what it finds. */
export interface JobPlan {
  /** Takes the place of the image's entry point. */
  readonly entrypoint?: readonly string[];
  /** Takes the place of the image's command. */
  readonly command?: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Directories with a disk of their own, empty apart from `entries`; the image's are not seen. */
  readonly volumes: readonly string[];
  /** What lies there on a host when it starts, from `/`. */
  readonly entries: (host: number) => Promise<readonly Entry[]>;
  readonly isIsolated: boolean;
  /** In seconds. */
  readonly maxRuntime: number;
}
