/** Responses of the server, from their arrival until it is their turn to be written. */

import { join } from "@std/path/join";
import { MlcliError } from "../../errors.ts";
import { removeIfThere } from "../../files.ts";
import { writeAll } from "../../streams.ts";

/** How much of a response is kept in memory until its turn, in bytes: many wait. */
const SMALL = 64 * 1024;

/** How much of all waiting responses is kept in files, in GB: the server chooses how much it sends. */
const MOST_WAITING = 8;

/** A response that waits for its turn: a small one, or the file that holds it. */
export type WaitingResponse = Uint8Array | { readonly path: string; readonly filed: number };

export class WaitingResponses {
  /** Bytes in files. */
  #filed = 0;

  /** @param directory gets the files. */
  constructor(private readonly directory: string, private readonly most = MOST_WAITING) {}

  /**
   * Receives a response.
   *
   * @param most its largest size in MB.
   * @throws MlcliError if it is larger, or if all that wait are too large together.
   */
  async receive(content: AsyncIterable<Uint8Array>, most: number): Promise<WaitingResponse> {
    const path = join(this.directory, crypto.randomUUID());
    // Not a list of pieces: each could be one byte, and keep all that came with it.
    const start = new Uint8Array(SMALL);
    let [length, filed] = [0, 0];
    let file: Deno.FsFile | undefined;
    try {
      for await (const piece of content) {
        if (length + piece.length <= SMALL) start.set(piece, length);
        else {
          file ??= await Deno.open(path, { write: true, createNew: true });
          if (filed === 0) await writeAll(file, start.subarray(0, length));
          await writeAll(file, piece);
          filed += piece.length;
          this.#filed += piece.length;
        }
        length += piece.length;
        if (length > most * 1024 ** 2) {
          throw new MlcliError(`the response is larger than ${most} MB`);
        }
        if (this.#filed <= this.most * 1e9) continue;
        throw new MlcliError(`${this.most} GB of responses are waiting for an earlier response`, {
          hint: "Send one request at a time: --max-concurrency 1",
        });
      }
    } catch (error) {
      file?.close();
      this.#filed -= filed;
      await removeIfThere(path);
      throw error;
    }
    file?.close();
    return filed > 0 ? { path, filed } : start.slice(0, length);
  }

  /** Reads a response once. */
  async *read(response: WaitingResponse): AsyncGenerator<Uint8Array, void, void> {
    if (response instanceof Uint8Array) return yield response;
    yield* (await Deno.open(response.path)).readable;
    await this.drop(response);
  }

  /** Removes the file of a response. */
  async drop(response: WaitingResponse): Promise<void> {
    if (response instanceof Uint8Array) return;
    this.#filed -= response.filed;
    await removeIfThere(response.path);
  }
}
