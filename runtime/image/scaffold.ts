/** `mlcli init`: makes an app, or completes one. What is there stays as it is. */

import { SEPARATOR } from "@std/path/constants";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { type App, appOf, findApp, hasConfiguration } from "../app/app.ts";
import { baseOf, basePath } from "../app/paths.ts";
import {
  configurationIn,
  type ConfigurationKey,
  SCHEMA_KEY,
  type SectionName,
} from "../app/configuration.ts";
import { boundaryOf, requireInside } from "../app/confinement.ts";
import { METRICS_KEY, SAMPLE_METRIC } from "../contract/metric_definitions.ts";
import { IGNORE_FILE } from "../app/private_files.ts";
import { requirementsOf } from "../app/requirements.ts";
import { typedPath } from "../app/typed_path.ts";
import { MlcliError } from "../errors.ts";
import {
  cannotCreate,
  LARGEST_TEXT,
  makeDirectory,
  readTextFile,
  removeIfThere,
  setMode,
} from "../files.ts";

/** What a new configuration file holds, by its keys. */
export type NewConfiguration =
  & Readonly<Partial<Record<ConfigurationKey, string>>>
  & Readonly<Partial<Record<SectionName, Readonly<Record<string, unknown>>>>>
  & { readonly metric_definitions?: readonly Readonly<Record<string, unknown>>[] };

/** The text of a file; or what writes it to a path where nothing is. */
type Content = string | ((path: string) => Promise<void>);

/** A file of an app that comes from elsewhere, and takes the place of the template's. */
export interface GivenFile {
  /** Relative to the directory of `NAME.json`, with slashes. */
  readonly path: string;
  readonly content: Content;
}

const SCHEMA_FILE = ".schema.json";

/** In each schema that mlcli wrote. */
const SCHEMA_MARK = /"\$comment": "Written by mlcli /;

/** A file of an app. */
interface PlannedFile {
  /** Absolute. */
  readonly path: string;
  readonly content: Content;
  /** A file that is there stays, but for the schema of another mlcli. */
  readonly state: "new" | "kept" | "replaced";
}

/** The files of an app, those that are there already among them. */
export interface ScaffoldPlan {
  readonly app: App;
  readonly files: readonly PlannedFile[];
}

/** The files that were made, and those that were there already, as the user would type them. */
export interface Scaffold {
  readonly app: App;
  readonly created: readonly string[];
  readonly kept: readonly string[];
}

/**
 * What an app is to have.
 *
 * @param directory absolute path; gets `NAME.json` and `NAME/`.
 * @param configuration written to `NAME.json` when there is none yet.
 * @param schema of that file; takes the place of one that another mlcli wrote.
 * @param given the app's files that come from elsewhere; `undefined`: the template's example.
 * @throws MlcliError when a `NAME.json` is there and broken, or something is in the way.
 */
export async function planScaffold(
  directory: string,
  name: string,
  configuration: NewConfiguration,
  schema: string,
  given?: readonly GivenFile[],
): Promise<ScaffoldPlan> {
  const base = baseOf(directory, name);
  const confined = { directory, boundary: await boundaryOf(directory) };
  await requireInside(confined, [base]);
  // First: if there is a file of that name, nothing can be made.
  await isEmpty(directory, base);
  const reference = { [SCHEMA_KEY]: `./${basePath(name)}/${SCHEMA_FILE}` };
  const isSample = given === undefined && configuration.image === undefined &&
    configuration.context === undefined && await isExample({ base }, TRAINING);
  const metrics = isSample ? { [METRICS_KEY]: [SAMPLE_METRIC] } : {};
  const text = `${JSON.stringify({ ...reference, ...configuration, ...metrics }, null, 2)}\n`;
  const app = await hasConfiguration(directory, name)
    ? await findApp(directory, name)
    : await appOf(directory, name, configurationIn(text, `${name}.json`));
  const schemaPath = join(base, SCHEMA_FILE);
  const wanted: Wanted[] = [[app.configurationPath, text], [schemaPath, schema]];
  const { image, context } = app.configuration;
  const ofOrigin = (given ?? []).map((
    { path, content },
  ): Wanted => [join(directory, path), content]);
  wanted.push(...ofOrigin);
  if (image === undefined && context === undefined) {
    const isGiven = new Set(ofOrigin.map(([path]) => path));
    const all = given === undefined ? await buildFiles(app) : await emptyBuildFiles(app, isGiven);
    wanted.push(...all.filter(([path]) => !isGiven.has(path)));
  }
  wanted.push([join(base, GIT_IGNORE_PATH), await readTemplate(GIT_IGNORE_TEMPLATE)]);
  for (const folder of EMPTY_FOLDERS) {
    if (await isEmpty(directory, join(base, folder))) {
      wanted.push([join(base, folder, ".gitkeep"), ""]);
    }
  }
  const { trainingData, processingData } = app.paths;
  await requireInside(app, [...wanted.map(([path]) => path), trainingData, processingData]);
  const isOld = await isOldSchema(schemaPath, schema);
  const files = await Promise.all(wanted.map(async ([path, content]): Promise<PlannedFile> => {
    if (path === schemaPath && isOld) return { path, content, state: "replaced" };
    return { path, content, state: await exists(path) ? "kept" : "new" };
  }));
  return { app, files };
}

