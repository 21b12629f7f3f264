/**
 * What an app needs of its Dockerfile, and an older one lacks.
 *
 * @module
 */

import { fileErrorReason, MlcliError } from "../../errors.ts";
import { LARGEST_TEXT, readTextFile } from "../../files.ts";
import type { App } from "../app.ts";
import { requireInside } from "../confinement.ts";
import { holdsFile, layoutOf } from "../layout.ts";
import { typedPath } from "../typed_path.ts";
import { instructionsOf } from "./instructions.ts";
import { COMMON_LINE, type TemplateLine } from "./template_lines.ts";

/** What is missing, and what to do about it. */
export interface MissingLine {
  readonly message: string;
  readonly hint: string;
}

/** Whether an app has code that its training, processing and prediction share. */
export async function hasCommon(app: App): Promise<boolean> {
  const layout = layoutOf(app);
  return await holdsFile(layout, layout.common, layout.common);
}

/**
 * That the Dockerfile leaves such code out of the image, where the app has some.
 *
 * @param dockerfile absolute path.
 * @throws MlcliError where that cannot be told.
 */
export async function commonFinding(
  app: App,
  dockerfile = layoutOf(app).dockerfile,
): Promise<MissingLine | undefined> {
  return await hasCommon(app) ? await missingLine(app, COMMON_LINE, dockerfile) : undefined;
}

/**
 * That a Dockerfile has neither a line of the template's nor another that does the same.
 *
 * @param dockerfile absolute path. The app's own is only read where it is inside the repository.
 * @throws MlcliError where it cannot be read.
 */
export async function missingLine(
  app: App,
  line: TemplateLine,
  dockerfile = layoutOf(app).dockerfile,
): Promise<MissingLine | undefined> {
  if (dockerfile === layoutOf(app).dockerfile) await requireInside(app, [dockerfile]);
  const shown = typedPath(app.directory, dockerfile);
  const text = await readTextFile(dockerfile, LARGEST_TEXT).catch((cause) => {
    throw new MlcliError(`Cannot read ${shown}: ${fileErrorReason(cause)}`, { cause });
  });
  const instructions = instructionsOf(text);
  if (line.isDone(instructions, app.name)) return undefined;
  return {
    message: `${shown} ${line.without(app.name)}`,
    hint: `Add this line to the Dockerfile, ${line.place}, and run mlcli build: ${line.line}`,
  };
}
