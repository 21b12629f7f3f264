/** What to do if the code of a run cannot use its hyperparameters: as arguments, or as JSON. */

import { holdsHarness } from "../contract/images.ts";
import { ownFrames } from "../contract/tracebacks.ts";
import { closest, inOneLine, listed, shellWord } from "../text.ts";
import type { FailedCode } from "./failed_code.ts";

/** argparse, click, and the parser of Hugging Face's transformers. */
const UNKNOWN =
  /unrecognized arguments: (\S{1,200})|No such option:? '?(-[\w-]{1,200})|not used by the HfArgumentParser: \['([^']{1,200})'/;
const REQUIRED =
  /the following arguments are required: (-[\w-]{1,200})|Missing option '?(-[\w-]{1,200})/;
/** argparse names an option with all its forms: `-e/--epochs`. */
const INVALID =
  /argument (?:-\w\/)?-{0,2}([\w-]{1,200}).{0,200}: invalid (\w{1,100}) value: '(.{0,300})'/;

/** Returns what to do if the code does not accept its arguments: in a training, the hyperparameters. */
export function argumentHint(code: FailedCode): string | undefined {
  const { words, kind, output, launcher, importer: { image }, hyperparameters } = code;
  const [unknown] = groupsOf(UNKNOWN, words);
  const defined = optionsIn(output);
  if (kind === "process" || launcher === "command") {
    return unknown && defined.length > 0
      ? `Correct the arguments after --: the script accepts ${listed(defined)}`
      : undefined;
  }
  if (launcher !== "script" && launcher !== "toolkit") {
    return unknown === "train" && holdsHarness(image)
      ? "Replace argparse with the third parameter of train(input_data_path, model_save_path, " +
        "hyperparameters): training.py receives no arguments"
      : undefined;
  }
  if (unknown !== undefined) return unknownHint(unknown, defined, hyperparameters);
  const [required] = groupsOf(REQUIRED, words).map(nameOf);
  if (required) return `Set the required value: --hyperparameter ${required}=VALUE`;
  const [name = "", type, value = ""] = groupsOf(INVALID, words);
  if (type === undefined || !Object.hasOwn(hyperparameters, name)) return undefined;
  if (/^[[{]/.test(value)) {
    return `Use type=ast.literal_eval for --${name}: a list arrives as text in Python syntax`;
  }
  const example = type === "int" || type === "float" ? `, such as --hyperparameter ${name}=1` : "";
  return `Set the hyperparameter ${name} to a value that ${type} accepts${example}`;
}

/** Returns what to do about an argument that the script does not define. */
function unknownHint(
  unknown: string,
  defined: readonly string[],
  hyperparameters: FailedCode["hyperparameters"],
): string | undefined {
  const name = nameOf(unknown);
  if (name === unknown) {
    if (unknown !== "True" && unknown !== "False") return undefined;
    const flags = Object.keys(hyperparameters).filter((one) =>
      hyperparameters[one]!.toLowerCase() === unknown.toLowerCase()
    );
    const flag = flags.length === 1 ? flags[0] : "NAME";
    return 'Replace action="store_true" with type=lambda text: text == "True": each hyperparameter ' +
      `has a value, such as --${flag} ${unknown}`;
  }
  const shown = defined.length === 0 ? "" : ` (the script accepts ${listed(defined)})`;
  const free = defined.map(nameOf).filter((one) => !Object.hasOwn(hyperparameters, one));
  const meant = closest(name, free);
  return meant === undefined
    ? `Remove the hyperparameter ${name}, or add ${unknown} to the script${shown}`
    : `Rename the hyperparameter${shown}: --hyperparameter ` +
      shellWord(`${meant}=${hyperparameters[name] ?? "VALUE"}`);
}

function groupsOf(pattern: RegExp, text: string): readonly string[] {
  return pattern.exec(text)?.slice(1).filter((group) => group !== undefined) ?? [];
}

function nameOf(option: string): string {
  return option.replace(/^-+/, "");
}

/** Returns the options in the last usage that argparse printed. */
function optionsIn(output: string): readonly string[] {
  const start = output.lastIndexOf("usage: ");
  const [usage = ""] = start < 0 ? [] : output.slice(start).split(/\n.{1,200}: error: /, 1);
  const options = usage.match(/(?<![\w-])--?[A-Za-z][\w-]{0,200}/g) ?? [];
  return [...new Set(options)].filter((option) => option !== "-h" && option !== "--help");
}

/** Returns what to do if the code reads hyperparameters as JSON that are plain text. */
export function jsonHint(code: FailedCode): string | undefined {
  const { kind, words, raised, hyperparameters } = code;
  const isJsons = kind === "train" && /\bJSONDecodeError: .{1,100}: line 1 column/.test(words);
  if (!raised || !isJsons) return undefined;
  const reads = ownFrames(raised).some(({ text }) =>
    text.includes("loads(") && /hyper|hps?\b|param|SM_HP/i.test(text)
  );
  const name = reads && Object.keys(hyperparameters).find((one) => !isJson(hyperparameters[one]!));
  if (!name) return undefined;
  const pair = inOneLine(`${name}=${JSON.stringify(hyperparameters[name])}`);
  return `Pass ${inOneLine(name)} as JSON, as the SageMaker SDK does: --hyperparameter ` +
    shellWord(pair);
}

function isJson(text: string): boolean {
  try {
    // Python reads more than JSON.
    return /^(?:NaN|-?Infinity)$/.test(text) || JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
