/**
 * Which Dockerfile an image was built from.
 *
 * @module
 */

import { join } from "@std/path/join";
import { normalize } from "@std/path/normalize";
import { LABELS, type Marks } from "../../contract/images.ts";
import type { App } from "../app.ts";
import { layoutOf } from "../layout.ts";
import { leaves } from "../typed_path.ts";

/** Path in the build context, and the image's label, of a Dockerfile that lies nowhere in the app's. */
export const ELSEWHERE = ".mlcli-dockerfile";

/**
 * The absolute path of the Dockerfile that `mlcli build` made an image from: the app's own where the
 * image says nothing. Undefined: one that the user named, and that is found by nobody else.
 */
export function usedDockerfile(app: App, { Config }: Marks): string | undefined {
  const path = Config?.Labels?.[LABELS.dockerfile];
  if (path === undefined) return layoutOf(app).dockerfile;
  // Anybody may have made the image.
  return path === ELSEWHERE || leaves(normalize(path)) ? undefined : join(app.directory, path);
}
