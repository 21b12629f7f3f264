/**
 * How the output of a build is shown: plain in a pipe; on a terminal one line that changes, and the
 * output of the step that fails.
 *
 * @module
 */

import type { Output } from "../runtime/context.ts";

/** Shows a build. When it is disposed of before it is done, the last step's output is shown. */
export interface BuildProgress extends Disposable {
  onOutput(text: string): void;
  /** The build worked. */
  done(): void;
}

/** Shows a build on a stream, as fits it. */
export function buildProgress(err: Output): BuildProgress {
  return err.isTerminal ? condensed(err) : plain(err);
}

function plain(err: Output): BuildProgress {
  return {
    onOutput: (text) => err.print(text),
    done: () => {},
    [Symbol.dispose]: () => {},
  };
}

/** The engine announces a step so: `Step 3/9 : RUN ...`; Podman writes STEP. */
const STEP = /^Step \d+\/\d+ ?: .*/im;

function condensed(err: Output): BuildProgress {
  let output = ""; // of the current step
  let over = false;
  const clear = "\r\x1b[K";
  return {
    onOutput(text: string): void {
      if (STEP.test(text)) output = "";
      output += text;
      const line = (STEP.exec(text) ?? STEP.exec(output))?.[0] ?? text.trim().split("\n").at(-1);
      err.print(`${clear}${line?.slice(0, err.columns - 1) ?? ""}`);
    },
    done(): void {
      over = true;
      err.print(clear);
    },
    [Symbol.dispose](): void {
      if (!over) err.print(clear + output);
    },
  };
}
