/**
 * Bounds how many bytes are in memory at the same time.
 *
 * @module
 */

/** Bytes to read into, until they are disposed of. */
export interface Taken extends Disposable {
  readonly bytes: Uint8Array;
}

/**
 * Memory that work takes from, and gives back. What was large is used again: until a garbage
 * collector notices, several times as much would be in use.
 */
export class Budget {
  #left: number;
  readonly #most: number;
  readonly #kept: ArrayBuffer[] = [];
  readonly #waiting: { readonly size: number; readonly go: () => void }[] = [];

  /** @param most bytes that are out at the same time. */
  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  /** Waits for its turn. What asks for more than there is gets it when nothing else is out. */
  async take(size: number): Promise<Taken> {
    const taken = Math.min(size, this.#most);
    if (this.#waiting.length > 0 || this.#left < taken) {
      await new Promise<void>((go) => this.#waiting.push({ size: taken, go }));
    } else this.#left -= taken;
    const buffer = this.#buffer(size);
    let isTaken = true;
    return {
      bytes: new Uint8Array(buffer, 0, size),
      [Symbol.dispose]: () => {
        if (!isTaken) return;
        isTaken = false;
        if (size >= KEPT) this.#kept.push(buffer);
        this.#give(taken);
      },
    };
  }

  /** One that is large enough and not much too large, or a new one. */
  #buffer(size: number): ArrayBuffer {
    if (size < KEPT) return new ArrayBuffer(size);
    const index = this.#kept.findIndex(({ byteLength }) => byteLength >= size);
    if (index >= 0) return this.#kept.splice(index, 1)[0]!;
    // One of another size goes instead, so that all together never grow beyond the budget twice.
    this.#kept.shift();
    return new ArrayBuffer(size);
  }

  #give(size: number): void {
    this.#left += size;
    for (let next = this.#waiting[0]; next && next.size <= this.#left; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#left -= next.size;
      next.go();
    }
  }
}

/** From this size (bytes) on, memory is used again. */
const KEPT = 1024 ** 2;
