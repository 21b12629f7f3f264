/**
 * The build context of an app, which `mlcli build` sends to the engine: the app's directory, what its
 * Dockerfile needs besides, and mlcli's harness. Nothing else in the current directory is looked at.
 */

import { SEPARATOR } from "@std/path/constants";
import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import type { App } from "../app/app.ts";
import { basePath } from "../app/paths.ts";
import { type Confined, requireInside } from "../app/confinement.ts";
import { isSent, realParentsOf } from "../app/left_out.ts";
import { brokenLink, followLink } from "../app/links.ts";
import { type IgnoreRules, readIgnoreRules } from "../app/ignore_rules.ts";
import { COMMON_FOLDER } from "../app/paths.ts";
import {
  cannotRead,
  IGNORE_FILE,
  isPrivateName,
  privatePartOf,
  requireNoKey,
  staysOut,
  TEST_DATA,
} from "../app/private_files.ts";
import {
  requireIndexedPackages,
  requirementsOf,
  type RequirementTree,
  requirementTreeOf,
  requireReferences,
} from "../app/requirements.ts";
import { typedPath } from "../app/typed_path.ts";
import { type FileRules, type Owner, tarBytes, type TarEntry } from "../archive/writer.ts";
import { MlcliError } from "../errors.ts";
import { isDirectory, isFile, lstatIfThere } from "../files.ts";
import { type ChosenDockerfile, chosenDockerfile } from "./chosen_dockerfile.ts";
import { harnessFiles, readHarnessFile } from "../app/harness_files.ts";
import { networkEntries } from "./network/build_network.ts";

/**
 * A tar stream. The files are read while the stream is; it fails where one cannot be read or gets shorter.
 * Cancelling it closes what is open.
 *
 * @param findOwner of all entries, called when the stream is first read; root by default.
 */
export function contextStream(
  entries: AsyncIterable<TarEntry>,
  findOwner?: () => Promise<Owner | undefined>,
): ReadableStream<Uint8Array> {
  async function* bytes(): AsyncGenerator<Uint8Array, void, void> {
    const owner = await findOwner?.();
    yield* tarBytes(entries, owner === undefined ? RULES : { ...RULES, owner });
  }
  return ReadableStream.from(bytes());
}

/** Where the harness lies in the context; the Dockerfile copies it from there. */
const HARNESS_FOLDER = ".mlcli";

/**
 * Where requirements of several files lie in the context, for one `COPY`: the two files of a project
 * of uv, or a requirements file and what it refers to.
 */
const REQUIREMENTS_FOLDER = ".mlcli-requirements";

export async function requirementsPath(app: App): Promise<string> {
  const { files: [file = ""] } = await requirementsOf(app);
  return (await requirementTreeOf(app))?.isPlain ? file : REQUIREMENTS_FOLDER;
}

/** Each is sent, even if missing: the Dockerfile copies it, and Git keeps no empty directories. */
const CODE_FOLDERS = ["training", "prediction", "processing", COMMON_FOLDER];

/** What a context has besides the app, its requirements and the harness. */
export interface ContextInputs {
  /** Sent even where it lies elsewhere; the app's own by default. */
  readonly dockerfile?: ChosenDockerfile;
  /** The settings for pip (`network/build_network.ts`), called when they are read; none by default. */
  readonly network?: () => readonly TarEntry[];
}

/**
 * Checks what a build cannot do without, and gives the entries of its context one after another, in four
 * parts: the app's directory without its `local_test/` and without private files; the Dockerfile, the
 * requirements file and `.dockerignore`, even where `.dockerignore` names them; mlcli's harness as
 * `.mlcli/`; this machine's network settings as `.mlcli-build/`. Paths are relative to the directory that
 * holds `NAME.json`. Files that come and go meanwhile are left out.
 *
 * @param onLeftOut called after the last entry.
 * @throws MlcliError: at once when the Dockerfile or the requirements file is not there, or
 * private; while the entries are read, when one of them cannot be read.
 */
