/** Chooses the code of a container: the app's current code, or the code in the image. */

import type { App } from "../app/app.ts";
import { brokenLinkIn, type CodeFolder, holdsFile } from "../app/layout.ts";
import type { Paths } from "../app/paths.ts";
import { initCommand, typedPath } from "../app/typed_path.ts";
import { PATHS } from "../contract/jobs.ts";
import { MlcliError } from "../errors.ts";
import { isDirectory } from "../files.ts";
import type { Messages } from "../messages.ts";
import { holdsHarness, isOfOwnContext, type LabelledImage } from "../contract/images.ts";
import type { OfImage } from "./plan.ts";

/** Directories of the app's code that are mounted. */
export type MountedCode = Pick<OfImage, "codeFolder" | "commonFolder">;

export const NOT_MOUNTED: MountedCode = { codeFolder: undefined, commonFolder: undefined };

/**
 * Returns the directories of the app's code to mount over those of the image. With `--strict`, and if the app
 * has no code, the image's own code runs.
 *
 * An image that mlcli did not build might contain its code in `/opt/ml/code`, such as images of AWS's
 * toolkits. Only code of the app hides it, and a note says so. Such an image does not use `common/`.
 *
 * @throws MlcliError if the image that the app builds would run its old code, because the app has no code.
 */
export async function mountedCode(
  { strict, app }: { readonly strict: boolean; readonly app: Pick<App, "configuration"> },
  layout: Paths,
  code: CodeFolder,
  image: LabelledImage,
  messages: Pick<Messages, "note">,
): Promise<MountedCode> {
  if (strict) return NOT_MOUNTED;
  const hasCommon = holdsHarness(image) && await isDirectory(layout.common);
  return {
    codeFolder: await codeFolderOf(layout, code, image, app.configuration.image, messages),
    commonFolder: hasCommon ? layout.common : undefined,
  };
}

async function codeFolderOf(
  layout: Paths,
  code: CodeFolder,
  image: LabelledImage,
  named: string | undefined,
  messages: Pick<Messages, "note">,
): Promise<string | undefined> {
  const folder = layout[code];
  const isThere = await holdsFile(layout, folder, layout.boundary);
  const path = typedPath(layout, folder);
  // The app has no code for the image, because it names an existing image.
  if (!isThere && named !== undefined) return undefined;
  if (holdsHarness(image)) {
    // Without a script, none of it runs: a program of --command need not be in it.
    if (isThere || code === "processing") return folder;
    const init = initCommand(layout, layout.appName);
    throw new MlcliError(`No ${code} code in ${path}`, {
      hint: await brokenLinkIn(layout, folder) ??
        `Put your code into ${path}/, or add the missing sample files: ${init}`,
    });
  }
  if (!isThere || isOfOwnContext(image)) return undefined;
  messages.note(`Using ${path}/ instead of the image's own ${PATHS.code}`);
  return folder;
}
