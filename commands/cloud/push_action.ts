import { preparePush, type PushReport } from "../../runtime/cloud/push/push.ts";
import type { Context } from "../../runtime/context.ts";
import { inOneLine, printableJson } from "../../runtime/text.ts";
import { byteCount, counted } from "../../runtime/quantities.ts";
import { ProgressOutput } from "../render/progress/output.ts";
import { TransferProgress } from "../render/progress/transfer.ts";
import type { PushValues } from "./push.ts";

/** Pushes the app's image and prints its address; with --dry-run, the calls that it would take. */
export async function pushAction(context: Context, options: PushValues): Promise<void> {
  using shown = new ProgressOutput(context.err, options);
  const report = pushReport(shown, () => context.clock.now());
  const push = await preparePush(options, context, report);
  if (options.dryRun) {
    context.out.print(`${printableJson(push.calls, 2)}\n`);
    return;
  }
  const address = await push.run();
  shown.end();
  const isJson = options.output === "json";
  context.out.print(isJson ? `${printableJson({ image: address }, 2)}\n` : `${address}\n`);
}

/** On a terminal, the bytes of the push and of each layer; in a pipe, a line for each event. */
function pushReport(shown: ProgressOutput, now: () => number): PushReport {
  const transfer = new TransferProgress(shown, now);
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
