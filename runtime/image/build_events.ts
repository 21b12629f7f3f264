/** What happens while an image is built, by whichever builder: BuildKit, the classic one, Podman's. */

/** All texts but those of logs are fit for a terminal: see `terminalText`. */
export type BuildEvent = StepEvent | LogEvent | TransferEvent | WarningEvent;

/** The state of a step. It comes again, with the same id, whenever that changes. */
export interface StepEvent {
  readonly kind: "step";
  readonly id: string;
  /** In one line: `[3/9] RUN make` */
  readonly name: string;
  readonly state: "running" | "done" | "cached" | "failed";
  /** In ms since 1970: by the engine's clock, or by this machine's where the engine does not say. */
  readonly started?: number;
  readonly ended?: number;
  readonly error?: string;
}

/**
 * A piece of what a step writes, to standard output or standard error, as it writes it. It may end
 * within a line, or within a sequence that sets a colour: a line is fit for a terminal when it has
 * been put together, by `terminalText`.
 */
export interface LogEvent {
  readonly kind: "log";
  /** Of the step, which has been announced. */
  readonly id: string;
  readonly text: string;
}

/** How much of something a step has fetched: of a layer of its base image, mostly. */
export interface TransferEvent {
  readonly kind: "transfer";
  /** Id of the step. */
  readonly step: string;
  readonly id: string;
  /** In one line: `sha256:30a3 extracting`, `Downloading` */
  readonly name: string;
  /** Bytes so far, and in all where that is known. */
  readonly current: number;
  readonly total?: number;
  readonly isDone: boolean;
}

/** A flaw that the builder finds in the Dockerfile, and builds it nevertheless. */
export interface WarningEvent {
  readonly kind: "warning";
  readonly text: string;
}
