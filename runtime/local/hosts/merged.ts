/** What the hosts of a run wrote, in one place: as SageMaker puts it into one archive. */

import { join } from "@std/path/join";
import type { Layout } from "../../app/layout.ts";
import type { Difference } from "../../contract/differences.ts";
import { PATHS } from "../../contract/jobs.ts";
import { inOneLine, listed } from "../../text.ts";
import { type Clash, mergeHosts, sameModel } from "./merge.ts";
import { type Restored, wereRead } from "./restored.ts";
import { WRITTEN } from "../../model/runs.ts";
import type { HostPlace } from "./places.ts";

/** Where one of several hosts writes what is merged. */
export function writtenBy({ directory }: Pick<HostPlace, "directory">, name: string): string {
  return join(directory, WRITTEN, name);
}

/** The places in the order in which they are merged: that of the host whose word counts is the last. */
export function inOrder(
  places: readonly HostPlace[],
  first: string | undefined,
): readonly HostPlace[] {
  return [
    ...places.filter(({ host }) => host !== first),
    ...places.filter(({ host }) => host === first),
  ];
}

/**
 * Merges what the hosts of a training wrote.
 *
 * @param model directory of this machine that becomes the run's model.
 * @param first the host whose failure, if there is one, is the job's; `undefined`: none came to its end.
 * @param restored the hosts' copies of the checkpoints, where there are any.
 * @returns what is not as it should be: names that several hosts wrote.
 */
export async function mergeTraining(
  layout: Layout,
  model: string,
  places: readonly HostPlace[],
  first: string | undefined,
  restored: readonly Restored[],
  note: (text: string) => void,
): Promise<readonly (Difference | undefined)[]> {
  if (places.length === 1) return [];
  if (first !== undefined) await sayResumed(restored, note);
  const folders = (name: string, ordered = places) =>
    ordered.map((place) => ({ host: place.host, path: writtenBy(place, name) }));
  const isSame = await sameModel(folders("model"));
  const models = await mergeHosts(model, folders("model"), { isRestored: false });
  const outputs = await mergeHosts(layout.output, folders("output", inOrder(places, first)), {
    isRestored: false,
  });
  const checkpoints = restored.length > 0
    ? await mergeHosts(layout.checkpoints, folders("checkpoints"), { isRestored: true })
    : [];
  return [
    isSame ? trainedEach(places.length) : clashOf(PATHS.model, models),
    // The rest stays in the container on SageMaker.
    clashOf(PATHS.output, outputs.filter(({ path }) => path.startsWith("data/"))),
    clashOf(PATHS.checkpoints, checkpoints),
  ];
}

/** Says whether the code has gone on from the checkpoints that there were. */
async function sayResumed(
  restored: readonly Restored[],
  note: (text: string) => void,
): Promise<void> {
  if (!restored.some(({ files }) => files.size > 0)) return;
  const read = await Promise.all(restored.map(wereRead));
  if (read.includes(true)) note("The code read the checkpoints of an earlier run: it resumed");
  else if (!read.includes(undefined)) {
    note("The code read none of the checkpoints of an earlier run: it started anew");
  }
}

/** The sign of code that knows nothing of the others, and that nothing has told. */
function trainedEach(count: number): Difference {
  return {
    message: `Every host wrote the same files to ${PATHS.model}: the model was trained ${count} ` +
      "times, on each host by itself",
    hint: '"distribution": "torchrun" starts code that trains one model together; code that does ' +
      "so by itself writes the model on one host alone.",
  };
}

/** Names that hosts wrote with different contents. */
export function clashOf(path: string, clashes: readonly Clash[]): Difference | undefined {
  const [clash] = clashes;
  if (clash === undefined) return undefined;
  const more = clashes.length > 1 ? `, and ${clashes.length - 1} more such files` : "";
  return {
    message: `${listed(clash.hosts)} wrote different files of one name: ` +
      `${path}/${inOneLine(clash.path)}${more}; of ${clash.hosts.at(-1)} it is kept`,
    hint: "SageMaker keeps any one of them. Write it on one host alone, or under " +
      "names that have the host's.",
  };
}
