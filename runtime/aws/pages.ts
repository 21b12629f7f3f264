import { repeatedPage } from "./explanations.ts";

/**
 * Notices that tokens go round in a circle. It remembers only one token, and replaces it at growing
 * intervals (Brent's algorithm).
 */
export class Circle {
  #kept: string | undefined;
  #left = 1;
  #turn = 1;

  /** Whether the circle is closed: this token came before. */
  isClosedBy(token: string): boolean {
    if (token === this.#kept) return true;
    if (--this.#left === 0) {
      this.#kept = token;
      this.#left = this.#turn *= 2;
    }
    return false;
  }
}

/**
 * All pages; the next is asked for when needed.
 *
 * @param what is listed, for messages: `endpoints`.
 * @throws AwsError when pages lead back to one that came before.
 */
export async function* pagesOf<Item>(
  what: string,
  ask: (token: string | undefined) => Promise<{
    readonly items: readonly Item[];
    readonly token: string | undefined;
  }>,
): AsyncGenerator<readonly Item[]> {
  const circle = new Circle();
  let token: string | undefined;
  do {
    const page = await ask(token);
    yield page.items;
    token = page.token;
    if (token && circle.isClosedBy(token)) throw repeatedPage(what);
  } while (token);
}
