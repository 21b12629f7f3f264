/**
 * Lines of pip's requirements files, read as pip reads them. Source: pypa/pip,
 * src/pip/_internal/req/req_file.py and constructors.py. Nothing is read from the disk.
 */

/** A path on the disk that a line names. */
export interface Reference {
  /** `find`: a directory or page of archives; `index`: a directory of an index. */
  readonly kind: "requirements" | "constraints" | "package" | "find" | "index";
  readonly path: string;
  /** Whether it starts at the directory that pip runs in, and not at that of the file. */
  readonly isOfApp: boolean;
}

export interface RequirementLine {
  /** Number of its first line in the file. */
  readonly line: number;
  /** Without its comment, continuation lines joined. */
  readonly text: string;
  /** Names something to install; an option before it only if it cannot be left out. */
  readonly requirement?: string;
  readonly references: readonly Reference[];
}

const BYTE_ORDER_MARKS: readonly (readonly [mark: string, encoding: string])[] = [
  ["efbbbf", "utf-8"],
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
];

/**
 * The text of a requirements file. Bytes without a known encoding are decoded as windows-1252: pip
 * falls back to the locale of the image, which mlcli does not know.
 */
export function decodeRequirements(bytes: Uint8Array): string {
  const start = bytes.slice(0, 3).toHex();
  const [mark, encoding] = BYTE_ORDER_MARKS.find(([mark]) => start.startsWith(mark)) ?? [];
  const rest = bytes.subarray((mark?.length ?? 0) / 2);
  const firstLines = new TextDecoder("latin1").decode(rest.subarray(0, 4096)).split("\n", 2);
  const [, named] = firstLines.map((line) => /^#.*?coding[:=]\s*([-\w.]+)/.exec(line))
    .find((found) => found !== null) ?? [];
  const label = named?.replaceAll("_", "-").replace(/^latin-(?=\d$)/i, "latin");
  try {
    const fatal = (encoding ?? label) === undefined;
    return new TextDecoder(encoding ?? label, { fatal, ignoreBOM: true }).decode(rest);
  } catch (error) {
    // Malformed UTF-8, or a name that only Python knows.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    return new TextDecoder("windows-1252").decode(rest);
  }
}

/** The lines of a requirements file that are neither blank nor comments. */
export function requirementLines(text: string): readonly RequirementLine[] {
  return joinedLines(text).flatMap(([line, joined]) => {
    const text = joined.replace(COMMENT, "").trim();
    return text === "" ? [] : [{ line, text, ...meaningOf(text) }];
  });
}

const COMMENT = /(?:^|\s+)#.*$/s;

/** Logical lines, with the number of their first line. A comment ends a continuation. */
function joinedLines(text: string): readonly (readonly [line: number, text: string])[] {
  // As Python's str.splitlines().
  // deno-lint-ignore no-control-regex
  const lines = text.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/);
  const joined: [number, string][] = [];
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    const isComment = /^\s*#/.test(line);
    const continues = line.endsWith("\\") && !isComment;
    const part = continues ? line.replace(/^\\+|\\+$/g, "") : isComment ? ` ${line}` : line;
    if (isOpen) joined.at(-1)![1] += part;
    else joined.push([index + 1, part]);
    isOpen = continues;
  }
  return joined;
}

type Meaning = Pick<RequirementLine, "requirement" | "references">;

/** What a logical line says. pip reports what it cannot read. */
function meaningOf(text: string): Meaning {
  const start = text.search(/(?:^| )-/);
  const requirement = (start < 0 ? text : text.slice(0, start)).trim();
  if (requirement !== "") return { requirement, references: packageReference(requirement) };
  const options = optionsOf(wordsOf(text));
  const first = (name: string): string | undefined => options.get(name)?.[0];
  const editable = first("editable");
  if (editable !== undefined) {
    return { requirement: `-e ${editable}`, references: editableReference(editable) };
  }
  // pip heeds the first of them alone, and no other option of the line.
  const nested = first("requirement") ?? first("constraint");
  if (nested !== undefined) {
    const option = options.has("requirement") ? "requirement" : "constraint";
    const references = referenceTo(`${option}s`, nested);
    return references.length > 0
      ? { references }
      // Left to pip: what is in it is unknown.
      : { requirement: `--${option} ${nested}`, references };
  }
  const [places, indexes, more] = ["find-links", "index-url", "extra-index-url"]
    .map((name) => options.get(name) ?? []);
  return {
    references: [
      ...places!.slice(0, 1).flatMap((place) => referenceTo("find", place)),
      ...[...indexes!.slice(-1), ...more!].flatMap((url) => referenceTo("index", url)),
    ],
  };
}

