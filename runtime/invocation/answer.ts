import type { Output } from "../streams.ts";

const NEWLINE = 10;

/** An answer on standard output. */
export class PrintedAnswer {
  readonly #out: Output;
  readonly #err: Output;
  #last: number | undefined;
  #length = 0;

  constructor({ out, err }: { readonly out: Output; readonly err: Output }) {
    this.#out = out;
    this.#err = err;
  }

  /** How much of it is printed, in bytes. */
  get length(): number {
    return this.#length;
  }

  /** Passes it on as it comes, byte for byte. */
  async print(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const piece of pieces) {
      await this.#out.write(piece);
      this.#length += piece.length;
      this.#last = piece.at(-1) ?? this.#last;
    }
  }

  /** On a terminal, what follows the answer, be it the next prompt, has a line of its own. */
  endLine(): void {
    const isOpen = this.#last !== undefined && this.#last !== NEWLINE;
    if (isOpen && this.#out.isTerminal && this.#err.isTerminal) this.#err.print("\n");
    this.#last = undefined;
  }
}

/** What a model says beside an answer's body, in headers. */
export interface AnswerHeaders {
  /** `X-Amzn-SageMaker-Custom-Attributes` */
  readonly customAttributes: string | undefined;
  /** Of a stateful session that began with the request: its id, and until when it is there. */
  readonly newSession: string | undefined;
  /** Id of the session that ended with the request. */
  readonly closedSession: string | undefined;
}

/** The same in words. */
export function answerNotes(headers: AnswerHeaders): readonly string[] {
  const { customAttributes, newSession, closedSession } = headers;
  return [
    ...customAttributes ? [`custom attributes: ${customAttributes}`] : [],
    ...newSession ? [`session ${newSession} (--header Session-Id=...)`] : [],
    ...closedSession ? [`session ${closedSession} has ended`] : [],
  ];
}

/** A refusal in words, as the first line of an error and what stands below it. */
export interface RefusalWords {
  readonly message: string;
  readonly quote: string | undefined;
}

/**
 * The words of an answer that is not a success: the text of its `error`, which servers of mlcli
 * send, or else all of it, below what is said for it.
 *
 * @param status as it is named: `HTTP 500`.
 */
export function refusalWords(body: string, status: string, otherwise: string): RefusalWords {
  const words = errorOf(body);
  return words === undefined
    ? { message: otherwise, quote: body }
    : { message: `${words} (${status})`, quote: undefined };
}

/** The text of a JSON answer's `error`, if it has one. */
function errorOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === "string" && error.trim() !== "" ? error.trim() : undefined;
  } catch {
    return undefined; // another server's own form
  }
}

/** What a refusal with one of these depends on: the body's type, the answer's, or both. */
const OF_TYPES: readonly number[] = [400, 406, 415];

/** What to do about a refusal that a type may be the reason of. */
export function typeHint(status: number, contentType: string): string | undefined {
  if (!OF_TYPES.includes(status)) return undefined;
  return `It was sent as ${contentType}; --content-type and --accept choose other types.`;
}
