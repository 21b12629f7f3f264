/**
 * Which containers are mlcli's.
 *
 * Labels alone do not tell: a container inherits those of its image, and somebody else's image may
 * have any. Its name is given by whoever creates it, so the labels count where the name says the
 * same.
 *
 * @module
 */

import type { ContainerSummary } from "../../docker/engine.ts";
import { LABELS, type Role } from "../plan.ts";

/** A container that mlcli created. */
export type Managed = ManagedServer | ManagedRun;

interface ManagedContainer {
  readonly id: string;
  readonly name: string;
  readonly app: string;
  readonly summary: ContainerSummary;
}

/** One of `local deploy`. */
export interface ManagedServer extends ManagedContainer {
  readonly role: "serve";
  /** Port on the host. */
  readonly port: number;
}

/** One of `local train` or `local process`. */
export interface ManagedRun extends ManagedContainer {
  readonly role: Exclude<Role, "serve">;
  readonly port: undefined;
}

/** The name of the container that serves an app on a port. */
export function serverName(app: string, port: number): string {
  return `mlcli-${app}-serve-${port}`;
}

/** A container of mlcli; `undefined` where it is somebody else's, whatever its labels say. */
export function managed(summary: ContainerSummary): Managed | undefined {
  const { [LABELS.app]: app, [LABELS.role]: role, [LABELS.port]: port } = summary.Labels;
  if (!app) return undefined;
  // The engine writes names with a slash before them.
  const names = summary.Names.map((name) => name.replace(/^\//, ""));
  const common = { id: summary.Id, app, summary };
  if (role === "serve") {
    const number = portOf(port);
    if (number === undefined || !names.includes(serverName(app, number))) return undefined;
    return { ...common, name: serverName(app, number), role, port: number };
  }
  if (role !== "train" && role !== "process") return undefined;
  const start = `mlcli-${app}-${role}-`;
  const name = names.find((name) =>
    name.startsWith(start) && /^[0-9a-f]{8}$/.test(name.slice(start.length))
  );
  return name === undefined ? undefined : { ...common, name, role, port: undefined };
}

function portOf(text: string | undefined): number | undefined {
  const port = /^[1-9]\d{0,4}$/.test(text ?? "") ? Number(text) : 0;
  return port >= 1 && port <= 65535 ? port : undefined;
}
