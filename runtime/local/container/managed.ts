/**
 * Which containers are mlcli's: the labels and names that it gives them and recognises them by.
 *
 * Labels alone are not enough: a container inherits those of its image, and somebody else's image
 * may have any. But only the creator of a container gives it a name, so the labels count where the
 * name says the same.
 */

import type { App } from "../../app/app.ts";
import { ownerLabels } from "../../app/image.ts";
import { isJobName } from "../../contract/names.ts";
import { JOB_KINDS, type JobKind, type Role } from "../../contract/jobs.ts";
import { NOT_BEGUN } from "../../docker/abandoned.ts";
import { type ContainerSummary, namesOf } from "../../docker/engine.ts";
import { LABELS } from "../../contract/images.ts";
import { VERSION } from "../../version.ts";

/** The labels of a container; those that do not apply to it are empty. */
export function labels(
  { app, role = "", port = "", model = "", madeOf = "" }: {
    readonly app?: Pick<App, "name" | "mark">;
    readonly role?: Role | "";
    readonly port?: number | "";
    readonly model?: string;
    readonly madeOf?: string;
  },
): Record<string, string> {
  return {
    ...ownerLabels(app ?? { name: "", mark: "" }),
    [LABELS.role]: role,
    [LABELS.port]: String(port),
    [LABELS.model]: model,
    [LABELS.madeOf]: madeOf,
    [LABELS.version]: VERSION,
  };
}

/**
 * The name of the container that serves an app on a port. Where there are two of them for a moment,
 * one has eight more hexadecimal digits behind it (`spareName`).
 */
export function serverName(appName: string, port: number): string {
  return `mlcli-${appName}-serve-${port}`;
}

export function spareName(appName: string, port: number): string {
  return `${serverName(appName, port)}-${crypto.randomUUID().slice(0, 8)}`;
}

export type Managed = ManagedServer | ManagedJob;

interface ManagedContainer {
  readonly id: string;
  readonly name: string;
  readonly appName: string;
  readonly summary: ContainerSummary;
}

export interface ManagedServer extends ManagedContainer {
  readonly role: "serve";
  readonly port: number;
}

export interface ManagedJob extends ManagedContainer {
  readonly role: JobKind;
  readonly port: undefined;
}

/** A container of mlcli; `undefined` where it is somebody else's, whatever its labels say. */
export function managed(summary: ContainerSummary): Managed | undefined {
  const { [LABELS.app]: appName, [LABELS.role]: role, [LABELS.port]: port } = summary.Labels;
  if (!appName) return undefined;
  const names = namesOf(summary);
  const common = { id: summary.Id, appName, summary };
  if (role === "serve") {
    const number = portOf(port);
    if (number === undefined) return undefined;
    const usual = serverName(appName, number);
    const name = names.find((name) => name.replace(/-[0-9a-f]{8}$/, "") === usual);
    return name === undefined ? undefined : { ...common, name, role, port: number };
  }
  const kind = JOB_KINDS.find((kind) => kind === role);
  const name = kind && names.find((name) => isJobName(name, appName, kind));
  return name === undefined ? undefined : { ...common, name, role: kind!, port: undefined };
}

function portOf(text: string | undefined): number | undefined {
  const port = /^[1-9]\d{0,4}$/.test(text ?? "") ? Number(text) : 0;
  return port >= 1 && port <= 65535 ? port : undefined;
}

/** Whether a container never began, or has ended and was not removed (Podman). */
export function isOver({ State }: ContainerSummary): boolean {
  return [...NOT_BEGUN, "exited", "dead"].includes(State);
}
