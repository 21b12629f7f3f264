/** Containers that a killed mlcli created and nobody is going to start. */

import { LABELS } from "../contract/images.ts";
import { isOwnerAlive } from "../owner.ts";
import { type ContainerSummary, type Engine, namesOf } from "./engine.ts";

/** The state of a container that has not begun: Docker's word, and Podman's. */
export const NOT_BEGUN: readonly string[] = ["created", "configured"];

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
  engine: Pick<Engine, "removeContainer">,
  containers: readonly ContainerSummary[],
): Promise<void> {
  for (const container of containers) {
    // A container inherits labels of its image; only who creates it names it.
    const isOurs = namesOf(container).some((name) => name.startsWith("mlcli-"));
    if (!isOurs || !NOT_BEGUN.includes(container.State)) continue;
    const isAlive = await isOwnerAlive(container.Labels[LABELS.owner] ?? "");
    // What the engine refuses here is no failure of what is asked for.
    if (isAlive === false) await engine.removeContainer(container.Id).catch(() => {});
  }
}
