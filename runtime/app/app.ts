import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { MlcliError, NoAppHere, UsageError } from "../errors.ts";
import {
  isDirectory,
  isFile,
  LARGEST_TEXT,
  lstatIfThere,
  readTextFile,
  realPathOf,
} from "../files.ts";
import type { Setting } from "../setting.ts";
import { inOneLine, isObject, parseJson, sha256 } from "../text.ts";
import { type Configuration, readConfiguration } from "./configuration.ts";
import { boundaryOf, type Confined, escapeOf, requireInside, workTreeOf } from "./confinement.ts";
import { baseOf, type Paths, pathsOf } from "./paths.ts";
import { shellWord, typedPath } from "./typed_path.ts";
import { writtenTop } from "./written.ts";

/** An app: a configuration file and a directory of the same name beside it. */
export interface App extends Confined {
  readonly name: string;
  readonly cwd: string;
  /** Absolute path of `NAME/mlcli_base`. */
  readonly base: string;
  /** Of its code, data and results. */
  readonly paths: Paths;
  /** Reference of its image: of an existing one, or of the one that `build` makes (`flats:latest`). */
  readonly image: string;
  readonly configurationPath: string;
  readonly configuration: Configuration;
  /** Tells apps of the same name apart by where they lie: `directoryMark`. */
  readonly mark: string;
}

/** A JSON object with any of these keys is an app's configuration, even without its directory. */
const TELLING_KEYS =
  "image image_name cloud_region cloud_profile base_image s3_prefix execution_role".split(" ");

/** An app's name becomes part of names of containers and images, and of paths. */
export const APP_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;

export const APP_NAME_EXPECTED =
  'a name of letters, digits, "_", "." and "-" that begins with a letter or a digit';

/**
 * Finds the app of a command.
 *
 * @param cwd absolute path of the current directory.
 * @param appName as given with `--app-name`; without it there must be exactly one app.
 * @throws MlcliError when there is none, or several, or the configuration file is broken;
 * UsageError when the name cannot be an app's.
 */
export async function findApp(cwd: string, appName?: string): Promise<App> {
  if (appName !== undefined) checkAppName(appName, UsageError);
  const { directory, names } = await lookUp(cwd, appName);
  const [name, ...more] = names;
  if (name === undefined) throw await noAppIn(cwd, appName);
  if (more.length === 0) return await readApp(directory, checkAppName(name), cwd);
  throw new MlcliError(`Found several apps in ${directory}: ${names.map(inOneLine).join(", ")}`, {
    hint: `Choose one: --app-name ${shellWord(name)}`,
  });
}

/** The apps that a command uses: the named one, or all. */
export interface AppChoice {
  readonly appName?: string | undefined;
  /** Set by commands that make an app: they ignore apps above the current directory. */
  readonly isNew?: true;
}

/** Finds all apps of a command that can do without one. */
export async function findApps(cwd: string, { appName, isNew }: AppChoice): Promise<App[]> {
  if (appName !== undefined) return [await findApp(cwd, appName)];
  const here = isNew && { directory: cwd, names: await appNames(cwd) };
  const { directory, names } = here ?? await lookUp(cwd);
  return await Promise.all(names.map((name) => readApp(directory, checkAppName(name), cwd)));
}

/** Apps of one directory. */
interface Apps {
  readonly directory: string;
  /** Sorted. */
  readonly names: readonly string[];
}

/**
 * Looks for apps in the current directory, then in the directories above in its git work tree.
 *
 * @param name of the app to look for; any when undefined.
 * @returns the current directory and no names, if there is no app.
 */
export async function lookUp(cwd: string, name?: string): Promise<Apps> {
  const names = name === undefined
    ? await appNames(cwd)
    : await hasConfiguration(cwd, name)
    ? [name]
    : [];
  // A file that a container wrote must not choose what mlcli runs.
  const isWritten = writtenTop(Deno.realPathSync(cwd)) !== undefined;
  if (names.length > 0 && !isWritten) return { directory: cwd, names };
  // Windows names no owner of a file.
  const top = Deno.uid() === null ? undefined : await workTreeOf(cwd);
  const above = top === undefined ? undefined : await appsAbove(cwd, name, top);
  return above ?? { directory: cwd, names: [] };
}

/** Returns the value of a key of the configuration file. */
export function settingOf(
  { configuration, name }: Pick<App, "configuration" | "name">,
  key: "context" | "dockerfile",
): Setting<string> | undefined {
  const value = configuration[key];
  return value === undefined
    ? undefined
    : { value, from: "file", where: `"${key}" in ${name}.json` };
}

/** Returns the app with the image of another tag. An existing image stays. */
export function withTag(app: App, tag: string): App {
  const { configuration } = app;
  return { ...app, image: configuration.image ?? `${configuration.imageName}:${tag}` };
}

/** Returns the app with another existing image; without one, as it is. */
export function withImage(app: App, image: string | undefined): App {
  if (image === undefined) return app;
  return { ...app, image, configuration: { ...app.configuration, image } };
}

