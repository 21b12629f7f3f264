/** What a processing job reads here, and how it is mounted. */

import { join } from "@std/path/join";
import type { Paths } from "../app/paths.ts";
import { typedPath } from "../app/typed_path.ts";
import { PATHS } from "../contract/jobs.ts";
import { CODE_INPUT, type PlacedData, plainData } from "../contract/processing_data.ts";
import type { Mount } from "../docker/engine.ts";
import { MlcliError } from "../errors.ts";
import { copyTree, lstatIfThere, makeDirectory } from "../files.ts";
import { requireDirectory } from "./channels.ts";
import { readOnly, writable } from "./container/body.ts";
import type { Linked } from "./runs/linked.ts";
import { entriesOf, makePlaces, MOST_OTHERS, mountable } from "./runs/working_copy.ts";

/** @throws UsageError when a path that the user named is not a directory. */
export async function inputsOf(
  layout: Paths,
  named: readonly PlacedData<string>[],
): Promise<readonly PlacedData<string>[]> {
  for (const { name, path, place } of named) {
    await requireDirectory(layout, place, path === PATHS.processingInput ? undefined : name);
  }
  if (named.length > 0) return named;
  await makeDirectory(layout.processingData);
  return [{ ...plainData("input"), place: layout.processingData }];
}

export interface MountedInputs {
  readonly mounts: readonly Mount[];
  /** The directory of the run that the container finds as that of the code. */
  readonly codeFolder: string;
}

/**
 * Makes the directory of a run in which its own inputs lie.
 *
 * @param copies whether the data is copied, and not mounted read-only.
 * @param hasCode whether there is that of an entry point, too.
 * @throws MlcliError where code and data do not go together.
 */
export async function makeInputs(
  layout: Paths,
  folder: string,
  inputs: readonly (PlacedData<string> & Pick<Linked, "mounts">)[],
  { copies, hasCode }: { readonly copies: boolean; readonly hasCode: boolean },
): Promise<MountedInputs> {
  await makeDirectory(folder);
  const mounts: Mount[] = [];
  const around = inputs.find(({ path }) => hasCode && path === PATHS.processingInput);
  for (const input of inputs) {
    const { name, path, place } = input;
    const inner = input.mounts.map((one) => readOnly(one.source, `${path}/${one.path}`));
    const own = join(folder, name);
    if (input === around) await requireRoomForCode(layout, place, copies);
    if (copies) await copyTree(place, own);
    if (!copies && input !== around) mounts.push(readOnly(place, path), ...inner);
    else mounts.push(writable(own, path));
    if (copies || input !== around) continue;
    // In a directory that is mounted read-only, the engine can make no mount point for the code.
    await makeDirectory(own);
    const places = mountable(entriesOf(place), layout);
    await makePlaces(own, places);
    mounts.push(...places.map((one) => readOnly(one.source, `${path}/${one.path}`)));
  }
  const codeFolder = join(folder, around?.name ?? "", CODE_INPUT.name);
  if (hasCode && !around) mounts.push(writable(codeFolder, CODE_INPUT.path));
  return { mounts, codeFolder };
}

async function requireRoomForCode(
  layout: Paths,
  data: string,
  copies: boolean,
): Promise<void> {
  const isTaken = await lstatIfThere(join(data, CODE_INPUT.name)) !== undefined;
  if (!isTaken && (copies || entriesOf(data).length <= MOST_OTHERS)) return;
  throw new MlcliError(
    isTaken
      ? `${typedPath(layout, join(data, CODE_INPUT.name))} conflicts with the code, which is ` +
        `mounted at ${CODE_INPUT.path}`
      : `${typedPath(layout, data)} contains more than ${MOST_OTHERS} files and directories, too ` +
        "many to mount next to the code",
    {
      hint: `Mount the data at ${PATHS.processingInput}/NAME with --input NAME=DIR` +
        (isTaken ? "" : ", or copy it with --copy-inputs"),
    },
  );
}
