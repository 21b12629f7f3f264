import { basename } from "@std/path/basename";
import {
  APP_NAME,
  APP_NAME_EXPECTED,
  appNames,
  baseOf,
  hasConfiguration,
} from "../runtime/app/app.ts";
import {
  accepts,
  type Configuration,
  type ConfigurationKey,
  DEFAULT_PYTHON_VERSION,
  RULES,
} from "../runtime/app/configuration.ts";
import { boundaryOf } from "../runtime/app/confinement.ts";
import { PLATFORM } from "../runtime/app/image.ts";
import { layoutOf } from "../runtime/app/layout.ts";
import { defaultRequirements } from "../runtime/app/requirements.ts";
import { rememberIfPossible } from "../runtime/app/trusted_image.ts";
import { typedPath } from "../runtime/app/typed_path.ts";
import type { Context } from "../runtime/context.ts";
import { holdsToolkitByName, wrongAccount } from "../runtime/contract/aws_images.ts";
import { launcherIn } from "../runtime/contract/launch.ts";
import { type MlcliError, UsageError } from "../runtime/errors.ts";
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
import type { InitFlag, InitOptions } from "./init.ts";
import { printPlan } from "./init_plan.ts";
import { firstGiven, usageError } from "./usage.ts";

/** Makes or completes an app, and says what to do with it. */
export async function initAction(
  caller: Context,
  options: InitOptions,
  call: Call,
): Promise<void> {
  const context = options.yes ? { ...caller, ask: acceptDefault } : caller;
  if (options.name !== undefined) checkName(options.name, call.path);
  const from = options.from ?? await offeredOrigin(context, options);
  if (from !== undefined) {
    return await (await import("./init_from.ts")).initFrom(context, options, from, call);
  }
  const name = await chooseName(context, options, call);
  const isNew = !await hasConfiguration(context.cwd, name);
  const configuration: ChosenConfiguration = isNew
    ? await chooseConfiguration(context, name, options, call)
    : {};
  if (configuration.train !== undefined) {
    const { source_dir: sourceDir, train } = configuration;
    const { cwd } = context;
    const confined = { name, directory: cwd, cwd, boundary: await boundaryOf(cwd) };
    await requireCode(confined, sourceDir, train.entry_point);
  }
  const plan = await planScaffold(context.cwd, name, configuration, await configurationSchema());
  if (options.dryRun) return printPlan(plan, context);
  const result = await makeScaffold(plan, context.interruption.signal);
  if (options.image !== undefined) {
    const what = { directory: context.cwd, kind: "images", name: options.image } as const;
    await rememberIfPossible(what, { ...context, note: (text) => tell(context.err, `${text}\n`) });
  }
  for (const path of result.created) context.out.print(`${path}\n`);
  context.err.print(summary(result));
  const unused = isNew ? [] : unusedOptions(options, result.app.configuration);
  if (unused.length > 0) {
    const text = `${name}.json is there and stays as it is: ${unused.join(", ")} had no effect.`;
    tell(context.err, `${text} Edit the file.\n`);
  }
  context.err.print(await nextCommands(context.cwd, result));
}

/** Answers a question by its default, as `--yes` wants. */
function acceptDefault(_question: string, fallback: string): Promise<string> {
  return Promise.resolve(fallback);
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
  const answer = await ask(`This is ${found.words}. Make an app of it? [Y/n]`, "");
  if (answer === undefined && (name === undefined || await hasConfiguration(cwd, name))) {
    throw new UsageError(`This is ${found.words}`, {
      hint:
        "mlcli init --from . makes an app of it. For the example, name a new app: mlcli init NAME",
    });
  }
  if (answer === undefined) {
    tell(err, noteText(`This is ${found.words}: mlcli init --from . makes an app of it.`));
  }
  return answer === undefined || /^n/i.test(answer) ? undefined : ".";
}

function summary({ app, created, kept }: Scaffold): string {
  if (created.length === 0) return `Nothing to do: ${app.name} is complete.\n`;
  return `Created ${counted(created.length, "file")} of ${app.name}.\n` +
    (kept.length === 0 ? "" : `Kept what was there: ${kept.join(", ")}\n`);
}

