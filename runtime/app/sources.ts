/**
 * The files that an image is made of. `build` puts their fingerprints into a label of the image;
 * `changesSince` compares the label with the files as they are now.
 */

import { SEPARATOR } from "@std/path/constants";
import { join } from "@std/path/join";
import { normalize } from "@std/path/normalize";
import { relative } from "@std/path/relative";
import { holdsHarness, isOfOwnContext, type LabelledImage, LABELS } from "../contract/images.ts";
import { hashOfFile, isFile, lstatIfThere } from "../files.ts";
import { listed, sha256 } from "../text.ts";
import type { App } from "./app.ts";
import { basePath } from "./paths.ts";
import { harnessFiles, readHarnessFile } from "./harness_files.ts";
import { readIgnoreRules } from "./ignore_rules.ts";
import { isOfAppsDirectory, OUTSIDE_DOCKERFILE, usedDockerfile } from "./image.ts";
import { MOST_SENT, type Root, sentOf, targetOf } from "./left_out.ts";
import { ownContext } from "./named_path.ts";
import { IGNORE_FILE } from "./private_files.ts";
import { requirementSources } from "./requirements.ts";
import { isOutside, typedPath } from "./typed_path.ts";

/** In bytes. If the files have more, the largest ones are compared by size and modification time. */
const MOST_HASHED = 256 * 1024 ** 2;

/**
 * In bytes. Some versions of containerd start no container of an image with a larger label:
 * https://github.com/paketo-buildpacks/full-builder/issues/415
 */
const LARGEST_LABEL = 4_000;

/** The key of mlcli's harness in the label. */
const HARNESS = ".mlcli/";

const CODE_FOLDERS = ["training", "prediction", "processing", "common"] as const;
const PARTS = [...CODE_FOLDERS, "harness"] as const;
type Part = typeof PARTS[number];

/** By path with slashes. A path that ends with a slash, or is empty, has one for all other files in it. */
type Fingerprints = ReadonlyMap<string, string>;

/** The files that a build sends, by their paths in a directory. */
interface Sources {
  readonly root: Root;
  readonly paths: readonly string[];
  readonly hasHarness: boolean;
}

/** A file that differs from the one in an image. */
export interface Change {
  /** The path as the user would type it. */
  readonly shown: string;
  /** Whether it is in a directory of code, or in a context of the user's own. */
  readonly isCode: boolean;
}

/**
 * Returns the label for an image of the files as they are now. An empty label hides the label of a
 * base image.
 *
 * @param image with its other labels.
 */
export async function filesLabel(
  app: App,
  image: LabelledImage,
  signal?: AbortSignal,
): Promise<{ readonly label: string; readonly note?: string }> {
  const sources = await sourcesOf(app, image, PARTS);
  if (sources === undefined) return { label: "" };
  const prints = await fingerprintsOf(sources, { signal });
  const timed = [...prints.keys()].filter((path) => prints.get(path)!.includes("@"));
  const note = timed.length === 0
    ? undefined
    : `The code exceeds 256 MB, so changes in ${listed(timed)} are detected by modification time`;
  // The directories of code are three levels deep, and are compared one by one.
  for (const depth of [Infinity, 3, ...isOfOwnContext(image) ? [2, 1, 0] : []]) {
    const keys = depth === Infinity ? timed : [...timed, ...directoriesOf(prints.keys(), depth)];
    const label = JSON.stringify(Object.fromEntries(await folded(prints, keys)));
    if (new TextEncoder().encode(label).length <= LARGEST_LABEL) return { label, note };
  }
  return { label: "", note: "Too many files: mlcli cannot warn when the image is outdated" };
}

/**
 * Returns the files that differ from those that the image was built from; `undefined`: unknown.
 *
 * @param parts to compare besides the Dockerfile and the requirements.
 * @throws MlcliError if a file cannot be read.
 */
