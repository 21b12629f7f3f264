/**
 * What `mlcli download-model` does.
 *
 * @module
 */

import { typedPath } from "../../runtime/app/typed_path.ts";
import { downloadModel } from "../../runtime/cloud/download_model.ts";
import type { Context } from "../../runtime/context.ts";
import { warnOfKeys } from "../chosen_app.ts";
import { often, ProgressLine } from "../render/progress.ts";
import { byteCount } from "../render/quantity.ts";
import type { DownloadModelOptions } from "./download_model.ts";

/** Downloads a model and prints the directory that holds it. */
export async function downloadModelAction(
  context: Context,
  options: DownloadModelOptions,
): Promise<void> {
  await warnOfKeys(context, options);
  const { out, err, cwd } = context;
  using line = new ProgressLine(err);
  const download = {
    choice: options,
    source: options.jobOrUri,
    to: options.to,
    // Only the engine knows; without one, the directory is kept until a local command asks.
    isUsed: async (id: string): Promise<boolean> => {
      const { usedOn } = await import("../../runtime/local/model/remains.ts");
      return await usedOn(await context.engine())(id);
    },
  };
  const { path, address, bytes } = await downloadModel(download, context, {
    progress: often((done, size) => line.show(`${byteCount(done)} of ${byteCount(size)}`)),
    unpacking: () => line.show("Unpacking"),
  });
  line.clear();
  err.print(`${byteCount(bytes)} from ${address}\n`);
  out.print(`${typedPath(cwd, path)}\n`);
}
