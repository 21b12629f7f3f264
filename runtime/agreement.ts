import type { Context } from "./context.ts";
import { printable } from "./text.ts";

/** Asks whether to go on; whoever only presses Enter does not. `undefined` without a terminal. */
export async function isAgreed(
  question: string,
  { ask }: Pick<Context, "ask">,
): Promise<boolean | undefined> {
  const answer = await ask(`${printable(question)} [y/N]`, "");
  return answer === undefined ? undefined : /^y(es)?$/i.test(answer);
}