export async function changesSince(
  app: App,
  image: LabelledImage,
  parts: readonly Part[] = holdsHarness(image) ? PARTS : CODE_FOLDERS,
): Promise<readonly Change[] | undefined> {
  const before = fingerprintsIn(image);
  const sources = before && await sourcesOf(app, image, parts);
  if (sources === undefined) return undefined;
  const prints = await fingerprintsOf(sources, { before });
  const isOwn = isOfOwnContext(image);
  const prefixOf = (part: Part) => part === "harness" ? HARNESS : `${basePath(app.name)}/${part}/`;
  const partOf = (path: string) =>
    isOwn ? undefined : PARTS.find((part) => path.startsWith(prefixOf(part)));
  const matters = (path: string) => {
    const part = partOf(path);
    // Requirements can be beside code.
    return part === undefined || parts.includes(part) || before!.has(path) && prints.has(path);
  };
  const keys = [...before!.keys()].filter(matters);
  const now = await folded(prints, keys);
  const all = new Set([...now.keys(), ...keys].filter(matters));
  const changed = [...all].filter((path) => now.get(path) !== before!.get(path));
  return changed.map((path) => ({
    shown: path === HARNESS
      ? "mlcli's harness"
      : typedPath(app, join(sources.root.directory, path)) +
        (now.has(path) ? "" : " (only in the image)"),
    isCode: isOwn || path !== HARNESS && partOf(path) !== undefined,
  }));
}

/** Reads the label of an image, which any program might have written. */
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

/** Returns the files that a build sends; `undefined`: unknown. */
async function sourcesOf(
  app: App,
  image: LabelledImage,
  parts: readonly Part[],
): Promise<Sources | undefined> {
  if (isOfOwnContext(image)) return await sourcesOfContext(app, image);
  if (!isOfAppsDirectory(app, image)) return undefined;
  const dockerfile = usedDockerfile(app, image) ?? [];
  const paths = [dockerfile, await requirementSources(app)].flat()
    .map((place) => relative(app.directory, place).replaceAll(SEPARATOR, "/"));
  for (const folder of CODE_FOLDERS.filter((folder) => parts.includes(folder))) {
    paths.push(...(await sentOf(app, app.paths[folder], { most: MOST_SENT })).files);
  }
  return { root: app, paths, hasHarness: parts.includes("harness") };
}

async function sourcesOfContext(app: App, image: LabelledImage): Promise<Sources | undefined> {
  const context = await ownContext(app);
  const dockerfile = normalize(image.Config?.Labels?.[LABELS.dockerfile] ?? OUTSIDE_DOCKERFILE);
  // A Dockerfile outside might have its own ignore file.
  if (!context || dockerfile === OUTSIDE_DOCKERFILE || isOutside(dockerfile)) return undefined;
  const root = { directory: context.path }; // links stay links
  const its = join(context.path, `${dockerfile}${IGNORE_FILE}`);
  const ignoreFile = await isFile(its) ? its : undefined;
  const { files } = await sentOf(root, context.path, { most: MOST_SENT, ignoreFile });
  return { root, paths: [dockerfile, ...files], hasHarness: false };
}

/** @param before the image's fingerprints: files that have a time there are not hashed. */
async function fingerprintsOf(
  { root, paths, hasHarness }: Sources,
  { before, signal }: { readonly before?: Fingerprints; readonly signal?: AbortSignal },
): Promise<Fingerprints> {
  const rules = await readIgnoreRules(root.directory);
  const infos = new Map<string, Deno.FileInfo>();
  for (const path of paths) {
    const own = await lstatIfThere(join(root.directory, path));
    const info = own?.isSymlink ? targetOf(root, path, rules) ?? own : own;
    // Pipes and devices are not sent.
    if (info?.isFile || info?.isSymlink) infos.set(path, info);
  }
  const prints = new Map(hasHarness ? [[HARNESS, await harnessHash()]] : []);
  const bySize = [...infos].sort(([, one], [, other]) => one.size - other.size)
    .filter(([path]) => !before?.get(path)?.includes("@"));
  let bytes = 0;
  const hashed = new Map(bySize.filter(([, { size }]) => (bytes += size) <= MOST_HASHED));
  for (const [path, info] of infos) {
    signal?.throwIfAborted();
    const place = join(root.directory, path);
    const print = !hashed.has(path)
      ? `${info.size}@${info.mtime?.toISOString()}`
      : info.isSymlink
      ? await shortHash(`link ${Deno.readLinkSync(place)}`)
      : (await hashOfFile(place)).slice(0, 12);
    const isProgram = ((info.mode ?? 0) & 0o111) !== 0;
    prints.set(path, isProgram ? `${print} x` : print);
  }
  return prints;
}

async function shortHash(text: string): Promise<string> {
  return (await sha256(text)).slice(0, 12);
}

async function harnessHash(): Promise<string> {
  const files = await harnessFiles();
  const texts = await Promise.all(files.map(({ path }) => readHarnessFile(path)));
  return await shortHash(JSON.stringify([files, texts.map((text) => text.toHex())]));
}

/** Replaces the fingerprints below each directory in `keys` with one, except those of files in `keys`. */
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
