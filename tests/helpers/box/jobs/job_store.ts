/**
 * All jobs of the box, and how those go on that do not run: step by step, as a test wrote them
 * down, one step with each time that somebody asks about them.
 */

import { ACCOUNT } from "../account.ts";
import { Job, type JobEnd, type JobKind } from "./job.ts";

/** A role that jobs may run in: it trusts SageMaker. */
export const EXECUTION_ROLE = `arn:aws:iam::${ACCOUNT}:role/service-role/jobs`;

/** A step of a job that does not run. */
export interface JobStep {
  /** A secondary status: `Downloading`; a processing job shows none. */
  readonly status?: string;
  /** `StatusMessage`, where it is not SageMaker's own. */
  readonly message?: string;
  /**
   * Lines that the job prints then: of its first host, or by host (`algo-2`; of a transform
   * `transformHost()`, and `${transformHost()}/data-log`).
   */
  readonly log?: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** How it ends; the last step has it. */
  readonly end?: JobEnd;
  /** Whether it leaves an artifact in S3 when it ends; Completed jobs do. */
  readonly leavesArtifact?: boolean;
}

/** How a job goes on that does not run. */
export interface JobScript {
  readonly steps: readonly JobStep[];
  /** What happens after StopTrainingJob and its like. */
  readonly onStop?: readonly JobStep[];
}

/** Where jobs leave their log lines and their artifacts. */
export interface JobWorld {
  /** Adds events to a stream, which is made where it is missing. */
  log(group: string, stream: string, messages: readonly string[]): void;
  /** Puts the artifact that a job without a container leaves. */
  leaveArtifact(address: string): Promise<void>;
}

/** What happens where a test says nothing. */
const DEFAULT: JobScript = {
  steps: [
    { status: "Downloading" },
    { status: "Training" },
    { status: "Uploading" },
    { end: { status: "Completed" } },
  ],
  onStop: [{ end: { status: "Stopped" } }],
};

/** The jobs of one account in one region. */
export class JobStore {
  /** Newest last. */
  readonly all: Job[] = [];
  /** Roles that trust SageMaker. */
  readonly roles = new Set<string>([EXECUTION_ROLE]);
  readonly #scripts: { readonly matches: RegExp; readonly script: JobScript }[] = [];
  readonly #left = new Map<Job, { steps: JobStep[]; readonly onStop: readonly JobStep[] }>();
  #lastTime = 0;

  constructor(private readonly world: JobWorld) {}

  /**
   * Says how jobs of that name go on; `*` stands for any text, and what was said last counts.
   * After the last step, a job stays as it is.
   */
  script(name: string, steps: readonly JobStep[], onStop?: readonly JobStep[]): void {
    const pattern = name.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
    this.#scripts.unshift({ matches: new RegExp(`^${pattern}$`), script: { steps, onStop } });
  }

  /** Adds a job, as CreateTrainingJob and its like do, without a check. */
  add(kind: JobKind, name: string, request: Readonly<Record<string, unknown>> = {}): Job {
    // No two at the same time, so that lists have one order.
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
    const job = new Job(kind, name, request, this.#lastTime / 1_000);
    this.all.push(job);
    return job;
  }

  /** The job of that name. */
  find(kind: JobKind, name: string): Job | undefined {
    return this.all.find((job) => job.kind === kind && job.name === name);
  }

  /** The only job that there is of a kind, which a test has just made. @throws Error */
  only(kind: JobKind): Job {
    const jobs = this.all.filter((job) => job.kind === kind);
    if (jobs.length === 1) return jobs[0]!;
    throw new Error(`There are ${jobs.length} ${kind} jobs, not one`);
  }

  /** Goes one step on with a job that does not run. */
  async advance(job: Job): Promise<void> {
    const step = this.#leftOf(job).steps.shift();
    if (!step || job.hasEnded) return;
    if (step.status !== undefined) job.enter(step.status, step.message);
    const byHost = Array.isArray(step.log) ? { [job.hosts[0]!]: step.log } : step.log ?? {};
    for (const [host, lines] of Object.entries(byHost)) {
      this.world.log(job.logGroup, job.logStream(host), lines);
    }
    if (step.end) await this.#end(job, step);
  }

  /** From now on, a job that does not run goes on so. */
  redirect(job: Job, steps: readonly JobStep[]): void {
    this.#leftOf(job).steps = [...steps];
  }

  /** Stops a job that does not run. */
  stop(job: Job): void {
    const left = this.#leftOf(job);
    left.steps = [...left.onStop];
    job.stopping();
  }

  async #end(job: Job, { end, leavesArtifact }: JobStep): Promise<void> {
    const isTraining = job.kind === "training";
    const leaves = leavesArtifact ?? end!.status === "Completed";
    const address = artifactAddress(job);
    if (isTraining && leaves) await this.world.leaveArtifact(end!.artifact ?? address);
    job.end(isTraining && end!.status !== "Failed" ? { artifact: address, ...end! } : end!);
  }

  #leftOf(job: Job): { steps: JobStep[]; readonly onStop: readonly JobStep[] } {
    const known = this.#left.get(job);
    if (known) return known;
    const found = this.#scripts.find(({ matches }) => matches.test(job.name))?.script ?? DEFAULT;
    const left = { steps: [...found.steps], onStop: found.onStop ?? DEFAULT.onStop! };
    this.#left.set(job, left);
    return left;
  }
}

/** Where a training's artifact goes. */
export function artifactAddress({ request, name }: Job): string {
  const path: string = request.OutputDataConfig?.S3OutputPath ?? "s3://bucket/output";
  return `${path.replace(/\/+$/, "")}/${name}/output/model.tar.gz`;
}
