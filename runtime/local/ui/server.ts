/** The server of `local ui`: the page, and the API that `runtime/page/api.ts` describes. */

import type { App } from "../../app/app.ts";
import { layoutOf } from "../../app/layout.ts";
import { BODY_BYTES } from "../../contract/limits.ts";
import { messageOf, MlcliError, UsageError } from "../../errors.ts";
import { readBody } from "../../invocation/invocation.ts";
import { ANSWER_HEADERS, API, type Failure, TOKEN_HEADER } from "../../page/api.ts";
import { cannotListen } from "../../serving/ports.ts";
import { VERSION } from "../../version.ts";
import { jsonComparison, jsonWholeRun } from "../runs/json.ts";
import { compareRuns, wholeRun } from "../runs/list.ts";
import { isSame, newToken, objection } from "./access.ts";
import { Events } from "./events.ts";
import { curvesOf, filesOf, foundRun, logOf, NoSuchRun } from "./files.ts";
import { sampleOf } from "./sample.ts";
import { type Connect, Servers } from "./servers.ts";

/** What is served, and to whom. */
export interface PageServerOptions {
  readonly app: App;
  /** 0 picks a free one. */
  readonly port: number;
  /** Names of the server, besides localhost and addresses. */
  readonly allowedHosts: readonly string[];
  /** `pageDocument`. */
  readonly document: string;
  readonly connect: Connect;
  /** Ends it, and each request. */
  readonly signal: AbortSignal;
}

export interface PageServer {
  readonly port: number;
  readonly token: string;
  /** Resolves when it has ended. */
  readonly finished: Promise<void>;
}

/** Starts it. @throws MlcliError where the port is taken. */
export function servePage(options: PageServerOptions): PageServer {
  const token = newToken();
  const handler = new Handler(options, token);
  const { port, signal } = options;
  const onListen = (): void => {};
  try {
    const server = Deno.serve(
      { hostname: "127.0.0.1", port, signal, onListen },
      (request) => handler.answer(request),
    );
    const finished = server.finished.finally(() => handler[Symbol.dispose]());
    return { port: server.addr.port, token, finished };
  } catch (error) {
    throw cannotListen(port, error);
  }
}

const HEADERS = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  // no-transform: a proxy that packs events would hold them back.
  "Cache-Control": "no-store, no-transform",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
} as const;

/** The page has a policy of its own, of which this is what a document cannot say itself. */
const OF_PAGE = {
  "Content-Security-Policy": "frame-ancestors 'none'",
  "Content-Type": "text/html; charset=utf-8",
};

/** A request that cannot be answered, with a status of HTTP. */
class Refusal extends MlcliError {
  constructor(readonly status: number, message: string, readonly headers: HeadersInit = {}) {
    super(message);
  }
}

/** What is no Response is sent as JSON. */
type Answers = (request: Request, url: URL, part: string) => unknown;

class Handler implements Disposable {
  readonly #servers: Servers;
  readonly #events: Events;

  constructor(private readonly options: PageServerOptions, private readonly token: string) {
    const { app, connect, signal } = options;
    this.#servers = new Servers(app, connect, signal);
    this.#events = new Events(layoutOf(app), this.#servers, signal);
  }

  async answer(request: Request): Promise<Response> {
    let answer: Response;
    try {
      const found = await this.#answer(request);
      answer = found instanceof Response ? found : Response.json(found);
    } catch (error) {
      answer = failed(error);
    }
    for (const [name, value] of Object.entries(HEADERS)) {
      if (!answer.headers.has(name)) answer.headers.set(name, value);
    }
    return answer;
  }

