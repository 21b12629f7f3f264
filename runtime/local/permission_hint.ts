/**
 * What to do where the code of an image with a user of its own may not read or write what is mounted:
 * the files have the modes that they have on this machine.
 *
 * @module
 */

import type { App } from "../app/app.ts";
import { type CodeFolder, layoutOf } from "../app/layout.ts";
import { shellWord, typedPath } from "../app/typed_path.ts";
import { PATHS } from "../contract/jobs.ts";
import { COMMON_PATH } from "../images.ts";

/** Python's words (PEP 3151), with the path. */
const REFUSED = /\[Errno 13\] Permission denied: '([^']+)'/;

/**
 * The hint; `undefined` where something else is the matter.
 *
 * @param words the line with which the code ended.
 * @param user who the image's programs run as, as its Dockerfile says.
 */
export function permissionHint(
  words: string,
  user: string | undefined,
  { app, code }: { readonly app: App; readonly code: CodeFolder },
): string | undefined {
  const path = REFUSED.exec(words)?.[1];
  if (path === undefined || /^(root|0)?(:.*)?$/.test(user ?? "")) return undefined;
  const layout = layoutOf(app);
  const places: readonly (readonly [inside: string, folder: string, mode: string])[] = [
    [PATHS.code, layout[code], "o+rX"],
    [COMMON_PATH, layout.common, "o+rX"],
    [PATHS.input, layout.input, "o+rX"],
    [PATHS.processingInput, layout.processingData, "o+rX"],
    [PATHS.model, layout.model, "o+rwX"],
    [PATHS.checkpoints, layout.checkpoints, "o+rwX"],
    [PATHS.processingOutput, layout.output, "o+rwX"],
    [PATHS.output, layout.output, "o+rwX"],
  ];
  const place = places.find(([inside]) => `${path}/`.startsWith(`${inside}/`));
  if (place === undefined) return undefined;
  const [, folder, mode] = place;
  const shown = shellWord(typedPath(layout.directory, folder));
  return `The image's programs run as user ${user}, whom ${shown} is closed to: chmod -R ${mode} ${shown}`;
}
