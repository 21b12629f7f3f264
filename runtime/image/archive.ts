/**
 * A tar archive of a build context, as a stream.
 *
 * @module
 */

import { cannotRead } from "../app/ignore_rules.ts";
import { type FileRules, type Owner, tarBytes } from "../archive/writer.ts";
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
 *
 * @param owner asked when the first of it is read: whose all of it is, where that is not root.
 */
export function archiveOf(
  entries: AsyncGenerator<ContextEntry, void, void>,
  owner: () => Promise<Owner | undefined> = () => Promise.resolve(undefined),
): ReadableStream<Uint8Array> {
  async function* bytes(): AsyncGenerator<Uint8Array, void, void> {
    const whose = await owner();
    yield* tarBytes(entries, whose === undefined ? RULES : { ...RULES, owner: whose });
  }
  return ReadableStream.from(bytes());
}
