/**
 * What goes wrong at one call of a command line: on the platform, on the way there or back, or by a
 * key that is pressed then.
 */

import type { Box } from "./box/box.ts";
import { type BoxRequest, Refused } from "./box/service.ts";
import type { Keys } from "./in_process.ts";

/** What goes wrong. What lasts for a moment is over when it is tried again. */
export type Fault =
  | "fails for a moment"
  | "fails"
  | "is denied"
  | "is throttled for a moment"
  | "loses its request"
  | "loses its answer for a moment"
  | "loses its answer"
  | "breaks off its answer for a moment"
  | "breaks off its answer"
  | "is made with expired keys"
  | "is interrupted"
  | "is interrupted when done";

/** Whether it is over when it is tried again. */
export const lastsAMoment = (fault: Fault): boolean => fault.endsWith("for a moment");

/** What follows a job asks for ever; what asks once, and is asked again by Deno, has had enough. */
const LASTING = 4;

/** A fault at the call of that number, and at its repetitions; returns how to take it away. */
export function plant(
  { faults }: Pick<Box, "faults">,
  fault: Fault,
  at: number,
  keys: Keys,
  /** How often it happens. */
  times = lastsAMoment(fault) ? 1 : LASTING,
): () => void {
  const { before, after, losesRequest, losesAnswer } = faults;
  const healed = { before, after, losesRequest, losesAnswer };
  let count = 0;
  let broken: string | undefined;
  let left = times;
  const isBroken = (request: BoxRequest): boolean => nameOf(request) === broken;
  const happens = (kind: string, request: BoxRequest): boolean =>
    fault.startsWith(kind) && isBroken(request) && left-- > 0;
  // It is the first that is asked of each request.
  faults.losesRequest = (request) => {
    if (count++ === at) {
      broken = nameOf(request);
      if (fault === "is interrupted") keys.press();
      if (fault === "is made with expired keys") faults.expireKeys();
    }
    return happens("loses its request", request);
  };
  faults.losesAnswer = (request) => happens("loses its answer", request);
  faults.before = (request) => {
    const isRefused = ["fails", "is denied", "is throttled", "is made with expired keys"].some((
      kind,
    ) => happens(kind, request));
    if (isRefused) throw refusalOf(fault, request);
    return undefined;
  };
  faults.after = (request, answer) => {
    if (isBroken(request) && fault === "is interrupted when done") keys.press();
    // The answer to a HEAD has no body.
    const hasBody = request.method !== "HEAD";
    return hasBody && happens("breaks off", request) ? brokenOff(answer) : undefined;
  };
  return () => {
    Object.assign(faults, healed);
    faults.renewKeys();
  };
}

function nameOf({ service, operation, input }: BoxRequest): string {
  return `${service}:${operation} ${JSON.stringify(input)}`;
}

function refusalOf(fault: Fault, { service, operation }: BoxRequest): Refused {
  const isS3 = service === "s3";
  if (fault.startsWith("fails")) return new Refused("InternalFailure", "It is broken.", 500);
  if (fault.startsWith("is throttled")) {
    return isS3
      ? new Refused("SlowDown", "Please reduce your request rate.", 503)
      : new Refused("ThrottlingException", "Rate exceeded", 400);
  }
  if (fault === "is made with expired keys") {
    return isS3
      ? new Refused("ExpiredToken", "The provided token has expired.", 400)
      : new Refused("ExpiredTokenException", "The security token is expired", 400);
  }
  return new Refused(
    isS3 ? "AccessDenied" : "AccessDeniedException",
    `User: me is not authorized to perform: ${service}:${operation} on resource: *`,
    isS3 ? 403 : 400,
  );
}

/** The head of an answer, and a part of its body; then the connection ends. */
async function brokenOff(answer: Response): Promise<Response> {
  const bytes = await answer.bytes();
  const headers = new Headers(answer.headers);
  // A body is announced also where the answer has none.
  headers.set("content-length", String(bytes.length + 10));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes.subarray(0, Math.ceil(bytes.length / 2)));
      // Shorter than was announced: the server breaks the connection, and says nothing of it.
      controller.close();
    },
  });
  return new Response(body, { status: answer.status, headers });
}
