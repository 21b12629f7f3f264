/** Removes control strings from a program's output on a terminal. */

const NEW_LINE = 0x0a;
const ESCAPE = 0x1b;
const DELETE = 0x7f;
const BACKSLASH = 0x5c;

/** First byte of a C1 control in UTF-8: `0xC2 0x9D` means `ESC ]`. */
const C1 = 0xc2;

/** Second bytes of OSC, DCS, APC, PM and SOS, after `ESC` and in UTF-8 (ECMA-48, 5.6 and 8.3). */
const STRINGS = [..."]P_^X"].map((letter) => letter.charCodeAt(0));
const AFTER_C1 = STRINGS.map((byte) => byte + 0x40);

/** The second byte of the string terminator in UTF-8. */
const TERMINATOR = BACKSLASH + 0x40;

/** Second bytes after `ESC`: also `k`, with which a title of tmux and screen begins. */
const AFTER_ESCAPE = [...STRINGS, "k".charCodeAt(0)];

/** BEL, line feed, CAN, SUB. */
const ENDS = [0x07, NEW_LINE, 0x18, 0x1a];

/**
 * Removes control strings from a stream: OSC, DCS, APC, PM, SOS and titles of tmux and screen. With them,
 * a program can set the clipboard and the title of a window. Colours and movements of the cursor stay.
 *
 * A string ends at its terminator or at the end of its line, so that an open one hides no further lines.
 * `ESC` is written together with the byte after it, because the program's other stream could write to
 * the terminal in between.
 */
export class TerminalFilter {
  /** `ESC` or `0xC2` if its next byte has not come yet, else 0. */
  #held = 0;
  #isInString = false;

  /** Returns the bytes to show for the next bytes of the stream. */
  shown(bytes: Uint8Array): Uint8Array {
    const isPlain = this.#held === 0 && !this.#isInString;
    if (isPlain && !bytes.includes(ESCAPE) && !bytes.includes(C1)) return bytes;
    const shown = new Uint8Array(bytes.length + 1);
    let length = 0;
    for (const byte of bytes) {
      for (const one of this.#take(byte)) shown[length++] = one;
    }
    return shown.subarray(0, length);
  }

  #take(byte: number): readonly number[] {
    const held = this.#held;
    this.#held = 0;
    if (held === ESCAPE && byte < 0x80 && byte !== ESCAPE) {
      // A terminal obeys other control characters within a sequence, and the sequence goes on.
      if (byte < 0x20 || byte === DELETE) {
        this.#held = ESCAPE;
        return this.#text(byte);
      }
      this.#isInString = AFTER_ESCAPE.includes(byte);
      return this.#isInString || byte === BACKSLASH ? [] : [ESCAPE, byte];
    }
    if (held === C1 && (AFTER_C1.includes(byte) || byte === TERMINATOR && this.#isInString)) {
      this.#isInString = byte !== TERMINATOR;
      return [];
    }
    // Without a valid second byte, 0xC2 is dropped, because a later byte could complete a control.
    const before = held === C1 && byte >= 0x80 && byte < 0xc0 ? this.#text(C1) : [];
    if (byte !== ESCAPE && byte !== C1) return [...before, ...this.#text(byte)];
    this.#held = byte;
    return before;
  }

  #text(byte: number): readonly number[] {
    if (!this.#isInString) return [byte];
    this.#isInString = !ENDS.includes(byte);
    return byte === NEW_LINE ? [byte] : [];
  }
}
