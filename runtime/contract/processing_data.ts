/**
 * The inputs and outputs of a processing job: directories below `/opt/ml/processing`, each with a name.
 *
 * Sources: API reference, `ProcessingInput`, `ProcessingOutput`; developer guide, "Build Your Own
 * Processing Container"; the SageMaker Python SDK 2.257, `processing.py`.
 */

import { UsageError } from "../errors.ts";
import { isChannelName } from "./channels.ts";
import { PATHS } from "./jobs.ts";
import { CODE_CHANNEL } from "./launch.ts";
import { lengthOf, PROCESSING_DATA } from "./limits.ts";

export type Side = "input" | "output";

export interface ProcessingData {
  readonly name: string;
  /** Its directory in the container. */
  readonly path: string;
}

/** One of them, and where it lies outside: a directory here, an address in S3. */
export interface PlacedData<Place> extends ProcessingData {
  readonly place: Place;
}

/** The code of an entry point. */
export const CODE_INPUT: ProcessingData = { name: CODE_CHANNEL, path: PATHS.processingCode };

/** Names of inputs that SDK v2's processors give to code. */
const CODE_NAMES: readonly string[] = [CODE_CHANNEL, "entrypoint"];

/** What has no name lies at the directory of its side itself. */
export function plainData(side: Side): ProcessingData {
  return { name: side, path: side === "input" ? PATHS.processingInput : PATHS.processingOutput };
}

/** After the name of `s3://` come two slashes. */
const NAME_AND_PATH = /^([^:/]*)(?::(\/(?!\/).*))?$/s;

const ROOT = "/opt/ml/processing/";

/**
 * Takes `NAME=PLACE` and `NAME:PATH=PLACE` apart, of an output also without a place. Any other text is a
 * place: `./a=b`, `s3://bucket/a=b`, and alone a drive of Windows, `C:/data`.
 *
 * @param source where it stands, for the message.
 * @throws UsageError for a path that no input or output can have.
 */
export function parseData(
  text: string,
  side: Side,
  source: string,
): PlacedData<string | undefined> {
  const end = text.indexOf("=");
  const start = end < 0 && side === "output" ? text : text.slice(0, Math.max(0, end));
  const [, name = "", path] = NAME_AND_PATH.exec(start) ?? [];
  const isDrive = end < 0 && path !== undefined && !path.startsWith(ROOT);
  if (!isChannelName(name) || isDrive) return { ...plainData(side), place: text };
  if (path !== undefined && !isPath(path)) {
    throw new UsageError(`${source} must have a path below /opt/ml/processing, but has ${path}`, {
      hint: `Use a path such as ${ROOT}train, with up to ${PROCESSING_DATA.pathLength} ` +
        'characters, without ".." and without a slash at the end',
    });
  }
  return {
    name,
    path: path ?? `${plainData(side).path}/${name}`,
    place: end < 0 ? undefined : text.slice(end + 1),
  };
}

function isPath(path: string): boolean {
  return path.startsWith(ROOT) && lengthOf(path) <= PROCESSING_DATA.pathLength &&
    !/\p{Cc}|\/\.{0,2}(\/|$)/u.test(path);
}

/**
 * @param hasCode whether there is the input of an entry point's code, too.
 * @throws UsageError for what SageMaker would refuse, or what would lie in each other's way.
 */
export function checkData(
  inputs: readonly ProcessingData[],
  outputs: readonly ProcessingData[],
  hasCode: boolean,
): void {
  const { most } = PROCESSING_DATA;
  requireFew(
    inputs,
    hasCode ? most - 1 : most,
    `inputs${hasCode ? " besides the code" : ""}`,
  );
  requireFew(outputs, most, "outputs");
  const code = hasCode ? inputs.find(({ name }) => CODE_NAMES.includes(name)) : undefined;
  if (code !== undefined) {
    throw new UsageError(`Input name "${code.name}" is reserved for code`, {
      hint: "Use another name: NAME=...",
    });
  }
  const all = [...inputs, ...outputs, ...hasCode ? [CODE_INPUT] : []];
  for (const [index, one] of all.entries()) {
    // AWS's own examples have the code inside of the one input, so SageMaker takes that.
    const other = all.slice(index + 1).find((other) =>
      (isWithin(one.path, other.path) || isWithin(other.path, one.path)) &&
      !(other === CODE_INPUT && inputs.includes(one) && one.path === PATHS.processingInput)
    );
    if (other === undefined) continue;
    throw new UsageError(
      `The paths of ${one.name} (${one.path}) and ${other.name} (${other.path}) overlap`,
      { hint: "Use separate paths: NAME:/opt/ml/processing/PATH=..." },
    );
  }
}

function requireFew(all: readonly ProcessingData[], most: number, what: string): void {
  if (all.length > most) {
    throw new UsageError(`A processing job accepts up to ${most} ${what}, but got ${all.length}`, {
      hint: `Merge some ${what.split(" ")[0]}: put their data into one directory or S3 prefix`,
    });
  }
  const twice = all.find(({ name }, index) => all.findIndex((one) => one.name === name) < index);
  if (twice === undefined) return;
  throw new UsageError(`Two ${what.split(" ")[0]} have the name "${twice.name}"`, {
    hint: "Use a different name for each: NAME=...",
  });
}

/** Whether a path of a container is a directory, or lies in it. */
export function isWithin(path: string, directory: string): boolean {
  return `${path}/`.startsWith(`${directory}/`);
}
