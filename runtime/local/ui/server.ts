/** The server of `local ui`: the page, and the API that `runtime/page/api.ts` describes. */

import type { App } from "../../app/app.ts";
import { BODY_BYTES } from "../../contract/limits.ts";
import type { Engine } from "../../docker/engine.ts";
import { messageOf, MlcliError, UsageError } from "../../errors.ts";
import { readBody } from "../../invocation/invocation.ts";
import { API, type Failure, TOKEN_HEADER } from "../../page/api.ts";
import { cannotListen } from "../../serving/ports.ts";
import { VERSION } from "../../version.ts";
import { jsonComparison, jsonWholeRun } from "../runs/json.ts";
import { compareRuns, wholeRun } from "../runs/list.ts";
import { isSame, newToken, objection } from "./access.ts";
import { eventStream } from "./events.ts";
import { curvesOf, filesOf, logOf } from "./files.ts";
import { sampleOf } from "./sample.ts";
import { Servers } from "./servers.ts";

/** What is served, and to whom. */
export interface PageServerOptions {
  readonly app: App;
  /** 0 picks a free one. */
  readonly port: number;
  /** Names of the server, besides localhost and addresses. */
  readonly allowedHosts: readonly string[];
  /** `pageDocument`. */
  readonly document: string;
  readonly connect: () => Promise<Engine>;
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
  const { port, signal } = options;
  const token = newToken();
  const routes = routesOf(options);
  const onListen = (): void => {};
  try {
    const server = Deno.serve(
      { hostname: "127.0.0.1", port, signal, onListen },
      async (request) => {
        const answer = await answerTo(request, options, token, routes).catch(failed);
        for (const [name, value] of Object.entries(HEADERS)) {
          if (!answer.headers.has(name)) answer.headers.set(name, value);
        }
        return answer;
      },
    );
    return { port: server.addr.port, token, finished: server.finished };
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
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

async function answerTo(
  request: Request,
  { allowedHosts, document }: PageServerOptions,
  token: string,
  routes: readonly Route[],
): Promise<Response> {
  const { headers, method } = request;
  const refused = objection(headers.get("Host"), headers.get("Origin"), allowedHosts);
  if (refused !== undefined) throw new Refusal(403, refused);
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/" && /^(GET|HEAD)$/.test(method)) {
    return new Response(document, { headers: OF_PAGE });
  }
  if (!pathname.startsWith(`/${API}`)) throw new Refusal(404, "Page not found");
  if (!isSame(headers.get(TOKEN_HEADER) ?? "", token)) {
    throw new Refusal(403, "The address has no valid token: open the address that mlcli printed");
  }
  const call = `${method} ${pathname.slice(API.length + 1)}`;
  for (const [form, answer] of routes) {
    const [found, part = ""] = form.exec(call) ?? [];
    if (found === undefined) continue;
    const value = await answer(part, searchParams, request);
    return value instanceof Response ? value : Response.json(value);
  }
  throw new Refusal(404, "Unknown API call");
}

/** What a call is answered with: a Response, or what is sent as JSON. */
type Route = readonly [
  call: RegExp,
  answer: (part: string, query: URLSearchParams, request: Request) => unknown,
];

function routesOf({ app, connect, signal }: PageServerOptions): readonly Route[] {
  const layout = app.paths;
  const servers = new Servers(app, connect, signal);
  return [
    [
      /^GET app$/,
      async () => ({ app: app.name, version: VERSION, sample: await sampleOf(app) }),
    ],
    [
      /^GET events$/,
      () => new Response(eventStream(layout, servers, signal), { headers: OF_LINES }),
    ],
    [/^GET runs\/([^/]+)$/, async (run) => jsonWholeRun(await wholeRun(app, run))],
    [/^GET runs\/([^/]+)\/curves$/, (run, query) => curvesOf(layout, run, placeIn(query) ?? 0)],
    [/^GET runs\/([^/]+)\/log$/, (run, query) => logOf(layout, run, placeIn(query))],
    [/^GET runs\/([^/]+)\/files$/, (run) => filesOf(layout, run)],
    [/^GET comparison$/, async (_, query) => {
      const runs = [query.get("a") ?? "", query.get("b") ?? ""] as const;
      return jsonComparison(await compareRuns(app, runs, signal));
    }],
    [
      /^POST servers\/(\d{1,5})\/invocations$/,
      async (port, _, request) =>
        await servers.invoke(Number(port), request, await bodyOf(request)),
    ],
  ];
}

const OF_LINES = { "Content-Type": "application/jsonl; charset=utf-8" };

/** `?from=BYTES` */
function placeIn(query: URLSearchParams): number | undefined {
  const from = query.get("from");
  if (from === null) return undefined;
  if (!/^\d{1,15}$/.test(from)) throw new Refusal(400, '"from" must be a number of bytes');
  return Number(from);
}

async function bodyOf({ body }: Request): Promise<Uint8Array> {
  const tooLarge = () => new Refusal(413, `The request is larger than ${BODY_BYTES} bytes (25 MB)`);
  const pieces = body ?? new Blob().stream();
  return (await readBody({ pieces, contentType: "" }, BODY_BYTES, tooLarge)).bytes;
}

function failed(error: unknown): Response {
  const hint = error instanceof MlcliError ? error.hint ?? null : null;
  const failure: Failure = { error: messageOf(error), hint };
  return Response.json(failure, { status: statusOf(error) });
}

function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status;
  if (error instanceof UsageError) return 404;
  return error instanceof MlcliError ? 502 : 500;
}
