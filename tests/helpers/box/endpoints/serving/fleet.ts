import { REGION } from "../../account.ts";
import { type Entry, unpacked } from "../../engine/archive.ts";
import type { Mount } from "../../engine/container.ts";
import { pullImage } from "../../engine/pull.ts";
import { createNetwork, FilledVolume, removeNetwork } from "../../engine/resources.ts";
import type { EngineApi } from "../../engine_api.ts";
import { download } from "../../jobs/channel.ts";
import { whereIs } from "../../jobs/checks.ts";
import { type JobPlatform, parseS3Uri } from "../../jobs/platform.ts";
import type { S3Store } from "../../s3_store.ts";
import type { Endpoint } from "../endpoint.ts";
import type { Deployment, Request, Variant } from "../resource.ts";
import { NO_CAPACITY, noArchive, noImage, noModelData, noPing, noPull } from "../words.ts";
import { Instance } from "./instance.ts";
import { gunzip } from "../../../tar.ts";
import { Closed, HostingFailure, pause, type ServingSettings } from "./settings.ts";

/** Where a server finds its model. */
const MODEL_DIRECTORY = "/opt/ml/model";

/** Seconds that a server has to become healthy. */
const STARTUP = 240;

/** How often it is looked whether its time is over, in ms. */
const PIECE = 20;

/** What fleets need. */
export interface FleetHost {
  readonly services: JobPlatform;
  readonly engine: EngineApi;
  readonly client: Deno.HttpClient;
  readonly settings: ServingSettings;
  /** Images that were pulled, to be removed with the box. */
  readonly pulled: Set<string>;
  /** The box is being closed. */
  readonly closing: AbortSignal;
}

/** The instances of a deployment, or of a batch transform. */
export class Fleet {
  readonly #instances: Instance[] = [];
  readonly #volumes: FilledVolume[] = [];
  readonly #networks: string[] = [];

  constructor(
    private readonly endpoint: Pick<Endpoint, "logGroup" | "logStream">,
    private readonly deployment: Pick<Deployment, "variants">,
    private readonly host: FleetHost,
  ) {}

  /** Starts all, and waits until all are healthy. @throws HostingFailure */
  async start(): Promise<void> {
    if (!this.host.services.platform.faults.hasCapacity) throw new HostingFailure(NO_CAPACITY);
    for (const variant of this.deployment.variants) await this.#prepare(variant);
    this.#checkOpen();
    for (const instance of this.#instances) instance.start();
    await Promise.all(this.deployment.variants.map((variant) => this.#healthy(variant)));
  }

  /** A healthy instance: of the variant, or of any by their weights. */
  choose(variant: string | undefined): Instance | undefined {
    const name = variant ?? this.#anyVariant();
    const healthy = this.#instances.filter((one) =>
      one.variant === name && one.address !== undefined
    );
    return healthy[Math.floor(Math.random() * healthy.length)];
  }

  /** Ends all, and removes what there was for them. */
  async stop(how: { readonly drains: boolean; readonly grace: number }): Promise<void> {
    await Promise.all(this.#instances.map((instance) => instance.stop(how)));
    for (const volume of this.#volumes) await volume.remove();
    for (const network of this.#networks) await removeNetwork(this.host.engine, network);
  }

  /** Makes the instances of a variant, which do not run yet. */
  async #prepare(variant: Variant): Promise<void> {
    const { services, engine, client, settings, closing } = this.host;
    const { model, request } = variant;
    const entries = await modelData(model.container, services.s3);
    this.#checkOpen();
    const image = await this.#pull(variant);
    this.#checkOpen();
    const mounts = entries ? [await this.#mount(image, entries)] : [];
    const network = model.request.EnableNetworkIsolation === true
      ? await createNetwork(engine, true)
      : undefined;
    if (network !== undefined) this.#networks.push(network);
    const megabytes: number | undefined = request.ServerlessConfig?.MemorySizeInMB;
    for (let count = variant.isServerless ? 1 : variant.desiredCount; count > 0; count--) {
      this.#instances.push(
        new Instance({
          ...{ engine, client, settings, closing, image, mounts, network },
          variant: variant.name,
          variables: { AWS_REGION: REGION, ...model.container.Environment },
          memory: megabytes === undefined ? undefined : megabytes * 1024 * 1024,
          onLine: (instance, line) => this.#print(variant, instance, line),
          onProblem: (what) => services.platform.problem(what),
        }),
      );
    }
  }

  async #mount(image: string, entries: Parameters<typeof FilledVolume.create>[2]): Promise<Mount> {
    const volume = await FilledVolume.create(this.host.engine, image, entries);
    this.#volumes.push(volume);
    return { volume: volume.name, directory: MODEL_DIRECTORY, isReadOnly: true };
  }

  async #pull({ name, image, model }: Variant): Promise<string> {
    const { services, engine, pulled } = this.host;
    const { found, wanted } = whereIs(image, services.ecr);
    if (!found || !services.ecr.store.find(found, wanted)) throw new HostingFailure(noImage(name));
    const puller = { ...services, engine, pulled };
    const role: string = model.request.ExecutionRoleArn;
    const local = await pullImage(puller, { repository: found.name, digest: wanted }, role);
    if (local === undefined) throw new HostingFailure(noPull(role, model.container.Image));
    return local;
  }

  /** Waits for a variant's instances. */
  async #healthy({ name, request }: Variant): Promise<void> {
    const { closing, settings } = this.host;
    const limit = (request.ContainerStartupHealthCheckTimeoutInSeconds ?? STARTUP) * 1_000;
    const instances = this.#instances.filter(({ variant }) => variant === name);
    const all = Promise.all(instances.map(({ ready }) => ready)).then(() => true);
    const over = new AbortController();
    all.catch(() => {}).finally(() => over.abort());
    const begin = Date.now();
    // In small pieces: a test may make the time shorter while it runs.
    for (let isReady = false; !isReady;) {
      const late = pause(PIECE, closing, over.signal).then(() => false);
      isReady = await Promise.race([all, late]);
      if (isReady) return;
      this.#checkOpen();
      if (Date.now() - begin >= (settings.startup ?? limit)) throw new HostingFailure(noPing(name));
    }
  }

  #anyVariant(): string | undefined {
    const { variants } = this.deployment;
    let place = Math.random() * variants.reduce((sum, one) => sum + one.desiredWeight, 0);
    return variants.find((one) => (place -= one.desiredWeight) < 0)?.name ?? variants[0]?.name;
  }

