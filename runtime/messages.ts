/** Messages of mlcli: errors, warnings, notes and hints. */

import {
  explainSystemError,
  fileErrorHint,
  isSystemError,
  messageOf,
  MlcliError,
} from "./errors.ts";
import { type Output, overlaid } from "./streams.ts";
import { printable } from "./text.ts";

/**
 * Consequence of a message. `note`: none. `warning`: something unexpected. `error`: a failure. Of checks
 * alone, `ok`: no problem was found; `unknown`: the check was impossible, and the message says why.
 */
export type Level = "ok" | "note" | "warning" | "error" | "unknown";

/** Something that mlcli tells the user. By default, its level is one that `Messages` prints. */
export interface Message<L extends Level = "note" | "warning" | "error"> {
  readonly level: L;
  /** One sentence without a full stop. */
  readonly message: string;
  /** An instruction. */
  readonly hint?: string | undefined;
}

/** Values of the options `--quiet` and `--progress`. */
export interface ProgressChoice {
  readonly quiet: boolean;
  readonly progress: "auto" | "plain";
}

/** Lines at the bottom of the terminal, which stay below all messages. Disposing removes them for good. */
export interface LinesBelow extends Disposable {
  /** Removes the lines until they are drawn again. */
  clear(): void;
  /** Draws the lines, unless the line above them is unfinished. */
  draw(): void;
}

/** Shows on a terminal what a command waits for, with the elapsed time. */
export interface Waiting {
  /**
   * Shows a text until the next state is printed.
   *
   * @param running ms since the wait began (default: 0).
   */
  show(text: string, running?: number): void;
  /** Waits for `work`, and shows the text, which can change, if `work` takes noticeably long. */
  during<T>(text: () => string, work: Promise<T>): Promise<T>;
}

/** State of the terminal or the pipe of standard error. */
interface Screen {
  below: LinesBelow | undefined;
  /** Whether the last line is finished. */
  isAtLineStart: boolean;
  /** Number of writes that are not complete. */
  writes: number;
  /** Number of states so far. */
  states: number;
}

/** Messages of one command on standard error. `--quiet` leaves only warnings and errors. */
export class Messages implements Disposable {
  readonly isQuiet: boolean;
  /** Whether lines at the bottom of the terminal can be redrawn. */
  readonly isLive: boolean;
  /** Standard error, for all other text on it. */
  readonly stream: Output;

  /** @param screen what other messages on the same standard error share. */
  constructor(
    readonly err: Output,
    private readonly choice: Partial<ProgressChoice> = {},
    private readonly screen: Screen = {
      below: undefined,
      isAtLineStart: true,
      writes: 0,
      states: 0,
    },
  ) {
    const { quiet = false, progress = "auto" } = choice;
    this.isQuiet = quiet;
    this.stream = this.above(err);
    this.isLive = !quiet && progress === "auto" && err.rows > 0;
  }

  /** Prints what mlcli does or has done. */
  state(text: string): void {
    this.screen.states++;
    if (!this.isQuiet) this.#show(printable(`${text}\n`));
  }

  /** Number of states so far, including those that `--quiet` hides. */
  get states(): number {
    return this.screen.states;
  }

  /** Prints something that is good to know. */
  note(message: string, hint?: string): void {
    if (!this.isQuiet) this.#show(noteText(message) + (hint ? hintText(hint) : ""));
  }

  /** Prints a warning, which names the consequence. */
  warning(message: string, hint?: string): void {
    this.#show(warningText(message, hint));
  }

  /** Prints an error that does not end the command. @param directory see `errorText`. */
  error(thrown: unknown, directory?: string): void {
    this.#show(errorText(thrown, directory));
  }

  /** Prints an instruction that belongs to messages above. */
  hint(hint: string): void {
    this.#show(hintText(hint));
  }

  /** Prints messages by their levels. */
  tell(messages: readonly Message[]): void {
    for (const { level, message, hint } of messages) {
      if (level === "error") this.error(new MlcliError(message, { hint }));
      else this[level](message, hint);
    }
  }

  /** Shows lines below the messages, in place of others; `undefined`: no lines. */
  showBelow(lines: LinesBelow | undefined): void {
    this.screen.below?.[Symbol.dispose]();
    this.screen.below = lines;
  }

  /** Whether lines can be drawn: the last line on the terminal is finished, and nothing is being written. */
  get hasRoomBelow(): boolean {
    return this.screen.isAtLineStart && this.screen.writes === 0;
  }

  /**
   * Returns a stream whose text stands above the lines at the bottom of the terminal. What is printed
   * does not continue an unfinished line that was written before.
   */
  above(output: Output): Output {
    const { screen } = this;
    const sharesLine = output === this.err || output.isTerminal && this.err.isTerminal;
    const wrote = (isFinished: boolean): void => {
      if (sharesLine) screen.isAtLineStart = isFinished;
      screen.below?.draw();
    };
    return overlaid(output, {
      write: async (bytes) => {
        screen.below?.clear();
        screen.writes++;
        await output.write(bytes).finally(() => screen.writes--);
        if (bytes.length > 0) wrote(bytes.at(-1) === LINE_FEED);
      },
      print: (text) => {
        screen.below?.clear();
        const continues = sharesLine && !screen.isAtLineStart && !text.startsWith("\n");
        output.print(continues ? `\n${text}` : text);
        if (text !== "") wrote(text.endsWith("\n"));
      },
    });
  }

  /** Returns messages that are lost, instead of failing, if standard error cannot be written. */
  ignoringFailures(): Messages {
    const { err, choice, screen } = this;
    const print = (text: string): void => {
      try {
        err.print(text);
      } catch {
        // No stream is left for the message.
      }
    };
    return new Messages(overlaid(err, { print }), choice, screen);
  }

