import type { Aws } from "../../aws/aws.ts";
import { AwsError, isRefusal, withMore } from "../../aws/errors.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { Interrupted } from "../../errors.ts";
import { inOneLine, sentences } from "../../text.ts";
import type { EndpointDetails } from "../endpoints/details.ts";
import { JobLog, type LogReader } from "../log_reader.ts";
import { PAUSE_WITH_NEWS, Waiter, type WaiterHost } from "../waiter.ts";
import { describeJob } from "./describe.ts";
import {
  type Begun,
  type CloudJob,
  commandFor,
  goesOn,
  hasEnded,
  type JobCommand,
  type JobName,
} from "./job.ts";

/** Shows a job while it is followed. */
export interface FollowReport {
  /** A state of the job, or a note: a line for standard error, but not with --quiet. */
  note(text: string): void;
  /** What goes on, or is left, where something was cut short: a line, also with --quiet. */
  always(text: string): void;
  /**
   * What is being done, and for how long, for a terminal.
   * @param running milliseconds since it began; without it, it begins now.
   */
  progress(text: string, running?: number): void;
  /** Whole lines of the job's log, each with its line end, safe for a terminal. */
  log(text: string): Promise<void>;
}

export interface JobReport extends FollowReport {
  /** Whether no log is shown. */
  readonly isQuiet?: boolean;
  /** Is printed also with --quiet. */
  warning(message: string, hint?: string): void;
  /**
   * The command's result.
   * @param lines for standard output.
   * @param described what JSON shows in their place; asked for only then.
   */
  result(
    lines: readonly string[],
    described: () => Described | Promise<Described>,
  ): Promise<void>;
  /** What `--dry-run` would do, for JSON. */
  calls(calls: readonly unknown[]): void;
}

export type Described = CloudJob | EndpointDetails | Begun;

export interface FollowedJob {
  readonly job: CloudJob;
  /** Whether the log was shown, may not be read, or was not asked for. */
  readonly log: "shown" | "denied" | "not shown";
  /** The last lines of what was shown, at most `LAST_LINES`. */
  readonly lastLines: readonly string[];
  readonly command: JobCommand;
}

export interface FollowOptions {
  /** `false` leaves out the log, which then needs no permission. */
  readonly log?: false | LogReader;
  readonly states?: false;
  /** The options with which the job was asked for, for command lines to paste. */
  readonly choice?: AwsOptions;
}

/** So many lines of the log are shown with a failure. */
export const LAST_LINES = 50;

/**
 * After the end, lines may still arrive: CloudWatch gets them with a delay. The log is over after so many
 * reads in a row without any; one is enough where the job ended long ago (ms).
 */
const QUIET_ROUNDS = 2;
const LONG_AGO = 60_000;
/** The limits for a log that never ends, and for a service that does not answer. */
const MOST_ROUNDS = 60;
const MOST_FAILED_ROUNDS = 15;

/**
 * Follows a job until it has ended and its log has come. A service that does not answer for a while
 * is asked again.
 *
 * @throws AwsError where the job is not there, may not be described, or the credentials have expired
 * and cannot be renewed.
 * @throws Interrupted after Ctrl-C: the job goes on, and a note says how to follow and stop it.
 */
export async function followJob(
  job: JobName,
  aws: Aws,
  host: WaiterHost,
  report: FollowReport,
  options: FollowOptions = {},
): Promise<FollowedJob> {
  const command = commandFor(job.name, options.choice);
  const following = new Following(job, aws, host, report, options);
  try {
    return { ...await following.run(), command };
  } catch (error) {
    const rest = goesOn(command, following.latest?.status);
    if (error instanceof Interrupted) {
      report.always(rest);
      throw error;
    }
    if (!(error instanceof AwsError) || error.refusal === "not found") throw error;
    throw withMore(error, rest);
  }
}

class Following {
  /** As it was last described. */
  latest: CloudJob | undefined;
  readonly #states = new States();
  readonly #waiter: Waiter;
  readonly #lastLines: string[] = [];
  #log: FollowedJob["log"];
  #reader: LogReader | undefined;

  constructor(
    private readonly job: JobName,
    private readonly aws: Aws,
    private readonly host: WaiterHost,
    private readonly report: FollowReport,
    private readonly options: FollowOptions,
  ) {
    this.#waiter = new Waiter(host, { what: "job", note: (text) => report.note(text) });
    this.#log = options.log === false ? "not shown" : "shown";
    this.#reader = options.log || undefined;
  }

