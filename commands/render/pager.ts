/** Long text on a terminal, page by page. */

import type { Context } from "../../runtime/context.ts";

/** Where nobody names a pager: less, if it is there. */
const DEFAULT_PAGER = "command -v less > /dev/null || exit 127; exec less";

/** What a shell says of a program that is not there, or is none. */
const NOT_RUN: readonly number[] = [126, 127];

/**
 * Prints text that is longer than the terminal by the pager of MLCLI_PAGER or PAGER (`cat`: by none),
 * else by less; as it is, where that is not there.
 */
export async function printPaged(
  text: string,
  { out, env, system }: Pick<Context, "out" | "env" | "system">,
): Promise<void> {
  const pager = env("MLCLI_PAGER")?.trim() || env("PAGER")?.trim() || DEFAULT_PAGER;
  if (pager === "cat" || system.os === "windows") return out.print(text);
  if (NOT_RUN.includes(await page(text, pager, env("LESS")))) out.print(text);
}

/** @returns the pager's exit status. */
async function page(text: string, pager: string, less = "FRX"): Promise<number> {
  const command = new Deno.Command("sh", {
    args: ["-c", pager],
    stdin: "piped",
    env: { LESS: less },
  });
  try {
    const child = command.spawn();
    const written = new Blob([text]).stream().pipeTo(child.stdin);
    // Who leaves the pager early does not want the rest.
    const [{ code }] = await Promise.all([child.status, written.catch(() => {})]);
    return code;
  } catch {
    return 127;
  }
}
