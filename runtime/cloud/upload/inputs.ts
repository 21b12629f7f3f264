/**
 * What a command line names to be sent: files and directories.
 *
 * @module
 */

import { basename } from "@std/path/basename";
import { boundaryOf } from "../../app/confinement.ts";
import { requireNamed } from "../../app/named_path.ts";
import { absolutePath } from "../../app/typed_path.ts";
import { fileErrorHint, fileErrorReason, MlcliError } from "../../errors.ts";
import { inOneLine } from "../../text.ts";

/** A file or a directory that the user named. */
export interface NamedInput {
  /** Absolute. */
  readonly path: string;
  /** As the user typed it. */
  readonly shown: string;
  /** Of a file: its name, which its key ends with. Of a directory: undefined. */
  readonly name: string | undefined;
  /** Real path of what no link below a directory may lead out of. */
  readonly boundary: string;
}

/**
 * Looks at what was named. Links are followed, but for those of a repository that lead out of it.
 *
 * @param typed as on the command line.
 * @throws MlcliError where one is not there, or neither a file nor a directory.
 */
export async function namedInputs(
  cwd: string,
  typed: readonly string[],
): Promise<readonly NamedInput[]> {
  return await Promise.all(typed.map(async (shown) => {
    await requireNamed(cwd, shown, "--input-dir ");
    const path = absolutePath(cwd, shown);
    const info = await Deno.stat(path).catch((cause) => {
      throw isMissing(cause) ? notThere(shown, cause) : cannotRead(shown, cause);
    });
    if (info.isDirectory) {
      return { path, shown, name: undefined, boundary: await boundaryOf(path) };
    }
    if (!info.isFile) {
      throw new MlcliError(`Neither a file nor a directory: ${inOneLine(shown)}`, {
        hint: "Pipes and devices cannot be sent: write what comes from there to a file first.",
      });
    }
    return { path, shown, name: basename(path), boundary: "" };
  }));
}

/** The error for a file or a directory that cannot be read. */
export function cannotRead(shown: string, cause: unknown): MlcliError {
  return new MlcliError(`Cannot read ${inOneLine(shown)}: ${fileErrorReason(cause)}`, {
    hint: fileErrorHint(cause) ?? "Check that it is yours to read.",
    cause,
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

function notThere(shown: string, cause: unknown): MlcliError {
  return new MlcliError(`No such file or directory: ${inOneLine(shown)}`, {
    hint: "--input-dir takes the path of a file or a directory on this machine.",
    cause,
  });
}
