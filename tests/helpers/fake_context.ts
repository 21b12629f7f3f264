/** A context whose streams are in memory, for tests of terminals, which a subprocess cannot have. */

import type { Context } from "../../runtime/context.ts";
import { Messages } from "../../runtime/messages.ts";
import { type Output, standardInput } from "../../runtime/streams.ts";
import type { Clock } from "../../runtime/time.ts";
import { replaced } from "./replaced.ts";

export interface MemoryOutput extends Output {
  readonly text: string;
}

/** Replacements of the defaults for a test. */
export interface FakeContextOptions extends Partial<Omit<Context, "out" | "err" | "messages">> {
  readonly isTerminal?: boolean;
  readonly colour?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** Called with the bytes of standard output before they are stored; can fail, or be slow. */
  readonly onOutput?: (text: string) => void | Promise<void>;
  /** Why nothing can be written to standard output: it is on a full disk. */
  readonly outputError?: Error;
  /** Called with the text of standard error. */
  readonly onMessage?: (text: string) => void;
}

/** A context in which nothing can be reached except what the test gives. */
export function fakeContext(
  options: FakeContextOptions = {},
): Context & { readonly out: MemoryOutput; readonly err: MemoryOutput } {
  const { isTerminal = false, colour = false, columns = 80, ...more } = options;
  const { rows = isTerminal ? 24 : 0, ...other } = more;
  const { onOutput = () => {}, onMessage = () => {}, outputError, ...rest } = other;
  const refuse = (): void => {
    if (outputError) throw outputError;
  };
  const unreachable = (): never => {
    throw new Error("The test gives no such thing");
  };
  const err = memoryOutput({ isTerminal, colour, columns, rows }, () => {}, onMessage);
  return {
    input: { ...standardInput(), isTerminal: false, keyboard: undefined, async *read() {} },
    env: () => undefined,
    cwd: "/nonexistent",
    caller: undefined,
    arch: "x86_64",
    system: { os: "linux", root: "/nonexistent" },
    interruption: {
      signal: new AbortController().signal,
      force: new AbortController().signal,
    },
    clock: fakeClock(),
    canAsk: false,
    ask: () => Promise.resolve(undefined),
    engine: unreachable,
    region: unreachable,
    aws: unreachable,
    ...rest,
    out: memoryOutput(
      { isTerminal, colour, columns, rows },
      outputError ? refuse : onOutput,
      refuse,
    ),
    err,
    messages: new Messages(err),
  };
}

/** A clock on which a pause takes no time, and after which it is later nevertheless. */
export function fakeClock(
  start: Date = new Date(),
): Clock & { readonly pauses: readonly number[] } {
  const pauses: number[] = [];
  let passed = 0;
  return {
    pauses,
    now: () => passed,
    date: () => new Date(start.getTime() + passed),
    async pause(milliseconds, signal) {
      signal.throwIfAborted();
      pauses.push(milliseconds);
      passed += milliseconds;
      // What else is going on gets its turn.
      await new Promise((resolve) => setTimeout(resolve, 0));
      signal.throwIfAborted();
    },
  };
}

function memoryOutput(
  properties: Pick<Output, "isTerminal" | "colour" | "columns" | "rows">,
  onWrite: (text: string) => void | Promise<void>,
  onPrint: (text: string) => void = () => {},
): MemoryOutput {
  const decoder = new TextDecoder();
  let text = "";
  return {
    ...properties,
    async write(bytes): Promise<void> {
      const more = decoder.decode(bytes, { stream: true });
      await onWrite(more);
      text += more;
    },
    print(more): void {
      onPrint(more);
      text += more;
    },
    get text() {
      return text;
    },
  };
}

/** Stops the clocks of progress on a terminal: until it is disposed of, only the first state is drawn. */
export function drawnOnce(): Disposable {
  const stack = new DisposableStack();
  stack.use(replaced(performance, { now: () => 0 }));
  stack.use(replaced(globalThis, { setInterval: () => 0 }));
  return stack;
}
