/** Lent secrets in what a run's code prints, which mlcli shows and keeps. */

import { Buffer } from "node:buffer";
import { type Output, overlaid } from "../streams.ts";

const STAR = "*".charCodeAt(0);

/** Shorter ones are words of emulators, such as `test`: AWS makes 40 characters. */
const SHORTEST = 16;

/** Replaces secrets by asterisks, as many as they have characters. */
export class Mask {
  readonly #secrets: readonly Buffer[];
  /** Writes what each stream still holds back. */
  readonly #rests: (() => Promise<void>)[] = [];

  /** @param secrets ASCII texts. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.map((secret) => Buffer.from(secret))
      .filter(({ length }) => length >= SHORTEST);
  }

  text(text: string): string {
    return this.#masked(Buffer.from(text)).toString();
  }

  /** Returns the streams with secrets masked, even if a secret arrives in pieces. Call `end` afterwards. */
  of({ out, err }: { readonly out: Output; readonly err: Output }): { out: Output; err: Output } {
    return { out: this.#over(out), err: this.#over(err) };
  }

  async end(): Promise<void> {
    for (const rest of this.#rests.splice(0)) await rest();
  }

  #over(output: Output): Output {
    let held: Buffer = Buffer.alloc(0);
    // A stream that nobody reads has ended the run already.
    this.#rests.push(() => output.write(held).catch(() => {}));
    return overlaid(output, {
      write: (bytes) => {
        const all = this.#masked(Buffer.concat([held, bytes]));
        const end = this.#beginningAtEnd(all);
        held = all.subarray(end);
        return output.write(all.subarray(0, end));
      },
    });
  }

  #masked(bytes: Buffer): Buffer {
    for (const secret of this.#secrets) {
      for (
        let at = bytes.indexOf(secret);
        at >= 0;
        at = bytes.indexOf(secret, at + secret.length)
      ) {
        bytes.fill(STAR, at, at + secret.length);
      }
    }
    return bytes;
  }

  /** Returns where a beginning of a secret starts that could go on in the next piece. */
  #beginningAtEnd(bytes: Buffer): number {
    const starts = this.#secrets.map((secret) => {
      for (let at = Math.max(0, bytes.length - secret.length + 1); at < bytes.length; at++) {
        if (secret.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return at;
      }
      return bytes.length;
    });
    return Math.min(bytes.length, ...starts);
  }
}
