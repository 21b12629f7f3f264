/** The choices of `mlcli init`: the name, the configuration and the files of the app. */

import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import {
  APP_NAME,
  APP_NAME_EXPECTED,
  appNames,
  hasConfiguration,
  lookUp,
} from "../runtime/app/app.ts";
import { baseOf } from "../runtime/app/paths.ts";
import {
  accepts,
  type Configuration,
  DEFAULT_PYTHON_VERSION,
  RULES,
  valueOf,
} from "../runtime/app/configuration.ts";
import { boundaryOf } from "../runtime/app/confinement.ts";
import { PLATFORM } from "../runtime/app/image.ts";
import { defaultRequirements } from "../runtime/app/requirements.ts";
import { typedPath } from "../runtime/app/typed_path.ts";
import type { Context } from "../runtime/context.ts";
import { holdsToolkitByName, wrongAccount } from "../runtime/contract/aws_images.ts";
import { launcherIn } from "../runtime/contract/launch.ts";
import { UsageError } from "../runtime/errors.ts";
import { isDirectory } from "../runtime/files.ts";
import {
  type NewConfiguration,
  planScaffold,
  type Scaffold,
  type ScaffoldPlan,
} from "../runtime/image/scaffold.ts";
import { counted } from "../runtime/quantities.ts";
import { requireCode } from "../runtime/source/program.ts";
import { inOneLine } from "../runtime/text.ts";
import { configurationSchema } from "./configuration_schema.ts";
import { type InitOptions, KEY_OPTIONS } from "./options/init.ts";
import { usageError } from "./usage.ts";

/** Checks the options before the first question. @throws UsageError */
export function requireValid(
  { name, entryPoint, sourceDir, launcher }: InitOptions,
  path: string,
): void {
  if (name !== undefined && !APP_NAME.test(name)) {
    throw usageError(path, `Argument "NAME" must be ${APP_NAME_EXPECTED}, but got "${name}"`);
  }
  if (launcher === "image" && entryPoint !== undefined) {
    throw usageError(path, 'Option "--entry-point" has no effect with "--launcher image"');
  }
  if (sourceDir !== undefined && entryPoint === undefined) {
    throw usageError(path, 'Option "--source-dir" has no effect without "--entry-point"');
  }
}

/**
 * Offers to convert a project of another tool in the current directory. Returns the value of `--from`;
 * `undefined` if there is no such project, or the user refuses.
 *
 * @throws UsageError if mlcli cannot ask, and the sample app would mix with the project.
 */
export async function offeredOrigin(
  { cwd, ask, messages }: Context,
  { name, image }: InitOptions,
): Promise<string | undefined> {
  const isApp = (await appNames(cwd)).map((one) => isDirectory(baseOf(cwd, one)));
  if (image !== undefined || (await Promise.all(isApp)).includes(true)) return undefined;
  const { findIn, projectAt } = await import("../runtime/origin/directory.ts");
  const found = await findIn(await projectAt(cwd, ".", name));
  if (found === undefined) return undefined;
  const answer = await ask(`Found ${found.words}. Convert it into an mlcli app? [Y/n]`, "");
  if (answer === undefined && (name === undefined || await hasConfiguration(cwd, name))) {
    throw new UsageError(`mlcli init needs a choice: this directory contains ${found.words}`, {
      hint:
        "Convert your project (mlcli init --from .), or create the sample app (mlcli init NAME)",
    });
  }
  if (answer === undefined) {
    messages.note(`Found ${found.words}. To convert it, run mlcli init --from .`);
  }
  return answer === undefined || /^n/i.test(answer) ? undefined : ".";
}

/**
 * Returns the files of the app to create or to complete. Asks for choices that no option makes.
 *
 * @param path of the command, for errors.
 */
export async function planApp(
  context: Context,
  options: InitOptions,
  path: string,
): Promise<ScaffoldPlan> {
  const { cwd } = context;
  const name = options.name ?? await chooseName(context, path);
  if (await hasConfiguration(cwd, name)) {
    return await planScaffold(cwd, name, {}, await configurationSchema());
  }
  await tellOfAppAbove(context);
  const configuration = await chooseConfiguration(context, name, options);
  if (options.entryPoint !== undefined) {
    const confined = { name, directory: cwd, cwd, boundary: await boundaryOf(cwd) };
    await requireCode(confined, options.sourceDir, options.entryPoint);
  }
  return await planScaffold(cwd, name, configuration, await configurationSchema());
}

