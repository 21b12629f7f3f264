/** What a job or a server runs, by the command line and the app's file. */

import { type App, withImage } from "../runtime/app/app.ts";
import type { CloudSectionName } from "../runtime/app/configuration.ts";
import { sectionOf } from "../runtime/app/sections.ts";
import type { Context } from "../runtime/context.ts";
import { MlcliError, UsageError } from "../runtime/errors.ts";
import { type ProgramRequest, sourceAt } from "../runtime/source/program.ts";
import type { Values } from "./options/option.ts";
import type { programOptions } from "./options/program.ts";
import { settingsIn } from "./options/settings.ts";
import { requireNoTag } from "./usage.ts";

type ProgramOptions = Values<typeof programOptions>;

/** What is typed. A processing job and a server have fewer options. */
export type TypedProgram =
  & Pick<ProgramOptions, "image" | "entryPoint" | "sourceDir">
  & Partial<ProgramOptions>
  & {
    readonly dockerTag: string;
    /** A script of an image of mlcli's: another program than the file's. */
    readonly file?: string | undefined;
  };

/** The objects of the file that may name a program. */
export type ProgramSectionName = Exclude<CloudSectionName, "transform">;

/** What runs, and in which image. */
export interface AppProgram {
  /** With the image that is meant. */
  readonly app: App;
  /** Whether the command line names that image. */
  readonly isImageTyped: boolean;
  readonly program: ProgramRequest;
}

/**
 * Reads what is typed, and below it an object and the top level of the file.
 *
 * @param name of the object.
 * @param args what follows `--`.
 * @throws UsageError for options that do not go together; MlcliError for keys that do not, or a
 * directory that must not be sent.
 */
export async function programOf(
  own: App,
  name: ProgramSectionName,
  typed: TypedProgram,
  args: readonly string[],
  { env }: Pick<Context, "env">,
): Promise<AppProgram> {
  const { programOptions, processProgramOptions, serverProgramOptions } = await import(
    "./options/program.ts"
  );
  const section = sectionOf(own, name);
  const known = {
    train: programOptions,
    process: processProgramOptions,
    deploy: serverProgramOptions,
  }[name];
  const file: Partial<ProgramOptions> = settingsIn(section, known);
  const { configuration } = own;
  const app = withImage(own, typed.image ?? file.image);
  requireNoTag(app, typed, env);
  const { command: typedCommand = [], entryPoint: typedEntryPoint } = typed;
  const [typedOne, typedOther] = givenOf({
    "--file": typed.file,
    "--command": typedCommand[0],
    "--entry-point": typedEntryPoint,
  });
  if (typedOther !== undefined) {
    throw new UsageError(`Options "${typedOne}" and "${typedOther}" cannot be used together`, ONE);
  }
  const fileCommand = file.command ?? [];
  const [key, otherKey] = givenOf({
    file: name === "process" ? section.values["file"] : undefined,
    command: fileCommand[0],
    entry_point: file.entryPoint,
  });
  if (otherKey !== undefined) {
    throw new MlcliError(`${section.where(key!)} cannot be used together with "${otherKey}"`, ONE);
  }
  // What the file says is about the image that the file names.
  const ofFile = typed.image === undefined || typed.image === (file.image ?? configuration.image);
  const isTyped = typedOne !== undefined;
  const command = isTyped || !ofFile ? typedCommand : fileCommand;
  if (name === "train" && args.length > 0 && command.length === 0) {
    throw new UsageError('Arguments after "--" have no effect without "--command"', {
      hint: "Pass values to your code as hyperparameters: --hyperparameter epochs=20",
    });
  }
  const entryPoint = isTyped || command.length > 0 ? typedEntryPoint : file.entryPoint;
  const launcher = name === "train"
    ? typed.launcher ?? (ofFile ? file.launcher ?? configuration.launcher : undefined)
    : undefined;
  // A command that is typed is another program than the file's.
  const distribution = name !== "train" ? undefined : typed.distribution ??
    (typedCommand.length > 0 ? undefined : file.distribution ?? configuration.distribution);
  if (launcher === "image" && typedEntryPoint !== undefined) {
    throw new UsageError('Option "--entry-point" has no effect with the launcher "image"', {
      hint: `To run your file, use --launcher script. "image" runs the image's ENTRYPOINT.`,
    });
  }
  requireUsed(typed, entryPoint !== undefined);
  const ownDirectory = file.sourceDir ?? configuration.sourceDir;
  const directory = typed.sourceDir ?? ownDirectory ?? ".";
  // A file that is typed is in the current directory, unless another one is named.
  const isTypedDirectory = typed.sourceDir !== undefined ||
    ownDirectory === undefined && typedEntryPoint !== undefined;
  const code = entryPoint === undefined || launcher === "image" ? undefined : {
    entryPoint,
    source: await sourceAt(own, directory, { isTyped: isTypedDirectory }),
  };
  return {
    app,
    isImageTyped: typed.image !== undefined,
    program: { code, launcher, distribution, command, arguments: args },
  };
}

/** The names that have a value. */
function givenOf(values: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(values).filter((name) => values[name] !== undefined);
}

const ONE = {
  hint: "Use only one: file (a script in processing/), command (a program in the image) or entry " +
    "point (a file of your code)",
};

/** @throws UsageError for what is typed and has no effect. */
function requireUsed(
  { sourceDir, launcher }: TypedProgram,
  hasEntryPoint: boolean,
): void {
  if (hasEntryPoint) return;
  const unused = sourceDir !== undefined
    ? "--source-dir"
    : launcher !== undefined && launcher !== "image"
    ? "--launcher"
    : undefined;
  if (unused === undefined) return;
  throw new UsageError(`Option "${unused}" has no effect without an entry point`, {
    hint: "Choose the file to run: --entry-point FILE",
  });
}
