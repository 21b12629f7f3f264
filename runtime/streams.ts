/** The streams of this process: standard input, standard output, standard error. */

import { fileErrorReason, MlcliError, OutputClosed } from "./errors.ts";
import { TerminalFilter } from "./terminal_filter.ts";

/** A stream that the user reads. */
export interface Output {
  readonly isTerminal: boolean;
  /** Whether colour is wanted: `wantsColour` of `person.ts`. */
  readonly colour: boolean;
  /** Width of the terminal in columns; 80 where there is none. */
  readonly columns: number;
  /** Height in lines of a terminal on which lines can be drawn again; 0 in a pipe, and with TERM=dumb. */
  readonly rows: number;
  /**
   * Writes all the bytes, in order, waiting for a slow reader. On a terminal, `TerminalFilter` removes
   * control strings.
   * @throws OutputClosed when nobody reads any more.
   * @throws MlcliError when they cannot be written, for example when the disk is full.
   */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Writes text as it is, at once; where a reader may have stopped reading, as soon as it reads again.
   * @throws OutputClosed when nobody reads any more.
   * @throws MlcliError when it, or what was printed before, cannot be written, for example when the
   * disk is full.
   */
  print(text: string): void;
  /**
   * Resolves when all is written that was printed. Without it, that is so at once.
   * @throws OutputClosed and MlcliError, as `print`.
   */
  written?(): Promise<void>;
}

/** A terminal on which somebody types. */
export interface Keyboard {
  /** Its size now. */
  readonly rows: number;
  readonly columns: number;
  /** Calls the listener at each new size, until it is disposed of. (Never on Windows.) */
  onResize(listener: () => void): Disposable;
  /**
   * Raw mode, until it is disposed of: each key can be read as it is typed. Ctrl-C is a key then, not a
   * signal.
   */
  raw(): Disposable;
}

/** Drops what is written to it. */
export const NOWHERE: Output = {
  isTerminal: false,
  colour: false,
  columns: 80,
  rows: 0,
  write: () => Promise.resolve(),
  print: () => {},
};

/** A stream like another, with its own `write` or `print`. */
export function overlaid(output: Output, own: Partial<Pick<Output, "write" | "print">>): Output {
  return {
    isTerminal: output.isTerminal,
    get colour() {
      return output.colour;
    },
    get columns() {
      return output.columns;
    },
    get rows() {
      return output.rows;
    },
    write: own.write ?? ((bytes) => output.write(bytes)),
    print: own.print ?? ((text) => output.print(text)),
  };
}

/** Standard input. */
export interface Input {
  readonly isTerminal: boolean;
  /** Where it is a terminal. */
  readonly keyboard: Keyboard | undefined;
  /**
   * Reads it to its end.
   * @throws MlcliError when it cannot be read, for example when it is a directory.
   */
  read(): AsyncGenerator<Uint8Array, void, void>;
  /** Opens a file that the user named, which may be a silent pipe, and reads it to its end. */
  readFile(path: string): AsyncGenerator<Uint8Array, void, void>;
}

/** Writes all the bytes: a write may take only a part of them. */
export async function writeAll(
  target: { write(bytes: Uint8Array): Promise<number> },
  bytes: Uint8Array,
): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await target.write(rest));
}

/** All pieces in one. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** How many bytes of input are read at a time: what a pipe of Linux holds. */
const INPUT_PIECE = 65_536;

/** Standard input. (Deno cannot cancel a read.) */
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
  const isTerminal = Deno.stdin.isTerminal();
  return {
    isTerminal,
    keyboard: isTerminal ? keyboard() : undefined,
    async *read(): AsyncGenerator<Uint8Array, void, void> {
      try {
        yield* pieces(Deno.stdin);
      } catch (cause) {
        const reason = fileErrorReason(cause);
        throw new MlcliError(`Cannot read standard input: ${reason}`, { cause });
      }
    },
    async *readFile(path: string): AsyncGenerator<Uint8Array, void, void> {
      // It comes with @std/path, which takes 8 ms to load.
      const { openToRead } = await import("./files.ts");
      using file = await openToRead(path);
      yield* pieces(file);
    },
  };
}