export async function contextEntries(
  app: App,
  onLeftOut: OnLeftOut = () => {},
  { dockerfile: chosen, network = () => networkEntries(undefined) }: ContextInputs = {},
): Promise<AsyncGenerator<TarEntry, void, void>> {
  const dockerfile = chosen ?? await chosenDockerfile(app);
  const requirements = await requirementsOf(app);
  const followed = [app.name, basePath(app.name), ...requirements.files, IGNORE_FILE];
  await requireInside(app, followed.map((path) => join(app.directory, path)));
  for (const path of requirements.files) {
    const place = join(app.directory, path);
    if (await isFile(place)) continue;
    throw new MlcliError(`Requirements file not found: ${typedPath(app, place)}`, {
      hint: requirements.isLock
        ? "A uv project needs pyproject.toml and uv.lock. To create uv.lock, run uv lock."
        : `Create it (it can be empty), or set "requirements" in ${app.name}.json`,
    });
  }
  const hasRules = await isFile(join(app.directory, IGNORE_FILE));
  const files = [...requirements.files, ...(hasRules ? [IGNORE_FILE] : [])];
  for (const path of files) await requireNoKey(app.directory, path);
  if (requirements.isLock) await requireIndexedPackages(app.directory, requirements.files.at(-1)!);
  const rules = await readIgnoreRules(app.directory);
  const tree = await requireReferences(app);
  const more = async function* (leftOut: LeftOut): AsyncGenerator<TarEntry, void, void> {
    for (const path of tree === undefined ? requirements.files : []) {
      yield { ...fileEntry(app, path), path: `${REQUIREMENTS_FOLDER}/${basename(path)}` };
    }
    if (tree?.isPlain === false) yield* referredEntries(app, tree, rules, leftOut);
    yield* network();
  };
  const always = new Map(files.map((path) => [path, fileEntry(app, path)]));
  always.set(dockerfile.path, dockerfileEntry(app, dockerfile));
  return entries(app, rules, always, more, onLeftOut);
}

/**
 * A requirements file and what it refers to, at their places in the app's directory; none for a file
 * that pip can read alone. `install` reads the two files of mlcli's own.
 */
async function* referredEntries(
  app: App,
  { files, references, packages }: RequirementTree,
  rules: IgnoreRules,
  leftOut: LeftOut,
): AsyncGenerator<TarEntry, void, void> {
  const [file = ""] = files.keys();
  const others = withoutFolders(rules, (path) => TEST_DATA.test(path));
  const sent = new Set<string>();
  for (const path of [file, ...references.map(({ target }) => target)]) {
    const entries = await isDirectory(join(app.directory, path))
      ? walk({ ...app, code: [path] }, path, others, leftOut, privatePartOf(path))
      : [fileEntry(app, path)];
    for await (const entry of entries) {
      if (!sent.has(entry.path)) yield { ...entry, path: `${REQUIREMENTS_FOLDER}/${entry.path}` };
      sent.add(entry.path);
    }
  }
  const own = `${REQUIREMENTS_FOLDER}/${HARNESS_FOLDER}`;
  yield textEntry(`${own}/file`, file);
  yield textEntry(`${own}/packages`, packages.map((line) => `${line}\n`).join(""));
}

function textEntry(path: string, text: string): TarEntry {
  const read = () => Promise.resolve(new TextEncoder().encode(text));
  return { type: "content", path, mode: 0o644, read };
}

/** The rules, with directories that no exception brings back. */
export function withoutFolders(rules: IgnoreRules, isOut: (path: string) => boolean): IgnoreRules {
  return {
    ...rules,
    ignores: (path) => isOut(path) || rules.ignores(path),
    mayHoldException: (path) => !isOut(path) && rules.mayHoldException(path),
  };
}

async function* entries(
  app: App,
  rules: IgnoreRules,
  /** Sent whatever the rules say; by path in the context. */
  always: ReadonlyMap<string, TarEntry>,
  more: (leftOut: LeftOut) => AsyncIterable<TarEntry>,
  onLeftOut: OnLeftOut,
): AsyncGenerator<TarEntry, void, void> {
  const leftOut: LeftOut = { private: [], ignored: [] };
  yield* always.values();
  yield* more(leftOut);
  for (const { path, executable } of await harnessFiles()) {
    yield {
      type: "content",
      path: `${HARNESS_FOLDER}/${path}`,
      mode: executable ? 0o755 : 0o644,
      read: () => readHarnessFile(path),
    };
  }
  yield* missingCodeFolders(app);
  const code = CODE_FOLDERS.map((folder) => `${basePath(app.name)}/${folder}`);
  const localTest = `${basePath(app.name)}/local_test`;
  const others = withoutFolders(rules, (path) => path === localTest);
  const ignores = (path: string) => always.has(path) || others.ignores(path);
  yield* walk({ ...app, code }, app.name, { ...others, ignores }, leftOut);
  const ignored = new Set(leftOut.ignored.filter((path) => !always.has(path)));
  onLeftOut([...new Set(leftOut.private)], [...ignored]);
}

/**
 * Gets what was left out because it is private, though `.dockerignore` does not name it (directories end
 * with a slash); and what `.dockerignore` names, or is test data.
 */
export type OnLeftOut = (ofPrivate: readonly string[], ignored: readonly string[]) => void;

export interface LeftOut {
  readonly private: string[];
  readonly ignored: string[];
}

