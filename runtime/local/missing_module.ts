import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { App } from "../app/app.ts";
import { commonFinding } from "../app/dockerfile/template_lines.ts";
import { isOfAppsDirectory, usedDockerfile } from "../app/image.ts";
import type { CodeFolder } from "../app/layout.ts";
import type { Paths } from "../app/paths.ts";
import { requirementsOf, requirementTreeOf } from "../app/requirements.ts";
import { shellWord, typedPath } from "../app/typed_path.ts";
import {
  LAST_VERSIONS,
  missingModule,
  missingModuleHint,
  normalizedName,
  requirementNames,
} from "../contract/missing_modules.ts";
import { isDirectory, isFile, LARGEST_TEXT, readTextFile } from "../files.ts";
import { listed } from "../text.ts";
import { codeRequirements, type Source } from "../source/source.ts";
import { holdsHarness, isBuiltByMlcli, type LabelledImage } from "../contract/images.ts";

/** Whose code asked for the module. */
export interface Importer {
  readonly app: App;
  readonly code: CodeFolder;
  readonly image: LabelledImage;
  /** The versions of the distributions that the image has; `undefined` if they are unknown. */
  readonly installed?: Readonly<Record<string, string>> | undefined;
  /** Where the code comes from, where it is sent, and not the app's. */
  readonly source?: Source | undefined;
}

/**
 * The hint for a failure in which the code said that a module is missing; `undefined` for others.
 *
 * @param words the line with which the code ended.
 */
export async function missingModuleHintOf(
  words: string,
  { app, code, image, installed, source }: Importer,
): Promise<string | undefined> {
  const module = missingModule(words);
  if (module === undefined) return undefined;
  if (source) return await hintForSent(module, source);
  const layout = app.paths;
  const top = module.split(".")[0]!;
  const place =
    holdsHarness(image) && isOfAppsDirectory(app, image) && await moduleIn(layout.common, top)
      ? await commonHint(app, image, top)
      : await placeOf(layout, code, top, image);
  if (place !== undefined) return place;
  // Of a project of uv, the file that people write.
  const { files: [file = ""], isLock } = await requirementsOf(app);
  const tree = await requirementTreeOf(app);
  const text = tree === undefined
    ? await readTextFile(join(app.directory, file), LARGEST_TEXT).catch(() => "")
    : tree.packages.join("\n");
  const isBuilt = isBuiltByMlcli(image) && isOfAppsDirectory(app, image);
  const required = requirementNames(text);
  const versions = new Map(
    Object.entries(installed ?? {}).map(([name, version]) => [normalizedName(name), version]),
  );
  const lacking = installed ? [...required].filter((name) => !versions.has(name)) : [];
  const inFile = (name: string) => {
    if (!isBuilt || !required.has(normalizedName(name))) return undefined;
    return installed
      ? `Run mlcli build: ${name} is in ${file} but not in the image`
      : `If ${name} was added to ${file} since the last build, run mlcli build`;
  };
  const folders = [layout[code], ...holdsHarness(image) ? [layout.common] : []];
  const names = [...await modulesIn(folders), ...versions.keys(), ...required];
  const own = typedPath(app, join(folders.at(-1)!, `${module}.py`));
  const ofItsName = versions.has(normalizedName(module)) ? undefined : inFile(module);
  return ofItsName ?? missingModuleHint({ module, names, own }, (name, isPart) => {
    const older = LAST_VERSIONS.get(module);
    const wanted = older ?? name;
    if (!isBuilt) return `Install ${wanted} in the image`;
    const inLock = `${file}${isLock ? ` and its lock (uv add ${shellWord(wanted)})` : ""}`;
    const version = versions.get(normalizedName(name));
    const shown = version === undefined ? `the ${name} in the image` : `${name} ${version}`;
    if (isPart || version !== undefined) {
      return (older ? `Pin ${older} in ${inLock}` : `Pin another version in ${file}`) +
        `, then run mlcli build: ${shown} has no ${module}`;
    }
    if (older && required.has(normalizedName(name))) {
      return `Pin ${older} in ${inLock}, then run mlcli build: later versions have no ${module}`;
    }
    const inRequirements = inFile(name);
    if (inRequirements !== undefined) return inRequirements;
    const add = `Add ${wanted} to ${inLock}`;
    if (lacking.length === 0) return `${add}, then run mlcli build`;
    // It may come with one of them.
    const those = listed(lacking);
    return `Run mlcli build: the image lacks ${those} from ${file}. ${add} if that is not enough.`;
  });
}

