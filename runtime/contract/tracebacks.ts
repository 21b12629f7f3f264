/** Python's tracebacks in the output of a program: errors, and the lines of code that led to them. */

export interface Frame {
  /** As Python prints it: `/opt/ml/code/train.py`, `train.py`, `<frozen posixpath>`. */
  readonly file: string;
  readonly line: string;
  /** `train`, `<module>`; empty if the traceback has none. */
  readonly name: string;
  /** The code in that line; empty if the traceback has none. */
  readonly text: string;
}

/** An error that a program printed. */
export interface Raised {
  /** `KeyError: 'text'`, the first line of the error that has words. */
  readonly words: string;
  /** The innermost comes last. */
  readonly frames: readonly Frame[];
  /** Number of the output's lines up to `words`. */
  readonly end: number;
  /** Whether the error before it led to this one. */
  readonly isLedTo: boolean;
}

/** Begins a traceback in Python. Its lines are indented, up to the error itself. */
export const TRACEBACK = "Traceback (most recent call last):";

/** AWS's toolkit prints some lines without their indentation. */
export const FRAME = /^ *File "(.{1,300}?)", line (\d{1,9})(?:, in (.{1,200}))?/;

/** The margin of the lines of an exception group (`traceback.py`, `_ExceptionPrintContext`). */
const MARGIN = /^ *[|+] ?(?=\S| {2})/;

/** `ValueError: no age`, `KeyboardInterrupt`, `PIL.UnidentifiedImageError: ...`, `zlib.error: ...` */
const ERROR_LINE = /^([\w<>]+\.)*[A-Z]\w*(: .*)?$|^([a-z_]\w*\.)+\w+: /;

/** A line of a logger in another thread, between those of a traceback. */
const LOGGED = /^(?:DEBUG|INFO|WARN|WARNING)\b/;

/** Python prints it above the traceback of an error that does not end the program. */
const IGNORED = /^Exception ignored in\b/;

/** A file that cannot be compiled has a place, and no heading. */
const SYNTAX_ERROR = /^(SyntaxError|IndentationError|TabError)\b/;

/** Between two tracebacks, where one error led to another (traceback.py, `_cause_message`). */
export const BETWEEN =
  /^(The above exception was the direct cause|During handling of the above exception, another)/;

/**
 * Returns the errors in a program's output, each with its frames. A logger may have put a prefix of one
 * length before each line, and the output may begin within a traceback.
 */
export function raisedIn(output: string): readonly Raised[] {
  const raised: Raised[] = [];
  const isCut = /^[ \t]/.test(output) && !output.includes(TRACEBACK);
  let prefix = "";
  let frames: Frame[] = [];
  let isBegun = false;
  let isLedTo = false;
  let isIgnored = false;
  let before = "";
  const lines = output.split(/\r?\n/);
  for (const [index, written] of lines.entries()) {
    const heading = written.indexOf(TRACEBACK);
    const isPrefixed = written.slice(0, prefix.length).endsWith(prefix.slice(-2));
    const line = written.slice(isPrefixed ? prefix.length : 0).replace(MARGIN, "");
    const [, file, number = "", name = ""] = FRAME.exec(line) ?? [];
    const last = frames.at(-1);
    if (heading !== -1) {
      prefix = written.slice(0, heading);
      frames = [];
      isBegun = true;
      isIgnored = IGNORED.test(before);
    } else if (file !== undefined) {
      frames.push({ file, line: number, name, text: "" });
      isBegun ||= isCut;
    } else if (isBegun ? isError(line) : last && SYNTAX_ERROR.test(line)) {
      // The message of scikit-learn's search for parameters begins with a line break.
      const more = line.endsWith(": ") ? lines.slice(index + 1).find((text) => text.trim()) : "";
      const words = `${line}${more?.trim() ?? ""}`;
      if (!isIgnored) raised.push({ words, frames, end: index + 1, isLedTo });
      frames = [];
      isBegun = false;
      isLedTo = false;
    } else if (BETWEEN.test(line)) {
      isLedTo = true;
    } else if (last?.text === "") {
      frames[frames.length - 1] = { ...last, text: line.trim() };
    }
    before = line;
  }
  return raised;
}

function isError(line: string): boolean {
  return ERROR_LINE.test(line) && !LOGGED.test(line);
}

/**
 * Returns the error that a failure's headline names; `undefined` without a traceback of it. An error that
 * another process passed on counts as raised there.
 *
 * @param headline has a module's name, such as `json.decoder.`, or has not; it may be cut.
 */
export function raisedAs(headline: string, output: string): Raised | undefined {
  const start = withoutPlace(headline.replace(/\.\.\.$/, "")).trim();
  if (start === "") return undefined;
  const isCut = headline.endsWith("...");
  const isNamed = (words: string): boolean =>
    words.startsWith(isCut ? start : `${start}:`) || words === start;
  const raised = raisedIn(output);
  const index = raised.findLastIndex(({ words }) =>
    isNamed(words.trim()) || isNamed(words.trim().replace(/^([\w<>]+\.)+/, ""))
  );
  const [found, cause] = [raised[index], raised[index - 1]];
  const isPassedOn = found?.isLedTo && cause?.words === found.words && ownFrames(cause).length > 0;
  return isPassedOn ? cause : found;
}

/**
 * Returns the headline of an error without its place: `str()` of a SyntaxError has one, its traceback does
 * not (CPython's `SyntaxError_str`).
 */
export function withoutPlace(headline: string): string {
  return SYNTAX_ERROR.test(headline) ? headline.replace(PLACE, "") : headline;
}

const PLACE = / \([^()]+, line \d+\)$/;

/** Directories of packages and of Python itself, code that Python was built with, and Cython's. */
const LIBRARY = /\/(?:site|dist)-packages\/|\/lib\/python\d|^<|\.p(?:yx|xi)$/;

/** Returns whether a file belongs to a package or to Python, and not to the user's own code. */
export function isLibrary(file: string): boolean {
  return LIBRARY.test(file);
}

/** Directories in a container that hold the user's code. */
const CODE =
  /^(?:\/opt\/ml\/(?:processing\/input\/)?code|\/opt\/program(?:\/(?:training|processing|prediction))?|\/tmp\/mlcli-code-\w{1,32}(?:\/code)?)\//;

/** Returns the path of the user's code as its author knows it: `training.py`, `common/tables.py`. */
export function codePath(file: string): string {
  return file.replace(CODE, "");
}

/** Returns the frames of the user's own code. */
export function ownFrames({ frames }: Raised): readonly Frame[] {
  return frames.filter(({ file }) => !isLibrary(file));
}

/** Returns where the user's code raised an error: `training.py, line 12`; `undefined` in other code. */
export function userPlace(raised: Raised): string | undefined {
  const frame = ownFrames(raised).at(-1);
  return frame && `${codePath(frame.file)}, line ${frame.line}`;
}
