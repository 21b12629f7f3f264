/**
 * How a job goes from its start to its end, on the engine.
 *
 * @module
 */

import { pullImage } from "../engine/pull.ts";
import { type EngineApi, EngineError } from "../engine_api.ts";
import { findImage } from "./checks.ts";
import { Cluster, type ClusterEnd } from "./cluster.ts";
import { type Job, type JobEnd, NO_CAPACITY } from "./job.ts";
import type { JobPlan } from "./plan.ts";
import type { JobPlatform } from "./platform.ts";
import { processingPlan } from "./processing_plan.ts";
import { finishProcessing } from "./processing_end.ts";
import { finishTraining, keepCheckpoints } from "./training_end.ts";
import { trainingPlan } from "./training_plan.ts";

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
}

/** A job that runs. */
export class Flow {
  #cluster?: Cluster;
  #ending?: "stopped" | "interrupted" | "closed";

  constructor(private readonly job: Job, private readonly host: FlowHost) {}

  /** Runs it to its end, which the job has then. */
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
      if (!(error instanceof JobFailure)) {
        this.host.services.platform.problem(`The job ${job.name} failed: ${error}`);
      }
      const reason = error instanceof JobFailure
        ? error.message
        : "InternalServerError: We encountered an internal error. Please try again.";
      job.end({ status: "Failed", reason });
    }
  }

  /** Stops it, as SageMaker does when it is asked to. */
  stop(): void {
    this.job.stopping();
    this.#end("stopped");
  }

  /** Takes the machines of a spot training away; it starts again. */
  interrupt(): void {
    this.#end("interrupted");
  }

  /** Ends it, for the box is closed. */
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

/** Why a job failed that did not come to its code. */
export class JobFailure extends Error {}
