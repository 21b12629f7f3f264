/**
 * The streams of this process: standard input, standard output, standard error.
 *
 * @module
 */

import { fileErrorReason, MlcliError, OutputClosed } from "./errors.ts";

/** A stream that the user reads. */
export interface Output {
  readonly isTerminal: boolean;
  /** Whether colour is wanted: a terminal, and none of --no-color, NO_COLOR, TERM=dumb. */
  readonly colour: boolean;
  /** Width of the terminal in columns; 80 where there is none. */
  readonly columns: number;
  /** Height in lines of a terminal on which lines can be drawn again; 0 in a pipe, and with TERM=dumb. */
  readonly rows: number;
  /**
   * Writes all the bytes, in order, waiting for a slow reader.
   * @throws OutputClosed when nobody reads any more.
   * @throws MlcliError when they cannot be written, for example when the disk is full.
   */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Writes text as it is, at once.
   * @throws OutputClosed when nobody reads any more.
   * @throws MlcliError when it cannot be written, for example when the disk is full.
   */
  print(text: string): void;
}

/** Standard input. */
export interface Input {
  readonly isTerminal: boolean;
  /**
   * Reads it to its end.
   * @throws MlcliError when it cannot be read, for example when it is a directory.
   */
  read(): AsyncGenerator<Uint8Array, void, void>;
  /** Opens a file that the user named, which may be a silent pipe, and reads it to its end. */
  readFile(path: string): AsyncGenerator<Uint8Array, void, void>;
}

/** How many bytes of input are read at a time: what a pipe of Linux holds. */
const INPUT_PIECE = 65_536;

/** Standard input. (Deno cannot cancel a read: nobody waits for one but who reads.) */
export function standardInput(): Input {
  async function* pieces(
    source: Pick<typeof Deno.stdin, "read">,
  ): AsyncGenerator<Uint8Array, void, void> {
    const buffer = new Uint8Array(INPUT_PIECE);
    while (true) {
      const length = await source.read(buffer);
      if (length === null) return;
      yield buffer.slice(0, length);
    }
  }
  return {
    isTerminal: Deno.stdin.isTerminal(),
    async *read(): AsyncGenerator<Uint8Array, void, void> {
      try {
        yield* pieces(Deno.stdin);
      } catch (cause) {
        const reason = fileErrorReason(cause);
        throw new MlcliError(`Cannot read standard input: ${reason}`, { cause });
      }
    },
    async *readFile(path: string): AsyncGenerator<Uint8Array, void, void> {
      using file = await Deno.open(path);
      yield* pieces(file);
    },
  };
}

type Terminal = Pick<typeof Deno.stdout, "isTerminal" | "write" | "writeSync">;

/** How long to wait, in ms, before writing again to a stream that has no room now. */
const NO_ROOM = 5;

/** What a stream does not know of itself. */
export interface OutputSettings {
  /** `standard output`, as a message says it. */
  readonly name: string;
  readonly noColour: boolean;
}

/** A stream of Deno's. */
export function outputTo(stream: Terminal, { name, noColour }: OutputSettings): Output {
  const isTerminal = stream.isTerminal();
  const isDumb = Deno.env.get("TERM") === "dumb";
  async function writeSome(bytes: Uint8Array): Promise<number> {
    try {
      return await stream.write(bytes);
    } catch (error) {
      if (!hasNoRoom(error)) throw writeFailure(error, name);
      await new Promise((resolve) => setTimeout(resolve, NO_ROOM));
      return 0;
    }
  }
  return {
    isTerminal,
    colour: isTerminal && !noColour && !Deno.noColor && !isDumb,
    get columns() {
      // Some terminals (of `script`, of CI) say 0.
      return isTerminal && Deno.consoleSize().columns || 80;
    },
    get rows() {
      return isTerminal && !isDumb ? Deno.consoleSize().rows || 24 : 0;
    },
    async write(bytes) {
      for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await writeSome(rest));
    },
    print(text) {
      for (let rest = new TextEncoder().encode(text); rest.length > 0;) {
        try {
          rest = rest.subarray(stream.writeSync(rest));
        } catch (error) {
          if (!hasNoRoom(error)) throw writeFailure(error, name);
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

function writeFailure(cause: unknown, name: string): Error {
  if (cause instanceof Deno.errors.BrokenPipe) return new OutputClosed();
  const reason = fileErrorReason(cause);
  return new MlcliError(`Cannot write to ${name}: ${reason}`, { cause });
}
