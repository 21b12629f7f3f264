/**
 * A tar archive of a build context, as a stream.
 *
 * @module
 */

import { cannotRead } from "../app/ignore/cannot_read.ts";
import { type FileRules, tarBytes } from "../archive/writer.ts";
import { MlcliError } from "../errors.ts";
import { type ContextEntry, permissions } from "./context_entries.ts";

/** As `docker build` sends files. */
const RULES: FileRules = {
  mode: permissions,
  time: ({ mtime }) => mtime,
  // It is as if it had never been there.
  gone: () => undefined,
  cannotRead,
  gotShorter: (shown) =>
    new MlcliError(`${shown} got shorter while it was being sent`, {
      hint: "Run mlcli build again when nothing writes to it.",
    }),
};

/**
 * The archive of the entries. It fails with the error of an entry that cannot be read, or that gets
 * shorter while it is read; cancelling it closes what is open.
 */
export function archiveOf(
  entries: AsyncGenerator<ContextEntry, void, void>,
): ReadableStream<Uint8Array> {
  return ReadableStream.from(tarBytes(entries, RULES));
}
