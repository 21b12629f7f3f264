/**
 * The files that an image is made of. `build` puts their fingerprints into a label of the image;
 * `changesSince` compares the label with the files as they are now.
 */

import { SEPARATOR } from "@std/path/constants";
import { join } from "@std/path/join";
import { normalize } from "@std/path/normalize";
import { relative } from "@std/path/relative";
import { holdsHarness, isOfOwnContext, type LabelledImage, LABELS } from "../contract/images.ts";
import { isDirectory, isFile, lstatIfThere } from "../files.ts";
import { listed, sha256 } from "../text.ts";
import { type App, basePath } from "./app.ts";
import { escapeOf } from "./confinement.ts";
import { harnessFiles, readHarnessFile } from "./harness_files.ts";
import { readIgnoreRules } from "./ignore_rules.ts";
import { isOfAppsDirectory, OUTSIDE_DOCKERFILE, usedDockerfile } from "./image.ts";
import { layoutOf } from "./layout.ts";
import { MOST_SENT, sentOf, targetOf } from "./left_out.ts";
import { ownContext } from "./named_path.ts";
import { IGNORE_FILE } from "./private_files.ts";
import { requirementSources } from "./requirements.ts";
import { isOutside, typedPath } from "./typed_path.ts";

/** In bytes. Of more, the largest files are known by size and modification time. */
const MOST_HASHED = 256 * 1024 ** 2;

/**
 * In bytes. Some versions of containerd start no container of an image with a larger label:
 * https://github.com/paketo-buildpacks/full-builder/issues/415
 */
const LARGEST_LABEL = 4_000;

/** The key of mlcli's harness in the label. */
const HARNESS = ".mlcli/";

const CODE_FOLDERS = ["training", "prediction", "processing", "common"] as const;
type Part = typeof CODE_FOLDERS[number] | "harness";

/** By path with slashes. One that ends with a slash, or is empty, is of a directory's other files. */
type Fingerprints = ReadonlyMap<string, string>;

interface SourceFile {
  readonly size: number;
  /** With the size. */
  readonly time: string;
  readonly hash: () => Promise<string>;
}

/** A file that differs from the one in an image. */
export interface Change {
  /** As the user would type its path. */
  readonly shown: string;
  /** Whether it is in a directory of code, or in a context of the user's own. */
  readonly isCode: boolean;
}

/**
 * Returns the label for an image of the files as they are now. An empty one says nothing, and hides
 * that of a base image.
 *
 * @param image its other labels.
 */
export async function filesLabel(
  app: App,
  image: LabelledImage,
): Promise<{ readonly label: string; readonly note?: string }> {
  const files = (await sourcesOf(app, image, [...CODE_FOLDERS, "harness"]))?.files;
  if (files === undefined) return { label: "" };
  let bytes = 0;
  const timed = [...files].sort(([, one], [, other]) => one.size - other.size)
    .filter(([, { size }]) => (bytes += size) > MOST_HASHED).map(([path]) => path);
  const note = timed.length === 0
    ? undefined
    : `The image is made of more than 256 MB: ${
      listed(timed)
    } will count as changed if the modification time changes`;
  const prints = await fingerprintsOf(files, timed);
  const isOwn = isOfOwnContext(image);
  // The directories of code are three levels deep, and are compared one by one.
  for (const depth of [Infinity, 3, ...isOwn ? [2, 1, 0] : []]) {
    const keys = depth === Infinity ? timed : [...timed, ...directoriesOf(files.keys(), depth)];
    const label = JSON.stringify(Object.fromEntries(await folded(prints, keys)));
    if (new TextEncoder().encode(label).length <= LARGEST_LABEL) return { label, note };
  }
  return { label: "", note: "Too many files: no command will compare them with the image" };
}

/**
 * Returns how an app differs from what its image was built from; `undefined`: no label says so.
 *
 * @param parts those that matter besides the Dockerfile and the requirements.
 * @throws MlcliError if that cannot be found out.
 */
export async function changesSince(
  app: App,
  image: LabelledImage,
  parts: readonly Part[] = holdsHarness(image) ? [...CODE_FOLDERS, "harness"] : CODE_FOLDERS,
): Promise<readonly Change[] | undefined> {
  const labelled = fingerprintsIn(image);
  const sources = labelled && await sourcesOf(app, image, parts);
  if (sources === undefined) return undefined;
  const partOf = (path: string): Part | undefined =>
    path === HARNESS
      ? "harness"
      : CODE_FOLDERS.find((folder) => path.startsWith(`${basePath(app.name)}/${folder}/`));
  const isOwn = isOfOwnContext(image);
  const matters = (path: string) => isOwn || parts.some((part) => part === partOf(path));
  // Requirements may lie beside code.
  const isCompared = (path: string) =>
    matters(path) || partOf(path) === undefined || labelled!.has(path) && sources.files.has(path);
  const before = new Map([...labelled!].filter(([path]) => isCompared(path)));
  const keys = [...before.keys()];
  const timed = keys.filter((path) => before.get(path)!.includes("@"));
  const now = await folded(await fingerprintsOf(sources.files, timed), keys);
  const changed = [...new Set([...now.keys(), ...keys])]
    .filter((path) => isCompared(path) && now.get(path) !== before.get(path));
  return changed.map((path) => ({
    shown: path === HARNESS
      ? "mlcli's harness"
      : typedPath(app, join(sources.directory, path)) + (now.has(path) ? "" : " (deleted)"),
    isCode: path !== HARNESS && matters(path),
  }));
}

