/** Putting a directory in the place of another. */

import { removeTreeIfThere } from "../../runtime/files.ts";
import { copy } from "../files.ts";

/**
 * Puts a copy of a directory in the place of another, which stays until all of the copy is there.
 * (It cannot be moved: temporary files may be on another disk.)
 */
export async function replaceTree(place: string, made: string): Promise<void> {
  const copied = `${place}.new`;
  await removeTreeIfThere(copied);
  try {
    await copy(made, copied);
    await removeTreeIfThere(place);
    await Deno.rename(copied, place);
  } finally {
    await removeTreeIfThere(copied);
  }
}
