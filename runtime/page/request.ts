/** A request of the form as a command, and its answer as text. */

import { asWritten, shellWord } from "../text.ts";
import { byteCount } from "../quantities.ts";

export interface TriedRequest {
  readonly port: number;
  readonly contentType: string;
  /** Empty: the server chooses. */
  readonly accept: string;
  /** The name of a file, or the text itself. */
  readonly body: { readonly file: string } | { readonly text: string };
}

export function curlLine({ port, contentType, accept, body }: TriedRequest): string {
  const headers = [`Content-Type: ${contentType}`, ...(accept ? [`Accept: ${accept}`] : [])];
  return [
    "curl",
    `http://localhost:${port}/invocations`,
    ...headers.flatMap((header) => ["-H", shellWord(header)]),
    // Of what stands in the line, curl would take one that begins with @ for a file's name.
    ...("file" in body
      ? ["--data-binary", shellWord(`@${body.file}`)]
      : ["--data-raw", shellWord(body.text)]),
  ].join(" ");
}

/** So much of an answer is shown. */
const LETTERS = 200_000;

/** JSON is indented, with its numbers as they are written. */
export function answerText(contentType: string, body: Uint8Array<ArrayBuffer>): string {
  const text = decoded(body);
  if (text === undefined) return `Binary data (${byteCount(body.length)})`;
  const shown = /\bjson$/i.test(contentType.split(";")[0]!.trim()) ? indented(text) : text;
  return shown.length > LETTERS ? `${shown.slice(0, LETTERS)}\n… (truncated)` : shown;
}

function decoded(body: Uint8Array<ArrayBuffer>): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function indented(text: string): string {
  try {
    const reviver = asWritten as Parameters<typeof JSON.parse>[1];
    return JSON.stringify(JSON.parse(text, reviver), undefined, 2);
  } catch {
    return text;
  }
}
