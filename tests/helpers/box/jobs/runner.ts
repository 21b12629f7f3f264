/** Runs jobs on the Docker Engine of the tests, and leaves nothing there. */

import { pullImage, removePulled } from "../engine/pull.ts";
import { removeLeftovers } from "../engine/resources.ts";
import { EngineApi, EngineError } from "../engine_api.ts";
import { findImage } from "./checks.ts";
import { Cluster, type ClusterEnd } from "./cluster.ts";
import { type Job, type JobEnd, NO_CAPACITY } from "./job.ts";
import type { JobPlan, JobPlatform } from "./platform.ts";
import { finishProcessing, processingPlan } from "./processing.ts";
import { finishTraining, keepCheckpoints, trainingPlan } from "./training.ts";
import { TransformFlow } from "./transform/flow.ts";

/** SageMaker's words for an image that its role does not get. */
const NO_PULL = "ClientError: Cannot pull algorithm container. Either the registry doesn't exist " +
  "or its permissions are incorrect. Please see the AWS docs for using the algorithm container.";

/** What flows need. */
export interface FlowHost {
  readonly services: JobPlatform;
  readonly engine: EngineApi;
  /** Images that were pulled, to be removed with the box. */
  readonly pulled: Set<string>;
  readonly settings: JobSettings;
}

/** What a test may set of the machines. */
export interface JobSettings {
  /** Between SIGTERM and SIGKILL, in ms; SageMaker's is 120 s. */
  grace: number;
  /** A machine's memory in bytes, where there is a limit. */
  memory: number | undefined;
  /** How long a transform's server may take to be well, in ms; SageMaker's time is 30 minutes. */
  startup: number | undefined;
}

/** A job that runs. */
export interface RunningJob {
  /** Runs it to its end, which the job has then. */
  run(): Promise<void>;
  /** Stops it, as SageMaker does when it is asked to. */
  stop(): void;
  /** Takes the machines of a spot training away; it starts again. */
  interrupt(): void;
  /** Ends it, for the box is closed. */
  close(): void;
}

/** A training or a processing that runs. */
export class Flow implements RunningJob {
  #cluster?: Cluster;
  #ending?: "stopped" | "interrupted" | "closed";

  constructor(private readonly job: Job, private readonly host: FlowHost) {}

  async run(): Promise<void> {
    const { job } = this;
    try {
      do {
        this.#ending = this.#ending === "interrupted" ? undefined : this.#ending;
        const end = await this.#attempt();
        if (end) return job.end(end);
        job.enter("Interrupted");
        job.enter("Starting", "Preparing the instances for training");
      } while (this.#ending !== "closed");
      job.end({ status: "Stopped" });
    } catch (error) {
      job.end(failedEnd(job, error, this.host.services.platform));
    }
  }

  stop(): void {
    this.job.stopping();
    this.#end("stopped");
  }

  interrupt(): void {
    this.#end("interrupted");
  }

  close(): void {
    this.#end("closed");
  }

  #end(how: "stopped" | "interrupted" | "closed"): void {
    this.#ending = how;
    this.#cluster?.stop(how === "stopped" ? "stopped" : "interrupted");
  }

