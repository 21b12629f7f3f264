import { seemsToHaveHeading, SNIFFED_LENGTH, typeOfBytes } from "../contract/invocations.ts";
import type { MlcliError } from "../errors.ts";
import { joined, type Output } from "../streams.ts";

export interface RequestBody {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** The same in the pieces that it came in: joining a large body would take its memory twice. */
export interface BodyInPieces {
  readonly pieces: readonly Uint8Array[];
  readonly contentType: string;
}

/** A body that has not been read yet. */
export interface UnreadBody {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** When undefined, it is guessed from the beginning of the body. */
  readonly contentType: string | undefined;
  /** Is told where the body is CSV that seems to begin with a heading. */
  readonly onHeading?: () => void;
}

/**
 * Reads a body to its end.
 *
 * @param most in bytes.
 * @param tooLarge makes the error for a body that is larger, of which the rest is not read.
 */
export async function readBody(
  body: UnreadBody,
  most: number,
  tooLarge: () => MlcliError,
): Promise<RequestBody> {
  const { pieces, contentType } = await readPieces(body, most, tooLarge);
  return { bytes: joined(pieces), contentType };
}

/** The same, in pieces. */
export async function readPieces(
  { pieces, contentType: given, onHeading }: UnreadBody,
  most: number,
  tooLarge: () => MlcliError,
): Promise<BodyInPieces> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > most) throw tooLarge();
    read.push(piece);
  }
  const contentType = given ?? typeOfBytes(startOf(read));
  if (read[0] && isCsv(contentType) && seemsToHaveHeading(read[0])) onHeading?.();
  return { pieces: read, contentType };
}

/** `text/csv`, also with parameters; but for that by which RFC 4180 tells a heading. */
function isCsv(contentType: string): boolean {
  return /^\s*text\/csv\s*(;|$)/i.test(contentType) && !/;\s*header\s*=/i.test(contentType);
}

function startOf(pieces: readonly Uint8Array[]): Uint8Array {
  const start: Uint8Array[] = [];
  let missing = SNIFFED_LENGTH;
  for (const piece of pieces) {
    if (missing === 0) break;
    const part = piece.subarray(0, missing);
    start.push(part);
    missing -= part.length;
  }
  return joined(start);
}

const NEWLINE = 10;

export class PrintedAnswer {
  readonly #out: Output;
  readonly #err: Output;
  #last: number | undefined;
  #length = 0;

  constructor({ out, err }: { readonly out: Output; readonly err: Output }) {
    this.#out = out;
    this.#err = err;
  }

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

  /** On a terminal, ends the answer's last line, so that the prompt does not follow on it. */
  endLine(): void {
    const isOpen = this.#last !== undefined && this.#last !== NEWLINE;
    if (isOpen && this.#out.isTerminal && this.#err.isTerminal) this.#err.print("\n");
    this.#last = undefined;
  }
}

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
    ...customAttributes ? [`Custom attributes: ${customAttributes}`] : [],
    ...newSession ? [`Started session ${newSession} (use --header Session-Id=ID)`] : [],
    ...closedSession ? [`Ended session ${closedSession}`] : [],
  ];
}

/** A refusal: the first line of an error, and the quote below it. */
export interface RefusalWords {
  readonly message: string;
  readonly quote: string | undefined;
}

/**
 * The words of an answer that is not a success: the text of its `error`, which servers of mlcli send, or
 * else `otherwise` with the whole answer quoted.
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

/** Statuses of refusals that may be about the type of the body or of the answer. */
const TYPE_STATUSES: readonly number[] = [400, 406, 415];

export function typeHint(status: number, contentType: string): string | undefined {
  if (!TYPE_STATUSES.includes(status)) return undefined;
  return `The request was sent as ${contentType}. Choose other types with --content-type and --accept.`;
}
