/**
 * The platform in a box: AWS as mlcli needs it, on this machine, over HTTP in AWS's own protocols
 * with the signatures checked. It shares no code with `runtime/`: the two check each other.
 */

import { type Authorization, parseAuthorization } from "../sigv4.ts";
import { type AccessKey, environmentOf, USER_KEY } from "./account.ts";
import { refusalAnswer } from "./answers.ts";
import { authenticated } from "./authentication.ts";
import type { EndpointStore } from "./endpoints/endpoint_store.ts";
import { ServingRunner } from "./endpoints/serving/serving_runner.ts";
import { Faults } from "./faults.ts";
import { Front } from "./front.ts";
import type { JobStore } from "./jobs/job_store.ts";
import type { EngineRunner } from "./jobs/runner.ts";
import type { LogStore } from "./logs.ts";
import { operationOf, serviceOf } from "./operation.ts";
import type { S3Store } from "./s3_store.ts";
import {
  type BoxRequest,
  type Platform,
  Refused,
  type Service,
  type ServiceName,
  Unexpected,
} from "./service.ts";
import { type BoxOptions, openServices, type Services } from "./services.ts";

/** A request whose signature was right. */
export interface LoggedRequest extends Pick<BoxRequest, "service" | "operation" | "input"> {
  readonly authorization: Authorization;
  readonly userAgent: string;
}

/** How long requests may go on when the box is closed, in ms: a failed test may hold some for ever. */
const PATIENCE = 2_000;

/** A platform for one test. Close it with `await using`, which fails on unexpected requests. */
export class Box implements AsyncDisposable, Platform {
  readonly keys = new Map<string, AccessKey>([[USER_KEY.id, USER_KEY]]);
  readonly roles = new Set<string>();
  readonly requests: LoggedRequest[] = [];
  readonly faults = new Faults(this.keys);
  /** Requests that were open at the same time, at most. */
  mostAtOnce = 0;
  /** Set where a test sends a signature of another secret on purpose. */
  expectsWrongSignature = false;
  #open = 0;
  #services?: Services;
  readonly #answering = new Set<Promise<Response>>();
  readonly #problems: string[] = [];
  readonly #stop = new AbortController();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #front: Front;