  /** @returns how the job ended; `undefined` where it was interrupted. */
  async #attempt(): Promise<JobEnd | undefined> {
    const { job, host: { services, engine, settings } } = this;
    const { s3 } = services;
    const isTraining = job.kind === "training";
    job.enter("Starting", "Launching requested ML instances");
    if (!services.platform.faults.hasCapacity) {
      job.enter("Starting", NO_CAPACITY.message);
      throw new JobFailure(NO_CAPACITY.reason);
    }
    job.enter("Starting", "Preparing the instances for training");
    const plan = isTraining ? trainingPlan(job, s3) : processingPlan(job, s3);
    job.enter("Downloading", "Downloading input data");
    const entries = await Promise.all(job.hosts.map((_, index) => plan.entries(index)));
    if (this.#ending) return { status: "Stopped" };
    job.enter("Training", "Downloading the training image");
    const image = await this.#pull();
    if (this.#ending) return { status: "Stopped" };
    const { hosts } = job;
    await using cluster = await Cluster.create({
      ...{ engine, image, plan, hosts, memory: settings.memory },
    });
    for (const [index, container] of cluster.containers.entries()) {
      await container.fill(entries[index]!);
    }
    this.#cluster = cluster;
    if (this.#ending) this.#end(this.#ending);
    else job.enter("Training", "Training image download completed. Training in progress.");
    const end = await this.#runCluster(cluster, plan);
    this.#cluster = undefined;
    if (isTraining) await keepCheckpoints(job, cluster, s3);
    if (end.cause === "interrupted") return undefined;
    return await (isTraining ? finishTraining : finishProcessing)(job, cluster, end, services);
  }

  async #runCluster(cluster: Cluster, { maxRuntime }: JobPlan): Promise<ClusterEnd> {
    const { job, host: { services: { logs }, settings: { grace } } } = this;
    try {
      return await cluster.run({
        maxRuntime,
        grace,
        endsWithFirstFailure: job.kind === "training",
        onLine: (host, line) => logs.put(job.logGroup, job.logStream(host), [line]),
      });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      const command = job.kind === "training" ? "docker run <image> train" : "docker run <image>";
      throw new JobFailure(
        "ClientError: CannotStartContainerError. Please make sure the container can be run with " +
          `'${command}'. Please refer SageMaker documentation for details.`,
      );
    }
  }

  /** The image by its digest, pulled from the registry as SageMaker's role. */
  async #pull(): Promise<string> {
    const { job: { request }, host: { services, engine, pulled } } = this;
    const reference = request.AlgorithmSpecification?.TrainingImage ??
      request.AppSpecification.ImageUri;
    const { repository, image: { digest } } = findImage(reference, { services });
    const puller = { ...services, engine, pulled };
    const name = await pullImage(puller, { repository, digest }, request.RoleArn);
    if (name === undefined) throw new JobFailure(NO_PULL);
    return name;
  }
}

/** How a job ends that does not come to its end; what no test expects fails the test. */
export function failedEnd(
  { name }: Job,
  error: unknown,
  platform: JobPlatform["platform"],
): JobEnd {
  if (error instanceof JobFailure) return { status: "Failed", reason: error.message };
  platform.problem(`The job ${name} failed: ${error}`);
  const reason = "InternalServerError: We encountered an internal error. Please try again.";
  return { status: "Failed", reason };
}

/** Why a job failed that did not come to its code. */
export class JobFailure extends Error {}

/** SageMaker's time between SIGTERM and SIGKILL, in ms. */
const GRACE = 120_000;

/** What makes jobs go on by themselves. */
export class EngineRunner implements AsyncDisposable {
  readonly settings: JobSettings = { grace: GRACE, memory: undefined, startup: undefined };
  readonly #engine = new EngineApi();
  readonly #pulled = new Set<string>();
  readonly #flows = new Map<Job, RunningJob>();
  readonly #running = new Set<Promise<void>>();
  /** Before its first job. */
  #swept?: Promise<void>;

  constructor(private readonly services: JobPlatform) {}

  /** Returns at once; what goes wrong is the job's failure. */
  start(job: Job): void {
    const host: FlowHost = {
      services: this.services,
      engine: this.#engine,
      pulled: this.#pulled,
      settings: this.settings,
    };
    const flow = new (job.kind === "transform" ? TransformFlow : Flow)(job, host);
    this.#flows.set(job, flow);
    this.#swept ??= removeLeftovers(this.#engine);
    const running = this.#swept.then(() => flow.run()).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Begins to stop it. */
  stop(job: Job): void {
    this.#flows.get(job)!.stop();
  }

  /** Takes the machines of a spot training away, as EC2 does; it starts again on others. */
  interrupt(job: Job): void {
    this.#flows.get(job)!.interrupt();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const flow of this.#flows.values()) flow.close();
    await Promise.all(this.#running);
    await removePulled(this.#engine, this.#pulled);
    this.#engine[Symbol.dispose]();
  }
}
