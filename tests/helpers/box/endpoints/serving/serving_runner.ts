/** Runs endpoints on the Docker Engine of the tests, and leaves nothing there. */

import { removePulled } from "../../engine/pull.ts";
import { removeLeftovers } from "../../engine/resources.ts";
import { EngineApi } from "../../engine_api.ts";
import type { JobPlatform } from "../../jobs/platform.ts";
import { Refused } from "../../service.ts";
import type { Endpoint } from "../endpoint.ts";
import {
  type EndpointRunner,
  type Invocation,
  InvocationTimeout,
  type Invoked,
} from "../invocations.ts";
import type { FleetHost } from "./fleet.ts";
import { Serving } from "./serving.ts";
import { defaultSettings, Limit, type ServingSettings } from "./settings.ts";

/** What makes endpoints serve. */
export class ServingRunner implements EndpointRunner {
  readonly settings: ServingSettings = defaultSettings();
  readonly #engine = new EngineApi();
  // A server may close a connection that waits, just when it gets a request.
  readonly #client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  readonly #pulled = new Set<string>();
  readonly #endpoints = new Map<Endpoint, Serving>();
  readonly #closing = new AbortController();
  /** Before the first endpoint. */
  #swept?: Promise<void>;

  constructor(private readonly services: JobPlatform) {}

  start(endpoint: Endpoint): void {
    const host: FleetHost = {
      services: this.services,
      engine: this.#engine,
      client: this.#client,
      settings: this.settings,
      pulled: this.#pulled,
      closing: this.#closing.signal,
    };
    this.#swept ??= removeLeftovers(this.#engine)
      .catch((error) => this.services.platform.problem(`Leftovers stay: ${error}`));
    const serving = new Serving(endpoint, host);
    this.#endpoints.set(endpoint, serving);
    serving.create();
  }

  update(endpoint: Endpoint): void {
    this.#servingOf(endpoint).update();
  }

  delete(endpoint: Endpoint): void {
    this.#servingOf(endpoint).delete();
  }

  async invoke(
    { endpoint, targetVariant, headers, body, isStreamed }: Invocation,
  ): Promise<Invoked> {
    const instance = this.#servingOf(endpoint).choose(targetVariant);
    if (!instance) throw unavailable();
    const { variant } = instance;
    const stream = endpoint.logStream(instance.id, variant);
    const end = instance.begin();
    using limit = new Limit(this.settings.invocation, this.#closing.signal);
    try {
      const answer = await fetch(`http://${instance.address}/invocations`, {
        method: "POST",
        // The answer as it is, whatever Deno would like to unpack.
        headers: { "user-agent": "AHC/2.0", "accept-encoding": "identity", ...headers },
        body,
        redirect: "manual",
        client: this.#client,
        signal: limit.signal,
      });
      const { status, headers: answered } = answer;
      if (isStreamed && answer.ok && answer.body) {
        const passed = ReadableStream.from(passedOn(answer.body, end));
        return { answer: new Response(passed, { status, headers: answered }), variant, stream };
      }
      const bytes = await answer.bytes();
      end();
      const whole = bytes.length === 0 ? null : bytes;
      return { answer: new Response(whole, { status, headers: answered }), variant, stream };
    } catch (error) {
      end();
      if (this.#closing.signal.aborted) throw unavailable();
      if (limit.isLate) throw new InvocationTimeout(stream);
      if (!(error instanceof TypeError)) throw error;
      // The connection broke: the container went away in the middle of it.
      return { answer: new Response(brokenBody(error), { status: 500 }), variant, stream };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#endpoints.values()].map((serving) => serving.close()));
    await this.#swept;
    await removePulled(this.#engine, this.#pulled);
    this.#client.close();
    this.#engine[Symbol.dispose]();
  }

  #servingOf(endpoint: Endpoint): Serving {
    const serving = this.#endpoints.get(endpoint);
    if (!serving) throw new Error(`The endpoint ${endpoint.name} does not run`);
    return serving;
  }
}

/** A body that cannot be read. */
function brokenBody(error: Error): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({ start: (controller) => controller.error(error) });
}

/** No instance is healthy. */
function unavailable(): Refused {
  return new Refused("ServiceUnavailable", "The service is currently unavailable.", 503);
}

/** A body as it comes; `end` is called at its end, however that comes. */
async function* passedOn(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  end: () => void,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    yield* body;
  } finally {
    end();
  }
}
