import { basename } from "@std/path/basename";
import { SEPARATOR } from "@std/path/constants";
import { isAbsolute } from "@std/path/is-absolute";
import { normalize } from "@std/path/normalize";
import { isRoleArn, parseS3Uri, ROLE_ARN, S3_URI } from "../contract/addresses.ts";
import { PLATFORM } from "../contract/images.ts";
import { type Distribution, DISTRIBUTIONS, type Launcher, LAUNCHERS } from "../contract/launch.ts";
import {
  type MetricDefinition,
  metricDefinitionsIn,
  METRICS_KEY,
} from "../contract/metric_definitions.ts";
import { REGION } from "../contract/region.ts";
import { fileErrorHint, fileErrorReason, MlcliError, UsageError } from "../errors.ts";
import { LARGEST_TEXT, readTextFile } from "../files.ts";
import { isObject, jsonProblem, nameOfType, parseJson } from "../text.ts";
import { isPrivateName } from "./private_files.ts";
import { isOutside } from "./typed_path.ts";

/** What `NAME.json` says, its defaults filled in. */
export interface Configuration {
  /** An image that exists, by any reference; `undefined`: the one that `build` makes. */
  readonly image: string | undefined;
  /** Directory of the code that is sent, as the file has it: relative to that. */
  readonly sourceDir: string | undefined;
  readonly launcher: Launcher | undefined;
  readonly distribution: Distribution | undefined;
  /** Directory that `build` sends for a Dockerfile of the user's own; relative to the file, as below. */
  readonly context: string | undefined;
  readonly dockerfile: string | undefined;
  /** Name of the image, without a tag. Default: the app's name in lower case. */
  readonly imageName: string;
  /** Python of the default base image. */
  readonly pythonVersion: string;
  /** Requirements file: relative to the configuration file's directory, with slashes. */
  readonly requirements: string;
  /** File of certificates that pip trusts in a build, beside the public ones; as `requirements`. */
  readonly certificateFile: string | undefined;
  readonly baseImage: string | undefined;
  /** `os/architecture[/variant]` of the image; the engine's own when undefined. */
  readonly platform: string | undefined;
  readonly cloudRegion: string | undefined;
  readonly cloudProfile: string | undefined;
  /** `s3://BUCKET/PREFIX`: where the app's data and results lie, unless an option says otherwise. */
  readonly s3Prefix: string | undefined;
  readonly executionRole: string | undefined;
  /** What a training's output has of metrics, and where. */
  readonly metricDefinitions: readonly MetricDefinition[];
  /** What the file says for single commands, as it stands there (`commands/options/file.ts`). */
  readonly sections: Readonly<Partial<Record<SectionName, Readonly<Record<string, unknown>>>>>;
  /** Whether the file names both a base image, which counts, and a Python version. */
  readonly ignoresPythonVersion: boolean;
  /** Keys that are none of mlcli's, in the order of the file. */
  readonly otherKeys: readonly string[];
}

/**
 * Keys whose value is an object: options of the cloud command of that name, or, in `local`, of all
 * local commands that start a container.
 */
export const SECTIONS = ["train", "process", "deploy", "transform", "local"] as const;

export type SectionName = typeof SECTIONS[number];

/** All keys whose value is no string. */
export const OBJECT_KEYS: readonly string[] = [...SECTIONS, METRICS_KEY];

export type CloudSectionName = Exclude<SectionName, "local">;

export const DEFAULT_PYTHON_VERSION = "3.12";

export const DEFAULT_REQUIREMENTS = "requirements.txt";

interface Rule {
  /** What the key means: an editor shows it. */
  readonly meaning: string;
  /** What a value must be, for the error about a wrong one. */
  readonly expected: string;
  /** In the schema, too, so that an editor checks it (`commands/configuration_schema.ts`). */
  readonly pattern: RegExp;
  /** A further condition, which a regular expression cannot express. */
  readonly also?: (value: string) => boolean;
}

/** Repository in Docker's reference grammar (distribution/reference); capitals only in the host. */
const IMAGE_NAME =
  /^([A-Za-z\d][A-Za-z\d.-]*(:\d+)?\/)?[a-z\d]+(([._]|__|-+)[a-z\d]+)*(\/[a-z\d]+(([._]|__|-+)[a-z\d]+)*)*$/;

/** The whole of that grammar: with a tag, and a digest. */
const IMAGE_REFERENCE = new RegExp(
  `${IMAGE_NAME.source.slice(0, -1)}(:\\w[\\w.-]{0,127})?(@sha256:[a-f\\d]{64})?$`,
);

/** From 3.8 on: mlcli's harness needs it. */
const PYTHON_VERSION = /^(3(\.([89]|[1-9]\d+)(\.\d+)?)?|[4-9]\d*(\.\d+){0,2})((a|b|rc)\d+)?$/;

