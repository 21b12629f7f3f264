/**
 * What mlcli remembers for a person from one command to the next, by the app's directory. It lies
 * outside of all repositories, so that the author of one cannot write it.
 */

import { isAbsolute } from "@std/path/is-absolute";
import { join } from "@std/path/join";
import type { Context } from "../context.ts";
import { fileErrorReason, MlcliError } from "../errors.ts";
import { LARGEST_TEXT, readTextFile, replacePrivately } from "../files.ts";
import { isObject, parseJson } from "../text.ts";

/** What is remembered, and of which directory: an absolute path. */
export interface Remembered {
  readonly directory: string;
  readonly kind: "endpoints" | "images" | "accounts" | "agreed";
  readonly name: string;
}

/** How many directories, and names of each, are remembered; then the oldest is forgotten. */
const MOST = 500;

/** False also where the file cannot be read. */
export async function isRemembered(what: Remembered, env: Context["env"]): Promise<boolean> {
  return await recall(what, env).then(({ names }) => names.includes(what.name), () => false);
}

/** Remembers, or calls `onFailure` with the reason why that is not possible. */
export async function rememberIfPossible(
  what: Remembered,
  env: Context["env"],
  onFailure: (reason: string) => void,
): Promise<void> {
  await remember(what, env).catch((error) => {
    if (!(error instanceof MlcliError)) throw error;
    onFailure(error.message);
  });
}

/** @throws MlcliError with the file's path if mlcli cannot write the file. */
export async function remember(what: Remembered, env: Context["env"]): Promise<void> {
  const path = pathOf(env);
  try {
    const { directory, own, others, names } = await recall(what, env);
    if (names.includes(what.name)) return;
    const all = { ...own, [what.kind]: [...names, what.name].slice(-MOST) };
    const kept = Object.entries(others).slice(1 - MOST);
    await replacePrivately(path, JSON.stringify(Object.fromEntries([...kept, [directory, all]])));
  } catch (cause) {
    throw new MlcliError(`${path}: ${fileErrorReason(cause)}`, { cause });
  }
}

/** Below `XDG_STATE_HOME` (XDG Base Directory Specification); on Windows, `LOCALAPPDATA`. */
function pathOf(env: Context["env"]): string {
  // The specification wants an absolute path; a relative one would lead into the repository.
  const [named, local, home] = ["XDG_STATE_HOME", "LOCALAPPDATA", "HOME"].map(env)
    .map((path) => path && isAbsolute(path) ? path : undefined);
  const state = named ?? local ?? (home && join(home, ".local/state"));
  if (!state) throw new MlcliError("Neither XDG_STATE_HOME nor HOME is set to an absolute path");
  return join(state, "mlcli", "state.json");
}

async function recall({ directory: typed, kind }: Remembered, env: Context["env"]) {
  const directory = await Deno.realPath(typed);
  const all = await readTextFile(pathOf(env), LARGEST_TEXT).then(parseJson, (error) => {
    if (error instanceof Deno.errors.NotFound) return {};
    throw error;
  });
  if (!isObject(all)) throw new Error("mlcli did not write this file");
  const { [directory]: found, ...others } = all;
  const own = isObject(found) ? found : {};
  const names: readonly unknown[] = Array.isArray(own[kind]) ? own[kind] : [];
  return { directory, own, others, names };
}
