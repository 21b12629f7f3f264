/** Runs a transform on the Docker Engine of the tests. */

import { modelData } from "../../endpoints/serving/fleet.ts";
import { HostingFailure } from "../../endpoints/serving/settings.ts";
import type { Model } from "../../endpoints/resource.ts";
import { REGION } from "../../account.ts";
import type { Mount } from "../../engine/container.ts";
import { createNetwork, FilledVolume, removeNetwork } from "../../engine/resources.ts";
import { EngineError } from "../../engine_api.ts";
import { type Job, type JobEnd, NO_CAPACITY } from "../job.ts";
import { parseS3Uri } from "../platform.ts";
import {
  failedEnd,
  type FlowHost,
  JobFailure,
  noStart,
  pullFor,
  type RunningJob,
} from "../runner.ts";
import { inputObjects } from "./objects.ts";
import { outputOf, type Progress, shapeOf, strategyName, transformObjects } from "./requests.ts";
import { TransformServer } from "./server.ts";

// deno-lint-ignore no-explicit-any
type Request = Readonly<Record<string, any>>;

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
    const { job, host: { services: { platform, s3 } } } = this;
    if (job.request.DataCaptureConfig) platform.problem("The box captures no data of transforms");
    try {
      const all = await this.#transform();
      if (this.#ending.signal.aborted) return job.end({ status: "Stopped" });
      const bucket = parseS3Uri(job.request.TransformOutput.S3OutputPath).bucket;
      if (!s3.buckets.has(bucket)) {
        throw new JobFailure("ClientError: The specified bucket does not exist");
      }
      for (const progress of all.filter(({ failure }) => !failure)) {
        await s3.put(bucket, progress.object.output, outputOf(progress, job.request));
      }
      job.end(endOf(all));
    } catch (error) {
      const isStopped = this.#ending.signal.aborted;
      job.end(isStopped ? { status: "Stopped" } : failedEnd(job, error, platform));
    }
  }

  stop(): void {
    this.job.stopping();
    this.#ending.abort();
  }

  interrupt(): void {
    throw new Error("Transforms have no spot instances");
  }

  close(): void {
    this.#ending.abort();
  }

  async #transform(): Promise<readonly Progress[]> {
    const { job, host: { services, engine } } = this;
    if (!services.platform.faults.hasCapacity) throw new JobFailure(NO_CAPACITY.reason);
    job.enter("Downloading");
    await using stack = new AsyncDisposableStack();
    const { container, request: { ExecutionRoleArn, EnableNetworkIsolation } } = this.#model;
    const image = await pullFor(container.Image, ExecutionRoleArn, this.host);
    const entries = await modelData(container, services.s3).catch(inClientsWords);
    const mounts: Mount[] = [];
    if (entries) {
      const volume = await FilledVolume.create(engine, image, entries);
      stack.defer(() => volume.remove());
      mounts.push({ volume: volume.name, directory: "/opt/ml/model", isReadOnly: true });
    }
    const network = EnableNetworkIsolation ? await createNetwork(engine, true) : undefined;
    if (network !== undefined) stack.defer(() => removeNetwork(engine, network));
    // A server may close a connection that waits, just when it gets a request.
    const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
    stack.defer(() => client.close());
    const failing = new AbortController();
    const signal = AbortSignal.any([this.#ending.signal, failing.signal]);
    job.enter("Training");
    const results = await Promise.allSettled(job.hosts.map(async (_, index) => {
      try {
        return await this.#runHost(index, { image, mounts, network, client, signal });
      } catch (error) {
        failing.abort();
        throw error;
      }
    }));
    const failed = results.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
    return results.flatMap((one) => one.status === "fulfilled" ? one.value : []);
  }

  async #runHost(
    index: number,
    { image, mounts, network, client, signal }: {
      readonly image: string;
      readonly mounts: readonly Mount[];
      readonly network: string | undefined;
      readonly client: Deno.HttpClient;
      readonly signal: AbortSignal;
    },
  ): Promise<readonly Progress[]> {
    const { job, host: { services: { s3, logs }, engine, settings } } = this;
    const { request } = job;
    const { InvocationsTimeoutInSeconds = 600, InvocationsMaxRetries = 3 } =
      request.ModelClientConfig ?? {};
    const host = job.hosts[index]!;
    const log = (stream: string, lines: readonly string[]): void =>
      logs.put(job.logGroup, job.logStream(stream), lines);
    await using server = await TransformServer.start(
      engine,
      {
        ...{ image, mounts, network, host, memory: settings.memory },
        variables: variablesOf(this.#model, request),
      },
      (line) => log(host, [line]),
      {
        ...{ client, signal, isChunked: request.MaxPayloadInMB === 0 },
        headers: headersOf(request),
        timeout: InvocationsTimeoutInSeconds,
        retries: InvocationsMaxRetries,
      },
    ).catch((error) => {
      throw error instanceof EngineError
        ? new JobFailure(noStart("docker run <image> serve"))
        : error;
    });
    if (!await server.isReady(settings.startup ?? STARTUP)) throw new JobFailure(NO_PING);
    const shape = shapeOf(request, await server.executionParameters());
    const { concurrency, payload, isMulti } = shape;
    const say = (...lines: readonly string[]): void => log(`${host}/data-log`, lines.map(logged));
    say(
      `MaxConcurrentTransforms=${concurrency}, MaxPayloadInMB=${payload}, ` +
        `BatchStrategy=${isMulti ? "MULTI" : "SINGLE"}_RECORD`,
    );
    const objects = await inputObjects(request, s3, { host: index, hosts: job.hosts.length });
    const invoke = (body: Uint8Array): Promise<Uint8Array> => server.invoke(body);
    const all = await transformObjects(objects, { request, shape, s3, invoke });
    for (const { object, failure } of all) {
      const name = `${object.bucket}/${object.key}`;
      say(...[failure?.lines ?? []].flat().map((line) => `${name}: ${line}`));
    }
    return all;
  }
}

