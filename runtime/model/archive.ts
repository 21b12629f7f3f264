/** The archive that a model's directory may hold in the place of the model. */

import { join } from "@std/path/join";
import { isPlaceholder } from "../app/layout.ts";

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
  const isAlone = archive?.name === ARCHIVE && archive.isFile && others.length === 0;
  return isAlone ? join(model, ARCHIVE) : undefined;
}
