/**
 * A Dockerfile as a list of instructions, as far as mlcli has to know what one says before the
 * engine reads it.
 *
 * Source: the Dockerfile reference, and BuildKit's frontend/dockerfile/parser.
 */

export interface Instruction {
  /** Number of the line that it begins in: 1, 2, ... */
  readonly line: number;
  /** In capitals: `COPY`. */
  readonly name: string;
  /** Its options, as written: `--from=base`. */
  readonly flags: readonly string[];
  /** What follows them, in one line. */
  readonly text: string;
}

/** The instructions of a Dockerfile, in order. Any text has some: nothing is checked. */
export function instructionsOf(dockerfile: string): readonly Instruction[] {
  const lines = dockerfile.replace(/^\uFEFF/, "").split(/\r?\n/);
  // The character that continues a line.
  const escape = directivesOf(lines).get("escape") ?? "\\";
  const instructions: Instruction[] = [];
  let text = "";
  let first = 0;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    // Comments and empty lines may stand in the middle of an instruction.
    if (/^\s*(#|$)/.test(line)) continue;
    const continued = withoutContinuation(line, escape);
    if (text === "") first = index + 1;
    text += continued ?? line;
    if (continued !== undefined) continue;
    const instruction = readInstruction(text, first);
    instructions.push(instruction);
    text = "";
    for (const end of hereDocuments(instruction)) {
      while (++index < lines.length && lines[index]!.trimStart() !== end);
    }
  }
  if (text !== "") instructions.push(readInstruction(text, first));
  return instructions;
}

/** The directives, which only stand at the top: `# syntax=docker/dockerfile:1`, `# escape=`. */
export function directivesOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  for (const line of lines) {
    const [, key = "", value = ""] = /^#\s*([A-Za-z]+)\s*=(.*)$/s.exec(line) ?? [];
    if (key === "" || /\s/.test(value.trim())) break;
    directives.set(key.toLowerCase(), value.trim());
  }
  return directives;
}

/** The line without the character at its end that continues it; undefined where there is none. */
function withoutContinuation(line: string, escape: string): string | undefined {
  const end = line.replace(/(?<![ \t])[ \t]+$/, "");
  // Two of them are the character itself.
  if (!end.endsWith(escape) || end.endsWith(escape + escape)) return undefined;
  return end.slice(0, -escape.length);
}

function readInstruction(text: string, line: number): Instruction {
  const [name = "", ...words] = text.trim().split(/\s+/);
  const flagCount = words.findIndex((word) => !word.startsWith("--"));
  const flags = flagCount === -1 ? words : words.slice(0, flagCount);
  const rest = flagCount === -1 ? "" : words.slice(flagCount).join(" ");
  return { line, name: name.toUpperCase(), flags, text: rest };
}

/** The words that end the documents which follow an instruction: `RUN <<EOF`. */
function hereDocuments({ name, text }: Instruction): readonly string[] {
  if (!["RUN", "COPY", "ADD"].includes(name)) return [];
  // In quotes it is the shell's: `RUN sh -c 'cat <<EOF'`.
  return [...text.matchAll(DOCUMENT)].flatMap(([, , end]) => end ?? []);
}

const DOCUMENT = /(?:^|\s)\d*<<-?(["']?)([A-Za-z_]\w*)\1(?=\s|$)|"(?:\\.|[^"\\])*"|'[^']*'|\\./g;

/** The words of an instruction, without their quotes: of a JSON list, or separated by spaces. */
export function wordsOf({ text }: Instruction): readonly string[] {
  if (text.startsWith("[")) {
    try {
      const list: unknown = JSON.parse(text);
      if (Array.isArray(list) && list.every((word) => typeof word === "string")) return list;
    } catch {
      // The engine takes it for words, too.
    }
  }
  return text.split(" ").filter((word) => word !== "")
    .map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
}

/** What `COPY` and `ADD` take from the build context, and where to. */
export interface Copy {
  readonly sources: readonly string[];
  readonly target: string;
}

/** The files that a Dockerfile takes from its context, as it names them, variables included. */
export function copiesOf(instructions: readonly Instruction[]): readonly Copy[] {
  return instructions.filter(({ name, flags }) =>
    ["COPY", "ADD"].includes(name) && !flags.some((flag) => /^--from=./.test(flag))
  ).map((instruction) => {
    const words = wordsOf(instruction);
    return { sources: words.slice(0, -1), target: words.at(-1) ?? "" };
  });
}

/** Returns the fields of an option of `RUN` that mounts something: `type`, `id`, `target`, ... */
export function mountFields(flag: string): ReadonlyMap<string, string> | undefined {
  const [, text] = /^--mount=(.*)$/.exec(flag.replaceAll(/["'\\]/g, "")) ?? [];
  return text === undefined ? undefined : new Map(
    text.split(",").map((field) => {
      const [key = "", value = ""] = field.split("=", 2);
      return [key.toLowerCase(), value];
    }),
  );
}

/**
 * Returns the path in the build context that an option of `RUN` mounts: empty for all of it. Undefined if
 * it mounts something else.
 */
export function mountedSource(flag: string): string | undefined {
  const fields = mountFields(flag);
  const isBind = /^bind$|\$/i.test(fields?.get("type") ?? "bind") && !fields?.get("from");
  return fields && isBind ? fields.get("source") ?? fields.get("src") ?? "" : undefined;
}

/** The instructions of ONBUILD in its place: stages and images built upon this one run them. */
export function withTriggers(instructions: readonly Instruction[]): readonly Instruction[] {
  return instructions.flatMap((one) =>
    one.name === "ONBUILD" ? instructionsOf(one.text.replace(/^(ONBUILD\s+)+/i, "")) : [one]
  );
}