/** As SageMaker begins the lines of that log. */
function logged(line: string): string {
  return `${new Date().toISOString().slice(0, -1)}:[sagemaker logs]: ${line}`;
}

function endOf(all: readonly Progress[]): JobEnd {
  const failure = all.find((one) => one.failure)?.failure;
  if (!failure) return { status: "Completed" };
  const whose = failure.isClients ? "ClientError" : "AlgorithmError";
  return { status: "Failed", reason: `${whose}: See job logs for more information` };
}

/** The last three are there only where the request has them. */
function variablesOf(model: Model, request: Request): Readonly<Record<string, string>> {
  const { MaxPayloadInMB, BatchStrategy, MaxConcurrentTransforms } = request;
  return {
    AWS_REGION: REGION,
    ...model.container.Environment,
    ...request.Environment,
    SAGEMAKER_BATCH: "true",
    ...(MaxPayloadInMB === undefined ? {} : {
      SAGEMAKER_MAX_PAYLOAD_IN_MB: String(MaxPayloadInMB),
    }),
    ...(BatchStrategy === undefined ? {} : {
      SAGEMAKER_BATCH_STRATEGY: strategyName(BatchStrategy),
    }),
    ...(MaxConcurrentTransforms === undefined ? {} : {
      SAGEMAKER_MAX_CONCURRENT_TRANSFORMS: String(MaxConcurrentTransforms),
    }),
  };
}

function headersOf({ TransformInput, TransformOutput }: Request): Readonly<Record<string, string>> {
  const { ContentType } = TransformInput;
  const { Accept } = TransformOutput;
  return {
    ...(ContentType === undefined ? {} : { "content-type": ContentType }),
    ...(Accept === undefined ? {} : { accept: Accept }),
  };
}

function inClientsWords(error: unknown): never {
  throw error instanceof HostingFailure ? new JobFailure(`ClientError: ${error.message}`) : error;
}
