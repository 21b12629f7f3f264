/** Looking at the files of an image. */

import { LABELS } from "../contract/images.ts";
import { ownerText } from "../owner.ts";
import { removeAbandoned } from "./abandoned.ts";
import type { Engine } from "./engine.ts";
import { REMOVAL_TIMEOUT } from "./time_limits.ts";

const ROLE = "look";

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
  const left = await engine.listContainers([`${LABELS.role}=${ROLE}`]);
  await removeAbandoned(engine, left);
  const name = `mlcli-look-${crypto.randomUUID().slice(0, 8)}`;
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
