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
import { rememberTrust } from "../runtime/app/trusted_image.ts";
import { typedPath } from "../runtime/app/typed_path.ts";
import type { Context } from "../runtime/context.ts";
import { holdsToolkitByName, wrongAccount } from "../runtime/contract/aws_images.ts";
import { launcherIn } from "../runtime/contract/launch.ts";
import { UsageError } from "../runtime/errors.ts";
import { isDirectory } from "../runtime/files.ts";
import { noteText, tell, warningText } from "../runtime/messages.ts";
import {
  makeScaffold,
  type NewConfiguration,
  planScaffold,
  type Scaffold,
} from "../runtime/image/scaffold.ts";
import { counted } from "../runtime/quantities.ts";
import { requireCode } from "../runtime/source/program.ts";
import { inOneLine } from "../runtime/text.ts";
import type { Call } from "./command.ts";
import { configurationSchema } from "./configuration_schema.ts";
import { type InitOptions, KEY_OPTIONS } from "./options/init.ts";
import { printPlan } from "./init_plan.ts";
import { usageError } from "./usage.ts";

/** Makes or completes an app, and says what to do with it. */
export async function initAction(
  caller: Context,
  options: InitOptions,
  call: Call,
): Promise<void> {
  const { path } = call;
  const context: Context = options.yes
    ? { ...caller, ask: (_question, fallback) => Promise.resolve(fallback) }
    : caller;
  const { cwd, out, err } = context;
  requireValid(options, path);
  const from = options.from ?? await offeredOrigin(context, options);
  if (from !== undefined) {
    return await (await import("./init_from.ts")).initFrom(context, options, from, call);
  }
  const name = options.name ?? await chooseName(context, path);
  const isNew = !await hasConfiguration(cwd, name);
  if (isNew) await tellOfAppAbove(context);
  const configuration = isNew ? await chooseConfiguration(context, name, options) : {};
  if (isNew && options.entryPoint !== undefined) {
    const confined = { name, directory: cwd, cwd, boundary: await boundaryOf(cwd) };
    await requireCode(confined, options.sourceDir, options.entryPoint);
  }
  const plan = await planScaffold(cwd, name, configuration, await configurationSchema());
  if (options.dryRun) return printPlan(plan, context);
  const result = await makeScaffold(plan, context.interruption.signal);
  if (options.image !== undefined) {
    const what = { directory: cwd, kind: "images", name: options.image } as const;
    await rememberTrust(what, context);
  }
  for (const path of result.created) out.print(`${path}\n`);
  err.print(summary(result));
  const unused = isNew ? [] : unusedOptions(options, result.app.configuration);
  if (unused.length > 0) {
    tell(err, `${name}.json exists, so ${unused.join(", ")} had no effect. Edit that file.\n`);
  }
  err.print(await nextCommands(cwd, result));
}

/** Tells of the app that other commands would use in the current directory. */
async function tellOfAppAbove({ cwd, err }: Context): Promise<void> {
  const { directory, names: [name] } = await lookUp(cwd);
  if (name === undefined || directory === cwd) return;
  const path = typedPath({ directory, cwd }, join(directory, `${name}.json`));
  tell(err, noteText(`This directory is part of the app of ${path}; creating another app here`));
}

/**
 * Offers to take over what is here, made for another tool. `undefined`: it is not wanted, or nothing is.
 *
 * @throws UsageError where nobody can be asked, and the example would get among what is here.
 */
async function offeredOrigin(
  { cwd, ask, err }: Context,
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
    tell(err, noteText(`Found ${found.words}. To convert it, run mlcli init --from .`));
  }
  return answer === undefined || /^n/i.test(answer) ? undefined : ".";
}

function summary({ app, created, kept }: Scaffold): string {
  if (created.length === 0) return `Nothing to do: ${app.name} is complete\n`;
  return `Created ${counted(created.length, "file")} for ${app.name}\n` +
    (kept.length === 0 ? "" : `Kept existing files: ${kept.join(", ")}\n`);
}

async function nextCommands(directory: string, { app, created }: Scaffold): Promise<string> {
  const option = (await appNames(directory)).length > 1 ? ` --app-name ${app.name}` : "";
  if (app.configuration.image !== undefined) {
    const data = typedPath({ directory }, app.paths.trainingData);
    return `Next: if your code needs data, put test data into\n  ${data}/\nThen train:\n` +
      `  mlcli local train${option}\n`;
  }
  // The example's features: area, rooms and age of an apartment.
  const request = created.some((path) => path.endsWith("apartments.csv"))
    ? ["echo 72,3,15 | mlcli local invoke"]
    : [];
  return [
    "Next:",
    `mlcli build${option}`,
    `mlcli local train${option}`,
    `mlcli local deploy${option}`,
    ...request,
    `mlcli local stop${option}`,
  ].join("\n  ") + "\n";
}

/**
 * Returns the name of the app to make: that of the directory's only app, to complete it; else the answer
 * to a question, by default the directory's name.
 *
 * @throws UsageError if the directory's name is needed and is not valid for an app.
 */
async function chooseName({ cwd, ask, err }: Context, path: string): Promise<string> {
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
    tell(err, `Expected ${APP_NAME_EXPECTED}\n`);
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
  if (wrong !== undefined) tell(context.err, warningText(wrong.message, wrong.hint));
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

/** Checks the options before the first question. @throws UsageError */
function requireValid(
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

/** What runs an entry point in an image, where its name says it, or it is here; nothing is pulled. */
async function launcherOf(image: string, context: Context): Promise<string | undefined> {
  if (holdsToolkitByName(image)) return "toolkit";
  const found = await context.engine().then((engine) => engine.image(image)).catch(() => undefined);
  return found && launcherIn(found.Config?.Env ?? []);
}

/** Returns the options that differ from an existing configuration file. */
function unusedOptions(options: InitOptions, file: Configuration): readonly string[] {
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
