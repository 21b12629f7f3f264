/**
 * Text broken into lines: between words, and never within a command that somebody may paste.
 *
 * @module
 */

/** Breaks text into lines no wider than `columns`, those after the first indented. */
export function wrap(text: string, columns: number, indent: number): string {
  return text.split("\n").map((line) => wrapWords(partsOf(line), columns, indent))
    .join(`\n${" ".repeat(indent)}`);
}

/** The same of words that are not to be broken, whatever is in them. */
export function wrapWords(words: readonly string[], columns: number, indent: number): string {
  const width = Math.max(LEAST_WIDTH, columns - indent);
  const lines: string[] = [];
  let current = "";
  for (const [index, word] of words.entries()) {
    if (index > 0 && current !== "" && lengthOf(current) + 1 + lengthOf(word) > width) {
      lines.push(current);
      current = word;
    } else {
      current = index === 0 ? word : `${current} ${word}`;
    }
  }
  return [...lines, current].join(`\n${" ".repeat(indent)}`);
}

/** Narrower columns would hold hardly a word. */
const LEAST_WIDTH = 20;

/** In columns, but for letters of East Asia, which take two. */
function lengthOf(text: string): number {
  return [...text].length;
}

/** The words of a line; a command is one, since only whole it can be pasted. */
function partsOf(line: string): readonly string[] {
  const parts: string[] = [];
  let command: string[] = [];
  for (const word of line.split(" ")) {
    if (continues(command, word)) {
      command.push(word);
      parts[parts.length - 1] += ` ${word}`;
      continue;
    }
    command = PROGRAM.test(word) ? [word] : [];
    parts.push(word);
  }
  return parts;
}

/** What begins a command in a message, `mlcli`, also as `(mlcli`, `$(mlcli`; or a Dockerfile's line. */
const PROGRAM =
  /^[("'$]*(mlcli|docker|podman|aws|sudo|pip|export|chmod|chown|timedatectl|ARG|COPY|LABEL)$/;

/** Commands of ours that hold others. */
const GROUPS = ["local", "completions"];

/** Those that a name follows. */
const NAMED = ["init", "describe", "logs", "wait", "stop-job", "download-model", "help"];

/** Whether a word belongs to the command before it. */
function continues(command: readonly string[], word: string): boolean {
  const last = command.at(-1);
  if (last === undefined || word === "" || /[.,;:)?]$/.test(last)) return false;
  if (isOption(word) || takesValue(last)) return true;
  // What no sentence has: NAME, a=b, a/b, 's.t.', v2.
  if (/^[A-Z][A-Z_-]+[.,;:)]*$|[=/\d'"$<>|{}]/.test(word)) return true;
  const [program = "", ...rest] = command;
  const names = rest.filter((one, index) => !isOption(one) && !takesValue(command[index]!));
  const name = names.at(-1);
  return name === undefined ||
    program.endsWith("mlcli") && (GROUPS.includes(name) || NAMED.includes(name));
}

function isOption(word: string): boolean {
  return word.startsWith("-");
}

/** Whether a value follows this word: after an option that does not have it in the same word. */
function takesValue(before: string): boolean {
  return isOption(before) && !before.includes("=");
}
