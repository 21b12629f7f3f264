/** Which Dockerfile a build uses: the app's, or another that the user, or the app's file, names. */

import type { Setting } from "../setting.ts";
import { SEPARATOR } from "@std/path/constants";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { type App, settingOf } from "../app/app.ts";
import { basePath } from "../app/paths.ts";
import { requireInside } from "../app/confinement.ts";
import { type BaseImage, frontendImage } from "../app/dockerfile/stages.ts";
import { type Instruction, instructionsOf } from "../app/dockerfile/instructions.ts";
import { OUTSIDE_DOCKERFILE } from "../app/image.ts";
import { requireNoKey } from "../app/private_files.ts";
import { type NamedDirectory, placeNamed } from "../app/named_path.ts";
import { initCommand, isOutside, typedPath } from "../app/typed_path.ts";
import { fileErrorReason, MlcliError } from "../errors.ts";
import { isFile, LARGEST_TEXT, readTextFile } from "../files.ts";

export interface ChosenDockerfile {
  /** Absolute path. */
  readonly source: string;
  /** Its path in the build context. */
  readonly path: string;
  /** As the user would type it. */
  readonly shown: string;
  /** Sent instead of the file's own text, where the builder would not understand that. */
  readonly text?: string;
}

/**
 * The Dockerfile of a build. It must exist, lie in the repository with links followed, and be no
 * private key.
 *
 * @param typed default: what the configuration file sets; otherwise that of the context or of the app.
 * @param context of the user's own; undefined: the app's directory.
 * @throws MlcliError
 */
export async function chosenDockerfile(
  app: App,
  typed?: Setting<string>,
  context?: NamedDirectory,
): Promise<ChosenDockerfile> {
  const named = typed ?? settingOf(app, "dockerfile");
  const root = context?.path ?? app.directory;
  const chosen = named !== undefined
    ? await namedDockerfile(app, named, root)
    : context === undefined
    ? await ownDockerfile(app)
    : await dockerfileIn(context);
  await requireNoKey(app.directory, relative(app.directory, chosen.source));
  return chosen;
}

async function dockerfileIn({ path: directory, shown, boundary }: NamedDirectory) {
  const source = join(directory, "Dockerfile");
  await requireInside({ directory, boundary }, [source]);
  const file = shown === "." ? "Dockerfile" : join(shown, "Dockerfile");
  if (await isFile(source)) return { source, path: "Dockerfile", shown: file };
  throw new MlcliError(`Dockerfile not found: ${shown === "." ? `./${file}` : file}`, {
    hint: "Choose another file with --dockerfile, or dockerfile in NAME.json",
  });
}

async function ownDockerfile(app: App): Promise<ChosenDockerfile> {
  const source = app.paths.dockerfile;
  const path = `${basePath(app.name)}/Dockerfile`;
  const shown = typedPath(app, source);
  // From the top down: the message names the first that is wrong.
  await requireInside(app, [join(app.directory, app.name), app.base, source]);
  if (!await isFile(source)) {
    throw new MlcliError(`Dockerfile not found: ${shown}`, {
      hint: `Add the missing files: ${initCommand(app, app.name)}`,
    });
  }
  return { source, path, shown };
}

async function namedDockerfile(
  app: App,
  named: Setting<string>,
  root: string,
): Promise<ChosenDockerfile> {
  const place = { named, option: "--dockerfile", key: "dockerfile" };
  const isTyped = named.from === "typed";
  const { path: source, shown: short } = await placeNamed(app, place);
  const shown = isTyped ? named.value : short;
  if (!await isFile(source)) {
    throw new MlcliError(`Dockerfile not found: ${shown}`, {
      hint: isTyped
        ? "Use a path relative to the current directory"
        : `Set "dockerfile" in ${app.name}.json to a path relative to that file`,
    });
  }
  const real = await Deno.realPath(source);
  const inner = relative(root, source);
  // Below a link, the context has something else at its path, or nothing.
  return !isOutside(inner) && real === join(await Deno.realPath(root), inner)
    ? { source, path: inner.replaceAll(SEPARATOR, "/"), shown }
    : { source: real, path: OUTSIDE_DOCKERFILE, shown };
}

interface DockerfileContent {
  readonly instructions: readonly Instruction[];
  /** The image of the program that reads it instead of the builder's own (`# syntax=`). */
  readonly frontend: BaseImage | undefined;
  readonly text: string;
}

/** @throws MlcliError when it cannot be read. */
export async function readDockerfile(
  { source, shown, text: sent }: ChosenDockerfile,
): Promise<DockerfileContent> {
  try {
    const text = sent ?? await readTextFile(source, LARGEST_TEXT);
    return { instructions: instructionsOf(text), frontend: frontendImage(text), text };
  } catch (cause) {
    throw new MlcliError(`Cannot read ${shown}: ${fileErrorReason(cause)}`, { cause });
  }
}
