/**
 * What `mlcli init` has to know of a new app: from options, from questions on a terminal, and by
 * default.
 *
 * @module
 */

import { basename } from "@std/path/basename";
import { ValidationError } from "@cliffy/command";
import type { Context } from "../runtime/context.ts";
import type { Settings } from "../runtime/image/scaffold.ts";
import { APP_NAME, APP_NAME_EXPECTED, appNames } from "../runtime/app/app.ts";
import {
  type ConfigurationKey,
  DEFAULT_PYTHON_VERSION,
  DEFAULT_REQUIREMENTS,
  RULES,
} from "../runtime/app/configuration.ts";

/** The options that become the configuration file. */
export interface InitOptions {
  readonly imageName?: string;
  readonly pythonVersion?: string;
  readonly requirements?: string;
  readonly baseImage?: string;
  readonly platform?: string;
  readonly region?: string;
  readonly profile?: string;
}

interface Setting {
  readonly option: `--${string}`;
  readonly value: (options: InitOptions) => string | undefined;
  /** What is asked on a terminal; nothing for what few apps need. */
  readonly question?: string;
  readonly fallback?: string;
}

/** In the order of the questions and of the file. */
const SETTINGS: Readonly<Record<Exclude<ConfigurationKey, "image_name">, Setting>> = {
  python_version: {
    option: "--python-version",
    value: (options) => options.pythonVersion,
    question: "Python version",
    fallback: DEFAULT_PYTHON_VERSION,
  },
  requirements: {
    option: "--requirements",
    value: (options) => options.requirements,
    question: "Requirements file",
    fallback: DEFAULT_REQUIREMENTS,
  },
  base_image: {
    option: "--base-image",
    value: (options) => options.baseImage,
    question: "Base image (empty: the official slim Python)",
  },
  cloud_region: {
    option: "--region",
    value: (options) => options.region,
    question: "Cloud region (empty: that of your profile)",
  },
  cloud_profile: { option: "--profile", value: (options) => options.profile },
  platform: { option: "--platform", value: (options) => options.platform },
};

/**
 * The name of the app to make: the argument; else the one app that is here, to complete it; else
 * the answer to a question, by default the directory's name.
 */
export async function chooseName(context: Context, argument?: string): Promise<string> {
  if (argument !== undefined) return checkName(argument);
  const [here, ...more] = await appNames(context.cwd);
  if (here !== undefined && more.length === 0) return here;
  const directory = basename(context.cwd);
  const fallback = APP_NAME.test(directory) ? directory : "";
  const name = await ask(context, "Name of the app", fallback, {
    expected: APP_NAME_EXPECTED,
    accepts: (answer) => APP_NAME.test(answer),
  });
  return checkName(name ?? fallback);
}

function checkName(name: string): string {
  if (APP_NAME.test(name)) return name;
  throw new ValidationError(
    name === ""
      ? "Missing argument: APP, a name for the app."
      : `Argument "APP" must be a name of ${APP_NAME_EXPECTED}, but got "${name}".`,
  );
}

/** What the configuration file of a new app is to say. Every option is checked before a question. */
export async function chooseSettings(
  context: Context,
  name: string,
  options: InitOptions,
): Promise<Settings> {
  const keys = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];
  for (const key of keys) checkOption(key, SETTINGS[key].option, SETTINGS[key].value(options));
  checkOption("image_name", "--image-name", options.imageName);
  const settings: Partial<Record<ConfigurationKey, string>> = {
    image_name: options.imageName ?? defaultImageName(name),
  };
  for (const key of keys) {
    const { value, question, fallback = "" } = SETTINGS[key];
    const answer = value(options) ??
      (question === undefined ? undefined : await ask(context, question, fallback, RULES[key]));
    const chosen = answer ?? fallback;
    if (chosen !== "") settings[key] = chosen;
  }
  return settings;
}

/** The options given, by name: those that a configuration file which is there already ignores. */
export function givenOptions(options: InitOptions): string[] {
  const given = Object.values(SETTINGS).filter(({ value }) => value(options) !== undefined)
    .map(({ option }): string => option);
  return options.imageName === undefined ? given : ["--image-name", ...given];
}

function checkOption(key: ConfigurationKey, option: string, value: string | undefined): void {
  if (value === undefined || RULES[key].accepts(value)) return;
  throw new ValidationError(
    `Option "${option}" must be ${RULES[key].expected}, but got "${value}".`,
  );
}

function defaultImageName(name: string): string {
  const imageName = name.toLowerCase();
  if (RULES.image_name.accepts(imageName)) return imageName;
  throw new ValidationError(
    `An image cannot be named "${imageName}" after its app: name it with "--image-name".`,
  );
}

/** Asks until the answer is one; an empty one is the fallback. `undefined` without a terminal. */
async function ask(
  context: Context,
  question: string,
  fallback: string,
  rule: { readonly expected: string; readonly accepts: (answer: string) => boolean },
): Promise<string | undefined> {
  for (;;) {
    const answer = await context.ask(question, fallback);
    if (answer === undefined || answer === fallback || rule.accepts(answer)) return answer;
    context.err.print(`That must be ${rule.expected}.\n`);
  }
}
