/**
 * The app that `mlcli init` writes: a working example with the standard library only.
 *
 * @module
 */

/** A file of the template. */
export interface TemplateFile {
  /** Relative to the template, with slashes; below `mlcli_base/` of a new app it is the same. */
  readonly path: string;
  /** Whether it belongs to the example's code: with other code or data it is useless, or wrong. */
  readonly example: boolean;
}

/** The code that the rest of the example goes with. */
export const EXAMPLE_CODE = "training/training.py";

/** What goes into `NAME/mlcli_base/`. */
export const TEMPLATE_FILES: readonly TemplateFile[] = [
  { path: "Dockerfile", example: false },
  { path: EXAMPLE_CODE, example: false },
  { path: "prediction/serve", example: false },
  { path: "processing/processing.py", example: false },
  { path: "local_test/test_dir/input/config/hyperparameters.json", example: true },
  { path: "local_test/test_dir/input/data/training/apartments.csv", example: true },
  { path: "local_test/test_dir/input/data/processing/apartments_raw.csv", example: true },
];

/** Directories of the layout that a run fills, kept in version control by a `.gitkeep`. */
export const EMPTY_FOLDERS: readonly string[] = [
  "local_test/test_dir/model",
  "local_test/test_dir/output",
];

/** The `.dockerignore` beside `NAME.json`. No dot here, since tools would obey that file. */
export const IGNORE_TEMPLATE = "dockerignore";

/** The requirements file, wherever the configuration wants it. */
export const REQUIREMENTS_TEMPLATE = "requirements.txt";

/** Reads a file of the template, from the source tree or out of the compiled program. */
export async function readTemplate(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(`template/${path}`, import.meta.url));
}
