/** Merges the files that the hosts of a run wrote, as SageMaker puts them into one archive. */

import type { Paths } from "../../app/paths.ts";
import { PATHS } from "../../contract/jobs.ts";
import { type Message, type Messages, warning } from "../../messages.ts";
import { counted } from "../../quantities.ts";
import { inOneLine, listed } from "../../text.ts";
import { fileErrorReason, isSystemError, MlcliError } from "../../errors.ts";
import { type HostFolder, mergeHosts, type Written } from "./merge.ts";
import { removeUnchanged, type Restored, wereRead } from "./restored.ts";
import { type HostPlace, writtenBy } from "./places.ts";

/** A path that several hosts wrote. */
function foldersOf(places: readonly HostPlace[], name: string): readonly HostFolder[] {
  return places.map((place) => ({ host: place.host, path: writtenBy(place, name) }));
}

/** The places in the order in which they are merged: that of the host whose word counts is the last. */
function inOrder(
  places: readonly HostPlace[],
  first: string | undefined,
): readonly HostPlace[] {
  return places.toSorted((one, other) => Number(one.host === first) - Number(other.host === first));
}

/**
 * Merges the files that the hosts of a training run wrote.
 *
 * @param model directory of this machine that becomes the run's model.
 * @param first the host whose failure, if any, is the job's; `undefined`: no host ended.
 * @param restored the hosts' copies of the checkpoints, if any.
 * @returns warnings about paths that several hosts wrote.
 */
export async function mergeTraining(
  layout: Paths,
  model: string,
  places: readonly HostPlace[],
  first: string | undefined,
  restored: readonly Restored[],
  messages: Pick<Messages, "note">,
): Promise<readonly (Message | undefined)[]> {
  const read = first === undefined ? undefined : await wereRead(restored);
  if (read) messages.note("The code resumed: it read the checkpoints of an earlier run");
  else if (read === false) {
    messages.note("The code started from scratch: it read no checkpoints of an earlier run");
  }
  await removeUnchanged(layout.checkpoints, restored);
  const differences: Message[] = [];
  const merged = async (target: string, from: readonly HostFolder[]) =>
    await mergeHosts(target, from).catch((error) => {
      // The file stays in the run's directory, and the others are merged.
      differences.push(inWords(error));
      return [];
    });
  const checkpoints = restored.length > 0
    ? await merged(layout.checkpoints, foldersOf(places, "checkpoints"))
    : [];
  const models = await merged(model, foldersOf(places, "model"));
  const outputs = await merged(layout.output, foldersOf(inOrder(places, first), "output"));
  return [
    ...differences,
    areOfEach(models, places.length) ? trainedEach(places.length) : clashOf(PATHS.model, models),
    // The rest stays in the container on SageMaker.
    clashOf(PATHS.output, outputs.filter(({ path }) => path.startsWith("data/"))),
    clashOf(PATHS.checkpoints, checkpoints),
  ];
}

/**
 * Merges the files that the hosts of a processing run wrote.
 *
 * @param results directory for the outputs of all hosts.
 * @param reasonFile file in them in which each host can write why it failed; `undefined`: it is elsewhere.
 * @returns as `mergeTraining`.
 */
export async function mergeProcessing(
  places: readonly HostPlace[],
  first: string | undefined,
  results: readonly { readonly name: string; readonly source: string; readonly path: string }[],
  reasonFile: string | undefined,
): Promise<readonly (Message | undefined)[]> {
  return await Promise.all(
    results.map(({ name, source, path }) =>
      mergeHosts(source, foldersOf(inOrder(places, first), name)).then(
        (written) => clashOf(path, written.filter((one) => one.path !== reasonFile)),
        inWords,
      )
    ),
  );
}

/** @throws errors that are not failures of the merge. */
function inWords(error: unknown): Message {
  if (error instanceof MlcliError) return warning(error.message, error.hint);
  if (!isSystemError(error)) throw error;
  const message = `Cannot merge the files of the hosts: ${fileErrorReason(error)}`;
  return warning(message, "Copy the remaining files from the run's directory");
}

/** Whether each host wrote files of the same names: each host ran code without a launcher. */
export function areOfEach(written: readonly Written[], hosts: number): boolean {
  const files = written.filter(({ isDirectory }) => !isDirectory);
  return files.length > 0 && files.every((file) => file.hosts.length === hosts);
}

/** The sign of code that knows nothing of the others, and that nothing has told. */
function trainedEach(count: number): Message {
  return warning(
    `Every host wrote files of the same names to ${PATHS.model}, so ${count} separate models were ` +
      "trained instead of one",
    "To train one PyTorch model on all hosts, use --distribution torchrun. If your code connects " +
      "the hosts itself, write the model on one host only.",
  );
}

/** Names that hosts wrote with different contents. */
function clashOf(path: string, written: readonly Written[]): Message | undefined {
  const clashes = written.filter(({ isClash }) => isClash);
  const [clash] = clashes;
  if (clash === undefined) return undefined;
  const more = clashes.length > 1 ? ` and ${counted(clashes.length - 1, "more file")}` : "";
  return warning(
    `${listed(clash.hosts)} wrote different versions of ${path}/${inOneLine(clash.path)}${more}; ` +
      `mlcli keeps the files of ${clash.hosts.at(-1)}`,
    "Write the file on one host only, or add the host's name to the file name: SageMaker does not " +
      "specify which version it keeps",
  );
}
