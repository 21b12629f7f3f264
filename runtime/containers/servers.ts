/**
 * The servers that mlcli started on this engine, found by their labels.
 *
 * @module
 */

import type { ContainerSummary, Engine } from "../docker/engine.ts";
import { LABELS } from "./plan.ts";

/** A server's container, running or ended. */
export interface Server {
  readonly id: string;
  readonly name: string;
  readonly app: string;
  readonly port: number;
  readonly image: string;
  readonly running: boolean;
}

/** Servers on a port, of whatever app; or all of them. */
export async function findServers(engine: Engine, port?: number): Promise<readonly Server[]> {
  const onPort = port === undefined ? LABELS.port : `${LABELS.port}=${port}`;
  const containers = await engine.listContainers([`${LABELS.role}=serve`, onPort]);
  return containers.map(asServer);
}

/** The name of the container that serves an app on a port. */
export function serverName(app: string, port: number): string {
  return `mlcli-${app}-serve-${port}`;
}

function asServer(container: ContainerSummary): Server {
  return {
    id: container.Id,
    name: container.Names[0]?.slice(1) ?? container.Id, // the engine writes names with a slash
    app: container.Labels[LABELS.app] ?? "",
    port: Number(container.Labels[LABELS.port]),
    image: container.Image,
    running: container.State === "running",
  };
}
