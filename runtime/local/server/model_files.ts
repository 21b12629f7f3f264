import { nodesIn } from "../../app/links.ts";
import { PATHS } from "../../contract/jobs.ts";
import { listed } from "../../text.ts";

/** Words of libraries for a missing file: Python, Keras, transformers, LightGBM, ONNX, CatBoost. */
const NOT_FOUND =
  /no such file|not found|does not exist|doesn't exist|no file named|could not open|NO_SUCHFILE/i;

const MODEL_PATH = /\/opt\/ml\/model\b(?:\/([\w.@+=/-]{0,500}\w))?/;

/** How many entries of a model are looked at. */
const MOST = 1_000;

/**
 * Returns what a server could load instead of a file that its model does not have; `undefined` for other
 * errors.
 *
 * @param errors lines of its log.
 * @param folder of the model on this machine.
 */
export function missingModelFileHint(
  errors: readonly string[],
  folder: string | undefined,
): string | undefined {
  const error = errors.find((line) => NOT_FOUND.test(line) && MODEL_PATH.test(line));
  if (error === undefined || folder === undefined) return undefined;
  const skips = (name: string): boolean => name.startsWith(".");
  const files = nodesIn(folder, folder, { skips }).take(MOST).filter(({ kind }) => kind === "file")
    .map(({ path }) => path).toArray().sort();
  if (files.length === 0) return `Train a model (mlcli local train): ${PATHS.model} is empty`;
  const [, missing] = MODEL_PATH.exec(error)!;
  // The file exists: it lacks a part.
  if (missing !== undefined && files.includes(missing)) return undefined;
  const other = files.length === 1 ? "" : "one of ";
  const save = missing === undefined ? "" : `, or save ${missing} in training`;
  return `Load ${other}${listed(files)} from ${PATHS.model}${save}`;
}
