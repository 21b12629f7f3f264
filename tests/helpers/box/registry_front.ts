/**
 * The front of the registry, as ECR has it: passwords that end, repositories that have to be there,
 * tags that stay. All else goes on to the registry behind it.
 */

import type { AccessKey } from "./account.ts";
import type { RegistryAddress } from "./blobs.ts";
import { digestOf, type EcrStore, immutableTag, noRepository, repositoryArn } from "./ecr_store.ts";
import { type BoxRequest, type Platform, Refused } from "./service.ts";

/** Headers of one connection, not of a request. */
const OF_THE_CONNECTION = ["host", "connection", "keep-alive", "transfer-encoding", "te"];

/** What it has to know. */
export interface FrontParts {
  readonly platform: Pick<Platform, "faults" | "problem">;
  readonly store: EcrStore;
  /** The registry behind it; without one, nothing can be pushed or pulled. */
  readonly registry: RegistryAddress | undefined;
}

/** A server on a port of its own, where `docker push` and `docker pull` go. */
export class RegistryFront implements AsyncDisposable {
  /** Requests that came with a password that was good: `PUT app/manifests/latest`. */
  readonly requests: string[] = [];
  readonly #offered = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #stop = new AbortController();
  readonly #client = Deno.createHttpClient({});
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(private readonly parts: FrontParts) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: this.#stop.signal },
      (request) => this.#serve(request),
    );
  }

  /** `localhost:PORT`, which engines take for a registry without TLS. */
  get host(): string {
    return `localhost:${this.#server.addr.port}`;
  }

  /** An address at which bytes can be had without a password, by who knows it. */
  offer(bytes: Uint8Array<ArrayBuffer>): string {
    const path = `/offered/${crypto.randomUUID()}?X-Amz-Signature=a%2Bb`;
    this.#offered.set(path, bytes);
    return `http://${this.host}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#server.finished;
    this.#client.close();
  }

  async #serve(request: Request): Promise<Response> {
    try {
      const { pathname, search } = new URL(request.url);
      const offered = this.#offered.get(`${pathname}${search}`);
      if (offered) return new Response(offered);
      return await this.#answer(request, pathname);
    } catch (error) {
      if (error instanceof Refused) return refusalAnswer(error);
      if (this.#stop.signal.aborted) return refusal("UNAVAILABLE", "The box is closed", 503);
      // Who goes away in the middle of a request hears no answer.
      if (request.signal.aborted) return refusal("UNKNOWN", "The client went away", 499);
      this.parts.platform.problem(`The registry's front failed: ${error}`);
      return refusal("UNKNOWN", "unknown error", 500);
    } finally {
      // An engine that is still sending when the connection closes might not read the response.
      if (!request.bodyUsed) await request.body?.pipeTo(new WritableStream()).catch(() => {});
    }
  }

  async #answer(request: Request, pathname: string): Promise<Response> {
    const key = this.#keyOf(request);
    if (key instanceof Response) return key;
    const target = parseTarget(pathname);
    if (!target) return await this.#forward(request);
    this.requests.push(`${request.method} ${pathname.slice("/v2/".length)}`);
    const { name, kind, reference } = target;
    await this.#permit(request, key, name, actionOf(request.method, kind));
    const repository = this.parts.store.repositories.get(name);
    if (!repository) return refusal("NAME_UNKNOWN", noRepository(name), 404);
    if (request.method !== "PUT" || kind !== "manifests") return await this.#forward(request);
    const isDigest = reference.startsWith("sha256:");
    if (repository.isImmutable && !isDigest && repository.tags.has(reference)) {
      return refusal("TAG_INVALID", immutableTag(repository, reference), 400);
    }
    const bytes = new Uint8Array(await request.arrayBuffer());
    const answer = await this.#forward(request, bytes);
    if (answer.status !== 201) return answer;
    this.parts.store.keep(repository, {
      digest: digestOf(bytes),
      manifest: new TextDecoder().decode(bytes),
      mediaType: request.headers.get("content-type") ?? "",
    }, isDigest ? undefined : reference);
    return answer;
  }

  /** Whose password it is, or the answer to one that is none. */
  #keyOf(request: Request): AccessKey | Response {
    const [, credentials = ""] =
      /^Basic (\S+)$/i.exec(request.headers.get("authorization") ?? "") ??
        [];
    if (credentials === "") {
      const realm = `Basic realm="http://${this.host}/",service="ecr.amazonaws.com"`;
      return refusal("UNAUTHORIZED", "Not Authorized", 401, { "www-authenticate": realm });
    }
    const token = this.parts.store.tokens.get(atob(credentials).replace(/^AWS:/, ""));
    if (!token) return refusal("DENIED", "Your Authorization Token is invalid.", 400);
    if (token.expiresAt > Date.now() && token.requestsLeft-- > 0) return token.key;
    const words = "Your authorization token has expired. Reauthenticate and try again.";
    return refusal("DENIED", words, 403);
  }

  /** What IAM says, and what a test wants to go wrong. */
  async #permit(request: Request, key: AccessKey, name: string, operation: string): Promise<void> {
    const asked: BoxRequest = {
      service: "ecr",
      operation,
      input: { repositoryName: name },
      key,
      region: "",
      headers: request.headers,
      method: request.method,
      url: new URL(request.url),
      body: new Uint8Array(),
    };
    const permission = { action: `ecr:${operation}`, resource: repositoryArn(name) };
    await this.parts.platform.faults.onRequest(asked, permission);
  }

  /** Asks the registry behind; bodies flow through in both directions. */
  async #forward(request: Request, body?: Uint8Array): Promise<Response> {
    const { registry } = this.parts;
    if (!registry) return refusal("UNSUPPORTED", "This box has no registry", 501);
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    for (const name of OF_THE_CONNECTION) headers.delete(name);
    headers.set("authorization", registry.authorization);
    const answer = await fetch(`${registry.url}${pathname}${search}`, {
      method: request.method,
      headers,
      body: body?.slice() ?? request.body,
      redirect: "manual",
      client: this.#client,
      signal: this.#stop.signal,
    });
    const answered = new Headers(answer.headers);
    for (const name of OF_THE_CONNECTION) answered.delete(name);
    return new Response(answer.body, { status: answer.status, headers: answered });
  }
}

