/**
 * What whoever follows a job is told, as it happens.
 *
 * @module
 */

/** How the caller shows it. */
export interface JobReport {
  /** A state of the job, or a note: a line for standard error. */
  note(text: string): void;
  /**
   * What is being done, and how long it has been, for a terminal.
   * @param running milliseconds since it began; without it, it begins now.
   */
  progress(text: string, running?: number): void;
  /** Whole lines of the job's log, each with its line end, fit for a terminal. */
  log(text: string): Promise<void>;
  /** What the command is for: a line for standard output. */
  result(text: string): void;
}
