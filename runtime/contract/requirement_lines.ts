/**
 * Lines of pip's requirements files, read as pip reads them. Source: pypa/pip,
 * src/pip/_internal/req/req_file.py and constructors.py. Nothing is read from the disk.
 */

/** A relative path that a line names. */
export interface Reference {
  /** `find`: a directory or page of archives. */
  readonly kind: "requirements" | "constraints" | "package" | "find";
  readonly path: string;
}

export interface RequirementLine {
  /** Number of its first line in the file. */
  readonly line: number;
  /** Without its comment, continuation lines joined. */
  readonly text: string;
  /** Names something to install; an option before it only if it cannot be left out. */
  readonly requirement?: string;
  readonly reference?: Reference;
}

/**
 * The text of a requirements file. Bytes without a known encoding are decoded as windows-1252: pip
 * falls back to the locale of the image, which mlcli does not know.
 */
export function decodeRequirements(bytes: Uint8Array): string {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 4096));
  const [, named] = /^(?:[^\n]*\n)?#.*?coding[:=]\s*([-\w.]+)/.exec(start) ?? [];
  const isUtf16 = /^(?:\xff\xfe|\xfe\xff)/.test(start);
  const encoding = isUtf16 ? `utf-16${start.startsWith("\xff") ? "le" : "be"}` : named;
  try {
    return new TextDecoder(encoding, { fatal: encoding === undefined }).decode(bytes);
  } catch {
    // Malformed UTF-8, or a name that only Python knows.
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** A line and those that continue it. A comment ends a continuation. */
const LOGICAL_LINE = /(?:(?![^\S\n]*#)[^\n]*\\\n)*[^\n]*\n/g;

/** The lines of a requirements file that are neither blank nor comments. */
export function requirementLines(text: string): readonly RequirementLine[] {
  let next = 1;
  return (`${text}\n`.replace(/\r\n?/g, "\n").match(LOGICAL_LINE) ?? []).flatMap((lines) => {
    const line = next;
    next += lines.split("\n").length - 1;
    const text = lines.replace(/\\\n(?!\s*#)/g, "").replace(/(?:^|\\?\s)#.*$/s, "").trim();
    return text === "" ? [] : [{ line, text, ...meaningOf(text) }];
  });
}

type Meaning = Pick<RequirementLine, "requirement" | "reference">;

/** The first option that names a file or directory, and its value: in quotes, or without. */
const OPTION =
  /(?:^|\s)(?:-([rcef])|--(requirement|constraint|editable|find-links)(?=[\s=]))[\s=]*(?:"((?:\\.|[^"\\])*)"|'([^']*)'|((?:\\.|[^\s\\])+))/s;

/** What a logical line says. pip reports what it cannot read. */
function meaningOf(text: string): Meaning {
  const start = text.search(/(?:^| )-/);
  const requirement = (start < 0 ? text : text.slice(0, start)).trim();
  if (requirement !== "") return packageMeaning(requirement, requirement);
  const [, short, long, double, single, bare] = OPTION.exec(text) ?? [];
  const value = single ?? (double ?? bare)?.replace(/\\(.)/gs, "$1");
  if (value === undefined) return {};
  const option = short ?? long![0];
  if (option === "e") return packageMeaning(`-e ${value}`, value);
  if (option === "f") return referenceTo("find", value);
  const kind = option === "r" ? "requirement" : "constraint";
  const found = referenceTo(`${kind}s`, value);
  // What is in a file that pip finds by itself is unknown.
  return found.reference === undefined ? { requirement: `--${kind} ${value}` } : found;
}

/** The start of a requirement whose address follows: `NAME[EXTRAS] @ `. */
const NAMED = /^[\w.-]+\s*(?:\[[^\]]*\]\s*)?@\s*/;
const PATH = /^\.|[/:]|\.(?:whl|zip|tgz|tar(?:\.\w+)?)(?:\[|$)/i;

/** @param written the name, path or address of a package, and its marker. */
function packageMeaning(requirement: string, written: string): Meaning {
  const address = written.replace(NAMED, "").split(";")[0]!.trim();
  if (requirement === written && !PATH.test(address)) return { requirement };
  const path = address.replace(/^file:([^#?]*).*$/is, "$1").replace(/\[[^[\]]*\]$/, "")
    // The directory that pip runs in.
    .replace(/^\/*\$\{PWD\}\/+/, "./");
  return { requirement, ...referenceTo("package", path) };
}

/** The longest path of Linux (`PATH_MAX`), in bytes: the time to normalize one grows with its square. */
export const LONGEST_PATH = 4096;

/** Returns no reference for an address, a path of the image, a variable, or a text longer than a path. */
function referenceTo(kind: Reference["kind"], path: string): Meaning {
  const isElsewhere = path.length > LONGEST_PATH || /^\/|^[a-z][a-z\d+.-]*:|\$\{/i.test(path);
  return isElsewhere ? {} : { reference: { kind, path } };
}