/** @throws MlcliError, of the class given, when it cannot be an app's name. */
function checkAppName(name: string, Failure: typeof MlcliError = MlcliError): string {
  if (APP_NAME.test(name)) return name;
  throw new Failure(`Not a valid app name: "${name}"`, {
    hint: `Use ${APP_NAME_EXPECTED}. ` +
      "For an app in another directory, run mlcli in that directory.",
  });
}

async function readApp(directory: string, name: string, cwd: string): Promise<App> {
  const path = join(directory, `${name}.json`);
  const viewpoint = { directory, cwd };
  await requireInside({ ...viewpoint, boundary: await boundaryOf(directory) }, [path]);
  const configuration = await readConfiguration(path, inOneLine(typedPath(viewpoint, path)));
  return await appOf(directory, name, configuration, cwd);
}

/** The app of a configuration, whether its files are there or not. */
export async function appOf(
  directory: string,
  name: string,
  configuration: Configuration,
  cwd = directory,
): Promise<App> {
  const boundary = await boundaryOf(directory);
  const paths = pathsOf({ name, directory, cwd, boundary });
  return {
    name,
    directory,
    cwd,
    boundary,
    base: paths.base,
    paths,
    image: configuration.image ?? `${configuration.imageName}:latest`,
    configurationPath: join(directory, `${name}.json`),
    configuration,
    mark: await directoryMark(directory),
  };
}

/** A hash of this machine's name and the directory, for labels. */
export async function directoryMark(directory: string): Promise<string> {
  // Windows knows several spellings of a path.
  const path = await realPathOf(directory).catch(() => directory);
  return await sha256(`${Deno.hostname()}\n${path}`);
}

/** Whether a directory holds the configuration file of an app, broken or not. */
export async function hasConfiguration(directory: string, name: string): Promise<boolean> {
  return await lstatIfThere(join(directory, `${name}.json`)) !== undefined;
}

/** Names of the apps of a directory, sorted. */
export async function appNames(directory: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of Deno.readDirSync(directory)) {
    // Like the shell's *.json: hidden files are left out.
    if (!entry.name.endsWith(".json") || entry.name.startsWith(".")) continue;
    const name = entry.name.slice(0, -".json".length);
    if (await isApp(directory, name)) names.push(name);
  }
  return names.sort();
}

async function isApp(directory: string, name: string): Promise<boolean> {
  const path = join(directory, `${name}.json`);
  // Even if NAME.json is broken or no file: reading it says what is wrong.
  if (await isDirectory(baseOf(directory, name))) return true;
  if (!await isFile(path)) return false;
  // A link out of the repository, or to a private file, is no app.
  if (await escapeOf({ directory, boundary: await boundaryOf(directory) }, path)) return false;
  // Nor is a file that is large or cannot be read.
  const text = await readTextFile(path, LARGEST_TEXT).catch(() => undefined);
  return text !== undefined && hasTellingKey(text);
}

function hasTellingKey(text: string): boolean {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    // Broken, but clearly meant for mlcli: an error is better than the endpoints of another region.
    return TELLING_KEYS.some((key) => text.includes(`"${key}"`));
  }
  return isObject(value) && TELLING_KEYS.some((key) => Object.hasOwn(value, key));
}

/** @param name of the app that is asked for; any when undefined. */
async function noAppIn(cwd: string, name: string | undefined): Promise<MlcliError> {
  const above = await appsAbove(cwd, name);
  const { directory, names } = await lookUp(cwd);
  const message = names.length === 0
    ? `Not a valid mlcli directory: ${cwd}`
    : `App not found in ${directory}: ${name}`;
  return new NoAppHere(above?.directory, message, {
    hint: name === undefined
      ? "Change to the directory that contains the app's NAME.json, or create an app: mlcli init"
      : names.length === 0
      ? `Create the app: mlcli init ${name}`
      : `Use an app in this directory: ${names.map(inOneLine).join(", ")}`,
  });
}

/** Returns the nearest directory above that has apps, but none above `top`. */
async function appsAbove(cwd: string, name?: string, top?: string): Promise<Apps | undefined> {
  let directory = Deno.realPathSync(cwd);
  while (directory !== top && directory !== dirname(directory)) {
    directory = dirname(directory);
    if (writtenTop(directory) !== undefined) continue;
    const names = await completeApps(directory, name).catch(() => []);
    if (names.length > 0) return { directory, names };
  }
  return undefined;
}

/** Returns apps of the caller, as `mlcli init` makes them. Reads no file. */
async function completeApps(directory: string, name: string | undefined): Promise<string[]> {
  const entries = new Set([...Deno.readDirSync(directory)].map((entry) => entry.name));
  const names: string[] = [];
  for (const own of name === undefined ? entries : [name]) {
    // A directory of data may hold many JSON files, but no other entry of their names.
    if (!entries.has(own) || !entries.has(`${own}.json`) || !APP_NAME.test(own)) continue;
    const [file, base] = [join(directory, `${own}.json`), baseOf(directory, own)];
    const isComplete = await isFile(file) && await isDirectory(base);
    if (isComplete && [directory, file, base].every(isCallers)) names.push(own);
  }
  return names.sort();
}

/** Returns whether the caller owns a file: another user must not choose what runs (CVE-2022-24765). */
function isCallers(path: string): boolean {
  const uid = Deno.uid();
  return uid === null || Deno.statSync(path).uid === uid;
}
