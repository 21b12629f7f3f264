/**
 * Shows the output of a build: all of it in a pipe; on a terminal one line that changes, and, if the
 * build fails, the output of the step that failed.
 *
 * @module
 */

import type { Output } from "../../../runtime/streams.ts";
import { printable } from "../../../runtime/text.ts";
import { ProgressLine } from "./line.ts";

/** Shows a build. Disposed of before `done`, it prints the output of the last step. */
export interface BuildProgress extends Disposable {
  onOutput(text: string): void;
  /** Names the private files that stay out of the image. */
  onLeftOut(paths: readonly string[]): void;
  /** The build worked. */
  done(): void;
}

/** Shows a build in the way that suits the stream. */
export function buildProgress(err: Output): BuildProgress {
  return err.isTerminal ? condensed(err) : plain(err);
}

function plain(err: Output): BuildProgress {
  return {
    onOutput: (text) => err.print(text),
    onLeftOut: (paths) => err.print(leftOutNote(paths)),
    done: () => {},
    [Symbol.dispose]: () => {},
  };
}

/** The engine announces a step so: `Step 3/9 : RUN ...`; Podman writes STEP. */
const STEP = /^Step \d+\/\d+ ?: .*/im;

function condensed(err: Output): BuildProgress {
  let step = "";
  let output = ""; // of the current step
  let isDone = false;
  const progress = new ProgressLine(err);
  return {
    onOutput(text: string): void {
      const announced = STEP.exec(text)?.[0];
      if (announced !== undefined) {
        step = announced;
        output = "";
      }
      output += text;
      const latest = text.trim().split(/[\r\n]+/).at(-1) ?? "";
      progress.show(announced === undefined && step !== "" ? `${step} | ${latest}` : latest);
    },
    onLeftOut(paths): void {
      progress.clear();
      err.print(leftOutNote(paths));
    },
    done(): void {
      isDone = true;
      progress.clear();
    },
    [Symbol.dispose](): void {
      progress.clear();
      if (!isDone) err.print(output);
    },
  };
}

/** How many files the note names. */
const NAMED = 5;

/** The note about files that stayed out of the image: a line, or nothing if none did. */
function leftOutNote(paths: readonly string[]): string {
  if (paths.length === 0) return "";
  const names = paths.slice(0, NAMED).map(inOneLine).join(", ");
  const more = paths.length > NAMED ? `, and ${paths.length - NAMED} more` : "";
  return `Left out of the image as private: ${names}${more}. ` +
    "!PATH in .dockerignore brings one back.\n";
}

function inOneLine(path: string): string {
  return printable(path.replaceAll(/[\n\t]/g, "?"));
}