  #answer(request: Request): unknown {
    const { headers } = request;
    const { allowedHosts, document } = this.options;
    const refused = objection(headers.get("Host"), headers.get("Origin"), allowedHosts);
    if (refused !== undefined) throw new Refusal(403, refused);
    const url = new URL(request.url);
    if (url.pathname === "/") {
      allow(request, "GET", "HEAD");
      return new Response(request.method === "HEAD" ? null : document, { headers: OF_PAGE });
    }
    if (!url.pathname.startsWith(`/${API}`)) throw new Refusal(404, "There is no such page");
    if (!isSame(headers.get(TOKEN_HEADER) ?? "", this.token)) {
      throw new Refusal(403, "The address lacks the token: open the one that mlcli printed");
    }
    const path = url.pathname.slice(API.length + 1);
    for (const [method, form, answers] of this.#routes) {
      const [found, part = ""] = form.exec(path) ?? [];
      if (found === undefined) continue;
      allow(request, method);
      return answers(request, url, decoded(part));
    }
    throw new Refusal(404, "There is no such thing in this API");
  }

  readonly #routes: readonly (readonly [method: string, path: RegExp, Answers])[] = [
    ["GET", /^app$/, async () => {
      const { app } = this.options;
      return { app: app.name, version: VERSION, sample: await sampleOf(app) };
    }],
    ["GET", /^events$/, () => new Response(this.#events.stream(), { headers: OF_LINES })],
    ["GET", /^runs\/([^/]+)$/, async (_, _url, name) => {
      await foundRun(this.#layout, name);
      return jsonWholeRun(await wholeRun(this.options.app, name));
    }],
    [
      "GET",
      /^runs\/([^/]+)\/curves$/,
      (_, url, name) => curvesOf(this.#layout, name, placeIn(url) ?? 0),
    ],
    ["GET", /^runs\/([^/]+)\/log$/, (_, url, name) => logOf(this.#layout, name, placeIn(url))],
    ["GET", /^runs\/([^/]+)\/files$/, (_, _url, name) => filesOf(this.#layout, name)],
    ["GET", /^comparison$/, async (_, { searchParams }) => {
      const names = [searchParams.get("a") ?? "", searchParams.get("b") ?? ""] as const;
      for (const name of names) await foundRun(this.#layout, name);
      return jsonComparison(await compareRuns(this.options.app, names, this.options.signal));
    }],
    ["POST", /^servers\/(\d{1,5})\/invocations$/, async (request, _, port) => {
      const found = await this.#servers.invoke(Number(port), {
        contentType: mediaType(request, "Content-Type", "application/octet-stream"),
        accept: mediaType(request, "Accept", "*/*"),
        body: await bodyOf(request),
      }, request.signal);
      return new Response(found.body, {
        headers: {
          "Content-Type": "application/octet-stream",
          [ANSWER_HEADERS.status]: String(found.status),
          [ANSWER_HEADERS.contentType]: found.contentType.slice(0, 200).replace(/[^ -~]/g, "?"),
          [ANSWER_HEADERS.milliseconds]: found.milliseconds.toFixed(1),
        },
      });
    }],
  ];

  get #layout() {
    return layoutOf(this.options.app);
  }

  [Symbol.dispose](): void {
    this.#servers[Symbol.dispose]();
  }
}

const OF_LINES = { "Content-Type": "application/jsonl; charset=utf-8" };

function allow({ method }: Request, ...methods: readonly string[]): void {
  if (methods.includes(method)) return;
  const headers = { Allow: methods.join(", ") };
  throw new Refusal(405, `This takes ${methods.join(" and ")} alone`, headers);
}

/** `?from=BYTES` */
function placeIn({ searchParams }: URL): number | undefined {
  const from = searchParams.get("from");
  if (from === null) return undefined;
  if (!/^\d{1,15}$/.test(from)) throw new Refusal(400, '"from" is not a number of bytes');
  return Number(from);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal(400, "The address is not valid");
  }
}

function mediaType({ headers }: Request, name: string, otherwise: string): string {
  const value = headers.get(name) ?? otherwise;
  if (!/^[!-~][\t -~]*$/.test(value)) throw new Refusal(400, `${name} is not a media type`);
  return value;
}

async function bodyOf({ body }: Request): Promise<Uint8Array> {
  const tooLarge = () => new Refusal(413, `The request is larger than ${BODY_BYTES} bytes (25 MB)`);
  const pieces = body ?? new Blob().stream();
  return (await readBody({ pieces, contentType: "" }, BODY_BYTES, tooLarge)).bytes;
}

function failed(error: unknown): Response {
  const hint = error instanceof MlcliError ? error.hint ?? null : null;
  const failure: Failure = { error: messageOf(error), hint };
  const { status, headers } = error instanceof Refusal ? error : { status: statusOf(error) };
  return Response.json(failure, { status, headers });
}

function statusOf(error: unknown): number {
  if (error instanceof NoSuchRun || error instanceof UsageError) return 404;
  return error instanceof MlcliError ? 502 : 500;
}
