/**
 * Shows a push: on a terminal its bytes, and those of the layers on their way; in a pipe a line for
 * what happens to each layer.
 *
 * @module
 */

import type { PushReport } from "../../../runtime/cloud/push/push.ts";
import { inOneLine } from "../../../runtime/text.ts";
import { byteCount, counted } from "../quantity.ts";
import type { Shown } from "./shown.ts";
import { ShownTransfer } from "./transfer.ts";

/** Shows a push. */
export function pushReport(shown: Shown, now: () => number): PushReport {
  const transfer = new ShownTransfer(shown, now);
  return {
    say: (text) => shown.say(text),
    note: (text) => shown.note(text),
    warning: (message, hint) => shown.warning(message, hint),
    progress({ sent, total, done, layers, sending }) {
      if (layers === 0) return;
      transfer.reached({
        bytes: sent,
        total,
        more: [`${done} of ${counted(layers, "layer")}`],
        below: sending.map(({ id, sent, total }) =>
          `  ${id.slice(0, 12)} ${byteCount(sent)} of ${byteCount(total)}`
        ),
      });
    },
    layer: ({ id, status }) => shown.plain(`${inOneLine(id)}: ${inOneLine(status)}`),
  };
}
