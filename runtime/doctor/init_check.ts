/**
 * Check of the engine's init.
 *
 * @module
 */

import type { Engine } from "../docker/engine.ts";
import { createContainer, discardContainer, saysInitMissing } from "../local/container/create.ts";
import type { MessageStream } from "../messages.ts";
import { initProbePlan } from "../local/service_plans.ts";
import type { Check } from "./check.ts";

/**
 * Whether the engine can give a container an init: snap's Docker cannot, nor Podman without
 * catatonit. That shows only when a container is started.
 *
 * @param image an image of mlcli that exists.
 * @param err where it is said if the container may be left.
 */
export async function initCheck(engine: Engine, image: string, err: MessageStream): Promise<Check> {
  const name = `mlcli-doctor-${crypto.randomUUID().slice(0, 8)}`;
  let id: string | undefined;
  try {
    id = await createContainer(engine, name, initProbePlan(image), err);
    await engine.startContainer(id);
    return { name: "init", status: "ok", message: "The engine gives containers an init" };
  } catch (error) {
    if (!saysInitMissing(error)) throw error;
    return {
      name: "init",
      status: "warning",
      message: "The engine has no init for containers, so they run without one",
      hint: "Processes that nobody waits for stay until the run ends. Docker's is called " +
        "docker-init (package tini), Podman's catatonit; snap's Docker has none.",
    };
  } finally {
    if (id !== undefined) await discardContainer(engine, { id, name }, err);
  }
}