/** Returns the hint for code that was sent: its requirements are installed when it starts. */
async function hintForSent(module: string, source: Source): Promise<string> {
  const { path, shown } = source;
  const file = join(shown, "requirements.txt");
  const required = requirementNames((await codeRequirements(source)).packages.join("\n"));
  const names = [...await modulesIn([path]), ...required];
  const own = join(shown, `${module}.py`);
  return missingModuleHint({ module, names, own }, (name) => {
    const older = LAST_VERSIONS.get(module);
    if (!required.has(normalizedName(name))) {
      return `Add ${older ?? name} to ${file}: it is installed when the code starts`;
    }
    return older
      ? `Pin ${older} in ${file}: later versions have no ${module}`
      : `Check pip's output above: ${name} is in ${file}, but Python does not find it`;
  });
}

/** What to do where the roles share a module of that name, and the image does not have it. */
async function commonHint(app: App, image: LabelledImage, top: string): Promise<string> {
  const common = typedPath(app, app.paths.common);
  const dockerfile = usedDockerfile(app, image);
  // What cannot be told of the Dockerfile is said by the build.
  const finding = dockerfile && await commonFinding(app, dockerfile).catch(() => undefined);
  return finding
    ? `${top} is in ${common}/, which is not in the image. ${finding.hint}`
    : `Run mlcli build: ${top} is in ${common}/ but not in the image`;
}

/** Where the app itself has a module of that name that this code does not find. */
async function placeOf(
  layout: Paths,
  code: CodeFolder,
  top: string,
  image: LabelledImage,
): Promise<string | undefined> {
  const shown = (path: string): string => typedPath(layout, path);
  const folders = [
    ...[layout.training, layout.processing, layout.prediction].filter((path) =>
      path !== layout[code]
    ),
    layout.base,
    dirname(layout.base),
    layout.directory,
  ];
  for (const folder of folders) {
    const path = await moduleIn(folder, top);
    // The app's own directory of code is no package.
    if (path === undefined || path === layout[code]) continue;
    if (path === layout.common) {
      return `Import modules of ${shown(path)}/ by their own names: import NAME instead of from ` +
        "common import NAME";
    }
    const own = `${shown(layout[code])}/, where ${code} code can import it`;
    if (!holdsHarness(image)) return `Move ${shown(path)} to ${own}`;
    const common = `${shown(layout.common)}/`;
    // A model names the module of its class, and is loaded by the server.
    return code === "prediction" && folder === layout.training
      ? `Move the code that a saved model needs from ${shown(path)} to ${common}, then train again`
      : `Move ${shown(path)} to ${common} or ${own}`;
  }
  return undefined;
}

/** The path of a module of Python in a directory: of a file, or of a package. */
async function moduleIn(folder: string, top: string): Promise<string | undefined> {
  const [file, directory] = [join(folder, `${top}.py`), join(folder, top)];
  if (await isFile(file)) return file;
  return await isDirectory(directory) ? directory : undefined;
}

/** The names of the modules of Python in some directories. */
async function modulesIn(folders: readonly string[]): Promise<readonly string[]> {
  const entries = await Promise.all(
    folders.map((folder) => Array.fromAsync(Deno.readDir(folder)).catch(() => [])),
  );
  return entries.flat().map(({ name }) => name.replace(/\.py$/, ""))
    .filter((name) => /^[A-Za-z]\w*$/.test(name));
}
