/**
 * The JSON messages that the engine streams while it builds, pulls, pushes or imports an image. These
 * calls answer 200 before they begin: whether they worked is in the messages.
 */

import { isObject } from "../text.ts";
import { engineWords } from "./errors.ts";
import { anything, number, object, type Of, text } from "./shape.ts";

/** One message; the engine sends many other fields. */
export const PROGRESS = object({}, {
  /** Text of a build. */
  stream: text,
  /** State of a pull or a push; of the layer `id`, where there is one. */
  status: text,
  id: text,
  /** Bytes of a layer, so far and in all. */
  progressDetail: object({}, { current: number, total: number }),
  /** `ID` of the image that was built; `Digest` of the manifest that a registry took; or a trace. */
  aux: anything,
  errorDetail: object({}, { message: text, code: number }),
  /** Deprecated since API 1.48 in favour of `errorDetail`; Podman sends only this one. */
  error: text,
});
export type ProgressMessage = Of<typeof PROGRESS>;

/** The message's error, if it is one, as it can be shown. */
export function failureOf({ errorDetail, error }: ProgressMessage): string | undefined {
  const words = errorDetail?.message ?? error;
  return words === undefined ? undefined : engineWords(words);
}

/** BuildKit's trace, for `decodedTrace`; undefined in other messages. */
export function traceIn({ id, aux }: ProgressMessage): string | undefined {
  // moby, builder/builder-next/builder.go
  return id === "moby.buildkit.trace" && typeof aux === "string" ? aux : undefined;
}

/** The image that a build has made, where the message says it. */
export function builtImage({ aux }: ProgressMessage): string | undefined {
  return textOf(aux, "ID");
}

/**
 * The digest of the manifest that a registry took, where the message says it. An engine with
 * containerd's image store, which Docker 29 has, says it in words alone (github.com/moby/moby,
 * daemon/containerd/image_push.go): `latest: digest: sha256:... size: 529`.
 */
export function pushedDigest({ aux, status }: ProgressMessage): string | undefined {
  const digest = textOf(aux, "Digest");
  return digest ?? /^\S+: digest: (sha256:[0-9a-f]{64}) size: \d+$/.exec(status ?? "")?.[1];
}

function textOf(aux: unknown, field: "ID" | "Digest"): string | undefined {
  const value: unknown = isObject(aux) ? aux[field] : undefined;
  return typeof value === "string" ? value : undefined;
}
