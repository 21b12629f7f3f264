/**
 * What to do where the user's code imports what the image does not have.
 *
 * @module
 */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { App } from "../app/app.ts";
import { type CodeFolder, type Layout, layoutOf } from "../app/layout.ts";
import { requirementsOf } from "../app/requirements.ts";
import { typedPath } from "../app/typed_path.ts";
import { missingModule, missingModuleHint } from "../contract/missing_modules.ts";
import { LARGEST_TEXT, lstatIfThere, readTextFile } from "../files.ts";
import { isBuiltByMlcli, type Marks } from "../images.ts";

/** Whose code asked for the module. */
export interface Importer {
  readonly app: App;
  readonly code: CodeFolder;
  readonly image: Marks;
}

/**
 * The hint for a failure in which the code said that a module is missing; `undefined` for others.
 *
 * @param words the line with which the code ended.
 */
export async function missingModuleHintOf(
  words: string,
  { app, code, image }: Importer,
): Promise<string | undefined> {
  const module = missingModule(words);
  if (module === undefined) return undefined;
  const layout = layoutOf(app);
  const own = await placeOf(layout, code, module);
  if (own !== undefined) return own;
  // Of a project of uv, the file that people write.
  const file = (await requirementsOf(app)).files[0]!;
  const text = await readTextFile(join(app.directory, file), LARGEST_TEXT).catch(() => undefined);
  return missingModuleHint({ module, file, text, isBuilt: isBuiltByMlcli(image) });
}

/** Where the app itself has a module of that name that this code does not find. */
async function placeOf(
  layout: Layout,
  code: CodeFolder,
  module: string,
): Promise<string | undefined> {
  const top = module.split(".")[0]!;
  const folders = [
    ...[layout.training, layout.processing, layout.prediction].filter((path) =>
      path !== layout[code]
    ),
    layout.base,
    dirname(layout.base),
    layout.directory,
  ];
  for (const folder of folders) {
    for (const path of [join(folder, `${top}.py`), join(folder, top)]) {
      const info = await lstatIfThere(path).catch(() => undefined);
      // The app's own directory of code is no package.
      if (info === undefined || path === layout[code]) continue;
      if (path.endsWith(".py") ? !info.isFile : !info.isDirectory) continue;
      const importable = typedPath(layout.directory, layout[code]);
      return `${typedPath(layout.directory, path)} is there, but ${code} imports only what is ` +
        `in ${importable}/: put it there.`;
    }
  }
  return undefined;
}