/** What a context is made of. */
interface Root extends Confined {
  /** Where links are followed, relative to the root. Elsewhere they stay links, as with `docker build`. */
  readonly code?: readonly string[];
}

export function dockerfileEntry(root: Root, { path, source, text }: ChosenDockerfile): TarEntry {
  return text === undefined ? fileEntry(root, path, source) : textEntry(path, text);
}

async function* missingCodeFolders(app: App): AsyncGenerator<TarEntry, void, void> {
  for (const folder of CODE_FOLDERS) {
    if (await lstatIfThere(join(app.base, folder))) continue;
    yield { type: "directory", path: `${basePath(app.name)}/${folder}`, mode: 0o755 };
  }
}

/**
 * What of a folder a build sends.
 *
 * @param folder relative to the root, with slashes; empty: all of it.
 * @param leftOut gets what stays out.
 * @param privatePart the outermost private directory that is the folder, or contains it.
 * @throws MlcliError for a broken link in code.
 */
export async function* walk(
  root: Root,
  folder: string,
  rules: IgnoreRules,
  leftOut: LeftOut,
  privatePart?: string,
): AsyncGenerator<TarEntry, void, void> {
  for (const name of await namesIn(root, folder)) {
    const path = folder === "" ? name : `${folder}/${name}`;
    const ignored = rules.ignores(path);
    if (ignored && !rules.mayHoldException(path)) {
      leftOut.ignored.push(path);
      continue;
    }
    const { info, target } = await entryAt(root, path, rules);
    const part = privatePart ?? (isPrivateName(name) ? path : undefined);
    const isOut = !ignored &&
      await staysOut(rules, root.directory, path, part, info?.isFile ?? false);
    if (info?.isDirectory) {
      if (isOut && !rules.mayBringBackBelow(path, part!)) {
        leftOut.private.push(`${path}/`);
        continue;
      }
      if (!ignored && !isOut) yield { type: "directory", path, mode: permissions(info) };
      yield* walk(root, path, rules, leftOut, part);
    } else if (ignored) {
      leftOut.ignored.push(path);
    } else if (isOut) {
      leftOut.private.push(path);
    } else if (!info) {
      // Either it is gone since it was listed, or Deno cannot spell its name.
      if (name.includes("\ufffd")) throw cannotRead(path, "its name is not UTF-8", "Rename it");
    } else if (info.isSymlink) {
      const text = await Deno.readLink(join(root.directory, path));
      yield { type: "symlink", path, target: text.replaceAll(SEPARATOR, "/") };
    } else if (info.isFile) {
      yield fileEntry(root, path, target);
    } // Sockets, pipes and devices are left out: an image cannot hold them.
  }
}

/** Looks at something, links in code followed. @throws MlcliError for a broken link in code. */
async function entryAt(
  root: Root,
  path: string,
  rules: IgnoreRules,
) {
  const { directory, boundary, code = [] } = root;
  const place = join(directory, path);
  const info = await lstatIfThere(place);
  const isCode = code.some((folder) => `${path}/`.startsWith(`${folder}/`));
  // Emacs keeps a link beside a file that is being edited.
  if (!info?.isSymlink || !isCode || basename(path).startsWith(".#")) {
    return { info, target: place };
  }
  const followed = followLink(place, boundary, realParentsOf(directory, path));
  const { target } = followed;
  if (target !== undefined && isSent(rules, directory, target)) return followed;
  if (target === undefined ? followed.isCircle : TEST_DATA.test(target)) {
    return { info, target: place };
  }
  const words = target === undefined
    ? followed.words
    : `points to ${target}, which ${IGNORE_FILE} excludes`;
  throw brokenLink(typedPath(root, place), { words });
}

export function fileEntry(root: Root, path: string, source = join(root.directory, path)): TarEntry {
  return { type: "file", path, source, shown: typedPath(root, source) };
}

/** Mode bits of a file; where the system has none, those that Docker takes there. */
export function permissions(info: Deno.FileInfo): number {
  return info.mode === null ? 0o755 : info.mode & 0o7777;
}

async function namesIn(root: Root, folder: string): Promise<string[]> {
  const path = join(root.directory, folder);
  try {
    return (await Array.fromAsync(Deno.readDir(path), (entry) => entry.name)).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw cannotRead(typedPath(root, path), error);
  }
}

const RULES: FileRules = {
  mode: permissions,
  time: ({ mtime }) => mtime,
  // A file that is gone is left out.
  gone: () => undefined,
  cannotRead,
  gotShorter: (shown) =>
    new MlcliError(`${shown} became shorter while mlcli was sending it to the Docker Engine`, {
      hint: "Run mlcli build again when no program is writing to the file",
    }),
};
