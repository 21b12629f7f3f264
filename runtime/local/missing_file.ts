/** What to do if the code of a run asked for a file that does not exist in its container. */

import { join } from "@std/path/join";
import { shellWord, typedPath } from "../app/typed_path.ts";
import { COMMON_PATH, holdsHarness } from "../contract/images.ts";
import { PATHS, type ProgramKind } from "../contract/jobs.ts";
import { ownFrames } from "../contract/tracebacks.ts";
import { isFile } from "../files.ts";
import { inOneLine, listed, printableJson } from "../text.ts";
import type { FailedCode } from "./failed_code.ts";
import { noChannelHint, readInside } from "./missing_channel.ts";
import type { LookedAt } from "./runs/linked.ts";

/** Errors of Python and its libraries for a file that does not exist. */
const MISSING: readonly RegExp[] = [
  /No such file or directory: b?(?:'(.{1,1000}?)'|"(.{1,1000}?)")/, // CPython
  /^FileNotFoundError: (?:\[Errno 2\] )?File b?'?(.{1,1000}?)'? does not exist/, // pandas before 1.0
  /\bNotFoundError: (?:\{\{.{0,300}?\}\} ?)?([^;\s][^;]{0,1000}); No such file/, // TensorFlow
  /Failed to open local file '(.{1,1000}?)'/, // pyarrow
  /^FileNotFoundError: ([^\s:'"]{1,1000}?)(?: not found\.)?$/, // pyarrow's data sets, numpy
  /\bname = '(.{1,1000}?)', errno = 2\b/, // h5py
  /LocalFileSystem::Open "(.{1,1000}?)": No such file/, // XGBoost
];

/** Errors of pandas (1.5 and later) and torch for a directory to write to that does not exist. */
const MISSING_DIRECTORY =
  /Cannot save file into a non-existent directory: '(.{1,1000}?)'|Parent directory (.{1,1000}?) does not exist\./;

/** Code that writes to a file, or makes a directory. */
const WRITES =
  /\b(?:to_(?:csv|parquet|json|pickle|excel|feather|hdf)|save\w*|dump|write_\w+|mkdir|touch|imwrite)\(|\bopen\(.{0,300}[,=] ?['"][wax][bt]?\+?['"]/;

/** Code that reads a file. */
const READS = /\b(?:(?:im)?read\w*|load\w*)\(/;

/** Files of the system and of packages, which are not the user's data. */
const SYSTEM =
  /^\/(?:usr|etc|proc|sys|dev|run|lib|var|opt\/conda|root\/\.[^/]+)\/|\/(?:site|dist)-packages\//;

/** Paths that the code or SageMaker should have written. */
const WRITTEN = /^\/(?:tmp\/|opt\/(?!ml\/(?:input\/data|processing\/input)\b))/;

/** Packages whose files are in a cloud. */
const REMOTE = /\/(?:s3fs|gcsfs|adlfs|huggingface_hub)\//;

/** Directories that a job of each kind has locally, but not on SageMaker or with `--strict`. */
const ONLY_LOCAL: Readonly<Record<ProgramKind, readonly string[]>> = {
  train: [`${PATHS.inputData}/processing`],
  process: [PATHS.model, PATHS.input],
};

/** Returns the path that an error says does not exist; `undefined` for other errors. */
export function missingPath(words: string): string | undefined {
  if (!/\b\w*Error\b/.test(words)) return undefined;
  for (const pattern of [...MISSING, MISSING_DIRECTORY]) {
    const found = pattern.exec(words)?.slice(1).find((group) => group !== undefined);
    if (found !== undefined) return found.replaceAll("\\\\", "\\");
  }
  return undefined;
}

/** Returns what to do about a file that does not exist; `undefined` for other errors. */
export async function missingFileHint(code: FailedCode): Promise<string | undefined> {
  const { kind, words, raised, inputs } = code;
  const path = missingPath(words);
  if (path === undefined || SYSTEM.test(path)) return undefined;
  if (raised?.frames.some(({ file }) => REMOTE.test(file))) return undefined;
  const line = raised && ownFrames(raised).at(-1)?.text || "";
  if (raised?.frames.at(-1)?.file.endsWith("/subprocess.py")) {
    return /[/\\]/.test(path) || line.includes("cwd")
      ? undefined
      : `Install the program ${inOneLine(path)} in the image`;
  }
  const named = inputs.find((input) => path.startsWith(`${input.path}/`));
  // The host of a run with shards has another part of the files.
  if (named?.files.includes(path.slice(named.path.length + 1))) return undefined;
  const onlyLocal = ONLY_LOCAL[kind].find((one) => `${path}/`.startsWith(`${one}/`));
  if (onlyLocal && inputs.every((input) => input.path !== onlyLocal)) {
    return await foundHint(code, path, inputs) ?? onlyLocalHint(code, onlyLocal);
  }
  const directory = directoryToMake(path, words, line);
  if (directory !== undefined) {
    const kept = kind === "train" ? [PATHS.model, PATHS.outputData] : [PATHS.processingOutput];
    if (named && !code.asked.copyInputs) {
      return `Write to ${kept.join(" or ")}: ${named.path} is read-only`;
    }
    return `Create the directory first: os.makedirs(${quoted(directory)}, exist_ok=True)` +
      (directory.startsWith("/opt/ml/") ? "" : `. SageMaker keeps only ${kept.join(" and ")}.`);
  }
  const found = await foundHint(code, path, named ? [named] : inputs);
  const [, channel] = /^\/opt\/ml\/input\/data\/([\w.-]{1,64}(?=\/)|[\w-]{1,64}$)/.exec(path) ?? [];
  if (kind === "train" && channel && inputs.every(({ name }) => name !== channel)) {
    return noChannelHint(code, channel) +
      (found ? ` Or ${found[0]!.toLowerCase()}${found.slice(1)}` : "");
  }
  return found ?? (WRITTEN.test(path) ? undefined : await dataHint(code, named ? [named] : inputs));
}

function onlyLocalHint({ kind, importer: { app } }: FailedCode, directory: string): string {
  const { inputData, processingData } = app.paths;
  const isTraining = kind === "train";
  const folder = shellWord(typedPath(app, isTraining ? join(inputData, "extra") : processingData));
  return isTraining
    ? `Put the data into a channel, such as ${folder}, or pass it with --input extra=DIR. ` +
      `A training job on SageMaker has no ${directory}.`
    : `Put the data into ${folder}, or pass it with --input DIR. Write results to ` +
      `${PATHS.processingOutput}. A processing job on SageMaker has no ${directory}.`;
}

/** Returns the directory that code which writes a file needs; `undefined` for code that reads. */
function directoryToMake(path: string, words: string, line: string): string | undefined {
  if (MISSING_DIRECTORY.test(words)) return path;
  const directory = path.replace(/[/\\][^/\\]*[/\\]*$/, "");
  const isWritten = WRITES.test(line) && !READS.test(line);
  return isWritten && directory !== path && directory !== "" ? directory : undefined;
}

/** Returns the expression that opens the file, if the container has one of that name. */
async function foundHint(
  code: FailedCode,
  path: string,
  inputs: readonly LookedAt[],
): Promise<string | undefined> {
  const { kind, importer: { app, code: folder, image, source } } = code;
  const name = path.split(/[/\\]+/).findLast((part) => part !== "") ?? path;
  const all = inputs.flatMap((input) => input.files.map((file) => ({ input, file })));
  const named = (file: string): string => file.slice(file.lastIndexOf("/") + 1);
  const found = all.find(({ file }) => named(file) === name) ??
    // As on the file systems of macOS and Windows.
    all.find(({ file }) => named(file).toLowerCase() === name.toLowerCase());
  if (found !== undefined) {
    return `Open ${inOneLine(found.file)} in ${inputText(code, found.input)}: ` +
      await expressionOf(code, found.input, found.file);
  }
  const layout = app.paths;
  const sent = kind === "process" ? PATHS.processingCode : PATHS.code;
  const places = source
    ? [[source.path, sent] as const]
    : [[layout[folder], PATHS.code] as const, [layout.common, COMMON_PATH] as const];
  for (const [outside, inside] of places) {
    const isThere = (source || holdsHarness(image)) && await isFile(join(outside, name));
    if (!isThere) continue;
    if (code.remedyOfOtherCode !== undefined) return code.remedyOfOtherCode;
    if (`${inside}/${name}` === path) continue;
    const shown = inOneLine(typedPath(app, join(outside, name)));
    return `Open ${quoted(`${inside}/${name}`)}, which is ${shown} in the container`;
  }
  return undefined;
}

/** Returns where to put the file, and the expression that opens one of the run's files. */
async function dataHint(code: FailedCode, inputs: readonly LookedAt[]): Promise<string> {
  const isShown = (file: string): boolean => !/(?:^|\/)\./.test(file);
  const input = inputs.find(({ files }) => files.some(isShown));
  if (input === undefined) {
    const option = code.kind === "train" ? "training=DIR" : "DIR";
    return `Pass a directory with data, because the run has none: --input ${option}`;
  }
  const files = input.files.filter(isShown);
  const folder = inOneLine(typedPath(code.importer.app, input.source));
  return `Put the file into ${folder}, or open a file in ${inputText(code, input)} (${
    listed(files)
  }): ` +
    await expressionOf(code, input, files[0]!);
}

function inputText({ kind, inputs }: FailedCode, { name }: LookedAt): string {
  if (kind === "train") return `channel ${inOneLine(name)}`;
  return inputs.length === 1 ? "the input" : `input ${inOneLine(name)}`;
}

/** Returns the Python that opens a file of an input, for the kind of code that failed. */
async function expressionOf(code: FailedCode, input: LookedAt, file: string): Promise<string> {
  const { kind, launcher, importer: { image }, inputs } = code;
  if (kind === "train" && (launcher === "script" || launcher === "toolkit")) {
    const variable = `SM_CHANNEL_${input.name.toUpperCase()}`;
    return `os.path.join(os.environ[${quoted(variable)}], ${quoted(file)})`;
  }
  const path = `${input.path}/${file}`;
  if (kind === "process" || launcher === "command" || !holdsHarness(image)) return quoted(path);
  // The first argument of train(), as mlcli_harness/train.py chooses it.
  const given = inputs.find(({ name }) => name === "training") ??
    (inputs.length === 1 ? inputs[0]! : { path: PATHS.inputData });
  const parameter = path.startsWith(`${given.path}/`) ? await parameterOf(code) : undefined;
  if (parameter === undefined) return quoted(path);
  const rest = quoted(path.slice(given.path.length)).slice(1);
  return `f"{${parameter}}${rest.replace(/[{}]/g, "$&$&")}`;
}

/** Returns the first parameter of train(), if the error is in there. */
async function parameterOf({ raised, importer: { app } }: FailedCode): Promise<string | undefined> {
  if (raised && ownFrames(raised).at(-1)?.name !== "train") return undefined;
  const text = await readInside(app.paths.training, "training.py");
  return /^def train\(\s{0,100}([A-Za-z_]\w{0,100})/m.exec(text)?.[1];
}

function quoted(text: string): string {
  return printableJson(text);
}
