/**
 * Runs the program on a terminal: `script` of util-linux makes one.
 *
 * @module
 */

import { programCommand } from "./program.ts";

/** A run on a terminal ends by itself, or after this time in ms. */
const TIMEOUT = 120_000;

/** What somebody at the terminal would have seen, escape sequences included. */
export interface TerminalResult {
  readonly code: number;
  readonly screen: string;
}

/** Runs the program on a terminal of 80 columns, with nothing typed but `input`. */
export async function runOnTerminal(
  args: readonly string[],
  cwd: string,
  input = "",
): Promise<TerminalResult> {
  const command = `stty cols 80 rows 24; ${programCommand(args).map(quoted).join(" ")}`;
  const child = new Deno.Command("script", {
    args: ["--quiet", "--return", "--command", command, "/dev/null"],
    cwd,
    env: { TERM: "xterm", NO_COLOR: "" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    signal: AbortSignal.timeout(TIMEOUT),
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  const [screen, status] = await Promise.all([new Response(child.stdout).text(), child.status]);
  await writer.close().catch(() => {}); // the terminal is gone with the program
  return { code: status.code, screen };
}

/**
 * Runs the program on a terminal, with standard output going to `stdout.txt` in `cwd`, and types
 * the keys once it has asked something: before that, Ctrl-C would end it by itself.
 */
export async function answerOnTerminal(
  args: readonly string[],
  cwd: string,
  keys: string,
): Promise<TerminalResult> {
  const child = new Deno.Command("script", {
    args: [
      "--quiet",
      "--return",
      "--command",
      `${programCommand(args).map(quoted).join(" ")} > stdout.txt`,
      "/dev/null",
    ],
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    signal: AbortSignal.timeout(TIMEOUT),
  }).spawn();
  const writer = child.stdin.getWriter();
  const decoder = new TextDecoder();
  let screen = "";
  let isTyped = false;
  for await (const bytes of child.stdout) {
    screen += decoder.decode(bytes, { stream: true });
    if (isTyped || !screen.includes("]: ")) continue;
    isTyped = true;
    await writer.write(new TextEncoder().encode(keys));
  }
  const { code } = await child.status;
  await writer.close().catch(() => {}); // the terminal is gone with the program
  return { code, screen };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
