/**
 * The directory around all that containers write to. Root of a container can leave anything there,
 * programs with setuid too, under names that nobody can list. Who may not enter it reaches none of
 * them, while a run goes on and afterwards.
 */

import type { Paths } from "../app/paths.ts";
import { shellWord, typedPath } from "../app/typed_path.ts";
import { fileErrorReason, isSystemError, MlcliError } from "../errors.ts";
import type { Host } from "./jobs.ts";

/** What users other than the owner may do. */
const OTHERS = 0o077;

/**
 * Closes the layout's `test_dir` to everybody but the caller, before a container gets a directory in it.
 *
 * @throws MlcliError where it is another user's, who could open it again. (Root is only told.)
 */
export async function closeDoor(
  layout: Paths,
  { caller, messages }: Pick<Host, "caller" | "messages">,
): Promise<void> {
  if (caller === undefined) return; // Windows has no setuid.
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