type Wanted = readonly [path: string, content: Content];

/**
 * Makes the files that are not there.
 *
 * @throws MlcliError when one cannot be made; the signal's reason.
 */
export async function makeScaffold(
  { app, files }: ScaffoldPlan,
  signal: AbortSignal,
): Promise<Scaffold> {
  const { directory, base } = app;
  signal.throwIfAborted();
  await makeDirectory(base, typedPath({ directory }, base));
  // Not beside the final file: a leftover among the test data would be taken for data.
  const unfinished = join(base, UNFINISHED);
  // An interrupted run may have left it as a second name of a file that the user has edited since.
  await removeIfThere(unfinished);
  const log = { created: [] as string[], kept: [] as string[] };
  for (const file of files) {
    signal.throwIfAborted();
    const { path, state } = file;
    if (state === "replaced") await removeIfThere(path);
    const made = await createFile(directory, file, unfinished);
    (made ? log.created : log.kept).push(typedPath({ directory }, path));
  }
  // The template has no file for some of them.
  const { trainingData, processingData } = app.paths;
  for (const folder of [trainingData, processingData]) {
    await makeDirectory(folder, typedPath({ directory }, folder));
  }
  return { app, ...log };
}

const UNFINISHED = ".mlcli-new";

/** What an image is made of, whatever its code. */
async function imageFiles(app: App): Promise<Wanted[]> {
  const { directory } = app;
  const wanted: Wanted[] = [[join(directory, IGNORE_FILE), await readTemplate(IGNORE_TEMPLATE)]];
  const requirements = await requirementsOf(app);
  if (!requirements.isLock) {
    const path = join(directory, requirements.files[0]!);
    wanted.push([path, await readTemplate(REQUIREMENTS_TEMPLATE)]);
  }
  return wanted;
}

/** The same for code that comes from elsewhere. The Dockerfile copies each directory of code. */
async function emptyBuildFiles(app: App, given: ReadonlySet<string>): Promise<readonly Wanted[]> {
  const { dockerfile, training, prediction, processing, common } = app.paths;
  const wanted = [
    ...await imageFiles(app),
    [dockerfile, await readTemplate("Dockerfile")] as const,
  ];
  for (const folder of [training, prediction, processing, common]) {
    const hasFile = [...given].some((path) => path.startsWith(folder + SEPARATOR));
    if (!hasFile && await isEmpty(app.directory, folder)) {
      wanted.push([join(folder, ".gitkeep"), ""]);
    }
  }
  return wanted;
}

/** What an image is made of by mlcli's template. */
async function buildFiles(app: App): Promise<readonly Wanted[]> {
  const { base } = app;
  const wanted = await imageFiles(app);
  for (const { path, goesWith } of TEMPLATE_FILES) {
    const target = join(base, path);
    const isOfUse = goesWith === undefined || await exists(target) ||
      await suitsExample(app, goesWith, dirname(target));
    if (isOfUse) wanted.push([target, await readTemplate(path)]);
  }
  if (await isExample(app, TRAINING)) {
    wanted.push([join(dirname(base), README_TEMPLATE), await readTemplate(README_TEMPLATE)]);
  }
  return wanted;
}

/** A file of that name that mlcli did not write stays. */
async function isOldSchema(path: string, schema: string): Promise<boolean> {
  const old = await readTextFile(path, LARGEST_TEXT).catch(() => undefined);
  return old !== undefined && old !== schema && SCHEMA_MARK.test(old);
}

