/** Records what a shell on a terminal shows while somebody types commands: what it writes, and when. */

import { MlcliError } from "../../runtime/errors.ts";
import { terminalText } from "../../runtime/text.ts";
import { programCommand } from "../../tests/helpers/program.ts";
import { onTerminal } from "../../tests/helpers/terminal.ts";
import { lastLines } from "../process.ts";

export const COLUMNS = 80;
export const ROWS = 24;

/** A build that installs packages over a slow line takes longest. In ms. */
const TIMEOUT = 300_000;

/** Something that the terminal got. */
export interface Piece {
  /** In milliseconds since the piece before. */
  readonly after: number;
  readonly text: string;
  /** Whether it answers a key: a letter of a command, or of what a program asked. */
  readonly isTyped: boolean;
}

/** Tells the status of the command before, as the terminal's title; what is typed is bold. */
const PROMPT = "\n\x1b]0;$?\x07\x1b[32m$\x1b[0m \x1b[1m";
// deno-lint-ignore no-control-regex
const PROMPTED = /\x1b\]0;(\d+)\x07\x1b\[32m\$\x1b\[0m \x1b\[1m$/;
/** A question of mlcli's, with what Enter takes. */
const ASKED = /[\])]: $/;

/** A command line, and the exit code that it must have if that is not 0. */
export type SessionLine = string | { readonly typed: string; readonly exitCode: number };

/**
 * Types lines into a shell, one after the other, and records what the terminal shows. Enter answers
 * each question.
 * @throws MlcliError when a command has another exit code than expected.
 */
export async function recordSession(
  lines: readonly SessionLine[],
  cwd: string,
): Promise<readonly Piece[]> {
  const program = programCommand([]).map((word) => `'${word}'`).join(" ");
  const pieces: Piece[] = [];
  const left = lines.map((line) => typeof line === "string" ? { typed: line, exitCode: 0 } : line);
  let typing: string[] = [];
  let expected = 0;
  let [isDone, recorded] = [false, 0];
  let [length, time] = [0, performance.now()];
  const { screen } = await onTerminal({
    // A shell that starts another may set PS1 itself.
    command: `stty cols ${COLUMNS} rows ${ROWS}; ` +
      'exec env PS1="$PROMPT" bash --norc --noprofile --noediting -i',
    cwd,
    timeout: TIMEOUT,
    env: {
      TERM: "xterm-256color",
      NO_COLOR: "",
      HISTFILE: "",
      PS0: "\x1b[0m",
      PROMPT,
      PROMPT_COMMAND: `mlcli() { ${program} "$@"; }`,
    },
    keys: (screen) => {
      const now = performance.now();
      const text = screen.slice(length);
      if (text !== "") pieces.push({ after: now - time, text, isTyped: typing.length > 0 });
      [length, time] = [screen.length, now];
      const status = PROMPTED.exec(screen)?.[1];
      if (status !== undefined && typing.length === 0) {
        const isExpected = Number(status) === expected;
        isDone = isExpected && left.length === 0;
        recorded = pieces.length;
        const next = isExpected ? left.shift() : undefined;
        expected = next?.exitCode ?? 0;
        typing = [...next?.typed ?? "exit", "\r"];
      } else if (ASKED.test(screen)) typing = ["\r"];
      return typing.shift();
    },
  });
  if (isDone) return pieces.slice(0, recorded);
  throw new MlcliError("A command of the session failed", {
    quote: lastLines(terminalText(screen)),
  });
}
