/** Which Dockerfile a build uses: the app's, or another that the user names. */

import { SEPARATOR } from "@std/path/constants";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { type App, basePath } from "../app/app.ts";
import { requireInside } from "../app/confinement.ts";
import { type BaseImage, frontendImage } from "../app/dockerfile/stages.ts";
import { type Instruction, instructionsOf } from "../app/dockerfile/instructions.ts";
import { OUTSIDE_DOCKERFILE } from "../app/image.ts";
import { requireNoKey } from "../app/private_files.ts";
import { layoutOf } from "../app/layout.ts";
import { requireNamed } from "../app/named_path.ts";
import { absolutePath, isOutside, typedPath } from "../app/typed_path.ts";
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
 * @param typed as the user named it, relative to the current directory; undefined: the app's own.
 * @throws MlcliError
 */
export async function chosenDockerfile(app: App, typed?: string): Promise<ChosenDockerfile> {
  const chosen = typed === undefined ? await ownDockerfile(app) : await namedDockerfile(app, typed);
  await requireNoKey(app.directory, relative(app.directory, chosen.source));
  return chosen;
}

async function ownDockerfile(app: App): Promise<ChosenDockerfile> {
  const source = layoutOf(app).dockerfile;
  const path = `${basePath(app.name)}/Dockerfile`;
  // From the top down: the message names the first that is wrong.
  await requireInside(app, [join(app.directory, app.name), app.base, source]);
  if (!await isFile(source)) {
    throw new MlcliError(`Dockerfile not found: ${path}`, {
      hint: `mlcli init ${app.name} adds what is missing.`,
    });
  }
  return { source, path, shown: typedPath(app.directory, source) };
}

async function namedDockerfile(app: App, typed: string): Promise<ChosenDockerfile> {
  await requireNamed(app.directory, typed, "--dockerfile ");
  const source = absolutePath(app.directory, typed);
  if (!await isFile(source)) {
    throw new MlcliError(`Dockerfile not found: ${typed}`, {
      hint: "--dockerfile takes a file, relative to the current directory.",
    });
  }
  const real = await Deno.realPath(source);
  const inner = relative(app.directory, source);
  // Below a link, the context has something else at its path, or nothing.
  return !isOutside(inner) && real === join(await Deno.realPath(app.directory), inner)
    ? { source, path: inner.replaceAll(SEPARATOR, "/"), shown: typed }
    : { source: real, path: OUTSIDE_DOCKERFILE, shown: typed };
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
