/** The results of a transform: a file `NAME.out` for each file of the data, whole or not at all. */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { requireInside } from "../../app/confinement.ts";
import type { Layout } from "../../app/layout.ts";
import { requireNamed } from "../../app/named_path.ts";
import { isOutside, typedPath } from "../../app/typed_path.ts";
import type { Difference } from "../../contract/differences.ts";
import { MlcliError } from "../../errors.ts";
import { isFile, makeDirectory, moveTree, realPathOf } from "../../files.ts";
import { writeAll } from "../../streams.ts";

/** Where results go. */
export interface OutputPlace {
  /** Absolute, without links. */
  readonly path: string;
  /** As the user would type it. */
  readonly shown: string;
}

/**
 * Makes the directory of the results.
 *
 * @param named absolute; `undefined`: `output/transform/` of the layout.
 * @throws MlcliError where a link of the repository leads there, or it cannot be made.
 */
export async function outputPlace(layout: Layout, named: string | undefined): Promise<OutputPlace> {
  const path = named ?? join(layout.output, "transform");
  if (named === undefined) await requireInside(layout, [layout.output, path]);
  else await requireNamed(layout.directory, named, "--output-dir ");
  const shown = typedPath(layout.directory, path);
  await makeDirectory(path, shown);
  return { path: await realPathOf(path), shown };
}

/** Where results lie among the data, the next transform would take them for data. */
export async function placeDifferences(
  input: string,
  { path, shown }: OutputPlace,
): Promise<readonly Difference[]> {
  if (isOutside(relative(await realPathOf(input), path))) return [];
  return [{
    message: `The results lie among the data: ${shown}`,
    hint: "The next transform would take them for data. Name another directory: --output-dir.",
  }];
}

/** A result that is being written: in the directory of the run, which goes with it. */
export class OutputFile {
  #file: Deno.FsFile | undefined;

  /**
   * @param name of the file of the data.
   * @param part where it is until it is whole.
   */
  constructor(
    private readonly place: OutputPlace,
    private readonly name: string,
    private readonly part: string,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    await writeAll(await this.#open(), bytes);
  }

  /** Forgets what was written. */
  async restart(): Promise<void> {
    const file = await this.#open();
    await file.truncate(0);
    await file.seek(0, Deno.SeekMode.Start);
  }

  /** Puts it into its place; what was there goes. */
  async keep(): Promise<void> {
    await this.#open();
    this.close();
    const directory = dirname(this.#path);
    await makeDirectory(directory, directory);
    // A link in a repository could lead anywhere.
    if (await realPathOf(directory) !== directory) {
      const shown = relative(this.place.path, directory);
      throw new MlcliError(`A link leads out of the results: ${shown}`, {
        hint: "Remove it, or name another directory: --output-dir.",
      });
    }
    await moveTree(this.part, this.#path);
  }

  /** Whether a result of an earlier transform is there. */
  async isThere(): Promise<boolean> {
    return await isFile(this.#path);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  get #path(): string {
    return join(this.place.path, `${this.name}.out`);
  }

  async #open(): Promise<Deno.FsFile> {
    return this.#file ??= await Deno.open(this.part, { write: true, createNew: true });
  }
}