  /** Removes the lines at the bottom of the terminal, if that still exists. */
  [Symbol.dispose](): void {
    try {
      this.showBelow(undefined);
    } catch {
      // The command's own error must not be replaced.
    }
  }

  #show(text: string): void {
    tell(this.stream, text);
  }
}

const LINE_FEED = 10;

/** Returns a warning. */
export function warning(message: string, hint?: string): Message {
  return { level: "warning", message, hint };
}

/** Stream that messages are printed to. */
type MessageStream = Pick<Output, "print" | "isTerminal" | "columns" | "colour">;

/** Prefix of a message. Further lines of the message are aligned with its text. */
const BEGINNING = /^(error|warning|note|hint): /;

/** Numbers of a terminal's colours. */
const COLOURS: Readonly<Record<string, number>> = { error: 31, warning: 33, hint: 36 };

/**
 * Prints messages: on a terminal, broken between words at its width; for a program unchanged, a line each.
 * Keeps lines that are already indented, such as the end of a log.
 *
 * @param text from `warningText`, `noteText` or `errorText`.
 */
export function tell(out: MessageStream, text: string): void {
  const lines = text.split("\n").map((line) => out.isTerminal ? broken(line, out) : line);
  out.print((out.colour ? lines.map(painted) : lines).join("\n"));
}

function painted(line: string): string {
  return line.replace(BEGINNING, (beginning, word: string) => {
    const colour = COLOURS[word];
    return colour === undefined ? beginning : `\x1b[${colour}m${word}:\x1b[39m `;
  });
}

function broken(line: string, { columns }: MessageStream): string {
  const [indent = ""] = /^\s+/.exec(line) ?? [];
  // Only a line that the terminal would break.
  if (indent !== "" && lengthOf(line) > columns) {
    return indent + wrapWords(partsOf(line.slice(indent.length)), columns, indent.length);
  }
  if (indent !== "") return line;
  const [beginning = ""] = BEGINNING.exec(line) ?? [];
  return beginning + wrap(line.slice(beginning.length), columns, beginning.length);
}

/**
 * Returns an error as text that ends in a newline: `error: ` and the message; quoted text of another program,
 * indented; `hint: ` and the fix.
 *
 * @param directory in which the user types paths: messages of system errors contain paths relative to it.
 */
export function errorText(thrown: unknown, directory?: string): string {
  const isRefusal = directory !== undefined && isSystemError(thrown);
  const error = isRefusal ? explainSystemError(thrown, directory) : thrown;
  const { quote, hint, cause } = error instanceof MlcliError ? error : {};
  const remedy = hint ?? fileErrorHint(cause);
  return [
    `error: ${below(messageOf(error))}\n`,
    quote ? `${printable(quote).trimEnd().replace(/^/gm, "  ")}\n` : "",
    remedy ? hintText(remedy) : "",
  ].join("");
}

/** Returns a warning and its hint as lines. */
export function warningText(message: string, hint?: string): string {
  return `warning: ${below(message)}\n${hint ? hintText(hint) : ""}`;
}

/** Returns a note as a line. */
export function noteText(message: string): string {
  return `note: ${below(message)}\n`;
}

/** Returns a hint as a line. */
export function hintText(hint: string): string {
  return `hint: ${below(hint)}\n`;
}

/** Returns text for a message, with lines indented that would look like an error or a hint of mlcli. */
function below(text: string): string {
  return printable(text).replace(/\n(?=(error|warning|note|hint)\b)/gi, "\n  ");
}

/** Breaks text into lines no wider than `columns`, and indents all lines after the first. */
export function wrap(text: string, columns: number, indent: number): string {
  return text.split("\n").map((line) => wrapWords(partsOf(line), columns, indent))
    .join(`\n${" ".repeat(indent)}`);
}

/** Like `wrap`, for words that must not be broken. */
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

/** In cells. Narrower columns have space for hardly a word. */
const LEAST_WIDTH = 20;

/** Returns the number of letters: East Asian letters, which take two columns, count as one. */
function lengthOf(text: string): number {
  return [...text].length;
}

/**
 * Splits a line into words. A command is one word, because it can be pasted only as a whole. Messages don't
 * mark their commands, so this function recognizes them.
 */
export function partsOf(line: string): readonly string[] {
  const parts: string[][] = [];
  for (const word of line.split(" ")) {
    const part = parts.at(-1);
    if (part !== undefined && PROGRAM.test(part[0]!) && continues(part, word)) part.push(word);
    else parts.push([word]);
  }
  return parts.map((words) => words.join(" "));
}

/** First word of a command in a message: `mlcli`, `(mlcli`, `$(mlcli`; or of a line of a Dockerfile. */
const PROGRAM =
  /^[("'$]*(mlcli|docker|podman|aws|sudo|pip|export|chmod|chown|timedatectl|ARG|COPY|LABEL)$/;

/** Commands of mlcli that contain others. */
const GROUPS = ["local", "completions"];

/** Commands of mlcli that a name follows. */
const NAMED = [
  "init",
  "describe",
  "logs",
  "wait",
  "stop-job",
  "download-model",
  "download-output",
  "help",
];

/** Whether a word belongs to the command before it. */
function continues(command: readonly string[], word: string): boolean {
  const last = command.at(-1)!;
  // A path can be a single dot.
  if (word === "" || /[^.][.,;:)?]$/.test(last)) return false;
  if (isOption(word) || takesValue(last)) return true;
  // Words that sentences don't contain: NAME, a=b, a/b, 's.t.', v2.
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

/** Whether a value follows this word: an option without `=`. */
function takesValue(before: string): boolean {
  return isOption(before) && !before.includes("=");
}
