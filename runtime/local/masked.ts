/** Lent secrets in what a run's code prints, which mlcli shows and keeps. */

import { Buffer } from "node:buffer";
import { type Output, overlaid } from "../streams.ts";

/** Shorter ones are words of emulators, such as `test`: AWS makes 40 characters. */
const SHORTEST = 16;

/** Replaces secrets by asterisks, as many as they have characters. */
export class Mask {
  readonly #secrets: readonly string[];
  /** Writes what each stream still holds back. */
  readonly #rests: (() => Promise<void>)[] = [];

  /** @param secrets ASCII texts. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.filter(({ length }) => length >= SHORTEST);
  }

  text(text: string): string {
    const over = (masked: string, secret: string): string =>
      masked.replaceAll(secret, "*".repeat(secret.length));
    return this.#secrets.reduce(over, text);
  }

  /** Returns the streams with secrets masked, even if a secret arrives in pieces. Call `end` afterwards. */
  of({ out, err }: { readonly out: Output; readonly err: Output }): { out: Output; err: Output } {
    return { out: this.#over(out), err: this.#over(err) };
  }

  async end(): Promise<void> {
    for (const rest of this.#rests.splice(0)) await rest();
  }

  #over(output: Output): Output {
    let held = "";
    // Latin-1 has a character for each byte.
    const write = (text: string): Promise<void> => output.write(Buffer.from(text, "latin1"));
    // A stream that nobody reads has ended the run already.
    this.#rests.push(() => write(held).catch(() => {}));
    return overlaid(output, {
      write: (bytes) => {
        const text = this.text(held + Buffer.from(bytes).toString("latin1"));
        const end = this.#beginningAtEnd(text);
        held = text.slice(end);
        return write(text.slice(0, end));
      },
    });
  }

  /** Returns where a beginning of a secret starts that could go on in the next piece. */
  #beginningAtEnd(text: string): number {
    const longest = Math.max(1, ...this.#secrets.map(({ length }) => length));
    let at = Math.max(0, text.length - longest + 1);
    while (at < text.length && !this.#secrets.some((one) => one.startsWith(text.slice(at)))) at++;
    return at;
  }
}
