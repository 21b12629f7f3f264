/** The commands that send the same request as the form. */

import { shellWord } from "../text.ts";

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

export function invokeLine({ port, contentType, accept, body }: TriedRequest): string {
  const invoke = [
    ...["mlcli", "local", "invoke", "-p", port, "--content-type", shellWord(contentType)],
    ...(accept ? ["--accept", shellWord(accept)] : []),
  ].join(" ");
  return "file" in body
    ? `${invoke} ${shellWord(body.file.replace(/^-/, "./-"))}`
    : `printf %s ${shellWord(body.text)} | ${invoke}`;
}
