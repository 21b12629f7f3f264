import type { Input, Keyboard } from "../../runtime/streams.ts";

/** A terminal that the test uses. */
export interface FakeKeyboard extends Keyboard {
  /** `raw`, `normal`, in the order in which it was. */
  readonly modes: readonly string[];
  /** Makes it another size. */
  resize(rows: number, columns: number): void;
}

/** Makes one of 24 rows and 80 columns. */
export function fakeKeyboard(): FakeKeyboard {
  const listeners = new Set<() => void>();
  const modes: string[] = [];
  const size = { rows: 24, columns: 80 };
  return {
    modes,
    get rows() {
      return size.rows;
    },
    get columns() {
      return size.columns;
    },
    resize(rows, columns) {
      Object.assign(size, { rows, columns });
      for (const listener of listeners) listener();
    },
    onResize(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    raw() {
      modes.push("raw");
      return { [Symbol.dispose]: () => void modes.push("normal") };
    },
  };
}

/** Standard input that says these texts. */
export function fakeInput(
  texts: Iterable<string> | AsyncIterable<string>,
  keyboard?: Keyboard,
): Input {
  return {
    isTerminal: keyboard !== undefined,
    keyboard,
    async *read() {
      for await (const text of texts) yield new TextEncoder().encode(text);
    },
    async *readFile() {},
  };
}
