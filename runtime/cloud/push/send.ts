import type { Ecr, RegistryAuthorization } from "../../aws/ecr.ts";
import type { Engine } from "../../docker/engine.ts";
import { failureOf, type ProgressMessage, pushedDigest } from "../../docker/messages.ts";
import { MlcliError } from "../../errors.ts";
import type { Messages } from "../../messages.ts";
import { pushError, pushFailure, type PushTarget } from "./failures.ts";

export interface Sending {
  readonly engine: Engine;
  readonly ecr: Pick<Ecr, "authorization">;
  /** Id of the engine's image, because its name can move to another image. */
  readonly imageId: string;
  readonly target: PushTarget;
  /** Aborts the push: the engine also stops. */
  readonly signal: AbortSignal;
  readonly messages: Messages;
}

/** Shows the progress of a push. */
export interface PushProgress {
  readonly progress: (layers: LayersProgress) => void;
  readonly layer: (event: LayerEvent) => void;
}

/**
 * Sends the image. Afterwards, the engine's images have their previous names.
 *
 * @returns the digest, or that the tag has another image and cannot be changed.
 * @throws MlcliError if the engine or the registry refuses.
 */
export async function sendImage(
  sending: Sending,
  login: RegistryAuthorization,
  shown: PushProgress,
): Promise<string | "immutable"> {
  await using _named = await named(sending);
  const first = await attempt(sending, login, shown);
  if ("digest" in first) return first.digest;
  // A registry can revoke a login early, and the response to a HEAD request cannot report it: mlcli retries
  // once with a new login.
  const last = ["expired", "refused without a word"].includes(pushFailure(first.failure))
    ? await attempt(sending, await sending.ecr.authorization(), shown)
    : first;
  if ("digest" in last) return last.digest;
  if (pushFailure(last.failure) === "immutable") return "immutable";
  throw pushError(last.failure, sending.target);
}

/** Gives the image the name to push it by, until disposal. A failure to take it away is a warning. */
async function named(
  { engine, imageId, target, messages }: Sending,
): Promise<AsyncDisposable> {
  const { uri, tag, reference } = target;
  const name = `${uri}:${tag}`;
  // `image_name` can be the repository's whole address.
  if (name === reference) return { async [Symbol.asyncDispose](): Promise<void> {} };
  const before = await engine.image(name);
  await engine.tagImage(imageId, uri, tag);
  return {
    async [Symbol.asyncDispose](): Promise<void> {
      try {
        if (!before) return await engine.untagImage(name);
        await engine.tagImage(before.Id, uri, tag);
      } catch (error) {
        if (!(error instanceof MlcliError)) throw error;
        const [failed, remedy] = before
          ? [`restore the local tag ${name}`, `Restore the tag: docker tag ${before.Id} ${name}`]
          : [`remove the temporary local tag ${name}`, `Remove the tag: docker rmi ${name}`];
        return messages.warning(`Cannot ${failed}: ${error.message}`, remedy);
      }
      // The name was the user's, or is left of a push that was killed.
      if (before.Id !== imageId) {
        messages.note(
          `Another local image has the tag ${name}. To remove the tag: docker rmi ${name}`,
        );
      }
    },
  };
}

async function attempt(
  { engine, target: { uri, tag }, signal }: Sending,
  { username, password, host }: RegistryAuthorization,
  { progress, layer }: PushProgress,
): Promise<{ readonly digest: string } | { readonly failure: string }> {
  const layers = new Layers();
  let digest: string | undefined;
  const login = { username, password, serveraddress: host };
  for await (const message of engine.push({ name: uri, tag, login, signal })) {
    const failure = failureOf(message);
    // No engine is known to quote the password; this is a precaution.
    if (failure !== undefined) return { failure: failure.replaceAll(password, "***") };
    const event = layers.add(message);
    if (event) layer(event);
    progress(layers.progress);
    digest = pushedDigest(message) ?? digest;
  }
  // An engine that stops half-way ends the messages without an error.
  return digest === undefined
    ? { failure: "the Docker Engine stopped the push before the registry returned a digest" }
    : { digest };
}

export interface LayersProgress {
  /** Bytes sent, and the known size of all layers that are sent. */
  readonly sent: number;
  readonly total: number;
  /** Layers that the registry has, and all of them. */
  readonly done: number;
  readonly layers: number;
  /** Those whose bytes are being sent. */
  readonly sending: readonly LayerBytes[];
}

export interface LayerBytes {
  readonly id: string;
  readonly sent: number;
  readonly total: number;
}

/** What happened to a layer, for a line of its own: `Pushed`, `Layer already exists`, ... */
export interface LayerEvent {
  readonly id: string;
  readonly status: string;
}

interface Layer {
  status: string;
  current: number;
  total: number;
}

/** States that a layer passes through. */
const PASSING = /^(Preparing|Waiting|Pushing)$/;

/** The registry has it: `Pushed`, `Layer already exists`, `Mounted from ...`. */
const THERE = /^(Pushed|Layer already exists|Already exists|Mounted from\b)/;

/** The seconds count down, a message each. */
const RETRYING = /^Retrying\b/;

export class Layers {
  readonly #layers = new Map<string, Layer>();

  /** Takes a message; returns what is worth a line. */
  add({ id, status, progressDetail }: ProgressMessage): LayerEvent | undefined {
    if (id === undefined || status === undefined) return undefined;
    const layer = this.#layers.get(id) ?? { status: "", current: 0, total: 0 };
    this.#layers.set(id, layer);
    const { status: before } = layer;
    layer.status = status;
    layer.total = Math.max(layer.total, progressDetail?.total ?? 0);
    // The engine also counts the bytes of the archive around a layer, and so more than the total.
    layer.current = Math.min(progressDetail?.current ?? layer.current, layer.total);
    if (THERE.test(status)) layer.current = layer.total;
    const isSame = before === status || (RETRYING.test(before) && RETRYING.test(status));
    return PASSING.test(status) || isSame ? undefined : { id, status };
  }

  get progress(): LayersProgress {
    const layers = [...this.#layers.values()];
    const sum = (of: (layer: Layer) => number): number =>
      layers.reduce((before, layer) => before + of(layer), 0);
    return {
      sent: sum(({ current }) => current),
      total: sum(({ total }) => total),
      done: layers.filter(({ status }) => THERE.test(status)).length,
      layers: layers.length,
      sending: [...this.#layers].filter(([, { status, total }]) =>
        status === "Pushing" && total > 0
      ).map(([id, { current, total }]) => ({ id, sent: current, total })),
    };
  }
}
