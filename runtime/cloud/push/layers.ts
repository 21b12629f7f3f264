/**
 * What the engine's messages say about the layers that it pushes.
 *
 * @module
 */

import type { ProgressMessage } from "../../docker/messages.ts";

/** How far a push is. */
export interface LayersProgress {
  /** Bytes that were sent, and those of all layers that are sent, as far as they are known. */
  readonly sent: number;
  readonly total: number;
  /** Layers that the registry has, and all of them. */
  readonly done: number;
  readonly layers: number;
  /** Those whose bytes are being sent. */
  readonly sending: readonly LayerBytes[];
}

/** The bytes of one layer. */
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

/** The layers of one push. */
export class Layers {
  readonly #layers = new Map<string, Layer>();

  /** Takes a message in, and returns what is worth a line in it. */
  add({ id, status, progressDetail }: ProgressMessage): LayerEvent | undefined {
    if (id === undefined || status === undefined) return undefined;
    const layer = this.#layers.get(id) ?? { status: "", current: 0, total: 0 };
    this.#layers.set(id, layer);
    const { status: before } = layer;
    layer.status = status;
    layer.total = Math.max(layer.total, progressDetail?.total ?? 0);
    // The engine counts the archive's own bytes as well: more than there are in all.
    layer.current = Math.min(progressDetail?.current ?? layer.current, layer.total);
    if (THERE.test(status)) layer.current = layer.total;
    const isSame = before === status || (RETRYING.test(before) && RETRYING.test(status));
    return PASSING.test(status) || isSame ? undefined : { id, status };
  }

  /** How far they are. */
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
