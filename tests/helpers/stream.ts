/** Number of bytes that a stream takes of a piece, or the error with which it fails. */
export type Taking = number | Error;

/** A stream in the place of one of Deno's. */
interface Stream extends Pick<typeof Deno.stdout, "isTerminal" | "write" | "writeSync"> {
  /** All that it has taken. */
  readonly text: string;
}

/** Returns a stream that takes the turns one after the other, and then everything. */
export function streamOf(turns: readonly Taking[] = [], isTerminal = false): Stream {
  const left = [...turns];
  const taken: number[] = [];
  function writeSync(bytes: Uint8Array): number {
    const turn = left.shift() ?? bytes.length;
    if (turn instanceof Error) throw turn;
    taken.push(...bytes.subarray(0, turn));
    return Math.min(turn, bytes.length);
  }
  return {
    isTerminal: () => isTerminal,
    writeSync,
    write: (bytes: Uint8Array) => Promise.resolve().then(() => writeSync(bytes)),
    get text() {
      return new TextDecoder().decode(new Uint8Array(taken));
    },
  };
}
