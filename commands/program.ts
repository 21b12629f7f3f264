/** The program that a job or a server runs, by the settings of the command. */

import { basename } from "@std/path/basename";
import { type App, APP_NAME } from "../runtime/app/app.ts";
import type { SectionName } from "../runtime/app/configuration.ts";
import { shellWord } from "../runtime/app/typed_path.ts";
import { MlcliError, type NoAppHere, UsageError } from "../runtime/errors.ts";
import type { Setting } from "../runtime/setting.ts";
import { type ProgramRequest, sourceAt } from "../runtime/source/program.ts";
import type { Values } from "./options/option.ts";
import type { programOptions } from "./options/program.ts";

type ProgramValues = Values<typeof programOptions>;

/** A processing job and a server have fewer options. */
export type ProgramChoice =
  & Pick<ProgramValues, "image" | "entryPoint" | "sourceDir">
  & Partial<ProgramValues>;

/**
 * Returns the program.
 *
 * @param args words after `--`.
 * @throws UsageError for options without effect; MlcliError for a directory that must not be sent.
 */
export async function programOf(
  app: App,
  { entryPoint, sourceDir, launcher, distribution, command = [] }: ProgramChoice,
  args: readonly string[] = [],
): Promise<ProgramRequest> {
  if (launcher?.value === "image" && entryPoint?.from === "typed") {
    throw new UsageError('Option "--entry-point" has no effect with the launcher "image"', {
      hint: `To run your file, use --launcher script. "image" runs the image's ENTRYPOINT.`,
    });
  }
  const unused = [sourceDir, launcher?.value === "image" ? undefined : launcher]
    .find((setting) => setting?.from === "typed");
  if (entryPoint === undefined && unused !== undefined) {
    throw new UsageError(`Option "${unused.where}" has no effect without an entry point`, {
      hint: "Choose the file to run: --entry-point FILE",
    });
  }
  // A file that was typed is in the current directory, unless another directory is set.
  const code = entryPoint === undefined || launcher?.value === "image" ? undefined : {
    entryPoint: entryPoint.value,
    source: await sourceAt(app, sourceDir ?? { ...entryPoint, value: "." }),
  };
  return { code, launcher: launcher?.value, distribution, command, arguments: args };
}

/** @throws UsageError for arguments of a training run that has no command. */
export function requireCommand(args: readonly string[], command: readonly string[]): void {
  if (args.length === 0 || command.length > 0) return;
  throw new UsageError('Arguments after "--" have no effect without "--command"', {
    hint: "Pass values to your code as hyperparameters: --hyperparameter epochs=20",
  });
}

/** Returns the error about a missing app with the command that creates one for the image that was typed. */
export function withInitCommand(
  error: NoAppHere,
  cwd: string,
  section: SectionName | undefined,
  { image, sourceDir, entryPoint, launcher }: Partial<ProgramChoice>,
): MlcliError {
  if (error.above !== undefined || image === undefined) return error;
  const name = basename(cwd);
  const option = (flag: string, setting: Setting<string> | undefined) =>
    setting === undefined ? [] : [flag, setting.value];
  const words = [
    ...["mlcli", "init", APP_NAME.test(name) ? name : "app", "--image", image.value],
    // `init` creates a program only for training.
    ...entryPoint === undefined || section !== "train"
      ? []
      : ["--source-dir", sourceDir?.value ?? ".", "--entry-point", entryPoint.value],
    ...option("--launcher", launcher),
  ];
  const hint = `Create an app: ${words.map((word) => shellWord(word)).join(" ")}`;
  return new MlcliError(error.message, { hint, cause: error });
}
