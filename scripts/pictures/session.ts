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

/**
 * @param lines of the shell, typed one after the other. Enter answers what is asked.
 * @throws MlcliError when one fails.
 */
export async function recordSession(
  lines: readonly string[],
  cwd: string,
): Promise<readonly Piece[]> {
  const program = programCommand([]).map((word) => `'${word}'`).join(" ");
  const pieces: Piece[] = [];
  const left = [...lines];
  let typing: string[] = [];
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
        isDone = status === "0" && left.length === 0;
        recorded = pieces.length;
        typing = [...status === "0" ? left.shift() ?? "exit" : "exit", "\r"];
      } else if (ASKED.test(screen)) typing = ["\r"];
      return typing.shift();
    },
  });
  if (isDone) return pieces.slice(0, recorded);
  throw new MlcliError("A command of the session failed", {
    quote: lastLines(terminalText(screen)),
  });
}
