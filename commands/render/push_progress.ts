/**
 * Shows a push: on a terminal a line that changes, in a pipe a line for each layer.
 *
 * @module
 */

import type { PushReport } from "../../runtime/cloud/push/push.ts";
import type { Output } from "../../runtime/streams.ts";
import { tell } from "../../runtime/message.ts";
import { inOneLine, noteText, printable, warningText } from "../../runtime/text.ts";
import { ProgressLine } from "./progress.ts";
import { byteCount, counted } from "./quantity.ts";

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
    say: (text) => above.print(printable(`${text}\n`)),
    note: (text) => tell(above, noteText(text)),
    warning: (message, hint) => tell(above, warningText(message, hint)),
    progress({ sent, total, done, layers }) {
      if (layers === 0) return;
      const bytes = total > 0 ? `${byteCount(sent)} of ${byteCount(total)}, ` : "";
      line.show(`${bytes}${done} of ${counted(layers, "layer")}`);
    },
    layer({ id, status }) {
      if (!err.isTerminal) err.print(`${inOneLine(id)}: ${inOneLine(status)}\n`);
    },
    done: () => line.clear(),
    [Symbol.dispose]: () => line.clear(),
  };
}
