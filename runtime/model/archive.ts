/** The archive that a model's directory may hold in the place of the model. */

import { join } from "@std/path/join";
import { isPlaceholder } from "../app/layout.ts";
import { followLink, linkBoundary } from "../app/links.ts";
import { isFile } from "../files.ts";

/** What SageMaker calls the archive of a model, and unpacks for a server. */
export const ARCHIVE = "model.tar.gz";

/**
 * The path of the archive in a model's directory, if it holds that and nothing else: such a
 * directory is what was downloaded from SageMaker. With other files beside it the archive is one
 * of the model's files, as it would be there.
 */
export async function modelArchiveIn(model: string): Promise<string | undefined> {
  const entries = await Array.fromAsync(Deno.readDir(model));
  const [archive, ...others] = entries.filter(({ name }) => !isPlaceholder(name));
  if (archive?.name !== ARCHIVE || others.length > 0) return undefined;
  const path = join(model, ARCHIVE);
  if (archive.isFile) return path;
  const { target } = followLink(path, await linkBoundary(model));
  return target !== undefined && await isFile(target) ? target : undefined;
}