  #print({ name }: Variant, instance: string, line: string): void {
    const { endpoint, host: { services: { logs } } } = this;
    logs.put(endpoint.logGroup, endpoint.logStream(instance, name), [line]);
  }

  #checkOpen(): void {
    if (this.host.closing.aborted) throw new Closed();
  }
}

/**
 * Fetches it, and unpacks it.
 * @param container `PrimaryContainer`
 * @returns what lies in `/opt/ml/model`; `undefined` where the model has no artifact.
 * @throws HostingFailure where it is not there, or no archive.
 */
export async function modelData(
  container: Request,
  s3: S3Store,
): Promise<readonly Entry[] | undefined> {
  const source = container.ModelDataSource?.S3DataSource;
  const url: string | undefined = source?.S3Uri ?? container.ModelDataUrl;
  if (url === undefined) return undefined;
  const { bucket, key } = parseS3Uri(url);
  if (!s3.buckets.has(bucket)) throw new HostingFailure(noModelData(url));
  if (source?.CompressionType === "None") {
    const files = await download(s3, { uri: url, isSharded: false }, {
      ...{ directory: "", host: 0, hosts: 1 },
    });
    if (files.length === 0) throw new HostingFailure(noModelData(url));
    return files.map((file) => ({ ...file, name: file.name.replace(/^\/+/, "") }));
  }
  if (!s3.object(bucket, key)) throw new HostingFailure(noModelData(url));
  return await extracted(url, await s3.bytes(bucket, key));
}

/** The entries of `model.tar.gz`. */
async function extracted(url: string, archive: Uint8Array): Promise<readonly Entry[]> {
  try {
    const entries = await unpacked(await gunzip(archive));
    return entries.flatMap((entry) => {
      const name = entry.name.replace(/^(?:\.?\/)+/, "").replace(/^\.$/, "");
      // AWS's knowledge center on endpoints that fail: no symbolic links in an artifact.
      if (entry.type === "symlink" || name.split("/").includes("..")) {
        throw new HostingFailure(noArchive(url));
      }
      return name === "" ? [] : [{ ...entry, name }];
    });
  } catch {
    throw new HostingFailure(noArchive(url));
  }
}
