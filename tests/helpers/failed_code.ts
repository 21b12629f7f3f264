/** A run whose code failed, for tests of its explanations. */

import { join } from "@std/path";
import { raisedAs } from "../../runtime/contract/tracebacks.ts";
import type { FailedCode } from "../../runtime/local/failed_code.ts";
import { appObject } from "./app_object.ts";
import { FOREIGN_IMAGE, HARNESS_IMAGE } from "./fake_containers.ts";

/** Where the app of the tests lies; it need not exist. */
export const DIRECTORY = "/apps";

export interface Failure extends Partial<Omit<FailedCode, "importer" | "inputs">> {
  /** Default: `/apps`. */
  readonly directory?: string;
  /** The files of each input, by its name. */
  readonly data?: Readonly<Record<string, readonly string[]>>;
  /** Whether the code is sent, from `src` in the directory. */
  readonly isSent?: boolean;
  /** Whether the image holds mlcli's harness (default). */
  readonly isHarness?: boolean;
}

/** Returns the code of a run that ended with an error, by default `train` of `training.py`. */
export function failedCode(failure: Failure): FailedCode {
  const { directory = DIRECTORY, data = {}, isSent = false, isHarness = true, ...given } = failure;
  const { words = "", kind = "train", output = "" } = given;
  const app = appObject(directory, "flats");
  const folder = app.paths.inputData;
  const path = kind === "train" ? "/opt/ml/input/data" : "/opt/ml/processing/input";
  return {
    kind,
    words,
    host: undefined,
    raised: raisedAs(words, output),
    output,
    user: undefined,
    interactive: false,
    launcher: isSent ? "script" : "image",
    asked: { network: undefined, strict: false, copyInputs: false },
    hyperparameters: {},
    remedyOfOtherCode: undefined,
    ...given,
    inputs: Object.entries(data).map(([name, files]) => ({
      name,
      files,
      source: join(folder, name),
      path: kind === "process" && name === "input" ? path : `${path}/${name}`,
      boundary: directory,
      links: [],
      junk: [],
      isWhole: true,
    })),
    importer: {
      app,
      code: kind === "train" ? "training" : "processing",
      image: { Config: isHarness ? HARNESS_IMAGE : FOREIGN_IMAGE } as never,
      source: isSent
        ? { path: join(directory, "src"), shown: "src", boundary: directory }
        : undefined,
    },
  };
}

/** A traceback with a line of the user's code, and frames of packages below it. */
export function traceback(line: string, words: string, file = "/opt/ml/code/training.py"): string {
  return `Traceback (most recent call last):\n  File "${file}", line 7, in train\n    ${line}\n` +
    `  File "/usr/lib/python3/dist-packages/pandas/io.py", line 1, in g\n    h()\n${words}\n`;
}
