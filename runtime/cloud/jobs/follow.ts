import type { Aws } from "../../aws/aws.ts";
import { AwsError, isRefusal, withMore } from "../../aws/errors.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { Interrupted, type MlcliError } from "../../errors.ts";
import type { Output } from "../../streams.ts";
import { inOneLine, sentences } from "../../text.ts";
import type { WaitingHost } from "../connection.ts";
import type { EndpointDetails } from "../endpoints/details.ts";
import { JobLog, type LogReader, printLog } from "../log_reader.ts";
import { PAUSE_WITH_NEWS, Waiter } from "../waiter.ts";
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

/** Result of a command about a job or an endpoint. */
export interface CloudResult {
  /** Lines for standard output. */
  readonly lines: readonly string[];
  /** Returns the JSON that is printed instead of the lines. */
  readonly described: () => Described | Promise<Described>;
  /** Error that ends the command after the result is printed. */
  readonly failure?: MlcliError;
}

export type Described = CloudJob | EndpointDetails | Begun;

export interface FollowedJob {
  readonly job: CloudJob;
  /** Whether the log was shown, could not be read, or was not requested. */
  readonly log: "shown" | "denied" | "not shown";
  /** The last lines that were shown, at most `LAST_LINES`. */
  readonly lastLines: readonly string[];
  readonly command: JobCommand;
}

export interface FollowOptions {
  /** Where the log is printed. `undefined`: mlcli does not read the log, so it needs no permission for it. */
  readonly logTo?: Output | undefined;
  /** Log that has been read in part (default: the job's log from its beginning). Errors of it end the command. */
  readonly log?: LogReader;
  readonly states?: false;
  /** The options with which the job was asked for, for command lines to paste. */
  readonly choice?: AwsOptions;
}

/** So many lines of the log are shown with a failure. */
export const LAST_LINES = 50;

/**
 * Lines can arrive after the end, because CloudWatch gets them with a delay. The log is over after this
 * number of consecutive reads without lines; one read is enough if the job ended long ago (ms).
 */
const QUIET_ROUNDS = 2;
const LONG_AGO = 60_000;
/** The limits for a log that never ends, and for a service that does not answer. */
const MOST_ROUNDS = 60;
const MOST_FAILED_ROUNDS = 15;

/**
 * Follows a job until it has ended and its log is complete. Retries requests that a service does not answer.
 *
 * @throws AwsError if the job does not exist, if mlcli has no permission to describe it, or if the
 * credentials have expired and cannot be renewed.
 * @throws Interrupted after Ctrl-C: the job keeps running, and a warning says how to follow and stop it.
 */
export async function followJob(
  job: JobName,
  aws: Aws,
  host: WaitingHost,
  options: FollowOptions = {},
): Promise<FollowedJob> {
  const command = commandFor(job.name, options.choice);
  const following = new Following(job, aws, host, options);
  try {
    return { ...await following.run(), command };
  } catch (error) {
    const { message, hint } = goesOn(command, following.latest?.status);
    if (error instanceof Interrupted) host.messages.warning(message, hint);
    if (!(error instanceof AwsError) || error.refusal === "not found") throw error;
    throw withMore(error, sentences(message, hint));
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
    private readonly host: WaitingHost,
    private readonly options: FollowOptions,
  ) {
    this.#waiter = new Waiter(host, { what: "job" });
    this.#log = options.logTo === undefined ? "not shown" : "shown";
    this.#reader = options.log;
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
    const { latest, host: { clock, waiting } } = this;
    if (!latest) return waiting.show("Waiting");
    const running = clock.date().getTime() - latest.creationTime.getTime();
    waiting.show(latest.secondaryStatus ?? latest.status, running);
  }

  #tell(lines: readonly string[] = []): void {
    if (this.options.states === false) return;
    for (const line of lines) this.host.messages.state(line);
  }

  /** Shows new lines of the log. Returns their number; `undefined` if CloudWatch did not respond. */
  async #showNews(job: CloudJob): Promise<number | undefined> {
    const { logTo } = this.options;
    if (logTo === undefined || this.#log !== "shown") return 0;
    let count = 0;
    try {
      const asked = await this.#waiter.ask("log", async () => {
        this.#reader ??= new JobLog(await this.aws.logs(), job);
        for await (const lines of this.#reader.news()) {
          count += lines.length;
          this.#lastLines.push(...lines.slice(-LAST_LINES));
          this.#lastLines.splice(0, this.#lastLines.length - LAST_LINES);
          await printLog(lines, logTo);
        }
      });
      return asked || count > 0 ? count : undefined;
    } catch (error) {
      // mlcli follows the job without its log, unless the user asked for the log.
      const isNeeded = this.options.log || isRefusal(error, "credentials");
      if (isNeeded || !(error instanceof AwsError)) throw error;
      this.#log = "denied";
      this.host.messages.note(`Cannot show the log: ${error.message}`, error.hint);
      return 0;
    }
  }

  async #showRest(job: CloudJob, lines: number | undefined): Promise<void> {
    const { clock, interruption, messages } = this.host;
    const now = clock.date().getTime();
    const isLongAgo = job.endTime !== undefined && now - job.endTime.getTime() > LONG_AGO;
    const wanted = isLongAgo ? 1 : QUIET_ROUNDS;
    let quiet = lines === 0 || (isLongAgo && lines !== undefined) ? 1 : 0;
    let failed = 0;
    for (let round = 0; quiet < wanted && this.#log === "shown"; round++) {
      if (round === MOST_ROUNDS || failed === MOST_FAILED_ROUNDS) {
        return messages.note("The log might be incomplete: mlcli stopped waiting for the rest");
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
