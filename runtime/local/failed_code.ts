import type { ProgramKind } from "../contract/jobs.ts";
import type { Program } from "../contract/launch.ts";
import type { Raised } from "../contract/tracebacks.ts";
import type { BatchJob } from "./jobs.ts";
import type { Importer } from "./missing_module.ts";
import type { LookedAt } from "./runs/linked.ts";

/** A run whose code failed, as far as its explanations need it. */
export interface FailedCode {
  readonly kind: ProgramKind;
  /** `undefined`: the run has one host. */
  readonly host: string | undefined;
  /** The line with which the code ended. */
  readonly words: string;
  /** The error in `words` with its frames; `undefined` without a traceback. */
  readonly raised: Raised | undefined;
  /** The end of what the code printed. */
  readonly output: string;
  /** The user of the image's programs, as its Dockerfile names it. */
  readonly user: string | undefined;
  /** Whether its code could read what is typed. */
  readonly interactive: boolean;
  readonly importer: Importer;
  /** What started the code; `undefined`: the image's entry point. */
  readonly launcher: Program["launcher"] | undefined;
  readonly asked: Pick<BatchJob, "network" | "strict" | "copyInputs" | "lender">;
  /** The directories of data that the code could read. */
  readonly inputs: readonly LookedAt[];
  readonly hyperparameters: Readonly<Record<string, string>>;
  /** The build, if the image runs other code than the app's. */
  readonly remedyOfOtherCode: string | undefined;
}
