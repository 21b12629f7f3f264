/** Differences from SageMaker: settings that work locally but exceed a limit of SageMaker. */

import { type Message, warning } from "../messages.ts";
import { listed } from "../text.ts";
import type { Role } from "./jobs.ts";
import {
  bytesOf,
  CHANNEL_NAME,
  ENVIRONMENT,
  HYPERPARAMETERS,
  lengthOf,
  LINE_END,
  MOST_CHANNELS,
  PROCESSING_ARGUMENTS,
  VARIABLE_NAME,
} from "./limits.ts";
import type { Variables } from "./variables.ts";

export function hyperparameterDifferences(
  hyperparameters: Readonly<Record<string, string>>,
): readonly Message[] {
  const { most, nameLength, valueLength } = HYPERPARAMETERS;
  const all = Object.entries(hyperparameters);
  const names = (refused: (name: string, value: string) => boolean): readonly string[] =>
    all.filter(([name, value]) => refused(name, value)).map(([name]) => shown(name));
  return [
    ...tooMany(all.length, most, "hyperparameters", "Combine several in one JSON value"),
    ...refusal(
      names((name) => lengthOf(name) > nameLength),
      `hyperparameter names longer than ${nameLength} characters`,
      "Use shorter names",
    ),
    ...refusal(
      names((_, value) => lengthOf(value) > valueLength),
      `hyperparameter values longer than ${grouped(valueLength)} characters`,
      "Move long values to a file in an input channel",
    ),
    ...refusal(
      names((name, value) => LINE_END.test(name) || LINE_END.test(value)),
      "hyperparameters with line breaks",
      "Write line breaks as \\n in a JSON value, or move the value to a file in an input channel",
    ),
  ];
}

/**
 * Channels that CreateTrainingJob would refuse.
 *
 * @param empty names of those without a file, which the service refuses: "No S3 objects found under S3
 * URL ... given in input data source"
 * (https://github.com/aws/amazon-sagemaker-examples/issues/2495).
 */
export function channelDifferences(
  names: readonly string[],
  empty: readonly string[] = [],
): readonly Message[] {
  return [
    ...tooMany(names.length, MOST_CHANNELS, "channels", "Combine the data of several channels"),
    ...refusal(
      names.filter((name) => !CHANNEL_NAME.test(name)).map(shown),
      "these channel names",
      'Rename the directory in input/data. A name has 1 to 64 letters, digits, ".", "-" or "_".',
    ),
    ...refusal(
      empty.map(shown),
      "empty channels",
      "Add test data to these channels, or remove their directories",
    ),
  ];
}

/**
 * Returns differences of environment variables that CreateTrainingJob, CreateProcessingJob or CreateModel
 * would reject. Messages don't contain values, which might be secrets.
 *
 * @param variables those that the user sets.
 */
export function environmentDifferences(role: Role, variables: Variables): readonly Message[] {
  const { most, nameLength, valueLength, unit, totalBytes } = ENVIRONMENT[role];
  const sizeOf = unit === "bytes" ? bytesOf : lengthOf;
  const all = Object.entries(variables);
  const names = (refused: (name: string, value: string) => boolean): readonly string[] =>
    all.filter(([name, value]) => refused(name, value)).map(([name]) => shown(name));
  const total = bytesOf(all.flat().join(""));
  return [
    ...tooMany(all.length, most, "environment variables", "Combine several in one JSON value"),
    ...refusal(
      names((name) => !VARIABLE_NAME.test(name)),
      "these environment variable names",
      'Use only letters, digits and "_", and do not start with a digit',
    ),
    ...refusal(
      names((name) => sizeOf(name) > nameLength),
      `environment variable names longer than ${grouped(nameLength)} ${unit}`,
      "Use shorter names",
    ),
    ...refusal(
      names((_, value) => sizeOf(value) > valueLength),
      `environment variable values longer than ${grouped(valueLength)} ${unit}`,
      role === "serve"
        ? "Move long values to a file in the model"
        : "Move long values to a file in the input",
    ),
    ...totalBytes === undefined || total <= totalBytes ? [] : [warning(
      `SageMaker rejects more than ${grouped(totalBytes)} bytes of environment variables, ` +
        `names and values together (found ${grouped(total)})`,
      "Move some of the values to a file in the model",
    )],
  ];
}

/**
 * Returns differences of a job's command line that CreateProcessingJob or CreateTrainingJob would reject.
 * Messages contain the numbers of arguments instead of arguments, which might be secrets.
 *
 * @param job `training`
 * @param entrypoint instead of the image's own entry point; empty: the image's.
 */
export function commandDifferences(
  job: "training" | "processing",
  entrypoint: readonly string[],
  args: readonly string[],
): readonly Message[] {
  return [
    ...argumentDifferences(entrypoint, "in an entry point"),
    ...argumentDifferences(args, `in a ${job} job`),
  ];
}

function argumentDifferences(args: readonly string[], whose: string): readonly Message[] {
  const { most, length } = PROCESSING_ARGUMENTS;
  const places = (refused: (argument: string) => boolean): readonly string[] =>
    args.flatMap((argument, index) => refused(argument) ? [`argument ${index + 1}`] : []);
  const inFile = "Move values to a file in the input, or to an environment variable";
  return [
    ...tooMany(args.length, most, `arguments ${whose}`, inFile),
    ...refusal(
      places((argument) => argument === ""),
      `empty arguments ${whose}`,
      "Remove these arguments",
    ),
    ...refusal(
      places((argument) => lengthOf(argument) > length),
      `arguments longer than ${length} characters ${whose}`,
      inFile,
    ),
    ...refusal(
      places((argument) => LINE_END.test(argument)),
      `arguments with line breaks ${whose}`,
      inFile,
    ),
  ];
}

function tooMany(
  count: number,
  most: number,
  what: string,
  hint: string,
): readonly Message[] {
  if (count <= most) return [];
  return [warning(`SageMaker rejects more than ${most} ${what} (found ${count})`, hint)];
}

function refusal(found: readonly string[], what: string, hint: string): readonly Message[] {
  if (found.length === 0) return [];
  return [warning(`SageMaker rejects ${what}: ${listed(found)}`, hint)];
}

const SHOWN_LENGTH = 40;

/** A name in a message: short, in one line, and without anything that a terminal would obey. */
function shown(name: string): string {
  const start = [...name.slice(0, 2 * SHOWN_LENGTH + 2)];
  const text = start.slice(0, SHOWN_LENGTH).join("") + (start.length > SHOWN_LENGTH ? "..." : "");
  return `"${text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd")}"`;
}

/** `12,345`. (`toLocaleString` would take 9 ms to load its tables.) */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Networks that every engine has, and that are to the code as on SageMaker. */
const COMMON_NETWORKS: readonly string[] = ["bridge", "default", "none"];

/** Returns a warning about a network of this machine that SageMaker does not have. */
export function networkDifferences(network: string | undefined): readonly Message[] {
  if (network === undefined || COMMON_NETWORKS.includes(network)) return [];
  return [warning(
    network === "host"
      ? "The code uses this machine's network (--network host), which SageMaker does not have"
      : `The code uses the Docker network "${network}", which SageMaker does not have`,
    "On SageMaker, use services on the internet or, with --subnet and --security-group, in a VPC",
  )];
}
