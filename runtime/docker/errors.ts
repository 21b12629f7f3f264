import { fileErrorReason, messageOf, MlcliError } from "../errors.ts";
import { printable } from "../text.ts";
import { studioHint } from "./studio.ts";

/** The engine went away, does not answer, or answers otherwise than its API says. */
export class BrokenEngine extends MlcliError {
  override readonly name = "BrokenEngine";
}

/** No connection can be made, or it breaks: the engine ended, or what leads to it. */
export class EngineGone extends BrokenEngine {
  /**
   * @param call method and path: `POST /containers/ID/start`
   * @param cause what happened to the connection.
   */
  constructor(call: string, cause: unknown) {
    super(`Lost the connection to the Docker Engine (${call}): ${lossReason(cause)}`, {
      hint: "Check that the Docker Engine is running (docker version), then rerun the command",
      cause,
    });
  }
}

/** The engine answered with a status that the call does not expect. */
export class EngineError extends MlcliError {
  override readonly name = "EngineError";

  constructor(
    /** HTTP status of the answer. */
    readonly status: number,
    /** The engine's own words. */
    readonly reason: string,
    call: string,
  ) {
    super(`The Docker Engine refused ${call} (${status}): ${reason}`, {
      hint: hintFor(reason),
    });
  }
}

/** Whether the engine has no such image, container or network. */
export function isNotFound(error: unknown): boolean {
  return error instanceof EngineError && error.status === 404;
}

/** Whether a name is taken, or the state does not allow what was asked. */
export function isConflict(error: unknown): boolean {
  return error instanceof EngineError && (error.status === 409 || isNameTakenOnPodman(error));
}

/**
 * Podman (4.3.1) answers 500 to a name that is taken, with the words of its storage
 * (`ErrDuplicateName`, github.com/containers/storage/errors.go).
 */
function isNameTakenOnPodman({ status, reason }: EngineError): boolean {
  return status === 500 && /that name is already in use\b/.test(reason);
}

/** The hint for an error of the engine whose cause is known by its words. */
export function hintFor(words: string): string | undefined {
  return saysDiskFull(words)
    ? `Free disk space for the Docker Engine: ${FREES_ENGINE_DISK}`
    : studioHint(words);
}

/** strerror(3) of ENOSPC and EDQUOT; Go writes the same small (syscall/zerrors_linux_amd64.go). */
const FULL = /no space left on device|disk quota exceeded/i;

export function saysDiskFull(words: string): boolean {
  return FULL.test(words);
}

/** What frees the disk of the engine, which holds images, containers and caches of builds. */
export const FREES_ENGINE_DISK =
  "docker system df shows what uses it, and docker system prune removes unused data";

/** How Deno words a connection that breaks, depending on what it was about (crates hyper, reqwest). */
const BROKEN =
  /^client error|^error (?:sending|reading|decoding)|^request or response body|connection closed|end of file|EOF/i;

/** Whether a connection failed (EPIPE, ECONNRESET, ...), and not what is sent on it. */
export function isConnectionLoss(cause: unknown): boolean {
  const reason = reasonOf(cause);
  return BROKEN.test(reason) ||
    /\(os error (?:32|54|57|61|104|107|111)\)|\bE(?:PIPE|CONN[A-Z]+)\b/.test(reason);
}

/** The system's reason, without its number; Deno's own words say nothing to anybody. */
function lossReason(cause: unknown): string {
  const reason = fileErrorReason(reasonOf(cause));
  return BROKEN.test(reason) ? "the connection was closed" : reason;
}

/** Deno's words for a failed connection; before 2.9 in the message, later in the cause. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? messageOf(error.cause)
    : messageOf(error);
}

/** How much of a long message is shown, in characters: of its beginning, and of its end. */
const BEGINNING = 700;
const END = 300;

/** The engine's words, safe for a terminal; long ones without their middle. */
export function engineWords(text: string): string {
  const left = text.length - BEGINNING - END;
  if (left <= 0) return printable(text);
  // The cut may go through a surrogate pair.
  const [first, last] = [text.slice(0, BEGINNING), text.slice(-END)].map((part) =>
    printable(part.toWellFormed())
  );
  return `${first} ... (${left} characters omitted) ... ${last}`;
}

/** Whether it is a page for people, such as proxies and other servers send. */
export function isPage(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body|\?xml)\b/i.test(text);
}
