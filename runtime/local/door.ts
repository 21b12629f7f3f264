/**
 * Directory around all directories that containers write to. Root in a container can leave any file there,
 * also setuid programs, under names that cannot be listed. A user who cannot enter the directory reaches none
 * of them, during a run and afterwards.
 */

import type { Paths } from "../app/paths.ts";
import { shellWord, typedPath } from "../app/typed_path.ts";
import { fileErrorReason, isSystemError, MlcliError } from "../errors.ts";
import type { Host } from "./jobs.ts";

/** Permissions of users other than the owner. */
const OTHERS = 0o077;

/**
 * Closes the layout's `test_dir` to all users but the caller, before a container gets a directory in it.
 *
 * @throws MlcliError if it belongs to another user, who could open it. (Root gets a note instead.)
 */
export async function closeDoor(
  layout: Paths,
  { caller, messages }: Pick<Host, "caller" | "messages">,
): Promise<void> {
  if (caller === undefined) return; // Windows has no setuid programs.
  const { testDirectory } = layout;
  const { uid, mode } = await Deno.stat(testDirectory);
  const shown = typedPath(layout, testDirectory);
  if (uid !== caller.uid) {
    const whose = `Another user (uid ${uid}) owns ${shown}`;
    if (caller.uid !== 0) {
      throw new MlcliError(whose, {
        hint: "Take ownership, so that other users cannot access the files of your runs: " +
          `sudo chown -R ${caller.uid}:${caller.gid} ${shellWord(shown)}`,
      });
    }
    messages.note(`${whose} and can run programs that your runs create there, even as root`);
  }
  if ((mode! & OTHERS) === 0) return;
  try {
    await Deno.chmod(testDirectory, mode! & 0o7777 & ~OTHERS);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    messages.warning(
      `Cannot remove other users' access to ${shown}: ${fileErrorReason(error)}`,
      "To keep the files of your runs private, move the app to a directory that only you can access",
    );
  }
}
