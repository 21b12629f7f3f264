/** The archive of a model with the user's code in the place of its own. */

import type { ModelRoom } from "../../contract/instances.ts";
import { archiveWithCode, replacedText } from "../../source/with_code.ts";
import type { PackedEntry } from "../../archive/writer.ts";
import type { PackedCode } from "../../source/source.ts";
import { inOneLine } from "../../text.ts";
import type { Note } from "../in_parallel.ts";
import { type ArchiveCheck, Refusal } from "../../archive/entries.ts";
import { entriesOf } from "../../archive/reader.ts";
import { cannotUnpack, FOR_HEADERS } from "../preflight/archive.ts";

export interface Adding {
  /** The archive, for messages. */
  readonly shown: string;
  readonly code: PackedCode;
  /** On the disk that the result is unpacked on. */
  readonly room: ModelRoom;
  readonly note: Note;
  readonly signal: AbortSignal;
}

/**
 * The entries of the new archive, one after another, so that little of them is in memory.
 *
 * @param archive the bytes of the old one.
 * @throws MlcliError where it cannot be unpacked, or the result has no room; what `archive` throws.
 */
export async function* entriesWithCode(
  archive: AsyncIterable<Uint8Array>,
  check: ArchiveCheck,
  { shown, code, room, note, signal }: Adding,
): AsyncGenerator<PackedEntry, void, void> {
  const most = room.bytes === undefined ? Infinity : room.bytes + FOR_HEADERS;
  let isReplaced = false;
  try {
    const entries = entriesOf(archive, most, signal);
    yield* archiveWithCode(entries, code, check, () => isReplaced = true);
  } catch (error) {
    throw error instanceof Refusal ? cannotUnpack(inOneLine(shown), error) : error;
  }
  if (isReplaced) note(replacedText(shown, code));
}