/** Whether a file of the example is of use: its code is there, and no other file beside it. */
async function suitsExample(
  app: App,
  goesWith: readonly string[],
  folder: string,
): Promise<boolean> {
  const areExamples = await Promise.all(goesWith.map((path) => isExample(app, path)));
  return areExamples.includes(true) && await isEmpty(app.directory, folder);
}

/** Whether a file is the template's, or is to be made. */
async function isExample(app: Pick<App, "base">, path: string): Promise<boolean> {
  if (!await exists(join(app.base, path))) return true;
  const code = await readTextFile(join(app.base, path), LARGEST_TEXT).catch(() => undefined);
  return code === await readTemplate(path);
}

/** Makes a file, whole or not at all. Returns false when something is there. */
async function createFile(
  directory: string,
  { path, content }: PlannedFile,
  unfinished: string,
): Promise<boolean> {
  if (await exists(path)) return false;
  const folder = dirname(path);
  await makeDirectory(folder, typedPath({ directory }, folder));
  const write = typeof content === "string"
    ? (place: string) => Deno.writeTextFile(place, content, { createNew: true })
    : content;
  try {
    await write(unfinished);
    // A copy has the original's mode, which may keep its owner from writing.
    await setMode(unfinished, ((Deno.statSync(unfinished).mode ?? 0) & 0o777) | 0o600);
    await linkOrWrite(unfinished, path, write);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    if (error instanceof MlcliError) throw error;
    throw cannotCreate(typedPath({ directory }, path), error);
  } finally {
    await removeIfThere(unfinished);
  }
}

/** A link does not replace a file that was made meanwhile, and never leads to half a file. */
async function linkOrWrite(
  unfinished: string,
  path: string,
  write: (path: string) => Promise<void>,
): Promise<void> {
  try {
    await Deno.link(unfinished, path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw error;
    // Some file systems (FAT, shared folders of virtual machines) have no hard links.
    await writeWhole(path, write);
  }
}

async function writeWhole(path: string, write: (path: string) => Promise<void>): Promise<void> {
  try {
    await write(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) await removeIfThere(path);
    throw error;
  }
}

/** Whether there is anything; a link that leads nowhere counts, too. */
async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

async function isEmpty(directory: string, folder: string): Promise<boolean> {
  try {
    for await (const _entry of Deno.readDir(folder)) return false;
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw cannotCreate(typedPath({ directory }, folder), error);
  }
}

interface TemplateFile {
  /** Relative to the template, with slashes; below `mlcli_base/` of a new app it is the same. */
  readonly path: string;
  /**
   * The example's code that it belongs to: it is made only where one of these files is as in the
   * template. Undefined: it goes with any code.
   */
  readonly goesWith?: readonly string[];
}

const TRAINING = "training/training.py";
const SERVING = "prediction/serve";

/** What goes into `NAME/mlcli_base/`. */
export const TEMPLATE_FILES: readonly TemplateFile[] = [
  { path: "Dockerfile" },
  { path: TRAINING },
  { path: SERVING },
  { path: "processing/processing.py", goesWith: [TRAINING, SERVING] },
  { path: "common/linear_model.py", goesWith: [TRAINING, SERVING] },
  { path: "local_test/test_dir/input/config/hyperparameters.json", goesWith: [TRAINING] },
  { path: "local_test/test_dir/input/data/training/apartments.csv", goesWith: [TRAINING] },
  { path: "local_test/test_dir/input/data/processing/apartments_raw.csv", goesWith: [TRAINING] },
];

/** Directories of the layout that a run fills, kept in version control by a `.gitkeep`. */
export const EMPTY_FOLDERS: readonly string[] = [
  "local_test/test_dir/model",
  "local_test/test_dir/output",
];

/** The `.dockerignore` beside `NAME.json`. No dot here, since tools would obey that file. */
export const IGNORE_TEMPLATE = "dockerignore";

export const REQUIREMENTS_TEMPLATE = "requirements.txt";

/** In an app's own directory, so that it is no other README's place, and in no image. */
export const README_TEMPLATE = "README.md";

/** The `.gitignore` among what runs make, beside which one of the user's own may stand anywhere. */
export const GIT_IGNORE_TEMPLATE = "gitignore";

const GIT_IGNORE_PATH = "local_test/.gitignore";

/** Reads a file of the template, from the source tree or out of the compiled program. */
export async function readTemplate(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(`template/${path}`, import.meta.url));
}