/** Prints a note about the app that other commands would use in the current directory. */
async function tellOfAppAbove({ cwd, messages }: Context): Promise<void> {
  const { directory, names: [name] } = await lookUp(cwd);
  if (name === undefined || directory === cwd) return;
  const path = typedPath({ directory, cwd }, join(directory, `${name}.json`));
  messages.note(`This directory is part of the app of ${path}; creating another app here`);
}

/**
 * Returns the name of the app to make: that of the directory's only app, to complete it; else the answer
 * to a question, by default the directory's name.
 *
 * @throws UsageError if the directory's name is needed and is not valid for an app.
 */
async function chooseName({ cwd, ask, messages }: Context, path: string): Promise<string> {
  const [existing, ...more] = await appNames(cwd);
  if (existing !== undefined && more.length === 0) return existing;
  const directory = inOneLine(basename(cwd));
  const fallback = APP_NAME.test(directory) ? directory : "";
  for (;;) {
    const name = await ask("Name of the app", fallback) ?? fallback;
    if (APP_NAME.test(name)) return name;
    if (name === fallback) {
      const reason = `the directory's name "${directory}" is not ${APP_NAME_EXPECTED}`;
      throw usageError(path, `Missing argument NAME: ${reason}`);
    }
    messages.state(`Expected ${APP_NAME_EXPECTED}`);
  }
}

/** Returns the configuration file of a new app. The keys without an option are set by hand. */
async function chooseConfiguration(
  context: Context,
  name: string,
  options: InitOptions,
): Promise<NewConfiguration> {
  const { image, baseImage, entryPoint } = options;
  const wrong = image === undefined ? undefined : wrongAccount(image);
  if (wrong !== undefined) context.messages.tell([wrong]);
  const program = image === undefined
    ? {
      image_name: options.imageName ?? defaultImageName(name),
      base_image: baseImage,
      // A base image has its own Python.
      python_version: baseImage ? undefined : options.pythonVersion ?? DEFAULT_PYTHON_VERSION,
      requirements: options.requirements ?? await defaultRequirements(context.cwd),
    }
    : {
      image,
      source_dir: options.sourceDir,
      launcher: options.launcher ?? (entryPoint && await launcherOf(image, context)),
    };
  return {
    ...program,
    cloud_region: options.region?.value,
    cloud_profile: options.profile?.value,
    // An image of an arm64 engine's own platform would not start on SageMaker's default instances.
    platform: options.platform ?? (context.arch === "aarch64" ? PLATFORM : undefined),
    ...entryPoint && { train: { entry_point: entryPoint } },
  };
}

/** Returns the launcher for an image if its name or the engine tells it. Pulls nothing. */
async function launcherOf(image: string, context: Context): Promise<string | undefined> {
  if (holdsToolkitByName(image)) return "toolkit";
  const found = await context.engine().then((engine) => engine.image(image)).catch(() => undefined);
  return found && launcherIn(found.Config?.Env ?? []);
}

/** Returns the options that differ from an existing configuration file. */
export function unusedOptions(options: InitOptions, file: Configuration): readonly string[] {
  const differs = (value: unknown, inFile: unknown): boolean =>
    value !== undefined && value !== inFile;
  const flags = KEY_OPTIONS.filter(({ name, key }) => {
    const value = options[name];
    return differs(typeof value === "object" ? value.value : value, valueOf(file, key));
  }).map(({ flag }) => flag);
  const isEntryPoint = differs(options.entryPoint, file.sections.train?.["entry_point"]);
  return isEntryPoint ? [...flags, "--entry-point"] : flags;
}

function defaultImageName(name: string): string {
  const imageName = name.toLowerCase();
  if (accepts("image_name", imageName)) return imageName;
  throw new UsageError(`The app's name "${imageName}" is not a valid image name`, {
    hint: `Set --image-name to ${RULES.image_name.expected}`,
  });
}

/** @param from origin of a conversion, such as ` from training job flats-9`. */
export function summary({ app, created, kept }: Scaffold, from = ""): string {
  if (created.length === 0) return `Nothing to do: ${app.name} is complete`;
  return `Created ${counted(created.length, "file")} for ${app.name}${from}` +
    (kept.length === 0 ? "" : `\nKept existing files: ${kept.map(inOneLine).join(", ")}`);
}

/** Prints the files that `mlcli init` would create. */
export function printPlan(
  { files, app }: ScaffoldPlan,
  { out, messages }: Context,
): void {
  const made = files.filter(({ state }) => state !== "kept");
  for (const { path } of made) out.print(`${inOneLine(typedPath(app, path))}\n`);
  messages.state(`Would create ${counted(made.length, "file")} for ${app.name} (dry run)`);
}
