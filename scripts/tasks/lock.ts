/**
 * Writes the lock file of the release again, from what deno.json asks for: `deno task lock`. Read the
 * difference before it is committed: it says which code the next release is made from.
 */

import { fromFileUrl, join } from "@std/path";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { BUNDLER, LOCK_FILE, resolving } from "../compile/locked.ts";
import { PROGRAM } from "../page.ts";
import { stageProgram } from "../compile/stage.ts";
import { run } from "../process.ts";
import { runScript, say } from "../script.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** A hundred packages over a slow network. In ms. */
const TIMEOUT = 300_000;

async function main(signal: AbortSignal): Promise<number> {
  const work = await Deno.makeTempDir({ prefix: "mlcli-lock-" });
  try {
    const stage = join(work, "source");
    await Deno.mkdir(stage);
    await stageProgram(ROOT, stage, "unknown", signal);
    // From an empty one: Deno keeps entries that are no longer needed.
    await removeTreeIfThere(join(stage, "deno.lock"));
    const options = ["--quiet", "--lock=deno.lock", "--frozen=false"];
    await run([Deno.execPath(), "cache", ...options, "main.ts", PROGRAM, BUNDLER], {
      cwd: stage,
      env: resolving(join(work, "cache")),
      timeout: TIMEOUT,
      hint: "The packages come from npm.",
      signal,
    });
    await Deno.copyFile(join(stage, "deno.lock"), join(ROOT, LOCK_FILE));
  } finally {
    await removeTreeIfThere(work);
  }
  say(`Wrote ${LOCK_FILE}`);
  return 0;
}

if (import.meta.main) runScript(main);
