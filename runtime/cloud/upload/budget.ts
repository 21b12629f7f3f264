/**
 * Bounds how many bytes are in memory at the same time.
 *
 * @module
 */

/** A number of bytes that work takes from, and gives back. */
export class Budget {
  #left: number;
  readonly #most: number;
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  /** Waits for its turn; dispose of what it returns. More than there is counts as all there is. */
  async take(bytes: number): Promise<Disposable> {
    const taken = Math.min(bytes, this.#most);
    if (this.#waiting.length > 0 || this.#left < taken) {
      await new Promise<void>((go) => this.#waiting.push({ bytes: taken, go }));
    } else this.#left -= taken;
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#give(taken);
        isTaken = false;
      },
    };
  }

  #give(bytes: number): void {
    this.#left += bytes;
    for (let next = this.#waiting[0]; next && next.bytes <= this.#left; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#left -= next.bytes;
      next.go();
    }
  }
}
