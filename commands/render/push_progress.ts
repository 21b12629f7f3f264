/**
 * Shows a push: on a terminal a line that changes, in a pipe a line for each layer.
 *
 * @module
 */

import type { PushReport } from "../../runtime/cloud/push/push.ts";
import type { Output } from "../../runtime/streams.ts";
import { inOneLine } from "../../runtime/text.ts";
import { ProgressLine } from "./progress.ts";
import { sizeText } from "./size.ts";

/** Shows a push. */
export interface PushProgress extends PushReport, Disposable {
  /** The push worked. */
  done(): void;
}

/** Shows a push in the way that suits the stream. */
export function pushProgress(err: Output): PushProgress {
  const line = new ProgressLine(err);
  const above = line.above();
  return {
    note: (text) => above.print(`${text}\n`),
    progress({ sent, total, done, layers }) {
      const bytes = total > 0 ? `${sizeText(sent)} of ${sizeText(total)}, ` : "";
      line.show(`${bytes}${done} of ${layers} ${layers === 1 ? "layer" : "layers"}`);
    },
    layer({ id, status }) {
      if (!err.isTerminal) err.print(`${inOneLine(id)}: ${inOneLine(status)}\n`);
    },
    done: () => line.clear(),
    [Symbol.dispose]: () => line.clear(),
  };
}
