/**
 * The build context of a Dockerfile of the user's own: a directory as `docker build` sends it, but for
 * what is private, and test data and results of the app. Nothing of mlcli's goes in.
 */

import { SEPARATOR } from "@std/path/constants";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import type { App } from "../app/app.ts";
import { requireInside } from "../app/confinement.ts";
import { type IgnoreRules, readIgnoreRules } from "../app/ignore_rules.ts";
import type { NamedDirectory } from "../app/named_path.ts";
import { IGNORE_FILE } from "../app/private_files.ts";
import { isOutside } from "../app/typed_path.ts";
import type { TarEntry } from "../archive/writer.ts";
import { isFile, realPathOf } from "../files.ts";
import {
  dockerfileEntry,
  fileEntry,
  type LeftOut,
  type OnLeftOut,
  walk,
  withoutFolders,
} from "./build_context.ts";
import type { ChosenDockerfile } from "./chosen_dockerfile.ts";

/** The file that says what of a context is not sent: the Dockerfile's own, or the context's. */
export async function ignoreFileOf(
  { path: directory, boundary }: NamedDirectory,
  { source }: ChosenDockerfile,
): Promise<string> {
  // https://docs.docker.com/build/concepts/context/#dockerignore-files
  const its = `${source}${IGNORE_FILE}`;
  const path = await isFile(its) ? its : join(directory, IGNORE_FILE);
  await requireInside({ directory, boundary }, [path]);
  return path;
}

/**
 * The entries of the context, one after another.
 *
 * @param onLeftOut called after the last.
 * @throws MlcliError where something cannot be read.
 */
export async function ownContextEntries(
  app: App,
  context: NamedDirectory,
  dockerfile: ChosenDockerfile,
  onLeftOut: OnLeftOut = () => {},
): Promise<AsyncGenerator<TarEntry, void, void>> {
  const root = { directory: context.path, boundary: context.boundary };
  const ignoreFile = await ignoreFileOf(context, dockerfile);
  const rules = await readIgnoreRules(root.directory, ignoreFile);
  const always = new Map<string, TarEntry>();
  // Builders look at it, too.
  if (ignoreFile === join(root.directory, IGNORE_FILE) && await isFile(ignoreFile)) {
    always.set(IGNORE_FILE, fileEntry(root, IGNORE_FILE));
  }
  always.set(dockerfile.path, dockerfileEntry(root, dockerfile));
  return entries(root, await withoutTestData(app, context, rules), always, onLeftOut);
}

/** What runs leave changes all the time, and may be large. */
async function withoutTestData(
  app: App,
  { path }: NamedDirectory,
  rules: IgnoreRules,
): Promise<IgnoreRules> {
  const inner = relative(await realPathOf(path), await realPathOf(app.paths.localTest));
  if (inner === "" || isOutside(inner)) return rules;
  const localTest = inner.replaceAll(SEPARATOR, "/");
  return withoutFolders(rules, (path) => path === localTest);
}

async function* entries(
  root: Parameters<typeof walk>[0],
  rules: IgnoreRules,
  always: ReadonlyMap<string, TarEntry>,
  onLeftOut: OnLeftOut,
): AsyncGenerator<TarEntry, void, void> {
  yield* always.values();
  const leftOut: LeftOut = { private: [], ignored: [] };
  const others = { ...rules, ignores: (path: string) => always.has(path) || rules.ignores(path) };
  yield* walk(root, "", others, leftOut);
  onLeftOut(leftOut.private, leftOut.ignored.filter((path) => !always.has(path)));
}
