/**
 * Pipes with names (fifo(7)). To open one waits until somebody writes to it, and meanwhile Deno 2.6
 * hears of no signal.
 *
 * @module
 */

/**
 * Whether a path is one that nobody may have open. (What this process has open, as `<(...)` of a shell,
 * has a writer.)
 *
 * @throws Error of the system where nothing is there.
 */
export async function isNamedPipe(path: string): Promise<boolean> {
  const isOpen = /^\/(?:dev|proc\/self)\/fd\//.test(path);
  return !isOpen && (await Deno.stat(path)).isFifo === true;
}

/** A file that is being read. */
export interface Opened extends Disposable {
  read(buffer: Uint8Array): Promise<number | null>;
}

/** Opens a file to read it. Of a named pipe, the first read waits for the writer. */
export async function openToRead(path: string): Promise<Opened> {
  // While this process could write itself, nothing waits; and nothing ends, until somebody has written.
  let writer = await isNamedPipe(path)
    ? await Deno.open(path, { read: true, write: true })
    : undefined;
  const closeWriter = (): void => {
    writer?.close();
    writer = undefined;
  };
  try {
    const file = await Deno.open(path);
    return {
      async read(buffer) {
        const length = await file.read(buffer);
        closeWriter();
        return length;
      },
      [Symbol.dispose]() {
        closeWriter();
        file.close();
      },
    };
  } catch (error) {
    closeWriter();
    throw error;
  }
}
