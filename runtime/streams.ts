/**
 * The streams of this process: standard input, standard output, standard error.
 *
 * @module
 */

import { OutputClosed } from "./errors.ts";

/** A stream that the user reads. */
export interface Output {
  readonly isTerminal: boolean;
  /** Whether colour is wanted: a terminal, and none of --no-color, NO_COLOR, TERM=dumb. */
  readonly colour: boolean;
  /** Width of the terminal in columns; 80 where there is none. */
  readonly columns: number;
  /**
   * Writes all the bytes, in order, waiting for a slow reader.
   * @throws OutputClosed when nobody reads any more.
   */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Writes text as it is, at once.
   * @throws OutputClosed when nobody reads any more.
   */
  print(text: string): void;
}

/** Standard input. */
export interface Input {
  readonly isTerminal: boolean;
  /** Reads it to its end. */
  read(): AsyncGenerator<Uint8Array, void, void>;
}

/** Standard input is read in pieces of so many bytes: what a pipe of Linux holds. */
const INPUT_PIECE = 65_536;

/** Standard input. `isWaiting` while a read has not been answered: Deno cannot break one off. */
export function standardInput(): Input & { readonly isWaiting: boolean } {
  let isWaiting = false;
  async function* read(): AsyncGenerator<Uint8Array, void, void> {
    const buffer = new Uint8Array(INPUT_PIECE);
    while (true) {
      isWaiting = true;
      const length = await Deno.stdin.read(buffer);
      isWaiting = false;
      if (length === null) return;
      yield buffer.slice(0, length);
    }
  }
  return {
    isTerminal: Deno.stdin.isTerminal(),
    read,
    get isWaiting() {
      return isWaiting;
    },
  };
}

type Terminal = Pick<typeof Deno.stdout, "isTerminal" | "write" | "writeSync">;

/** How long to wait, in ms, before writing again to a stream that has no room now. */
const NO_ROOM = 5;

/** A stream of Deno's. `isWaiting` while nobody takes what was written. */
export function outputTo(
  stream: Terminal,
  noColour: boolean,
): Output & { readonly isWaiting: boolean } {
  const isTerminal = stream.isTerminal();
  let isWaiting = false;
  return {
    get isWaiting() {
      return isWaiting;
    },
    isTerminal,
    colour: isTerminal && !noColour && !Deno.noColor && Deno.env.get("TERM") !== "dumb",
    get columns() {
      // Some terminals (of `script`, of CI) say 0.
      return isTerminal && Deno.consoleSize().columns || 80;
    },
    async write(bytes) {
      isWaiting = true;
      for (let rest = bytes; rest.length > 0;) {
        try {
          rest = rest.subarray(await stream.write(rest));
        } catch (error) {
          if (!hasNoRoom(error)) throw asOutputClosed(error);
          await new Promise((resolve) => setTimeout(resolve, NO_ROOM));
        }
      }
      isWaiting = false;
    },
    print(text) {
      for (let rest = new TextEncoder().encode(text); rest.length > 0;) {
        try {
          rest = rest.subarray(stream.writeSync(rest));
        } catch (error) {
          if (!hasNoRoom(error)) throw asOutputClosed(error);
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, NO_ROOM);
        }
      }
    },
  };
}

/** EAGAIN: another program set the stream to non-blocking (Node and ssh do), and it is full. */
function hasNoRoom(error: unknown): boolean {
  return error instanceof Deno.errors.WouldBlock;
}

function asOutputClosed(error: unknown): unknown {
  return error instanceof Deno.errors.BrokenPipe ? new OutputClosed() : error;
}