  private constructor(readonly directory: string) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: this.#stop.signal },
      (request, { remoteAddr }) => this.#kept(this.#serve(request, remoteAddr.port)),
    );
    this.#front = new Front(this.#server.addr.port);
  }

  /** Starts one. */
  static async open(options: BoxOptions = {}): Promise<Box> {
    const box = new Box(await Deno.makeTempDir({ prefix: "mlcli-test-box-" }));
    try {
      box.#services = await openServices(box, options);
      return box;
    } catch (error) {
      await box[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Where all services answer. */
  get url(): string {
    return `http://127.0.0.1:${this.#front.port}`;
  }

  /** The way there, which cuts connections on a test's word. */
  get network(): Pick<Front, "cutAfter"> {
    return this.#front;
  }

  get services(): Services {
    return this.#services!;
  }

  get sts(): Services["sts"] {
    return this.services.sts;
  }

  /** All jobs, and how those go on that do not run. */
  get jobs(): JobStore {
    return this.services.sagemaker.jobs.store;
  }

  /** Models, endpoint configurations and endpoints, and how those go on that do not run. */
  get endpoints(): EndpointStore {
    return this.services.sagemaker.endpoints.store;
  }

  /** The machines that jobs run on: how long they may take to stop, when they are taken away. */
  get machines(): EngineRunner {
    const { runner } = this.services.sagemaker.jobs;
    if (!runner) throw new Error("Jobs do not run in this box: open it with { jobs: true }");
    return runner;
  }

  /** The machines that endpoints run on: how much time all may take. */
  get hosting(): ServingRunner {
    const { runner } = this.services.sagemaker.endpoints;
    if (runner instanceof ServingRunner) return runner;
    throw new Error("Endpoints do not serve in this box: open it with { endpoints: true }");
  }

  /** ECR, to prepare repositories and images, and to look at them. */
  get ecr(): Services["ecr"] {
    return this.services.ecr;
  }

  /** What lies in the buckets. */
  get s3(): S3Store {
    return this.services.s3.store;
  }

  /** What jobs printed. */
  get logs(): LogStore {
    return this.services.logs;
  }

  /** The environment of a program whose user has the key and asks this platform. */
  env(key: AccessKey = USER_KEY): Record<string, string> {
    return environmentOf(this.url, key);
  }

  /** What was asked for, in order: `s3:PutObject`. */
  get operations(): string[] {
    return this.requests.map(({ service, operation }) => `${service}:${operation}`);
  }

  problem(what: string): void {
    this.#problems.push(what);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.faults.end();
    await this.#front[Symbol.asyncDispose]();
    await this.#settled();
    // Not shutdown(): that waits for requests that a failed test holds.
    this.#stop.abort();
    await this.#server.finished;
    const services: Service[] = Object.values(this.#services ?? {});
    const ended = await Promise.allSettled(
      services.map((service) => service[Symbol.asyncDispose]?.()),
    );
    await Deno.remove(this.directory, { recursive: true });
    for (const one of ended) if (one.status === "rejected") this.problem(`${one.reason}`);
    if (this.#problems.length > 0) throw new Error(this.#problems.join("\n"));
  }

  async #kept(answering: Promise<Response>): Promise<Response> {
    this.#answering.add(answering);
    return await answering.finally(() => this.#answering.delete(answering));
  }

  /** Waits for what goes on for clients that are gone: it needs the directory. */
  async #settled(): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, PATIENCE);
    await Promise.race([Promise.allSettled(this.#answering), over]);
    clearTimeout(timer);
  }

  async #serve(request: Request, port: number): Promise<Response> {
    this.#open++;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#open);
    try {
      const answer = await this.#answer(request, port);
      // Deno would compress it, and weaken its ETag.
      if (!answer.headers.has("cache-control")) answer.headers.set("cache-control", "no-transform");
      if (this.faults.closesConnections) answer.headers.set("connection", "close");
      return answer;
    } catch (error) {
      return new Response(this.#unexpected(error).message, { status: 501 });
    } finally {
      this.#open--;
    }
  }

  /** Notes what must not happen. No client asks again after this answer. */
  #unexpected(error: unknown): Refused {
    const what = error instanceof Unexpected ? error.message : `The box failed: ${failure(error)}`;
    this.problem(what);
    return new Refused("NotExpectedByTheBox", what, 501);
  }

  async #answer(request: Request, port: number): Promise<Response> {
    const { headers, method } = request;
    // Not through URL, which would make `a/../b` another address.
    const target = request.url.replace(/^https?:\/\/[^/]*/, "");
    const body = await request.bytes().catch(() => undefined);
    // The client went away before it had sent all.
    if (!body) return new Response(null, { status: 400 });
    const authorization = parseAuthorization(headers);
    if (!authorization) throw new Unexpected(`Not signed: ${method} ${target}`);
    const service = serviceOf(authorization.service);
    try {
      const signed = { method, target, headers, body };
      const key = authenticated(authorization, signed, this.keys, this.faults, () => {
        if (!this.expectsWrongSignature) this.problem(`A signature is wrong: ${method} ${target}`);
      });
      const url = new URL(request.url);
      const { region } = authorization;
      const asked = operationOf(service, method, url, target, headers, body);
      this.requests.push({
        ...{ service, ...asked, authorization },
        userAgent: headers.get("user-agent") ?? "",
      });
      const question = { service, ...asked, key, region, headers, method, url, body };
      if (this.faults.losesRequest(question)) return this.#lost(port);
      const answer = await this.#handle(question);
      if (!this.faults.losesAnswer(question)) return answer;
      await answer.body?.cancel();
      return this.#lost(port);
    } catch (error) {
      const refusal = error instanceof Refused ? error : this.#unexpected(error);
      return refusalAnswer(service, method, target, refusal);
    }
  }

  /** Breaks the connection; nobody gets the answer. */
  #lost(port: number): Response {
    this.#front.breakConnection(port);
    return new Response(null, { status: 500 });
  }

  async #handle(request: BoxRequest): Promise<Response> {
    const early = await this.faults.before(request);
    if (early) return early;
    const service: Service = this.services[request.service];
    const { service: name, operation } = request;
    await this.faults.onRequest(
      request,
      service.permission?.(request) ?? { action: `${name}:${operation}`, resource: "*" },
    );
    try {
      const answer = await service.handle(request);
      return await this.faults.after(request, answer) ?? answer;
    } catch (refusal) {
      const answer = await this.faults.afterRefusal(request);
      if (answer) return answer;
      throw refusal;
    }
  }
}

function failure(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}

export type { AccessKey, BoxOptions, ServiceName };
