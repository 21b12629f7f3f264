/**
 * The app that `mlcli init` writes: a working example with the standard library only.
 *
 * @module
 */

/** A file of the template. */
export interface TemplateFile {
  /** Relative to the template, with slashes; below `mlcli_base/` of a new app it is the same. */
  readonly path: string;
  /**
   * The example's code that it belongs to, some of which has to be there as the template has it: with
   * other code or data it is useless, or wrong. Undefined: it goes with any code.
   */
  readonly goesWith?: readonly string[];
}

const TRAINING = "training/training.py";
const SERVING = "prediction/serve";

/** What goes into `NAME/mlcli_base/`. */
export const TEMPLATE_FILES: readonly TemplateFile[] = [
  { path: "Dockerfile" },
  { path: TRAINING },
  { path: SERVING },
  { path: "processing/processing.py" },
  { path: "common/linear_model.py", goesWith: [TRAINING, SERVING] },
  { path: "local_test/test_dir/input/config/hyperparameters.json", goesWith: [TRAINING] },
  { path: "local_test/test_dir/input/data/training/apartments.csv", goesWith: [TRAINING] },
  { path: "local_test/test_dir/input/data/processing/apartments_raw.csv", goesWith: [TRAINING] },
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
