/** What `train` and `process` have their job made of, and what runs it. */

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
  /** What it runs. Asked for before the run is made: without it, there is none. */
  readonly image: ImageDetails;
  /** What starts the code, where it is not the image's own entry point. */
  readonly launcher?: Program["launcher"];
  /** Code that comes in a channel, in the place of what is mounted. */
  readonly sent?: PackedCode | undefined;
  /** The command line that runs it again. */
  readonly again: string;
  /** The directories that it reads. */
  readonly looked: readonly LookedAt[];
  /** What is known to differ on SageMaker before it starts. */
  readonly differences: readonly Message[];
  /** Requires that nothing that is mounted leads out of the app's repository. */
  readonly checkPaths: () => Promise<void>;
  readonly hosts: readonly HostRun[];
  /** Where what they wrote is in the end: each of their `written`. */
  readonly places: readonly string[];
  /** Directories of this machine whose contents SageMaker uploads: the model, or what processing made. */
  readonly uploaded: readonly { readonly source: string; readonly path: string }[];
  /** Of several hosts: puts what they wrote into one place, that of `first` last; `undefined`: none ended. */
  readonly merge: (first: string | undefined) => Promise<readonly (Message | undefined)[]>;
  /** Hides secrets in what the code prints; `undefined`: it was given none. */
  readonly mask?: Mask | undefined;
  /** What is in that from the start. */
  readonly facts: RunFacts;
  /** Seconds after its start at which it is stopped; `undefined`: never. */
  readonly stopAfter: number | undefined;
  /** Puts away what it wrote, once that is the caller's. */
  readonly settle: (ending: Ending) => Promise<Settled>;
  /** Tells more of a run that nobody interrupted. */
  readonly report: (outcome: RunOutcome, messages: Messages) => Promise<void>;
}
