/**
 * Runs a transform on the Docker Engine of the tests.
 *
 * What AWS does not say, the box has chosen:
 * - A line goes to the model with its newline, an empty line is a record, and a newline comes after
 *   an answer unless it ends with one.
 * - Statuses 429 and 5xx, and no answer, are tried again.
 * - The output of what was packed is not, and is named after the whole key: `a.csv.gz.out`.
 * - Below a prefix, an output has the part of the key behind the prefix.
 * - A range of columns has its end, as the guide says; one of a JSON list has not. Its start, and
 *   each index, must be there.
 * - Several ranges in a path are refused by the first record, as an issue of the SDK's shows (1112).
 */

import { resolvedImage } from "../../endpoints/checks.ts";
import { Model, Variant } from "../../endpoints/resource.ts";
import { Fleet } from "../../endpoints/serving/fleet.ts";
import { defaultSettings, HostingFailure } from "../../endpoints/serving/settings.ts";
import { noPing } from "../../endpoints/words.ts";
import { type Job, type JobEnd, NO_CAPACITY } from "../job.ts";
import { parseS3Uri } from "../platform.ts";
import { failedEnd, type FlowHost, JobFailure, type RunningJob } from "../runner.ts";
import { inputObjects } from "./objects.ts";
import { assembled } from "./records.ts";
import { parametersOf, type Progress, strategyName, transformObjects } from "./requests.ts";
import { TransformServer } from "./server.ts";

/** SageMaker's time for a server to be well, in ms, and its words for one that is not. */
const STARTUP = 30 * 60_000;
const NO_PING = "AlgorithmError: Model container failed to respond to ping. Please ensure /ping " +
  "endpoint is implemented and responds with an HTTP 200 status code";

/** A transform that runs. */
export class TransformFlow implements RunningJob {
  readonly #ending = new AbortController();
  /** As it was when the job was made: it may be deleted while the job runs. */
  readonly #model: Model;

  constructor(private readonly job: Job, private readonly host: FlowHost) {
    this.#model = host.services.models.get(job.request.ModelName)!;
  }

  async run(): Promise<void> {
    const { job, host: { services: { platform } } } = this;
    if (job.request.DataCaptureConfig) platform.problem("The box captures no data of transforms");
    try {
      const all = await this.#transform();
      // What is stopped leaves nothing.
      this.#ending.signal.throwIfAborted();
      await this.#keep(all);
      job.end(endOf(all));
    } catch (error) {
      const isStopped = this.#ending.signal.aborted;
      job.end(isStopped ? { status: "Stopped" } : failedEnd(job, error, platform));
    }
  }

  stop(): void {
    this.job.stopping();
    this.close();
  }

  interrupt(): void {
    throw new Error("Transforms have no spot instances");
  }

  close(): void {
    this.#ending.abort();
  }

  /** Runs all hosts, and leaves nothing of them. */
  async #transform(): Promise<readonly Progress[]> {
    const { job, host, host: { services: { platform }, settings: { startup = STARTUP } } } = this;
    if (!platform.faults.hasCapacity) throw new JobFailure(NO_CAPACITY.reason);
    job.enter("Downloading");
    // A server may close a connection that waits, just when it gets a request.
    using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
    const settings = { ...defaultSettings(), pingInterval: 1_000, healthyPings: 1, startup };
    const log = {
      logGroup: job.logGroup,
      logStream: (_instance: string, name = "") => job.logStream(name),
    };
    const closing = this.#ending.signal;
    const fleet = new Fleet(log, this.#hosts(), { ...host, client, settings, closing });
    try {
      await fleet.start();
      job.enter("Training");
      const { request } = job;
      const all = job.hosts.map((name, index) => {
        const server = new TransformServer(fleet.choose(name)!, { request, client, closing });
        return this.#runHost(server, name, index);
      });
      return (await Promise.all(all)).flat();
    } catch (error) {
      if (!(error instanceof HostingFailure)) throw error;
      const isPing = job.hosts.some((name) => error.message === noPing(name));
      throw new JobFailure(isPing ? NO_PING : `ClientError: ${error.message}`);
    } finally {
      await fleet.stop({ drains: false, grace: 0 });
    }
  }

  /** Each host is a variant of its own: the fleet then finds it by its name. */
  #hosts(): { readonly variants: readonly Variant[] } {
    const { job: { request, hosts }, host: { services: { ecr } } } = this;
    const { name, request: itsRequest, container, creationTime } = this.#model;
    const Environment = { ...container.Environment, ...variablesOf(request) };
    const ofModel = { ...itsRequest, PrimaryContainer: { ...container, Environment } };
    const model = new Model(name, ofModel, creationTime);
    const image = resolvedImage(container.Image, ecr);
    return {
      variants: hosts.map((VariantName) =>
        new Variant({ VariantName }, model, image, creationTime)
      ),
    };
  }

  async #runHost(
    server: TransformServer,
    name: string,
    index: number,
  ): Promise<readonly Progress[]> {
    const { job, job: { request, hosts }, host: { services: { s3, logs } } } = this;
    const say = (lines: readonly string[]): void =>
      logs.put(job.logGroup, job.logStream(`${name}/data-log`), lines.map(dataLogLine));
    const parameters = parametersOf(request, await server.executionParameters());
    say([Object.entries(parameters).map((pair) => pair.join("=")).join(", ")]);
    const objects = inputObjects(request, s3, { host: index, hosts: hosts.length });
    const invoke = (body: Uint8Array): Promise<Uint8Array> => server.invoke(body);
    return await transformObjects(objects, { request, parameters, s3, invoke, say });
  }

  async #keep(all: readonly Progress[]): Promise<void> {
    const { job: { request: { TransformOutput } }, host: { services: { s3 } } } = this;
    const { bucket } = parseS3Uri(TransformOutput.S3OutputPath);
    if (!s3.buckets.has(bucket)) {
      throw new JobFailure("ClientError: The specified bucket does not exist");
    }
    for (const { object, answers, failure } of all) {
      if (failure) continue;
      await s3.put(bucket, object.output, assembled(answers, TransformOutput.AssembleWith));
    }
  }
}

/** As SageMaker begins the lines of that log. */
function dataLogLine(line: string): string {
  return `${new Date().toISOString().slice(0, -1)}:[sagemaker logs]: ${line}`;
}

function endOf(all: readonly Progress[]): JobEnd {
  const failure = all.find((one) => one.failure)?.failure;
  if (!failure) return { status: "Completed" };
  const whose = failure.isClients ? "ClientError" : "AlgorithmError";
  return { status: "Failed", reason: `${whose}: See job logs for more information` };
}

/** The last three are there where the request has them. */
function variablesOf(
  { Environment, MaxPayloadInMB, BatchStrategy, MaxConcurrentTransforms }: Job["request"],
): Readonly<Record<string, string>> {
  const strategy = BatchStrategy && strategyName(BatchStrategy);
  const given = Object.entries({
    SAGEMAKER_MAX_PAYLOAD_IN_MB: MaxPayloadInMB,
    SAGEMAKER_BATCH_STRATEGY: strategy,
    SAGEMAKER_MAX_CONCURRENT_TRANSFORMS: MaxConcurrentTransforms,
  }).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]);
  const own = { SAGEMAKER_BATCH: "true", ...Object.fromEntries(given) };
  return { ...Environment, ...own };
}