/** `/v2/team/app/manifests/latest`: repository, kind and reference. */
function parseTarget(
  pathname: string,
): { name: string; kind: "blobs" | "manifests" | "tags"; reference: string } | undefined {
  const match = /^\/v2\/(.+)\/(blobs|manifests|tags)\/(.*)$/.exec(pathname);
  if (!match) return undefined;
  const [, name, kind, reference] = match as unknown as [string, string, "blobs", string];
  return { name, kind, reference: decodeURIComponent(reference) };
}

/** What IAM calls it. */
function actionOf(method: string, kind: "blobs" | "manifests" | "tags"): string {
  if (kind === "tags") return "ListImages";
  if (kind === "manifests") return method === "PUT" ? "PutImage" : "BatchGetImage";
  switch (method) {
    case "HEAD":
      return "BatchCheckLayerAvailability";
    case "POST":
      return "InitiateLayerUpload";
    case "PATCH":
      return "UploadLayerPart";
    case "PUT":
      return "CompleteLayerUpload";
    default:
      return "GetDownloadUrlForLayer";
  }
}

/** IAM's no, and other faults, as a registry says them. */
function refusalAnswer({ code, message, status }: Refused): Response {
  if (code === "AccessDeniedException") return refusal("DENIED", message, 403);
  if (code === "ThrottlingException") return refusal("TOOMANYREQUESTS", message, 429);
  return refusal("UNKNOWN", message, status < 500 ? 500 : status);
}

function refusal(
  code: string,
  message: string,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ errors: [{ code, message }] }, {
    status,
    headers: { "docker-distribution-api-version": "registry/2.0", ...headers },
  });
}