/** The keys, and what each may hold. Every value is a string. */
export const RULES = {
  image: {
    meaning: "Existing image to run instead of one that mlcli build creates",
    expected: 'an image name, such as "python:3.12"',
    pattern: IMAGE_REFERENCE,
  },
  source_dir: {
    meaning: "Directory of the code that runs in the image, inside the repository",
    expected: 'a directory, such as "src"',
    pattern: /^(?!-)\P{Cc}+$/u,
  },
  launcher: {
    meaning: "Program that runs the entry point: toolkit (AWS's), script (mlcli's) or image",
    expected: LAUNCHERS.join(", ").replace(/, (?=\w+$)/, " or "),
    pattern: new RegExp(`^(${LAUNCHERS.join("|")})$`),
  },
  distribution: {
    meaning: "Program that starts the training processes on all hosts: torchrun",
    expected: DISTRIBUTIONS.join(" or "),
    pattern: new RegExp(`^(${DISTRIBUTIONS.join("|")})$`),
  },
  context: {
    meaning: "Build context for your own Dockerfile, inside the repository",
    expected: 'a directory, such as "docker"',
    pattern: /^(?!-)\P{Cc}+$/u,
  },
  dockerfile: {
    meaning: "Dockerfile for mlcli build (default: the Dockerfile of the context or of the app)",
    expected: 'a file, such as "docker/Dockerfile"',
    pattern: /^(?!-)\P{Cc}+$/u,
  },
  image_name: {
    meaning: "Name of the image, without a tag (default: the app's name)",
    expected: 'an image name in lower case without a tag, such as "team/demo"',
    pattern: IMAGE_NAME,
  },
  python_version: {
    meaning: "Python version of the image, which selects the base image python:VERSION-slim",
    expected: 'a Python version of 3.8 or later, such as "3.12"',
    pattern: PYTHON_VERSION,
  },
  requirements: {
    meaning: "Requirements file for pip, inside this directory",
    expected: 'a path inside this directory, such as "requirements.txt", and not a private file',
    pattern: /^[^/](.*[^/])?$/,
    also: isPathBelow,
  },
  certificate_file: {
    meaning: "File of certificates, inside this directory, that pip trusts in the build",
    expected: 'a path inside this directory, such as "certificates.pem", and not a private file',
    pattern: /^[^/](.*[^/])?$/,
    also: isPathBelow,
  },
  base_image: {
    meaning: "Base image to use instead of the official Python image. It overrides python_version.",
    expected: 'an image, such as "python:3.12-slim"',
    pattern: /^\S+$/,
  },
  platform: {
    meaning: "Operating system and architecture of the image (default: DOCKER_DEFAULT_PLATFORM, " +
      "otherwise the engine's platform)",
    expected: 'an operating system and an architecture, such as "linux/amd64"',
    pattern: PLATFORM,
  },
  cloud_region: {
    meaning: "AWS region of the cloud commands, and AWS_REGION in local runs",
    expected: 'a region, such as "eu-west-1"',
    pattern: REGION,
  },
  cloud_profile: {
    meaning: "AWS profile of the cloud commands",
    expected: "a profile name",
    pattern: /^(?=.*\S)\P{Cc}*$/u,
  },
  s3_prefix: {
    meaning: "Location of the app's data and results in S3",
    expected: 'an S3 URI, such as "s3://my-bucket/churn"',
    pattern: S3_URI,
    also: (value) => parseS3Uri(value) !== undefined,
  },
  execution_role: {
    meaning: "ARN of the role that SageMaker assumes for the app's jobs and endpoints",
    expected: 'a role ARN, such as "arn:aws:iam::123456789012:role/SageMakerRole"',
    pattern: ROLE_ARN,
    also: isRoleArn,
  },
} as const satisfies Readonly<Record<string, Rule>>;

export function accepts(key: ConfigurationKey, value: string): boolean {
  const { pattern, also = () => true }: Rule = RULES[key];
  return pattern.test(value) && also(value);
}

/** Returns the parser of an option that sets a key. It throws a UsageError for an invalid value. */
export function parserOf(key: ConfigurationKey): (text: string, source: string) => string {
  return (text, source) => {
    if (accepts(key, text)) return text;
    throw new UsageError(`${source} must be ${RULES[key].expected}, but got "${text}"`);
  };
}

/** Returns the value of a key whose value is a string: `cloudRegion` for `cloud_region`. */
export function valueOf(configuration: Configuration, key: ConfigurationKey): string | undefined {
  const name = key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return configuration[name as "imageName"];
}

/** The key by which an editor finds the schema of the file; mlcli ignores it. */
export const SCHEMA_KEY = "$schema";

export type ConfigurationKey = keyof typeof RULES;

/** All of them whose value is a string. */
export const CONFIGURATION_KEYS = Object.keys(RULES) as readonly ConfigurationKey[];

/**
 * Reads a configuration file. Keys that mlcli does not know are kept by name only; `null` and the
 * empty string count as not given.
 *
 * @throws MlcliError that names file, key and what was expected.
 */
