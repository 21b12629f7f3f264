/** What a training runs, by the command line and the app's file. */

import { type App, withImage } from "../runtime/app/app.ts";
import { sectionOf } from "../runtime/app/sections.ts";
import type { Context } from "../runtime/context.ts";
import { MlcliError, UsageError } from "../runtime/errors.ts";
import { type ProgramRequest, sourceAt } from "../runtime/source/program.ts";
import type { Values } from "./options/option.ts";
import type { programOptions } from "./options/program.ts";
import { settingsIn } from "./options/settings.ts";
import { requireNoTag } from "./usage.ts";

type ProgramOptions = Values<typeof programOptions>;

/** What an app trains with. */
export interface AppProgram {
  /** With the image that is meant. */
  readonly app: App;
  /** Whether the command line names that image. */
  readonly isImageTyped: boolean;
  readonly program: ProgramRequest;
}

/**
 * Reads what is typed, and below it the object `train` and the top level of the file.
 *
 * @param args what follows `--`.
 * @throws UsageError for options that do not go together; MlcliError for keys that do not, or a
 * directory that must not be sent.
 */
export async function programOf(
  own: App,
  typed: ProgramOptions & { readonly dockerTag: string },
  args: readonly string[],
  { cwd, env }: Pick<Context, "cwd" | "env">,
): Promise<AppProgram> {
  const { programOptions } = await import("./options/program.ts");
  const section = sectionOf(own, "train");
  const file = settingsIn(section, programOptions);
  const { configuration } = own;
  const app = withImage(own, typed.image ?? file.image);
  requireNoTag(app, typed, env);
  const typedCommand = typed.command;
  if (typedCommand.length > 0 && typed.entryPoint !== undefined) {
    throw new UsageError('Options "--command" and "--entry-point" do not go together.', {
      hint: "--command runs a program of the image, --entry-point one of your code.",
    });
  }
  const fileCommand = file.command ?? [];
  if (fileCommand.length > 0 && file.entryPoint !== undefined) {
    throw new MlcliError(`${section.where("command")} does not go together with "entry_point"`, {
      hint: "The first runs a program of the image, the second one of your code: leave one out.",
    });
  }
  // What the file says is about the image that the file names.
  const ofFile = typed.image === undefined || typed.image === (file.image ?? configuration.image);
  const command = typedCommand.length > 0 || typed.entryPoint !== undefined || !ofFile
    ? typedCommand
    : fileCommand;
  if (args.length > 0 && command.length === 0) {
    throw new UsageError("What follows -- are the arguments of --command, which is not given.", {
      hint: "An entry point gets hyperparameters: --hyperparameter epochs=20",
    });
  }
  const entryPoint = command.length > 0 ? undefined : typed.entryPoint ?? file.entryPoint;
  const launcher = typed.launcher ??
    (ofFile ? file.launcher ?? configuration.launcher : undefined);
  if (launcher === "image" && typed.entryPoint !== undefined) {
    throw new UsageError('Option "--entry-point" has no effect with the launcher image.', {
      hint: "That runs the image's own program. --launcher script runs a file of yours.",
    });
  }
  requireUsed(typed, entryPoint !== undefined);
  const directory = typed.sourceDir ?? file.sourceDir ?? configuration.sourceDir ?? ".";
  const code = entryPoint === undefined || launcher === "image" ? undefined : {
    entryPoint,
    source: await sourceAt(own, directory, { cwd, isTyped: typed.sourceDir !== undefined }),
  };
  return {
    app,
    isImageTyped: typed.image !== undefined,
    program: { code, launcher, command, arguments: args },
  };
}

/** @throws UsageError for what is typed and has no effect. */
function requireUsed(
  { sourceDir, launcher }: Pick<ProgramOptions, "sourceDir" | "launcher">,
  hasEntryPoint: boolean,
): void {
  if (hasEntryPoint) return;
  const unused = sourceDir !== undefined
    ? "--source-dir"
    : launcher !== undefined && launcher !== "image"
    ? "--launcher"
    : undefined;
  if (unused === undefined) return;
  throw new UsageError(`Option "${unused}" has no effect without an entry point.`, {
    hint: "--entry-point names the file of your code that is to run.",
  });
}
