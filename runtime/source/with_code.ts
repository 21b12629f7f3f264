/** A model with the user's code beside it, where AWS's inference images look for it: in `code/`. */

import type { ArchiveEntry } from "../archive/reader.ts";
import type { PackedEntry, TarEntry } from "../archive/writer.ts";
import { type ArchiveCheck, refusalOf, unpackedOf } from "../archive/entries.ts";
import { MODEL_CODE } from "../contract/launch.ts";
import { inOneLine } from "../text.ts";
import type { PackedCode, SentCode } from "./source.ts";

/** Files of a model with code in the place of its own. */
export interface WithCode {
  readonly entries: readonly TarEntry[];
  /** Whether the model had a `code/`. */
  readonly replaces: boolean;
}

/** @param shown the model, for messages. */
export function replacedText(shown: string, { source }: PackedCode): string {
  return `Replacing ${MODEL_CODE}/ in ${inOneLine(shown)} with ${inOneLine(source.shown)}`;
}

/** @param entries of a directory: `modelFiles`. */
export function withCode(entries: readonly TarEntry[], code: SentCode): WithCode {
  const others = withoutCode(entries);
  return { entries: [...others, ...codeEntries(code)], replaces: others.length < entries.length };
}

export function withoutCode(entries: readonly TarEntry[]): readonly TarEntry[] {
  return entries.filter(({ path }) => path.split("/")[0] !== MODEL_CODE);
}

function codeEntries({ files }: SentCode): readonly TarEntry[] {
  return files.map(({ path, isProgram, bytes }) => ({
    type: "content",
    path: `${MODEL_CODE}/${path}`,
    mode: isProgram ? 0o755 : 0o644,
    read: () => Promise.resolve(bytes),
  }));
}

/**
 * The entries of an archive with code in the place of its own, one after another.
 *
 * @param check looks at each.
 * @param onReplaced is called where the archive has a `code/`.
 * @throws Refusal for what cannot be unpacked; what `archive` throws.
 */
export async function* archiveWithCode(
  archive: AsyncIterable<ArchiveEntry>,
  code: SentCode,
  check: ArchiveCheck,
  onReplaced: () => void,
): AsyncGenerator<PackedEntry, void, void> {
  for await (const { header, content } of archive) {
    check.add(header);
    const unpacked = unpackedOf(header, "/");
    if (unpacked.path[0] === MODEL_CODE) {
      onReplaced();
      for await (const _ of content);
    } else if (unpacked.kind === "link" && unpacked.source[0] === MODEL_CODE) {
      throw refusalOf(header.name, `is a link into ${MODEL_CODE}/, which mlcli replaces`);
    } else yield { type: "copied", header, content };
  }
  yield* codeEntries(code);
}