async function nextCommands(directory: string, { app, created }: Scaffold): Promise<string> {
  const option = (await appNames(directory)).length > 1 ? ` --app-name ${app.name}` : "";
  if (app.configuration.image !== undefined) {
    const data = typedPath({ directory }, layoutOf(app).trainingData);
    return `Next: put test data, if your code reads any, into\n  ${data}/\nand train:\n` +
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

type TextOf<T> = { [K in keyof T]: T[K] extends string | undefined ? K : never }[keyof T];

/** A key of the configuration file, and where its value comes from. */
interface Choice {
  readonly option: InitFlag;
  readonly value: TextOf<InitOptions>;
  /** The value in a configuration file that is there already. */
  readonly inFile: TextOf<Configuration>;
  /** Returns the value that a new file gets without the option; `undefined`: none. */
  readonly fallback?: (context: Context) => string | undefined | Promise<string>;
}

/** The other keys are set by hand when the app goes to SageMaker. */
type ChosenKey = Exclude<
  ConfigurationKey,
  | ("image_name" | "s3_prefix" | "execution_role" | "certificate_file" | "context" | "dockerfile")
  | "distribution"
>;

/** Keys that only an app without an image that exists has. */
const OF_BUILDS: readonly ChosenKey[] = ["base_image", "python_version", "requirements"];

/** In the order of the file. */
const CHOICES: Readonly<Record<ChosenKey, Choice>> = {
  image: { option: "--image", value: "image", inFile: "image" },
  source_dir: { option: "--source-dir", value: "sourceDir", inFile: "sourceDir" },
  launcher: { option: "--launcher", value: "launcher", inFile: "launcher" },
  base_image: { option: "--base-image", value: "baseImage", inFile: "baseImage" },
  python_version: {
    option: "--python-version",
    value: "pythonVersion",
    inFile: "pythonVersion",
    fallback: () => DEFAULT_PYTHON_VERSION,
  },
  requirements: {
    option: "--requirements",
    value: "requirements",
    inFile: "requirements",
    fallback: ({ cwd }) => defaultRequirements(cwd),
  },
  cloud_region: { option: "--region", value: "region", inFile: "cloudRegion" },
  cloud_profile: { option: "--profile", value: "profile", inFile: "cloudProfile" },
  platform: {
    option: "--platform",
    value: "platform",
    inFile: "platform",
    // An image of an arm64 engine's own platform would not start on SageMaker's default instances.
    fallback: ({ arch }) => arch === "aarch64" ? PLATFORM : undefined,
  },
};

/**
 * Returns the name of the app to make: the argument; else the directory's only app, to complete it;
 * else the answer to a question, by default the directory's name.
 *
 * @throws UsageError if the directory's name is needed and is not valid for an app.
 */
async function chooseName(
  context: Context,
  { name: app }: InitOptions,
  { path }: Call,
): Promise<string> {
  if (app !== undefined) return app;
  const [here, ...more] = await appNames(context.cwd);
  if (here !== undefined && more.length === 0) return here;
  const directory = basename(context.cwd);
  const fallback = APP_NAME.test(directory) ? directory : "";
  for (;;) {
    const name = await context.ask("Name of the app", fallback) ?? fallback;
    if (APP_NAME.test(name)) return name;
    if (name === fallback) throw missingName(directory, path);
    tell(context.err, `The name must be ${APP_NAME_EXPECTED}.\n`);
  }
}

function missingName(directory: string, path: string): MlcliError {
  return usageError(
    path,
    `Missing argument: NAME. "${inOneLine(directory)}", the directory's name, is not a name of ` +
      `${APP_NAME_EXPECTED}.`,
  );
}

function checkName(name: string, path: string): string {
  if (APP_NAME.test(name)) return name;
  throw usageError(
    path,
    `Argument "NAME" must be a name of ${APP_NAME_EXPECTED}, but got "${name}".`,
  );
}

/** Options choose the program of a training alone. */
type ChosenConfiguration = NewConfiguration & { readonly train?: { readonly entry_point: string } };

/** Checks the options, and returns the configuration file of a new app. */
async function chooseConfiguration(
  context: Context,
  name: string,
  options: InitOptions,
  { path }: Call,
): Promise<ChosenConfiguration> {
  const keys = Object.keys(CHOICES) as (keyof typeof CHOICES)[];
  const check = (key: ConfigurationKey, option: InitFlag, value: string | undefined): void => {
    if (value === undefined || accepts(key, value)) return;
    const { expected } = RULES[key];
    throw usageError(path, `Option "${option}" must be ${expected}, but got "${value}".`);
  };
  for (const key of keys) check(key, CHOICES[key].option, options[CHOICES[key].value]);
  check("image_name", "--image-name", options.imageName);
  if (options.baseImage !== undefined && options.pythonVersion !== undefined) {
    const message = 'Options "--base-image" and "--python-version" do not go together: ' +
      "the base image has a Python of its own.";
    throw usageError(path, message);
  }
  requireFitting(options, path);
  const { image } = options;
  const wrong = image === undefined ? undefined : wrongAccount(image);
  if (wrong !== undefined) tell(context.err, warningText(wrong.message, wrong.hint));
  const configuration: Partial<Record<ConfigurationKey, string>> = image === undefined
    ? { image_name: options.imageName ?? defaultImageName(name, path) }
    : {};
  for (const key of keys) {
    if (image !== undefined && OF_BUILDS.includes(key)) continue;
    // A base image has its own Python.
    if (key === "python_version" && options.baseImage !== undefined) continue;
    const chosen = options[CHOICES[key].value] ?? await CHOICES[key].fallback?.(context);
    if (chosen !== undefined) configuration[key] = chosen;
  }
  const { entryPoint } = options;
  if (image === undefined || entryPoint === undefined) return configuration;
  const launcher = configuration.launcher ?? await launcherOf(image, context);
  return {
    ...configuration,
    ...launcher === undefined ? {} : { launcher },
    train: { entry_point: entryPoint },
  };
}

/** @throws UsageError for options that do not go together. */
function requireFitting(options: InitOptions, path: string): void {
  const { image, baseImage, pythonVersion, requirements, imageName } = options;
  const { entryPoint, sourceDir, launcher } = options;
  const ofBuilds = { "--base-image": baseImage, "--python-version": pythonVersion };
  const wrong = image === undefined
    ? firstGiven({ "--entry-point": entryPoint, "--source-dir": sourceDir, "--launcher": launcher })
    : firstGiven({ ...ofBuilds, "--requirements": requirements, "--image-name": imageName });
  if (wrong === undefined) {
    if (launcher === "image" && entryPoint !== undefined) {
      throw usageError(path, 'Option "--entry-point" has no effect with the launcher image.');
    }
    if (sourceDir === undefined || entryPoint !== undefined) return;
    throw usageError(path, 'Option "--source-dir" has no effect without "--entry-point".');
  }
  throw usageError(
    path,
    image === undefined
      ? `Option "${wrong}" has no effect without "--image".`
      : `Options "--image" and "${wrong}" do not go together: mlcli builds no image then.`,
  );
}

/** What runs an entry point in an image, where its name says it, or it is here; nothing is pulled. */
async function launcherOf(image: string, context: Context): Promise<string | undefined> {
  if (holdsToolkitByName(image)) return "toolkit";
  const found = await context.engine().then((engine) => engine.image(image)).catch(() => undefined);
  return found && launcherIn(found.Config?.Env ?? []);
}

/**
 * The options that differ from the configuration file, which is there already and stays. (They are
 * equal where an interrupted init is repeated.)
 */
function unusedOptions(options: InitOptions, there: Configuration): InitFlag[] {
  const isUnused = (given: string | undefined, value: string | undefined): boolean =>
    given !== undefined && given !== value;
  const unused = Object.values(CHOICES)
    .filter(({ value, inFile }) => isUnused(options[value], there[inFile]))
    .map(({ option }) => option);
  if (isUnused(options.entryPoint, there.sections.train?.["entry_point"] as string | undefined)) {
    unused.push("--entry-point");
  }
  return isUnused(options.imageName, there.imageName) ? ["--image-name", ...unused] : unused;
}

function defaultImageName(name: string, path: string): string {
  const imageName = name.toLowerCase();
  if (accepts("image_name", imageName)) return imageName;
  throw usageError(
    path,
    `An image cannot be named "${imageName}" after its app: name it with "--image-name".`,
  );
}
