import { requireInside } from "../../runtime/app/confinement.ts";
import type { Context } from "../../runtime/context.ts";
import { pinModel } from "../../runtime/model/kept_models.ts";
import { sharingModel } from "../../runtime/model/lock.ts";
import { versionOf } from "../../runtime/model/version_of.ts";
import { inOneLine } from "../../runtime/text.ts";
import type { KeepValues } from "./keep.ts";

/** Pins or releases the model of a run, and prints the run's name. */
export async function keepAction(context: Context, options: KeepValues): Promise<void> {
  const layout = options.app.paths;
  await requireInside(layout, [layout.base, layout.localTest, layout.jobs, layout.model]);
  const host = { err: context.err, signal: context.interruption.signal };
  // While it is shared, no command removes models.
  await sharingModel(layout, host, async () => {
    const { run } = await versionOf(layout, options.run);
    await pinModel(layout, run, options.keep);
    context.out.print(`${inOneLine(run)}\n`);
  });
}