/** Anybody may have written the label. */
function fingerprintsIn({ Config }: LabelledImage): Fingerprints | undefined {
  const label = Config?.Labels?.[LABELS.files] ?? "";
  if (label.length > LARGEST_LABEL) return undefined;
  try {
    const entries = Object.entries(JSON.parse(label) as object);
    return new Map(entries.filter(([, value]) => typeof value === "string"));
  } catch {
    return undefined;
  }
}

/** Returns what a build sends, by path in the context; `undefined`: that is unknown. */
async function sourcesOf(app: App, image: LabelledImage, parts: readonly Part[]) {
  const context = isOfOwnContext(image) ? await ownContext(app) : undefined;
  const path = image.Config?.Labels?.[LABELS.dockerfile] ?? OUTSIDE_DOCKERFILE;
  // A Dockerfile elsewhere may have rules of its own for what is left out.
  const isKnown = context
    ? path !== OUTSIDE_DOCKERFILE && !isOutside(normalize(path))
    : isOfAppsDirectory(app, image);
  if (!isKnown) return undefined;
  const layout = layoutOf(app);
  const root = context ? { directory: context.path, boundary: context.boundary } : app;
  const { directory } = root;
  const isInside = async (place: string) => await escapeOf(root, place) === undefined;
  const dockerfile = context ? join(directory, path) : usedDockerfile(app, image);
  const its = `${dockerfile}${IGNORE_FILE}`;
  const ignoreFile = context && await isFile(its) && await isInside(its) ? its : undefined;
  // Links in a context of the user's own stay links.
  const walked = context ? { directory } : app;
  const paths: string[] = [];
  const places = context ? [] : await requirementSources(app);
  for (const place of dockerfile === undefined ? places : [dockerfile, ...places]) {
    const inner = relative(directory, place).replaceAll(SEPARATOR, "/");
    if (await isInside(place)) paths.push(inner);
  }
  const skips = (inner: string) => !isOutside(relative(layout.localTest, join(directory, inner)));
  const folders = CODE_FOLDERS.filter((folder) => parts.includes(folder));
  for (const place of context ? [directory] : folders.map((folder) => layout[folder])) {
    if (!await isDirectory(place) || !await isInside(place)) continue;
    paths.push(...(await sentOf(walked, place, { ignoreFile, skips, most: MOST_SENT })).files);
  }
  const rules = await readIgnoreRules(directory, ignoreFile);
  const files = new Map<string, SourceFile>();
  if (!context && parts.includes("harness")) {
    files.set(HARNESS, { size: 0, time: "", hash: harnessHash });
  }
  for (const path of paths) {
    const place = join(directory, path);
    const own = await lstatIfThere(place);
    const info = own?.isSymlink ? targetOf(walked, path, rules) : own;
    if (own?.isSymlink && info === undefined) {
      const hash = async () => await shortHash(`link ${await Deno.readLink(place)}`);
      files.set(path, { size: 0, time: "", hash });
    } else if (info?.isFile) { // pipes and devices are not sent
      const { size, mtime, mode } = info;
      const program = ((mode ?? 0) & 0o111) === 0 ? "" : " x";
      const time = `${size}@${mtime?.toISOString()}${program}`;
      files.set(path, { size, time, hash: async () => await hashOf(place) + program });
    }
  }
  return { directory, files };
}

async function fingerprintsOf(
  files: ReadonlyMap<string, SourceFile>,
  timed: readonly string[],
): Promise<Fingerprints> {
  const prints = new Map<string, string>();
  let bytes = 0;
  for (const [path, { size, time, hash }] of files) {
    // Files of more bytes than a build hashes are not that build's.
    const isTimed = timed.includes(path) || (bytes += size) > MOST_HASHED;
    prints.set(path, isTimed ? time : await hash());
  }
  return prints;
}

async function hashOf(path: string): Promise<string> {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  const buffer = new Uint8Array(1024 ** 2);
  using file = await Deno.open(path);
  for (let count; (count = await file.read(buffer)) !== null;) {
    hash.update(buffer.subarray(0, count));
  }
  return hash.digest("hex").slice(0, 12);
}

async function shortHash(text: string): Promise<string> {
  return (await sha256(text)).slice(0, 12);
}

async function harnessHash(): Promise<string> {
  const files = await harnessFiles();
  const texts = await Promise.all(files.map(({ path }) => readHarnessFile(path)));
  return await shortHash(JSON.stringify([files, texts.map((text) => text.toHex())]));
}

/** Puts one fingerprint in the place of those below a directory, but for files that are keys. */
async function folded(prints: Fingerprints, keys: readonly string[]): Promise<Fingerprints> {
  const directories = keys.filter((key) => key === "" || key.endsWith("/"))
    .sort((one, other) => other.length - one.length);
  const directoryOf = (path: string) =>
    keys.includes(path) ? undefined : directories.find((key) => path.startsWith(key));
  const result = new Map<string, string>();
  for (const [key, group] of Map.groupBy(prints, ([path]) => directoryOf(path) ?? path)) {
    const [[path, print] = ["", ""]] = group;
    result.set(key, path === key ? print : await shortHash(JSON.stringify(group)));
  }
  return result;
}

/** Returns the directories, down to a depth, that hold several files. */
function directoriesOf(paths: Iterable<string>, depth: number): readonly string[] {
  const parentOf = (path: string) => path.split("/").slice(0, -1).slice(0, depth);
  const groups = Map.groupBy(paths, (path) => parentOf(path).map((name) => `${name}/`).join(""));
  return [...groups].filter(([path, { length }]) => length > 1 && (path !== "" || depth === 0))
    .map(([path]) => path);
}
