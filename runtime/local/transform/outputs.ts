/** The results of a transform: a file `NAME.out` for each file of the data, whole or not at all. */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { requireInside } from "../../app/confinement.ts";
import type { Paths } from "../../app/paths.ts";
import { isOutside, typedPath } from "../../app/typed_path.ts";
import { MlcliError } from "../../errors.ts";
import { lstatIfThere, makeDirectory, moveTree, realPathOf } from "../../files.ts";
import { type Message, warning } from "../../messages.ts";
import { inOneLine } from "../../text.ts";
import type { Inputs } from "./inputs.ts";

/** Destination of results. */
export interface OutputPlace {
  /** Absolute, without links. */
  readonly path: string;
  /** As the user would type it. */
  readonly shown: string;
}

/**
 * Creates the directory of the results.
 *
 * @param named absolute; `undefined`: `output/transform/` of the layout.
 * @throws MlcliError if a link of the repository leads there, or if it cannot be created.
 */
export async function outputPlace(layout: Paths, named: string | undefined): Promise<OutputPlace> {
  const path = named ?? join(layout.output, "transform");
  if (named === undefined) await requireInside(layout, [layout.output, path]);
  const shown = typedPath(layout, path);
  await makeDirectory(path, shown);
  return { path: await realPathOf(path), shown };
}

/**
 * Returns a warning if the results are among the data, where the next run would read them as data.
 *
 * @throws MlcliError if a result would replace data, or cannot be written to its path.
 */
export async function placeDifferences(
  input: string,
  { files }: Inputs,
  { path, shown }: OutputPlace,
): Promise<readonly Message[]> {
  const real = await realPathOf(input);
  // None of the paths is a link.
  const data = new Set(files.map((file) => join(real, relative(input, file.path))));
  for (const { name } of files) {
    const output = join(path, `${name}.out`);
    const isDirectory = (await lstatIfThere(output))?.isDirectory;
    if (!isDirectory && !data.has(output)) continue;
    const what = isDirectory ? "is a directory" : "is an input file";
    throw new MlcliError(`Cannot write the result of ${inOneLine(name)}: ${name}.out ${what}`, {
      hint: "Choose another directory for the results: --output-dir DIR",
    });
  }
  if (isOutside(relative(real, path))) return [];
  return [warning(
    `The results in ${shown} are among the input files`,
    "Choose another directory (--output-dir DIR): the next run would read them as input",
  )];
}

/** Moves a complete result to its path, and replaces the previous one. */
export async function keep(part: string, output: string, place: OutputPlace): Promise<void> {
  const directory = dirname(output);
  // A link could lead anywhere, and making directories would follow it.
  if (await realPathOf(directory) !== directory) {
    const shown = relative(place.path, directory);
    throw new MlcliError(`A link points outside the results directory: ${shown}`, {
      hint: "Remove the link, or choose another directory: --output-dir DIR",
    });
  }
  await makeDirectory(directory, directory);
  // On another file system, a copy comes first; what has a name that somebody could use stays.
  await moveTree(part, output, { part: join(directory, `.mlcli-${crypto.randomUUID()}`) });
}
