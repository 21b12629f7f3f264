import type { MlcliError } from "../errors.ts";
import { BrokenEngine, EngineError, EngineGone, engineWords, isPage } from "./errors.ts";
import { parsedWithoutNulls, type Shape } from "./shape.ts";
import type { Waiting } from "./time_limits.ts";

/**
 * What the engine answered. Reading it throws `BrokenEngine` where the connection breaks, or where
 * the answer is not what the Engine API promises: so an answer that is cut off never counts as
 * whole.
 */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
  /** JSON of a form; what is null counts as not there. */
  json<T>(shape: Shape<T>): Promise<T>;
  /** JSON of a form, one a line, as they come. */
  lines<T>(shape: Shape<T>): AsyncGenerator<T, void, void>;
  /** Drops the body, when only the status matters. */
  discard(): Promise<void>;
}

export function answerOf(response: Response, asked: Asked, waiting: Waiting): Answer {
  const broken = (cause: unknown): unknown => new EngineGone(asked.call, cause);
  async function* body(): AsyncGenerator<Uint8Array, void, void> {
    if (response.body === null) return;
    const reader = response.body.getReader();
    try {
      while (true) {
        const { done, value } = await waiting.during(() => reader.read(), broken);
        if (done) return;
        yield value;
      }
    } finally {
      // Ends the answer where nobody wants the rest. If it has failed, that error is known already.
      reader.cancel().catch(() => {});
      waiting.end();
    }
  }
  async function text(): Promise<string> {
    try {
      const { start, isWhole } = await waiting.during(
        () => startOf(response.body ?? [], LONGEST),
        broken,
      );
      if (isWhole) return start;
      throw unexpectedAnswer(asked, start);
    } finally {
      waiting.end();
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    body: body(),
    text,
    async json<T>(shape: Shape<T>): Promise<T> {
      return parsed(await text(), shape, asked);
    },
    async *lines<T>(shape: Shape<T>): AsyncGenerator<T, void, void> {
      for await (const line of linesOf(body())) yield parsed(line, shape, asked);
    },
    async discard(): Promise<void> {
      waiting.end();
      await response.body?.cancel();
    },
  };
}

/** In bytes: longer than the list of all an engine's containers. Whoever sends more is no engine. */
const LONGEST = 64 * 1024 ** 2;

/** Longer than any refusal of an engine, in bytes. */
const LONGEST_REFUSAL = 65_536;

/** The beginning of a body that may be of any length. */
export async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  return (await startOf(body, LONGEST_REFUSAL)).start;
}

/** A body's text; of one with more bytes than `most`, its beginning. */
async function startOf(
  body: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  most: number,
): Promise<{ readonly start: string; readonly isWhole: boolean }> {
  const decoder = new TextDecoder();
  let [start, length] = ["", 0];
  for await (const bytes of body) {
    start += decoder.decode(bytes, { stream: true });
    length += bytes.length;
    if (length > most) return { start, isWhole: false };
  }
  return { start: start + decoder.decode(), isWhole: true };
}

/** What was asked, and where, for messages. */
export interface Asked {
  readonly call: string;
  /** The address as the user would write it in `DOCKER_HOST`. */
  readonly address: string;
}

function parsed<T>(text: string, shape: Shape<T>, asked: Asked): T {
  let value: unknown;
  try {
    value = parsedWithoutNulls(text);
  } catch (cause) {
    throw unexpectedAnswer(asked, text, cause);
  }
  if (shape(value)) return value;
  throw unexpectedAnswer(asked, text);
}

/** The error for an answer in another form than the Engine API's. */
function unexpectedAnswer({ call, address }: Asked, text: string, cause?: unknown): BrokenEngine {
  return new BrokenEngine(`Unexpected response from the Docker Engine (${call})`, {
    quote: engineWords(text) || "(nothing)",
    hint: `Check that a Docker Engine is running at ${address}: mlcli doctor`,
    cause,
  });
}

/** The error for an answer whose status the caller does not handle. */
export function statusError(
  status: number,
  text: string,
  statusText: string,
  { call, address }: Asked,
): MlcliError {
  // Something that is no engine answers with success to any call, or with a page for people.
  return status < 400 || isPage(text)
    ? unexpectedAnswer({ call: `${call}: ${status}`, address }, text)
    : new EngineError(status, refusal(text, statusText), call);
}

/** The engine's words: `{"message": ...}`; Podman adds `cause` and `response`. */
function refusal(text: string, statusText: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return engineWords(typeof message === "string" ? message : text);
  } catch {
    return engineWords(text.trim() || statusText);
  }
}

/** The lines of a body that are not empty, the last also where no line end follows it. */
export async function* linesOf(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, void> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = decoder.decode(chunk, { stream: true }).split("\n");
    lines[0] = rest + lines[0]!;
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.trim() !== "") yield line;
    }
  }
  if (rest.trim() !== "") yield rest;
}

/** In ms: `Date` has whole seconds, and the answer takes a moment to arrive. */
const INEXACT = 2_000;

/**
 * By how much the engine's clock is ahead of this machine's, in ms, by the `Date` of an answer (RFC 9110,
 * 6.6.1) that has just come. 0 where the difference is too small to tell, or there is no `Date`.
 */
export function clockAhead(headers: Headers, now = Date.now()): number {
  const date = Date.parse(headers.get("Date") ?? "");
  // `Date` names a second: its middle is the best guess.
  const ahead = date + 500 - now;
  return Math.abs(ahead) > INEXACT ? ahead : 0;
}

/** A time of the engine, in ISO 8601, on this machine's clock. Text that is no time stays as it is. */
export function onThisClock(time: string, ahead: number): string {
  const date = Date.parse(time) - ahead;
  return ahead === 0 || Number.isNaN(date) ? time : new Date(date).toISOString();
}
