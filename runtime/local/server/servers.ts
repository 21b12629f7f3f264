import { dirname } from "@std/path/dirname";
import { type App, directoryMark, lookUp } from "../../app/app.ts";
import { isElsewhere } from "../../app/image.ts";
import type { Engine } from "../../docker/engine.ts";
import { PATHS } from "../../contract/jobs.ts";
import { MlcliError } from "../../errors.ts";
import { LABELS } from "../../contract/images.ts";
import { inOneLine, listed } from "../../text.ts";
import { type MadeOf, readMadeOf } from "./made_of.ts";
import { managed, type ManagedServer } from "../container/managed.ts";
import { type PortInUse, portInUse } from "../../serving/ports.ts";
import type { Host } from "../jobs.ts";

export interface Server {
  readonly id: string;
  readonly name: string;
  readonly appName: string;
  readonly port: number;
  /** Where its app lies (`directoryMark`); empty: not known. */
  readonly directory: string;
  readonly image: string;
  /** The directory of its model on the engine's machine, when it was started. */
  readonly modelFolder: string | undefined;
  /** The run that made its model; `undefined`: a person put it there. */
  readonly modelRun: string | undefined;
  /** What it was made of, if its label says so. */
  readonly madeOf: MadeOf | undefined;
  readonly running: boolean;
  /** Its program has ended: the container is there for its log alone. */
  readonly ended: boolean;
  /** Whether it runs and is not on its port itself: `local deploy --watch` relays requests to it. */
  readonly isRelayed: boolean;
}

/** Servers on a port, of any app; or all of them. */
export async function findServers(
  engine: Engine,
  port?: number,
  signal?: AbortSignal,
): Promise<readonly Server[]> {
  return (await serversOn(engine, port, signal)).map(asServer);
}

export async function serversOn(
  engine: Engine,
  port: number | undefined,
  signal?: AbortSignal,
): Promise<readonly ManagedServer[]> {
  const onPort = port === undefined ? LABELS.port : `${LABELS.port}=${port}`;
  const containers = await engine.listContainers([`${LABELS.role}=serve`, onPort], signal);
  return containers.map(managed).filter((container) => container?.role === "serve");
}

/** A command of `mlcli local` that uses a server: errors name it with the port of another server. */
type ServerCommand = "invoke" | "logs" | "stop";

/**
 * Finds the only server of the app that is named, or of the current directory. `invoke` ignores ended
 * servers beside others.
 *
 * @throws MlcliError if there is none, or if there are servers on several ports.
 */
export async function onlyServer(
  command: ServerCommand,
  appName: string | undefined,
  { engine, cwd, interruption }: Pick<Host, "engine" | "interruption"> & { readonly cwd: string },
): Promise<Server> {
  const here = await directoryMark((await lookUp(cwd, appName)).directory);
  const servers = await findServers(await engine(), undefined, interruption.signal);
  const own = servers.filter((server) =>
    appName === undefined ? !isElsewhere(server.directory, here) : server.appName === appName
  );
  const running = own.filter((server) => server.running);
  const usable = command === "invoke" && running.length > 0 ? running : own;
  const ports = new Set(usable.map(({ port }) => port));
  if (ports.size === 1) return running[0] ?? usable[0]!;
  const owner = inOneLine(appName ?? "this directory");
  throw ports.size > 1
    ? new MlcliError(`Found several servers for ${owner}`, { hint: serversHint(usable, command) })
    : new MlcliError(`Found no server for ${owner}`, {
      hint: "Start one (mlcli local deploy), or list all servers: mlcli local status" +
        (command === "logs" ? ". To see the log of the last run, use mlcli local logs last." : ""),
    });
}

/** Returns the command for the server on each port, for five of them at most. */
function serversHint(servers: readonly Server[], command: ServerCommand): string {
  if (servers.length === 0) return "Start one: mlcli local deploy";
  const lines = servers.toSorted((one, other) => one.port - other.port)
    .map(({ appName, port }) => `mlcli local ${command} --port ${port} (${appName})`);
  return `Choose a server: ${listed([...new Set(lines)], 5)}`;
}

/**
 * Finds the server on a port, running or ended.
 *
 * @param appName only if it serves this app; any app if undefined.
 * @throws MlcliError if there is none.
 */
export async function requireServer(
  engine: Engine,
  port: number,
  appName: string | undefined,
  command: ServerCommand,
  signal?: AbortSignal,
): Promise<Server> {
  return (await requireServers(engine, port, appName, command, signal))[0];
}

/**
 * Finds the server on a port, and after it the other servers of that app on the port: `--replace` and
 * `--watch` have two for a moment, and a killed mlcli leaves one.
 */
export async function requireServers(
  engine: Engine,
  port: number,
  appName: string | undefined,
  command: ServerCommand,
  signal?: AbortSignal,
): Promise<readonly [Server, ...Server[]]> {
  const servers = await findServers(engine, undefined, signal);
  const named = servers.filter((server) => appName === undefined || server.appName === appName);
  const candidates = named.filter((server) => server.port === port);
  const server = candidates.find((candidate) => candidate.running) ?? candidates[0];
  if (server === undefined) {
    const owner = appName === undefined ? "" : ` for ${appName}`;
    throw new MlcliError(`Container not found on port ${port}${owner}`, {
      hint: serversHint(named.length > 0 ? named : servers, command),
    });
  }
  const others = candidates.filter((other) =>
    other.id !== server.id && other.appName === server.appName &&
    other.directory === server.directory
  );
  return [server, ...others];
}

export function asServer({ id, name, appName, port, summary }: ManagedServer): Server {
  const { Image, State, Labels, Mounts = [], Ports = [] } = summary;
  const published = Ports.flatMap(({ PublicPort = [] }) => PublicPort);
  return {
    id,
    name,
    appName,
    port,
    directory: Labels[LABELS.directory] ?? "",
    image: Image,
    modelFolder: Mounts.find(({ Destination }) => Destination === PATHS.model)?.Source,
    modelRun: Labels[LABELS.model] || undefined,
    madeOf: readMadeOf(Labels[LABELS.madeOf]),
    running: State === "running",
    ended: State === "exited" || State === "dead",
    isRelayed: published.length > 0 && !published.includes(port),
  };
}

/** Whose a server is, in words: `churn`, or `churn in /home/me/clone`. */
export function whoseText(server: Server, here: string): string {
  const { appName, directory, madeOf } = server;
  if (madeOf === undefined || !isElsewhere(directory, here)) return appName;
  const place = `${appName} in ${inOneLine(dirname(dirname(madeOf.base)))}`;
  return madeOf.host === Deno.hostname() ? place : `${place} on ${inOneLine(madeOf.host)}`;
}

/** Whether `local deploy --replace` may take the place of a server. */
export function isReplaceable(server: Server, { name, mark }: Pick<App, "name" | "mark">): boolean {
  const { appName, directory, running, isRelayed } = server;
  return appName === name && !isElsewhere(directory, mark) && running && !isRelayed;
}

/**
 * The error where a server has the port that an app's is to have.
 *
 * @param mayReplace whether `--replace` is possible.
 */
export function takenBy(
  server: Server,
  app: Pick<App, "name" | "mark">,
  mayReplace = false,
): PortInUse {
  const replace = mayReplace && isReplaceable(server, app) ? ", replace it (--replace)" : "";
  const answer = isElsewhere(server.directory, app.mark) ? " --yes" : replace;
  return portInUse(server.port, whoseText(server, app.mark), undefined, answer);
}
