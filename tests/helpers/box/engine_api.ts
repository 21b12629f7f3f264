/**
 * The Docker Engine as the box asks it: calls of its API on a socket, and no more than jobs need.
 * It is not mlcli's own client, since the two check each other.
 */

/** Docker 20.10 speaks it, and so does each later one. */
const VERSION = "v1.41";
/** Longest time for a call that does not wait for a container, in ms. */
const TIMEOUT = 120_000;

/** A call of the API. */
export interface EngineCall {
  readonly body?: unknown;
  /** An archive, instead of JSON. */
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses that are no errors; 200 to 204 by default. */
  readonly expect?: readonly number[];
  readonly signal?: AbortSignal;
}

/** A connection to the engine that the tests run on. */
export class EngineApi implements Disposable {
  readonly #client: Deno.HttpClient;
  readonly #base: string;

  constructor(host: string = Deno.env.get("DOCKER_HOST") || "unix:///var/run/docker.sock") {
    const { protocol, pathname, host: address } = new URL(host);
    const isSocket = protocol === "unix:";
    this.#client = Deno.createHttpClient(
      isSocket ? { proxy: { transport: "unix", path: pathname } } : {},
    );
    this.#base = `http://${isSocket ? "engine" : address}/${VERSION}`;
  }

  /**
   * Makes a call.
   * @throws Error with the engine's own words for a status that is not expected.
   */
  async call(
    method: string,
    path: string,
    { body, bytes, headers, expect, signal = AbortSignal.timeout(TIMEOUT) }: EngineCall = {},
  ): Promise<Response> {
    const type = bytes ? "application/x-tar" : "application/json";
    const answer = await fetch(`${this.#base}${path}`, {
      method,
      headers: { "content-type": type, ...headers },
      body: bytes?.slice() ?? (body === undefined ? undefined : JSON.stringify(body)),
      client: this.#client,
      signal,
    });
    const isExpected = expect ? expect.includes(answer.status) : answer.ok;
    if (isExpected) return answer;
    throw new EngineError(answer.status, `${method} ${path}: ${(await answer.text()).trim()}`);
  }

  /** The same, for the answer's JSON. */
  // deno-lint-ignore no-explicit-any
  async json(method: string, path: string, call?: EngineCall): Promise<any> {
    return await (await this.call(method, path, call)).json();
  }

  /** The same, for an answer that does not matter. */
  async send(method: string, path: string, call?: EngineCall): Promise<void> {
    await (await this.call(method, path, call)).body?.cancel();
  }

  /**
   * Pulls or pushes an image: calls that say how far they are, line by line, and in a line what
   * went wrong.
   * @returns what they said.
   */
  async progress(path: string, password: string): Promise<readonly Record<string, unknown>[]> {
    const auth = btoa(JSON.stringify({ username: "AWS", password }));
    const headers = { "x-registry-auth": auth.replaceAll("+", "-").replaceAll("/", "_") };
    const text = await (await this.call("POST", path, { headers })).text();
    return text.split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

/** What the engine refuses. */
export class EngineError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** The engine's word for what went wrong on the way; `undefined` where nothing did. */
export function failureIn(lines: readonly Record<string, unknown>[]): string | undefined {
  const failed = lines.find((line) => line.errorDetail !== undefined || line.error !== undefined);
  if (!failed) return undefined;
  return (failed.errorDetail as { message?: string } | undefined)?.message ?? String(failed.error);
}

/**
 * The digest of what was pushed. Engines with containerd's image store say it in words alone, which
 * the others say, too: `latest: digest: sha256:... size: 529`.
 */
export function digestIn(lines: readonly Record<string, unknown>[]): string | undefined {
  return lines.map(({ status }) => /: digest: (sha256:\w{64}) size: /.exec(String(status))?.[1])
    .find((digest) => digest !== undefined);
}
