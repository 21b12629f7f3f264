import { fileErrorHint, fileErrorReason, MlcliError } from "../errors.ts";
import { LARGEST_TEXT, readTextFile } from "../files.ts";
import type { Layout } from "./layout.ts";
import { typedPath } from "./typed_path.ts";

/**
 * The text of `hyperparameters.json`, and its path for messages; `undefined` where there is none.
 *
 * @throws MlcliError where it cannot be read.
 */
export async function readHyperparametersFile(
  { directory, hyperparameters }: Layout,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const path = typedPath(directory, hyperparameters);
  try {
    return { path, text: await readTextFile(hyperparameters, LARGEST_TEXT) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new MlcliError(`${path} cannot be read: ${fileErrorReason(error)}`, {
      hint: fileErrorHint(error) ?? 'It holds a JSON object, such as {"epochs": 20}.',
      cause: error,
    });
  }
}
