/** Why a server that runs is not ready: how it answers `/ping`, and what listens in its container. */

import { SERVER_PORT } from "../contract/jobs.ts";
import { listed } from "../text.ts";
import { isLoopbackAddress, type ListeningSocket } from "./sockets.ts";

/** The answer to `GET /ping`, or why there was none. */
export type PingAnswer =
  | { readonly status: number; readonly failure?: undefined }
  | { readonly status?: undefined; readonly failure: string };

/** The failure of a ping that was accepted and not answered in time. */
export const SILENT = "it accepts connections but does not respond";

export interface Diagnosis {
  /** A clause about the server: `GET /ping returns 404, not 200` */
  readonly words: string;
  /** `undefined` if it might only need more time. */
  readonly hint: string | undefined;
}

const LISTEN = `Make the server listen on 0.0.0.0, port ${SERVER_PORT}. uvicorn and flask run: ` +
  `--host 0.0.0.0 --port ${SERVER_PORT}; gunicorn: --bind 0.0.0.0:${SERVER_PORT}; in code: ` +
  `host="0.0.0.0", port=${SERVER_PORT}.`;

/**
 * Returns why a server is not ready; `undefined` if the answer says all that is known.
 *
 * @param sockets of its container; `undefined` if they are not known.
 */
export function diagnosis(
  { status, failure }: PingAnswer,
  sockets: readonly ListeningSocket[] | undefined,
): Diagnosis | undefined {
  if (status !== undefined) {
    const isLoading = status === 200 || status >= 500;
    const words = `GET /ping returns ${status}, not 200`;
    return isLoading
      ? undefined
      : { words, hint: STATUS_HINTS[status] ?? (status < 400 ? REDIRECTED : OTHER) };
  }
  if (failure === SILENT) return undefined;
  if (sockets === undefined) {
    const words = `it does not respond on port ${SERVER_PORT}, and its open ports are unknown`;
    return { words, hint: LISTEN };
  }
  if (sockets.length === 0) return { words: "it does not listen on any port yet", hint: undefined };
  const isOpen = ({ address, port }: ListeningSocket): boolean =>
    port === SERVER_PORT && !isLoopbackAddress(address);
  if (sockets.some(isOpen)) {
    const hint = "Return 200 from GET /ping, over HTTP without TLS, and over IPv4 (0.0.0.0)";
    return { words: `it closes connections to port ${SERVER_PORT} without a response`, hint };
  }
  const where = listed([...new Set(sockets.map(addressText))]);
  const words = `it listens on ${where} in the container, but must listen on 0.0.0.0:`;
  return { words: `${words}${SERVER_PORT}`, hint: LISTEN };
}

function addressText({ address, port }: ListeningSocket): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

const NO_LOGIN = "Allow GET /ping without a login";
const REDIRECTED =
  "Return 200 from /ping without a redirect: define its route without a slash at the end";
const OTHER = "Return 200 from /ping";

const STATUS_HINTS: Readonly<Record<number, string>> = {
  204: "Return status 200 from /ping: SageMaker accepts only 200",
  400:
    "Accept any Host header (Django: ALLOWED_HOSTS, FastAPI: TrustedHostMiddleware), respond without " +
    "TLS, and return 200 from /ping",
  401: NO_LOGIN,
  403: NO_LOGIN,
  404: 'Add a route GET /ping that returns 200: @app.get("/ping") in FastAPI and Flask',
  405: 'Let /ping accept GET: @app.get("/ping") in FastAPI and Flask',
};

/** Returns the kind of an answer: for the user, a refused, a reset and a closed connection are one kind. */
export function kindOf({ status, failure }: PingAnswer): string {
  return String(status ?? failure === SILENT);
}

/** How long mlcli gets one kind of answer until it looks for the reason, in ms. */
const STUCK_AFTER = 10_000;

/**
 * Looks for the reason when `/ping` has given one kind of answer for ten seconds, and every ten seconds
 * until it finds one.
 */
export class StuckWatch {
  #key: string | undefined;
  #since = 0;
  /** Whether a reason was told, or none is wanted any more. */
  isDone = false;

  /** @param find is called with the answer; what it throws is ignored. */
  constructor(
    private readonly find: (answer: PingAnswer) => Promise<Diagnosis | undefined>,
    private readonly tell: (words: string, hint: string) => void,
  ) {}

  /**
   * @param now in ms.
   * @throws what `tell` throws.
   */
  async see(answer: PingAnswer, now: number): Promise<void> {
    const key = kindOf(answer);
    if (key !== this.#key) [this.#key, this.#since] = [key, now];
    if (this.isDone || now - this.#since < STUCK_AFTER) return;
    this.#since = now;
    const { words, hint } = await this.find(answer).catch(() => undefined) ?? {};
    if (words === undefined || hint === undefined || this.isDone || key !== this.#key) return;
    this.isDone = true;
    this.tell(words, hint.replace(/\.?$/, "."));
  }
}
