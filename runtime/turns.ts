/**
 * Writing to readers who may have stopped reading.
 *
 * @module
 */

/**
 * What fits into a pipe that nobody reads, in bytes: a page, which Linux gives to each where a user
 * has very many (pipe(7)).
 */
const SURE_ROOM = 4_096;

/**
 * What is printed to pipes and files by one process. While all of it fits into a pipe, it is written at
 * once. After that each text has its turn, also one for another stream, so that they stay in order:
 * while Deno writes at once and the reader does not read, no signal is heard.
 */
export class Turns {
  #given = 0;
  #last: Promise<void> | undefined;

  /** Counts bytes that are going to be written; says whether they may be so at once. */
  fit(length: number): boolean {
    this.#given += length;
    return this.#given <= SURE_ROOM && this.#last === undefined;
  }

  /** Does it once the others are done. @param write does not fail. */
  add(write: () => Promise<void>): void {
    const turn = (this.#last ?? Promise.resolve()).then(write).then(() => {
      if (this.#last === turn) this.#last = undefined;
    });
    this.#last = turn;
  }

  /** Resolves when all is written that was added so far; undefined where that is so. */
  get over(): Promise<void> | undefined {
    return this.#last;
  }
}
