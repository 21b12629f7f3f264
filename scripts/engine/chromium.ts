/** Chromium, for tests of the page and its pictures: the one that is there, or Debian's. */

import { MlcliError } from "../../runtime/errors.ts";
import { sayError } from "../script.ts";
import { ensurePrograms } from "./debian.ts";

/** As Debian, Ubuntu and Google call it. */
const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/**
 * Installs it where there is none.
 * @returns false where it cannot be had: Ubuntu has it as a snap alone.
 */
export async function ensureChromium(signal: AbortSignal): Promise<boolean> {
  if (await found()) return true;
  return await ensurePrograms(["chromium"], ["chromium"], signal).catch((error) => {
    sayError(error);
    return false;
  });
}

/**
 * @returns its path.
 * @throws MlcliError where it is not there.
 */
export async function installed(): Promise<string> {
  const path = await found();
  if (path) return path;
  throw new MlcliError("There is no Chromium", {
    hint: "Install it (Debian: apt-get install chromium), or run this as root.",
  });
}

async function found(): Promise<string | undefined> {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    for (const name of NAMES) {
      const path = `${folder}/${name}`;
      if (await Deno.stat(path).then(({ isFile }) => isFile, () => false)) return path;
    }
  }
  return undefined;
}