export async function readConfiguration(
  path: string,
  shown = basename(path),
): Promise<Configuration> {
  return configurationIn(await read(path, shown), shown);
}

/** The same of a text. @param file the name of its file. */
export function configurationIn(text: string, file: string): Configuration {
  const values = objectOf(text, file);
  const get = (key: ConfigurationKey): string | undefined => stringOf(values, key, file);
  const certificateFile = get("certificate_file");
  return {
    image: get("image"),
    sourceDir: get("source_dir"),
    launcher: get("launcher") as Launcher | undefined,
    distribution: get("distribution") as Distribution | undefined,
    context: get("context"),
    dockerfile: get("dockerfile"),
    imageName: get("image_name") ?? defaultImageName(file),
    pythonVersion: get("python_version") ?? DEFAULT_PYTHON_VERSION,
    requirements: normalizedPath(get("requirements") ?? DEFAULT_REQUIREMENTS),
    certificateFile: certificateFile && normalizedPath(certificateFile),
    baseImage: get("base_image"),
    platform: get("platform"),
    cloudRegion: get("cloud_region"),
    cloudProfile: get("cloud_profile"),
    s3Prefix: get("s3_prefix"),
    executionRole: get("execution_role"),
    metricDefinitions: metricDefinitionsIn(
      Object.hasOwn(values, METRICS_KEY) ? values[METRICS_KEY] : undefined,
      file,
    ),
    sections: Object.fromEntries(SECTIONS.flatMap((name) => {
      const section = sectionIn(values, name, file);
      return section === undefined ? [] : [[name, section]];
    })),
    ignoresPythonVersion: get("base_image") !== undefined && get("python_version") !== undefined,
    otherKeys: Object.keys(values).filter((key) =>
      !Object.hasOwn(RULES, key) && !OBJECT_KEYS.includes(key) && key !== SCHEMA_KEY
    ),
  };
}

function sectionIn(
  values: Readonly<Record<string, unknown>>,
  name: SectionName,
  file: string,
): Readonly<Record<string, unknown>> | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined || value === null || value === "") return undefined;
  if (isObject(value)) return value;
  throw new MlcliError(
    `${file}: "${name}" must be an object with options of mlcli ${name}, but is ${
      typeof value === "string" ? JSON.stringify(value) : nameOfType(value)
    }`,
    {
      hint: `Write an object, such as "${name}": ${
        name === "local" ? '{"memory": "4g"}' : '{"ec2_type": "ml.m5.large"}'
      }`,
    },
  );
}

async function read(path: string, shown: string): Promise<string> {
  try {
    return await readTextFile(path, LARGEST_TEXT);
  } catch (error) {
    throw new MlcliError(
      `Cannot read ${shown}: ${fileErrorReason(error)}`,
      {
        hint: fileErrorHint(error) ??
          "Make it a readable file that contains a JSON object, such as {}",
        cause: error,
      },
    );
  }
}

function objectOf(text: string, file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    const { reason, hint } = jsonProblem(error as Error);
    throw new MlcliError(`${file} is not valid JSON: ${reason}`, {
      hint: `Fix ${file}. ${hint}.`,
      cause: error,
    });
  }
  if (isObject(value)) return value;
  throw new MlcliError(
    `${file} must contain a JSON object, but contains ${nameOfType(value)}`,
    { hint: 'Write an object, such as {"cloud_region": "eu-west-1"}, or {} for the defaults' },
  );
}

function stringOf(
  values: Readonly<Record<string, unknown>>,
  key: ConfigurationKey,
  file: string,
): string | undefined {
  const value = values[key];
  const { expected } = RULES[key];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" && accepts(key, value)) return value;
  const found = typeof value === "string" ? JSON.stringify(value) : nameOfType(value);
  const isNumber = key === "python_version" && typeof value === "number";
  throw new MlcliError(
    `${file}: "${key}" must be ${isNumber ? 'a string like "3.12"' : expected}, but is ${found}`,
    {
      hint: isNumber
        ? 'Put the version in quotes, as in "3.10": the number 3.10 equals 3.1'
        : `Fix "${key}" in ${file}`,
    },
  );
}

function defaultImageName(file: string): string {
  const name = basename(file, ".json").toLowerCase();
  if (accepts("image_name", name)) return name;
  throw new MlcliError(
    `${file}: the app's name "${name}" is not a valid image name`,
    { hint: `Set "image_name" in ${file} to ${RULES.image_name.expected}` },
  );
}

function isPathBelow(value: string): boolean {
  const path = normalizedPath(value);
  if (path.split("/").some(isPrivateName)) return false;
  return path !== "." && !isAbsolute(path) && !isOutside(path) && !path.endsWith("/");
}

function normalizedPath(path: string): string {
  return normalize(path).replaceAll(SEPARATOR, "/");
}
