/**
 * Containers that were created and never started, since the mlcli that made them was killed in between.
 * They run nothing and hold nothing, but their names: a server's says which port it would have.
 *
 * @module
 */

import { type ContainerSummary, type Engine, namesOf } from "../../docker/engine.ts";
import { LABELS } from "../../labels.ts";
import { isOwnerAlive } from "../../model/runs.ts";

/** Of a container that has not begun: Docker's word, and Podman's. */
const NOT_BEGUN: readonly string[] = ["created", "configured"];

/**
 * From this age (s) on, a container of a machine whose processes cannot be seen counts as abandoned.
 * Between the two calls there are milliseconds, and with --replace the end of the server before.
 */
const LONGEST_START = 600;

/** Whether nobody is going to start a container that has not begun. */
export async function isAbandoned({ State, Labels, Created }: ContainerSummary): Promise<boolean> {
  if (!NOT_BEGUN.includes(State)) return false;
  const isAlive = await isOwnerAlive(Labels[LABELS.owner] ?? "");
  return isAlive === undefined ? Date.now() / 1000 - Created > LONGEST_START : !isAlive;
}

/** Removes those of mlclis on this machine that are gone, whatever they were for. */
export async function removeAbandoned(
  engine: Engine,
  containers: readonly ContainerSummary[],
): Promise<void> {
  for (const container of containers) {
    // A container inherits labels of its image; only who creates it names it.
    const isOurs = namesOf(container).some((name) => name.startsWith("mlcli-"));
    const isKnown = await isOwnerAlive(container.Labels[LABELS.owner] ?? "") !== undefined;
    if (isOurs && isKnown && await isAbandoned(container)) {
      await engine.removeContainer(container.Id);
    }
  }
}
