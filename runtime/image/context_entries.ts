/**
 * What goes into a build context: the app's directory, what its Dockerfile needs besides, and
 * mlcli's harness. Nothing else that lies in the current directory is looked at.
 *
 * @module
 */

import { SEPARATOR } from "@std/path/constants";
import { join } from "@std/path/join";
import { type App, basePath } from "../app/app.ts";
import { requireInside } from "../app/confinement.ts";
import { cannotRead } from "../app/ignore/cannot_read.ts";
import { IGNORE_FILE, type IgnoreRules, readIgnoreRules } from "../app/ignore/ignore_rules.ts";
import { isPrivateKey, requireNoKey } from "../app/ignore/private_files.ts";
import { COMMON_FOLDER } from "../app/layout.ts";
import { isPrivateName } from "../app/private_names.ts";
import { typedPath } from "../app/typed_path.ts";
import type { TarEntry } from "../archive/writer.ts";
import { MlcliError } from "../errors.ts";
import { isFile, lstatIfThere } from "../files.ts";
import { HARNESS_FILES, readHarnessFile } from "./harness_files.ts";

/** An entry of the context. `path` is its path there; what is no file on the disk is mlcli's own. */
export type ContextEntry = TarEntry;

/** Path of an app's Dockerfile in the context. */
export function dockerfilePath({ name }: App): string {
  return `${basePath(name)}/Dockerfile`;
}

/** Where the harness lies in the context; the Dockerfile copies it from there. */
const HARNESS_FOLDER = ".mlcli";

/** Sent even when missing: the Dockerfile copies each, and version control drops empty ones. */
const CODE_FOLDERS = ["training", "prediction", "processing", COMMON_FOLDER];

/**
 * Checks what a build cannot do without, and gives the entries of its context one after another.
 * Files that come and go meanwhile are left out.
 *
 * @param onLeftOut called after the last entry with what was left out because it is private, though
 * `.dockerignore` does not name it; directories end with a slash.
 * @throws MlcliError: at once when the Dockerfile or the requirements file is not there, or
 * private; while the entries are read, when one of them cannot be read.
 */
export async function contextEntries(
  app: App,
  onLeftOut: (paths: readonly string[]) => void = () => {},
): Promise<AsyncGenerator<ContextEntry, void, void>> {
  const { requirements } = app.configuration;
  const dockerfile = dockerfilePath(app);
  // Links elsewhere in the context are sent as links; these are followed.
  const followed = [app.name, basePath(app.name), dockerfile, requirements, IGNORE_FILE];
  await requireInside(app, followed.map((path) => join(app.directory, path)));
  await requireFile(app, dockerfile, `Dockerfile not found: ${dockerfile}`, {
    hint: `mlcli init ${app.name} adds what is missing.`,
  });
  await requireFile(app, requirements, `Requirements file not found: ${requirements}`, {
    hint: `Create it (it may be empty), or set "requirements" in ${app.name}.json.`,
  });
  const hasRules = await isFile(join(app.directory, IGNORE_FILE));
  const files = [dockerfile, requirements, ...(hasRules ? [IGNORE_FILE] : [])];
  for (const path of files) await requireNoKey(app.directory, path);
  const rules = await readIgnoreRules(app.directory);
  return entries(app, rules, new Set(files), onLeftOut);
}

async function* entries(
  app: App,
  rules: IgnoreRules,
  always: ReadonlySet<string>,
  onLeftOut: (paths: readonly string[]) => void,
): AsyncGenerator<ContextEntry, void, void> {
  for (const path of always) yield file(app, path);
  for (const { path, executable } of HARNESS_FILES) {
    yield {
      type: "content",
      path: `${HARNESS_FOLDER}/${path}`,
      mode: executable ? 0o755 : 0o644,
      read: () => readHarnessFile(path),
    };
  }
  yield* missingCodeFolders(app);
  const localTest = `${basePath(app.name)}/local_test`;
  const leftOut: string[] = [];
  yield* walk(app, app.name, {
    ...rules,
    ignores: (path) => path === localTest || always.has(path) || rules.ignores(path),
    mayHoldException: (path) => path !== localTest && rules.mayHoldException(path),
  }, leftOut);
  onLeftOut(leftOut);
}

async function* missingCodeFolders(app: App): AsyncGenerator<ContextEntry, void, void> {
  for (const folder of CODE_FOLDERS) {
    if (await lstatIfThere(join(app.base, folder))) continue;
    yield { type: "directory", path: `${basePath(app.name)}/${folder}`, mode: 0o755 };
  }
}

/** @param privatePart the outermost private directory that is the folder, or contains it. */
async function* walk(
  app: App,
  folder: string,
  rules: IgnoreRules,
  leftOut: string[],
  privatePart?: string,
): AsyncGenerator<ContextEntry, void, void> {
  for (const name of await namesIn(app, folder)) {
    const path = `${folder}/${name}`;
    const ignored = rules.ignores(path);
    if (ignored && !rules.mayHoldException(path)) continue;
    const info = await lstatIfThere(join(app.directory, path));
    const part = privatePart ?? (isPrivateName(name) ? path : undefined);
    const isOut = part !== undefined && !rules.bringBack(path, part);
    if (info?.isDirectory) {
      if (isOut && !ignored && !rules.mayBringBackBelow(path, part)) {
        leftOut.push(`${path}/`);
        continue;
      }
      if (!ignored && !isOut) yield { type: "directory", path, mode: permissions(info) };
      yield* walk(app, path, rules, leftOut, part);
    } else if (ignored) {
      continue;
    } else if (isOut || (info?.isFile && part === undefined && await isKey(app, path, rules))) {
      leftOut.push(path);
    } else if (!info) {
      // Gone since it was listed; or Deno cannot name it.
      if (name.includes("\ufffd")) throw cannotRead(path, "its name is not UTF-8");
    } else if (info.isSymlink) {
      // As a link: what it leads to is not read.
      const target = await Deno.readLink(join(app.directory, path));
      yield { type: "symlink", path, target: target.replaceAll(SEPARATOR, "/") };
    } else if (info.isFile) {
      yield file(app, path);
    } // Sockets, pipes and devices are left out: an image cannot hold them.
  }
}

/** Whether a file is a private key that no exception names. */
async function isKey({ directory }: App, path: string, rules: IgnoreRules): Promise<boolean> {
  return !rules.bringBack(path, path) && await isPrivateKey(directory, path);
}

function file(app: App, path: string): ContextEntry {
  const source = join(app.directory, path);
  return { type: "file", path, source, shown: typedPath(app.directory, source) };
}

/** Mode bits of a file on the disk; where the system has none, what Docker takes there. */
export function permissions(info: Deno.FileInfo): number {
  return info.mode === null ? 0o755 : info.mode & 0o7777;
}

async function namesIn(app: App, folder: string): Promise<string[]> {
  const path = join(app.directory, folder);
  try {
    return (await Array.fromAsync(Deno.readDir(path), (entry) => entry.name)).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw cannotRead(typedPath(app.directory, path), error);
  }
}

async function requireFile(
  app: App,
  path: string,
  message: string,
  details: { readonly hint: string },
): Promise<void> {
  if (!await isFile(join(app.directory, path))) throw new MlcliError(message, details);
}
