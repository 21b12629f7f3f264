/**
 * The JSON messages that the engine streams while it builds, pulls, pushes or imports an image. These
 * calls answer 200 before they begin: whether they worked is in the messages.
 *
 * @module
 */

import { isObject } from "../json.ts";
import { unexpected } from "./transport.ts";

/** One message; the engine sends many other fields. */
export interface ProgressMessage {
  /** Text of a build. */
  readonly stream?: string;
  /** State of a pull or a push; of the layer `id`, where there is one. */
  readonly status?: string;
  readonly id?: string;
  /** Bytes of a layer, so far and in all. */
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
  /** `ID` of the image that was built; `Digest` of the manifest that a registry took; or a trace. */
  readonly aux?: { readonly ID?: string; readonly Digest?: string } | string;
  readonly errorDetail?: { readonly message?: string; readonly code?: number };
  /** Deprecated since API 1.48 in favour of `errorDetail`; Podman sends only this one. */
  readonly error?: string;
}

/**
 * Reads the messages as they come.
 *
 * @throws MlcliError where something is not a message, for example when the last one is cut off.
 */
export function progressMessages(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ProgressMessage, void, void> {
  return jsonLines(body, "progress");
}

/**
 * Reads JSON objects, one a line, as they come; one may be split over several chunks.
 *
 * @param what they are, for the error.
 * @throws MlcliError where something is no object, for example when the last one is cut off.
 */
export async function* jsonLines<T extends object>(
  body: AsyncIterable<Uint8Array>,
  what: string,
): AsyncGenerator<T, void, void> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.trim() !== "") yield objectIn(line, what) as T;
    }
  }
  if (rest.trim() !== "") yield objectIn(rest, what) as T;
}

function objectIn(line: string, what: string): object {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw unexpected(what, line, cause);
  }
  if (!isObject(value)) throw unexpected(what, line);
  return value;
}

/** The message's error, if it is one. */
export function failureOf(message: ProgressMessage): string | undefined {
  return message.errorDetail?.message ?? message.error;
}

/** What BuildKit says, for `decodedTrace`; undefined where the message is of another kind. */
export function traceIn({ id, aux }: ProgressMessage): string | undefined {
  // moby, builder/builder-next/builder.go
  return id === "moby.buildkit.trace" && typeof aux === "string" ? aux : undefined;
}

/** The image that a build has made, where the message says it. */
export function builtImage({ aux }: ProgressMessage): string | undefined {
  return typeof aux === "object" ? aux.ID : undefined;
}

/**
 * The digest of the manifest that a registry took, where the message says it. An engine with
 * containerd's image store, which Docker 29 has, says it in words alone (github.com/moby/moby,
 * daemon/containerd/image_push.go): `latest: digest: sha256:... size: 529`.
 */
export function pushedDigest({ aux, status }: ProgressMessage): string | undefined {
  const digest = typeof aux === "object" ? aux.Digest : undefined;
  return digest ?? /^\S+: digest: (sha256:[0-9a-f]{64}) size: \d+$/.exec(status ?? "")?.[1];
}
