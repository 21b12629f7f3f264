/** Looking at the files of an image. */

import { LABELS } from "../contract/images.ts";
import { isOwnerAlive, ownerText } from "../owner.ts";
import { type Engine, namesOf } from "./engine.ts";
import { REMOVAL_TIMEOUT } from "./time_limits.ts";

const ROLE = "look";
const NAME = "mlcli-look-";

/**
 * Looks into an image, by a container of it that is created and never started: nothing of the image runs.
 *
 * @param reference of the engine's image: `churn:latest`.
 * @param look gets the container's id.
 */
export async function lookInto<T>(
  engine: Pick<Engine, "createContainer" | "listContainers" | "removeContainer">,
  reference: string,
  look: (id: string) => Promise<T>,
): Promise<T> {
  await removeLeft(engine);
  const name = `${NAME}${crypto.randomUUID().slice(0, 8)}`;
  const id = await engine.createContainer(name, {
    Image: reference,
    // Needed for images without a program of their own; it never runs.
    Cmd: ["true"],
    // Override labels of the image.
    Labels: {
      [LABELS.app]: "",
      [LABELS.role]: ROLE,
      [LABELS.port]: "",
      [LABELS.model]: "",
      [LABELS.owner]: ownerText(),
    },
    HostConfig: { AutoRemove: false, Mounts: [], NetworkMode: "none" },
  });
  try {
    return await look(id);
  } finally {
    await engine.removeContainer(id, AbortSignal.timeout(REMOVAL_TIMEOUT));
  }
}

/** Removes what killed mlclis left. */
async function removeLeft(
  engine: Pick<Engine, "listContainers" | "removeContainer">,
): Promise<void> {
  for (const container of await engine.listContainers([`${LABELS.role}=${ROLE}`])) {
    // A container inherits labels of its image; only who creates it names it.
    const isOurs = namesOf(container).some((name) => name.startsWith(NAME));
    const isAlive = await isOwnerAlive(container.Labels[LABELS.owner] ?? "");
    if (isOurs && isAlive === false) await engine.removeContainer(container.Id).catch(() => {});
  }
}