/** Words of a line without quotes, as Python's shlex.split(); none if a quote is not closed. */
function wordsOf(text: string): readonly string[] {
  const words = /(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gs;
  if (text.replace(words, "").trim() !== "") return [];
  return Array.from(text.matchAll(words), ([word]) =>
    word.replace(
      /\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/gs,
      (_, escaped, single, double) => escaped ?? single ?? double.replace(/\\(["\\])/g, "$1"),
    ));
}

/** Options of requirements files of all versions of pip: those with a value, and the others. */
const VALUED = ("requirement constraint editable find-links index-url extra-index-url " +
  "no-binary only-binary all-releases only-final trusted-host use-feature hash config-settings " +
  "global-option install-option").split(" ");
const FLAGS = "no-index prefer-binary pre require-hashes no-require-hashes".split(" ");
const SHORT: Readonly<Record<string, string>> = {
  r: "requirement",
  c: "constraint",
  e: "editable",
  f: "find-links",
  i: "index-url",
  C: "config-settings",
};

/** The values of options by their long names, as Python's optparse reads them. */
function optionsOf(words: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const options = new Map<string, string[]>();
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined && word !== "--"; word = rest.shift()) {
    const [, long, short = "", value] = /^-(?:-([^=]+)=?|([^-]))(.*)$/s.exec(word) ?? [];
    if (value === undefined) continue;
    const name = long === undefined ? SHORT[short] : longName(long);
    if (name === undefined) return new Map(); // pip refuses the line
    if (FLAGS.includes(name)) continue;
    const isAttached = long === undefined ? value !== "" : word.includes("=");
    const given = isAttached ? value : rest.shift();
    if (given === undefined) return new Map();
    options.set(name, [...options.get(name) ?? [], given]);
  }
  return options;
}

/** The option that a word is the name of, or the only one that begins with it. */
function longName(word: string): string | undefined {
  const all = [...VALUED, ...FLAGS];
  if (all.includes(word)) return word;
  const found = all.filter((name) => name.startsWith(word));
  return found.length === 1 ? found[0] : undefined;
}

/** The start of an address, and of a requirement whose address follows: `NAME[EXTRAS] @ `. */
const SCHEME = /^[a-z][a-z\d+.-]*:/i;
const NAMED = /^[\w.-]+\s*(?:\[[^\]]*\]\s*)?@\s*/;
const EXTRAS = /(?<=.)\[[^\]]+\]$/s;

/** pip/_internal/utils/filetypes.py. A name that ends so is a file. */
const ARCHIVE = /\.(?:zip|whl|tar(?:\.(?:gz|bz2|xz|lz|lzma))?|tgz|tbz|txz|tlz)$/i;

function packageReference(requirement: string): readonly Reference[] {
  const address = requirement.replace(NAMED, "");
  if (SCHEME.test(address)) {
    // The start of a marker.
    const end = address === requirement ? /; .*$/s : /[;\s].*$/s;
    return referenceTo("package", address.replace(end, "").trim());
  }
  const path = requirement.split(";")[0]!.trim().replace(EXTRAS, "");
  const isPath = address === requirement && (/^\.|\//.test(path) || ARCHIVE.test(path));
  return isPath ? referenceTo("package", path) : [];
}

function editableReference(written: string): readonly Reference[] {
  const address = written.replace(NAMED, "");
  return referenceTo(
    "package",
    address === written ? written.replace(EXTRAS, "") : address.replace(/\s.*$/s, ""),
  );
}

/**
 * None for what pip finds by itself: an address, an absolute path (of the image), and a path with a
 * variable other than ${PWD}, which is the directory that pip runs in.
 */
function referenceTo(kind: Reference["kind"], written: string): readonly Reference[] {
  const isAddress = /^file:/i.test(written);
  const path = isAddress ? pathOfAddress(written) : written;
  const inner = path.replace(/^\$\{PWD\}(?:\/+|$)/, "./");
  if (SCHEME.test(inner) || inner.startsWith("/") || /\$\{[A-Z\d_]+\}/.test(inner)) return [];
  const startsAtFile = kind === "requirements" || kind === "constraints" || kind === "find";
  return [{ kind, path: inner, isOfApp: !startsAtFile || isAddress || inner !== path }];
}

/** The path of `file:x`, `file:///x` and `file://${PWD}/x`. */
function pathOfAddress(address: string): string {
  const path = address.slice("file:".length).replace(/[#?].*$/s, "")
    .replace(/^\/\/(?:localhost)?(?=[/$])/i, "").replace(/^\/+(?=\$\{PWD\})/, "");
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
