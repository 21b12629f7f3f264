import { digestOf, type StoredImage } from "./ecr_store.ts";

/** Layers and configurations of images, and the manifests that hold them together. */
export interface Blobs extends AsyncDisposable {
  /** Size of a part in bytes; `undefined` where it is not there. */
  size(repository: string, digest: string): Promise<number | undefined>;
  /** `undefined` where it is not there. */
  get(repository: string, digest: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  put(repository: string, bytes: Uint8Array): Promise<void>;
  /** Puts a manifest, by its digest or a tag. */
  putManifest(
    repository: string,
    reference: string,
    image: StoredImage,
  ): Promise<void>;
}

/** Of a box without a registry. */
export class MemoryBlobs implements Blobs {
  readonly #blobs = new Map<string, Uint8Array>();

  size(repository: string, digest: string): Promise<number | undefined> {
    return Promise.resolve(this.#blobs.get(`${repository}@${digest}`)?.length);
  }

  get(repository: string, digest: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return Promise.resolve(this.#blobs.get(`${repository}@${digest}`)?.slice());
  }

  put(repository: string, bytes: Uint8Array): Promise<void> {
    this.#blobs.set(`${repository}@${digestOf(bytes)}`, bytes);
    return Promise.resolve();
  }

  putManifest(): Promise<void> {
    return Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Where a registry answers, and what a request to it has to carry. */
export interface RegistryAddress {
  readonly url: string;
  readonly authorization: string;
}

/** Of a box with a registry. */
export class RegistryBlobs implements Blobs {
  readonly #client = Deno.createHttpClient({});

  constructor(private readonly registry: RegistryAddress) {}

  async size(repository: string, digest: string): Promise<number | undefined> {
    const answer = await this.#request("HEAD", `${repository}/blobs/${digest}`);
    await answer.body?.cancel();
    return answer.status === 200 ? Number(answer.headers.get("content-length")) : undefined;
  }

  async get(repository: string, digest: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const answer = await this.#request("GET", `${repository}/blobs/${digest}`);
    const bytes = await answer.bytes();
    return answer.status === 200 ? bytes : undefined;
  }

  async put(repository: string, bytes: Uint8Array): Promise<void> {
    const started = await this.#request("POST", `${repository}/blobs/uploads/`);
    await started.body?.cancel();
    const place = new URL(started.headers.get("location")!, this.registry.url);
    place.searchParams.set("digest", digestOf(bytes));
    const put = await this.#request("PUT", place.href, bytes, "application/octet-stream");
    await expectCreated(put);
  }

  async putManifest(
    repository: string,
    reference: string,
    { manifest, mediaType }: StoredImage,
  ): Promise<void> {
    const path = `${repository}/manifests/${reference}`;
    const bytes = new TextEncoder().encode(manifest);
    await expectCreated(await this.#request("PUT", path, bytes, mediaType));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    return Promise.resolve();
  }

  #request(method: string, path: string, body?: Uint8Array, type?: string): Promise<Response> {
    const { url, authorization } = this.registry;
    return fetch(new URL(path, `${url}/v2/`), {
      method,
      body: body?.slice(),
      headers: { authorization, ...(type === undefined ? {} : { "content-type": type }) },
      client: this.#client,
    });
  }
}

async function expectCreated(answer: Response): Promise<void> {
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`The registry said ${answer.status}: ${text}`);
}