  async run(): Promise<Omit<FollowedJob, "command">> {
    const sagemaker = await this.aws.sagemaker();
    for (;;) {
      const described = await this.#waiter.ask("job", () => describeJob(sagemaker, this.job));
      if (described) this.latest = described.answer;
      const job = this.latest;
      const changes = described && this.#states.changes(described.answer);
      this.#tell(changes?.beforeItsLog);
      const lines = job ? await this.#showNews(job) : 0;
      if (job && hasEnded(job)) await this.#showRest(job, lines);
      this.#tell(changes?.afterItsLog);
      if (job && hasEnded(job)) return { job, log: this.#log, lastLines: this.#lastLines };
      this.#showProgress();
      await this.#waiter.pause((lines ?? 0) > 0);
    }
  }

  #showProgress(): void {
    const { latest, host: { clock } } = this;
    if (!latest) return this.report.progress("Waiting", 0);
    const running = clock.date().getTime() - latest.creationTime.getTime();
    this.report.progress(latest.secondaryStatus ?? latest.status, running);
  }

  #tell(lines: readonly string[] = []): void {
    if (this.options.states === false) return;
    for (const line of lines) this.report.note(line);
  }

  /** Shows new lines of the log. Returns how many; `undefined` where there was no answer. */
  async #showNews(job: CloudJob): Promise<number | undefined> {
    if (this.#log !== "shown") return 0;
    let count = 0;
    try {
      const asked = await this.#waiter.ask("log", async () => {
        this.#reader ??= new JobLog(await this.aws.logs(), job);
        for await (const lines of this.#reader.news()) {
          count += lines.length;
          this.#lastLines.push(...lines.slice(-LAST_LINES));
          this.#lastLines.splice(0, this.#lastLines.length - LAST_LINES);
          await this.report.log(`${lines.join("\n")}\n`);
        }
      });
      return asked || count > 0 ? count : undefined;
    } catch (error) {
      // The job is followed without its log, unless the log is what was asked for.
      const isNeeded = this.options.log || isRefusal(error, "credentials");
      if (isNeeded || !(error instanceof AwsError)) throw error;
      this.#log = "denied";
      this.report.note(sentences(`Cannot show the log: ${error.message}`, error.hint));
      return 0;
    }
  }

  async #showRest(job: CloudJob, lines: number | undefined): Promise<void> {
    const { clock, interruption } = this.host;
    const now = clock.date().getTime();
    const isLongAgo = job.endTime !== undefined && now - job.endTime.getTime() > LONG_AGO;
    const wanted = isLongAgo ? 1 : QUIET_ROUNDS;
    let quiet = lines === 0 || (isLongAgo && lines !== undefined) ? 1 : 0;
    let failed = 0;
    for (let round = 0; quiet < wanted && this.#log === "shown"; round++) {
      if (round === MOST_ROUNDS || failed === MOST_FAILED_ROUNDS) {
        return this.report.note("The log might be incomplete: mlcli stopped waiting for the rest");
      }
      await clock.pause(PAUSE_WITH_NEWS, interruption.signal);
      const more = await this.#showNews(job);
      quiet = more === 0 ? quiet + 1 : 0;
      if (more === undefined) failed++;
    }
  }
}

/** Statuses after the end of the code: its log is shown before them. */
const AFTER_THE_CODE = new Set([
  "Uploading",
  "Completed",
  "Failed",
  "Stopped",
  "MaxRuntimeExceeded",
  "MaxWaitTimeExceeded",
]);

/** New statuses, a line each: `Starting: Launching requested ML instances`. */
export interface Changes {
  /** Up to the end of the code. */
  readonly beforeItsLog: readonly string[];
  readonly afterItsLog: readonly string[];
}

export class States {
  #steps = 0;
  /** The line of the last step that was reported. */
  #step = "";
  /** The last status without a step. */
  #status = "";

  changes(job: Pick<CloudJob, "status" | "secondaryStatus" | "transitions">): Changes {
    const lines: { readonly status: string; readonly line: string }[] = [];
    // The message of the last step that was reported may have changed.
    for (const { status, message } of job.transitions.slice(Math.max(0, this.#steps - 1))) {
      const line = message === "" ? status : `${status}: ${message}`;
      if (line !== this.#step) lines.push({ status, line });
      this.#step = line;
    }
    this.#steps = job.transitions.length;
    // Processing jobs have no steps, and some emulators make none of the end.
    const status = job.secondaryStatus ?? job.status;
    if (job.transitions.at(-1)?.status !== status && status !== this.#status) {
      lines.push({ status, line: status });
      this.#status = status;
    }
    const first = lines.findIndex((one) => AFTER_THE_CODE.has(one.status));
    const words = lines.map(({ line }) => inOneLine(line));
    const end = first === -1 ? words.length : first;
    return { beforeItsLog: words.slice(0, end), afterItsLog: words.slice(end) };
  }
}
