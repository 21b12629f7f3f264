import type { Context } from "../runtime/context.ts";
import { installation } from "../runtime/installation.ts";
import { hintText, noteText, tell } from "../runtime/messages.ts";
import { inOneLine, printableJson } from "../runtime/text.ts";
import type { UpgradeOptions } from "./upgrade.ts";

/** Prints the lines to run on standard output, and all else on standard error. */
export async function upgradeAction(context: Context, { output }: UpgradeOptions): Promise<void> {
  const { how, first, lines } = await installation(context);
  if (output === "json") {
    return context.out.print(`${printableJson({ how, first: first ?? null, lines }, 2)}\n`);
  }
  tell(context.err, noteText(`mlcli was installed ${how}`));
  if (first !== undefined) tell(context.err, hintText(first));
  context.out.print(lines.map((line) => `${inOneLine(line)}\n`).join(""));
}
