/** Lines of several hosts in one stream: each is whole, and begins with what names its host. */

const NEW_LINE = 10;
const RETURN = 13;

/** A longer line goes on in pieces of this size, in bytes. */
export const LONGEST_LINE = 64 * 1024;

/** Takes bytes as a program writes them. The caller waits for each call before the next. */
export interface LineWriter {
  write(bytes: Uint8Array): Promise<void>;
  /** Nothing more comes: what has no end of its line yet gets one. */
  end(): Promise<void>;
}

/**
 * Passes lines on, each with a prefix. A carriage return at the beginning or the end of a write ends a
 * line, too: those are of progress bars. Bytes stay as they are, also where they are not UTF-8.
 *
 * @param write gets a line in one call, with its end; of a longer one, each piece in one, and only the
 * first has the prefix.
 */
export function prefixed(
  prefix: string,
  write: (line: Uint8Array) => Promise<void>,
): LineWriter {
  const start = new TextEncoder().encode(prefix);
  const line = new Uint8Array(start.length + LONGEST_LINE);
  line.set(start);
  let size = start.length;
  let isContinued = false;
  let isReturned = false;

  async function pass(isEnd: boolean): Promise<void> {
    // The return and the newline of one line may come in two writes.
    const isRest = isReturned && size === start.length + 1 && line[start.length] === NEW_LINE;
    const piece = line.slice(isContinued || isRest ? start.length : 0, size);
    size = start.length;
    isContinued = !isEnd;
    isReturned = isEnd && piece.at(-1) === RETURN;
    await write(piece);
  }

  return {
    async write(bytes) {
      if (bytes.length > 1 && bytes[0] === RETURN && bytes[1] !== NEW_LINE) {
        await this.write(bytes.subarray(0, 1));
        bytes = bytes.subarray(1);
      }
      for (let rest = bytes; rest.length > 0;) {
        const room = rest.subarray(0, line.length - size);
        const taken = room.subarray(0, room.indexOf(NEW_LINE) + 1 || room.length);
        line.set(taken, size);
        size += taken.length;
        rest = rest.subarray(taken.length);
        const last = taken.at(-1);
        const isEnd = last === NEW_LINE || last === RETURN && rest.length === 0;
        if (isEnd || size === line.length) await pass(isEnd);
      }
    },
    async end() {
      if (size === start.length && !isContinued) return;
      line[size++] = NEW_LINE;
      await pass(true);
    },
  };
}
