/**
 * Reading a project that mlcli did not make. It is data: nothing of it is run, no link of it leads out of
 * its repository, and what is private in it stays where it is.
 */

import { SEPARATOR_PATTERN } from "@std/path/constants";
import { isAbsolute } from "@std/path/is-absolute";
import { join } from "@std/path/join";
import { normalize } from "@std/path/normalize";
import { requireInside } from "../app/confinement.ts";
import type { NamedDirectory } from "../app/named_path.ts";
import { isPrivateName } from "../app/private_files.ts";
import { isOutside } from "../app/typed_path.ts";
import { LONGEST_PATH } from "../contract/requirement_lines.ts";
import { fileErrorReason, MlcliError } from "../errors.ts";
import { isDirectory, isFile, LARGEST_TEXT, readFile } from "../files.ts";
import type { GivenFile } from "../image/scaffold.ts";
import { filesOf, isSecret, type WalkLimits } from "../source/source.ts";
import { inOneLine, listed } from "../text.ts";

export interface Project extends NamedDirectory {
  /** Absolute path of the directory that gets the app; may be the project's own. */
  readonly cwd: string;
  /** Of the app, as typed. */
  readonly name: string | undefined;
}

interface TextOptions {
  /** Default: UTF-8, with its byte order mark. */
  readonly decode?: (bytes: Uint8Array) => string;
  /** The largest size in bytes. */
  readonly most?: number;
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/**
 * Returns the text of a file of the project; `undefined` if it does not exist or is a private key.
 *
 * @param path relative to the project.
 * @throws MlcliError if it leads out of the repository, cannot be read, or is too large.
 */
export async function textIn(
  project: NamedDirectory,
  path: string,
  { decode = decodeText, most = LARGEST_TEXT }: TextOptions = {},
): Promise<string | undefined> {
  const file = await placeIn(project, path);
  if (!await isFile(file) || await isSecret(file) || await isSecret(await Deno.realPath(file))) {
    return undefined;
  }
  return await readFile(file, most).then(decode, (cause) => {
    const shown = inOneLine(join(project.shown, path));
    throw new MlcliError(`Cannot read ${shown}: ${fileErrorReason(cause)}`, { cause });
  });
}

/** @throws MlcliError where a path, which a file of the project may name, is none of the project's. */
async function placeIn({ path, shown, boundary }: NamedDirectory, named: string): Promise<string> {
  const inner = normalize(named);
  if (
    named.length > LONGEST_PATH || isAbsolute(named) || isOutside(inner) ||
    inner.split(SEPARATOR_PATTERN).some(isPrivateName)
  ) {
    const path = inOneLine(named.slice(0, 200));
    throw new MlcliError(
      `Cannot use "${path}": it is outside ${inOneLine(shown)}, or named like a private file`,
    );
  }
  const place = join(path, inner);
  await requireInside({ directory: path, boundary }, [place]);
  return place;
}

/** A value of YAML or JSON, which may be of any type. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Files that are copied, and the paths of those that are not: they may hold secrets, or lead elsewhere. */
export interface Copied {
  readonly files: readonly GivenFile[];
  readonly leftOut: readonly string[];
}

/** A file of data or of a model may have any size. */
const ANY: WalkLimits = { entries: 50_000, bytes: Infinity };

/**
 * The files below a directory of the project, to be copied. Nothing where there is none.
 *
 * @param from relative to the project.
 * @param to relative to the app's directory, with slashes.
 * @param skip whether a file stays out, by its path below `from`, with slashes.
 */
export async function copiesOf(
  project: NamedDirectory,
  from: string,
  to: string,
  skip: (path: string) => boolean = () => false,
): Promise<Copied> {
  const path = await placeIn(project, from);
  if (!await isDirectory(path)) return { files: [], leftOut: [] };
  const source = { path, shown: join(project.shown, from), boundary: project.boundary };
  const { files, leftOut, broken } = await filesOf(source, ANY);
  return {
    files: files.filter(({ path }) => !skip(path)).map(({ path, target }) => ({
      path: `${to}/${path}`,
      content: (place: string) => Deno.copyFile(target, place),
    })),
    leftOut: [...leftOut, ...broken.map(({ path }) => path)].map((path) => join(from, path)),
  };
}

/** Returns a sentence about files that were not copied; none without files. */
export function leftOutText(leftOut: readonly string[]): readonly string[] {
  const words =
    "Not copied, because they might contain secrets or are links that point outside the project";
  return named(words, leftOut);
}

/** Returns a sentence with 20 distinct names, 200 characters of each; none without names. */
export function named(words: string, names: readonly string[]): readonly string[] {
  const shown = [...new Set(names.map((name) => name.slice(0, 200)))];
  return shown.length === 0 ? [] : [`${words}: ${listed(shown, 20)}`];
}