function keyboard(): Keyboard {
  return {
    // Some terminals (of `script`, of CI) say 0.
    get rows() {
      return consoleSize().rows || 24;
    },
    get columns() {
      return consoleSize().columns || 80;
    },
    onResize(listener) {
      if (Deno.build.os === "windows") return { [Symbol.dispose]: () => {} };
      Deno.addSignalListener("SIGWINCH", listener);
      return { [Symbol.dispose]: () => Deno.removeSignalListener("SIGWINCH", listener) };
    },
    raw() {
      Deno.stdin.setRaw(true);
      return { [Symbol.dispose]: () => Deno.stdin.setRaw(false) };
    },
  };
}

type Terminal = Pick<typeof Deno.stdout, "isTerminal" | "write" | "writeSync">;

/** How long to wait, in ms, before writing again to a stream that has no room now. */
const NO_ROOM = 5;

interface OutputSettings {
  /** `standard output`, as a message says it. */
  readonly name: string;
  /** Whether colour is wanted, by whether it is a terminal. */
  readonly wantsColour: (isTerminal: boolean) => boolean;
  /** Shared by all streams of the process. */
  readonly queue?: WriteQueue;
}

/** A stream of Deno's. */
export function outputTo(
  stream: Terminal,
  { name, wantsColour, queue = new WriteQueue() }: OutputSettings,
): Output {
  const isTerminal = stream.isTerminal();
  const isDumb = Deno.env.get("TERM") === "dumb";
  const filter = new TerminalFilter();
  let colour: boolean | undefined;
  async function write(bytes: Uint8Array): Promise<number> {
    try {
      return await stream.write(bytes);
    } catch (error) {
      if (!hasNoRoom(error)) throw writeFailure(error, name);
      await new Promise((resolve) => setTimeout(resolve, NO_ROOM));
      return 0;
    }
  }
  function writeAtOnce(bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0;) {
      try {
        rest = rest.subarray(stream.writeSync(rest));
      } catch (error) {
        if (!hasNoRoom(error)) throw writeFailure(error, name);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, NO_ROOM);
      }
    }
  }
  /** Throws the error of an earlier print that was queued. */
  let failed: (() => void) | undefined;
  function remember(error: unknown): void {
    failed ??= () => {
      throw error;
    };
  }
  return {
    isTerminal,
    // Asked for late: it takes reading a file.
    get colour() {
      return colour ??= wantsColour(isTerminal);
    },
    get columns() {
      // Some terminals (of `script`, of CI) say 0.
      return isTerminal && consoleSize().columns || 80;
    },
    get rows() {
      return isTerminal && !isDumb ? consoleSize().rows || 24 : 0;
    },
    async write(bytes) {
      const shown = isTerminal ? filter.shown(bytes) : bytes;
      if (!isTerminal) queue.mayWrite(bytes.length);
      if (queue.empty) await queue.empty;
      failed?.();
      await writeAll({ write }, shown);
    },
    print(text) {
      failed?.();
      const bytes = new TextEncoder().encode(text);
      if (isTerminal || queue.mayWrite(bytes.length)) writeAtOnce(bytes);
      else queue.add(() => writeAll({ write }, bytes).catch(remember));
    },
    async written() {
      await queue.empty;
      failed?.();
    },
  };
}

/** Returns the size of the terminal: zeros if it is gone, which the next write reports. */
function consoleSize(): { readonly columns: number; readonly rows: number } {
  try {
    return Deno.consoleSize();
  } catch {
    return { columns: 0, rows: 0 };
  }
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

/**
 * What fits into a pipe that nobody reads, in bytes: a page, which Linux gives to each where a user
 * has very many (pipe(7)).
 */
const SURE_ROOM = 4_096;

/**
 * Orders what one process writes to pipes and files. While all of it fits into a pipe, it is written
 * synchronously. After that it is written asynchronously, each text after those before it on any stream:
 * a synchronous write to a reader that does not read would keep signals out.
 */
export class WriteQueue {
  #given = 0;
  #last: Promise<void> | undefined;

  /** Counts bytes that are going to be written; says whether that may be done at once. */
  mayWrite(length: number): boolean {
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
  get empty(): Promise<void> | undefined {
    return this.#last;
  }
}
