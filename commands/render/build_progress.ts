/**
 * Shows a build: its steps and their output in a pipe; on a terminal one line that changes, and, if
 * the build fails, the output of the step that failed.
 *
 * @module
 */

import type { BuildEvent } from "../../runtime/image/build_events.ts";
import type { Output } from "../../runtime/streams.ts";
import { inOneLine } from "../../runtime/text.ts";
import { ProgressLine } from "./progress.ts";

/** Shows a build. Disposed of before `done`, it prints the output of the last step. */
export interface BuildProgress extends Disposable {
  onEvent(event: BuildEvent): void;
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
    onEvent(event): void {
      if (event.kind === "log") return err.print(event.text);
      if (event.kind === "warning") return err.print(`warning: ${event.text}\n`);
      if (event.kind === "transfer" || event.state === "done") return;
      err.print(event.state === "running" ? `${event.name}\n` : `${event.name}: ${event.state}\n`);
    },
    onLeftOut: (paths) => err.print(leftOutNote(paths)),
    done: () => {},
    [Symbol.dispose]: () => {},
  };
}

function condensed(err: Output): BuildProgress {
  let step: { readonly id: string; readonly name: string } | undefined;
  let output = ""; // of that step
  let isDone = false;
  const progress = new ProgressLine(err);
  return {
    onEvent(event): void {
      if (event.kind === "step") {
        if (event.id !== step?.id) output = "";
        step = event;
        progress.show(event.name);
      } else if (event.kind === "log") {
        if (event.id === step?.id) output += event.text;
        progress.show(`${step?.name} | ${event.text.trim().split("\n").at(-1)}`);
      }
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
      if (!isDone && step !== undefined) err.print(`${step.name}\n${output}`);
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
