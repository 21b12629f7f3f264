import type { Role } from "../../contract/jobs.ts";
import type { ContainerSummary, Engine } from "../../docker/engine.ts";
import { LABELS } from "../../contract/images.ts";
import { type Managed, managed } from "../container/managed.ts";
import type { Host } from "../jobs.ts";
import type { Stale } from "./made_of.ts";
import { asServer, type Server } from "./servers.ts";
import { stalenessOfServer } from "./staleness.ts";
import { abortOf } from "../../time.ts";
import type { PingAnswer } from "../../serving/diagnosis.ts";
import { ping } from "../../serving/ready.ts";

export type Health =
  /** A server that answers `/ping` with 200. */
  | { readonly state: "healthy" }
  /** A server that runs, but does not answer so: it is still loading, or in trouble. */
  | { readonly state: "unhealthy"; readonly answer: PingAnswer }
  /** A training or processing run. */
  | { readonly state: "running" }
  /** `created`, `paused`, `exited` and the engine's others. */
  | { readonly state: "other"; readonly name: string; readonly exitStatus: number | undefined };

export interface ContainerStatus {
  readonly name: string;
  readonly appName: string;
  readonly role: Role;
  readonly port: number | undefined;
  readonly health: Health;
  readonly created: Date;
  /** As it was named when the container was created; its id where another image has that name. */
  readonly image: string;
  /** What is newer than a server that runs, if anything. */
  readonly stale: Stale | undefined;
  /** Version of mlcli that made it. */
  readonly mlcli: string | undefined;
  readonly server: Server | undefined;
}

/**
 * All of them, ended servers included, sorted by app, role and port. The servers are asked for
 * their health at once, each for two seconds at most.
 *
 * @param appName only this app's, when given.
 */
export async function containerStatuses(
  appName: string | undefined,
  host: Pick<Host, "engine" | "interruption">,
): Promise<readonly ContainerStatus[]> {
  const engine = await host.engine();
  const labels = appName === undefined ? [LABELS.role] : [LABELS.role, `${LABELS.app}=${appName}`];
  const { signal } = host.interruption;
  const containers = (await engine.listContainers(labels, signal)).map(managed);
  const ours = containers.filter((container) => container !== undefined);
  const statuses = await Promise.race([
    Promise.all(ours.map((container) => statusOf(container, engine))),
    abortOf(signal),
  ]);
  return statuses.sort((a, b) =>
    a.appName.localeCompare(b.appName) || a.role.localeCompare(b.role) ||
    (a.port ?? 0) - (b.port ?? 0) ||
    a.created.getTime() - b.created.getTime()
  );
}

async function statusOf(container: Managed, engine: Engine): Promise<ContainerStatus> {
  const { name, appName, role, port, summary } = container;
  const server = container.role === "serve" ? asServer(container) : undefined;
  const [health, stale] = await Promise.all([
    healthOf(summary, port),
    server?.running ? stalenessOfServer(server, engine) : undefined,
  ]);
  return {
    name,
    appName,
    role,
    port,
    health,
    created: new Date(summary.Created * 1000),
    image: summary.Image.replace(/^(sha256:[0-9a-f]{12}).*$/, "$1"),
    stale,
    mlcli: summary.Labels[LABELS.version],
    server,
  };
}

async function healthOf(
  { State, Status }: ContainerSummary,
  port: number | undefined,
): Promise<Health> {
  if (State !== "running") {
    const exitStatus = /^Exited \((\d+)\)/.exec(Status)?.[1];
    return {
      state: "other",
      name: State,
      exitStatus: exitStatus === undefined ? undefined : Number(exitStatus),
    };
  }
  if (port === undefined) return { state: "running" };
  const answer = await ping(port);
  return answer.status === 200 ? { state: "healthy" } : { state: "unhealthy", answer };
}
