/** Parts of a run of `train` or `process`. */

import type { ProgramKind } from "../contract/jobs.ts";
import type { Program } from "../contract/launch.ts";
import type { CreateBody } from "../docker/engine.ts";
import type { ImageDetails } from "../docker/images.ts";
import type { Message, Messages } from "../messages.ts";
import type { RunFacts } from "../model/records.ts";
import type { Ending, Settled } from "../model/versions.ts";
import type { PackedCode } from "../source/source.ts";
import type { RunOutcome } from "./container/run.ts";
import type { HostPlace } from "./hosts/places.ts";
import type { Mask } from "./masked.ts";
import type { OfImage } from "./plan.ts";
import type { LookedAt } from "./runs/linked.ts";
import type { Run } from "./runs/run.ts";

/** One of the hosts of a run. */
export interface HostRun extends HostPlace {
  /** The container to create. */
  readonly plan: (ofImage: OfImage) => CreateBody;
  /** Directories of this machine that the container writes to: `/opt/ml/output`, and others. */
  readonly written: readonly [output: string, ...others: string[]];
}

/** One run of a job. */
export interface JobRun {
  readonly kind: ProgramKind;
  readonly run: Run;
  /** Image of the run. Inspected before the run is created: without an image, there is no run. */
  readonly image: ImageDetails;
  /** Command that starts the code, if it is not the image's own entry point. */
  readonly launcher?: Program["launcher"];
  /** Code that comes in a channel instead of mounts. */
  readonly sent?: PackedCode | undefined;
  /** The command line that runs it again. */
  readonly again: string;
  /** The directories that it reads. */
  readonly looked: readonly LookedAt[];
  /** Differences from SageMaker that are known before the start. */
  readonly differences: readonly Message[];
  /** Requires that nothing that is mounted leads out of the app's repository. */
  readonly checkPaths: () => Promise<void>;
  readonly hosts: readonly HostRun[];
  /** Final host path of each entry of `written`, in the same order. */
  readonly places: readonly string[];
  /** Local directories whose contents SageMaker uploads: the model, or the outputs of processing. */
  readonly uploaded: readonly { readonly source: string; readonly path: string }[];
  /** Merges the files of several hosts, those of `first` last; `undefined`: no host ended. */
  readonly merge: (first: string | undefined) => Promise<readonly (Message | undefined)[]>;
  /** Hides secrets in the output of the code; `undefined`: the code has none. */
  readonly mask?: Mask | undefined;
  /** Files in that directory before the start. */
  readonly facts: RunFacts;
  /** Seconds after its start at which it is stopped; `undefined`: never. */
  readonly stopAfter: number | undefined;
  /** Moves the written files to their destination, after they belong to the caller. */
  readonly settle: (ending: Ending) => Promise<Settled>;
  /** Prints more messages about a run that was not interrupted. */
  readonly report: (outcome: RunOutcome, messages: Messages) => Promise<void>;
}
