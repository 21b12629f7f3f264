/** The user's own files in `input/config`, beside those that mlcli writes there. */

import { join } from "@std/path/join";
import { requireInside } from "../app/confinement.ts";
import type { Layout } from "../app/layout.ts";
import { typedPath } from "../app/typed_path.ts";
import { MlcliError } from "../errors.ts";
import { statIfThere } from "../files.ts";

/**
 * Copies them into the run's directory: a mount hides what it is mounted over. Links are followed
 * inside the app's repository. Links that lead nowhere, and things that are not files (reading a
 * pipe would wait), are not copied.
 *
 * @param except names of files that are not copied, since mlcli writes them.
 * @throws MlcliError when a link leads out of the repository, or in a circle.
 */
export async function copyConfiguration(
  layout: Layout,
  to: string,
  except: readonly string[],
): Promise<void> {
  // A directory is copied once: with links that lead upwards there would be no end.
  const copied = new Set<string>();
  async function copyFolder(from: string, to: string, except: readonly string[]): Promise<void> {
    const real = await Deno.realPath(from);
    if (copied.has(real)) throw leadsBack(layout, from);
    copied.add(real);
    for await (const entry of Deno.readDir(from)) {
      if (except.includes(entry.name)) continue;
      const [source, target] = [join(from, entry.name), join(to, entry.name)];
      const info = await statIfThere(source);
      if (info === undefined) continue;
      if (entry.isSymlink) await requireInside(layout, [source]);
      if (info.isDirectory) {
        await Deno.mkdir(target);
        await copyFolder(source, target, []);
      } else if (info.isFile) {
        await Deno.copyFile(source, target);
      }
    }
  }
  await copyFolder(layout.configInput, to, except);
}

function leadsBack(layout: Layout, path: string): MlcliError {
  const shown = typedPath(layout.directory, path);
  return new MlcliError(`${shown} leads to a directory that is there already`, {
    hint: "Each directory of input/config is copied into the container once.",
  });
}
