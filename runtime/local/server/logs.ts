import type { Context } from "../../context.ts";
import type { Engine, LogOptions } from "../../docker/engine.ts";
import { isConflict, isNotFound } from "../../docker/errors.ts";
import { demultiplex } from "../../docker/frames.ts";
import { abortOf, deadlineIn, joinSignals } from "../../time.ts";
import { statusAfterOutput } from "../container/end.ts";
import type { Host } from "../jobs.ts";
import { onlyServer, requireServer, type Server } from "./servers.ts";

export interface LogsRequest {
  /** If undefined, the app's only server. */
  readonly port: number | undefined;
  /** Only if the server is this app's; any app if undefined. */
  readonly appName: string | undefined;
  readonly tail: LogOptions["tail"];
  /** Whether to follow the log until the server ends. */
  readonly follow: boolean;
}

/**
 * Prints a server's log, also after the server has ended.
 *
 * @throws MlcliError if there is no server, or several.
 * @throws Interrupted if the user stopped following.
 */
export async function showLogs(
  { port, appName, tail, follow }: LogsRequest,
  host: Pick<Context, "engine" | "out" | "err" | "messages" | "interruption" | "cwd">,
): Promise<void> {
  const engine = await host.engine();
  const { signal } = host.interruption;
  const server = port === undefined
    ? await onlyServer("logs", appName, host)
    : await requireServer(engine, port, appName, "logs", signal);
  const { id } = server;
  try {
    const log = passLogOn(engine, id, { tail, follow, signal }, host);
    // Raced, since a reader that has stopped reading holds up the engine's answer.
    const length = await Promise.race([log, abortOf(signal)]);
    if (length === 0 && tail !== 0 && !follow) host.messages.note(silenceText(server));
    if (follow) await Promise.race([untilEnded(engine, id), abortOf(signal)]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function silenceText({ name, port, running }: Server): string {
  return running
    ? `${name} on http://localhost:${port} has printed nothing yet; to wait for it, run ` +
      `mlcli local logs --port ${port} --follow`
    : `${name} exited without printing anything`;
}

/** Following a log ends with the server. */
async function untilEnded(engine: Engine, id: string): Promise<void> {
  try {
    await statusAfterOutput(engine, id);
  } catch (error) {
    if (!isNotFound(error)) throw error; // another command removed it
  }
}

/** Writes a container's log byte for byte, each stream to the stream of that name. @returns its length. */
async function passLogOn(
  engine: Engine,
  id: string,
  options: LogOptions,
  { out, err }: Pick<Host, "out" | "err">,
): Promise<number> {
  const passed = { stdout: 0, stderr: 0 };
  for await (const { stream, bytes } of demultiplex(await engine.logs(id, options))) {
    await (stream === "stdout" ? out : err).write(bytes);
    passed[stream] += bytes.length;
  }
  const mayLackItsEnd = options.follow && options.tail === "all" && !engine.followsLogsToTheirEnd;
  if (mayLackItsEnd) await passRestOn(engine, id, options, passed, { out, err });
  return passed.stdout + passed.stderr;
}

/** Writes the part of a whole log that has not been passed on yet. */
async function passRestOn(
  engine: Engine,
  id: string,
  options: LogOptions,
  passed: { stdout: number; stderr: number },
  { out, err }: Pick<Host, "out" | "err">,
): Promise<void> {
  try {
    for await (
      const { stream, bytes } of demultiplex(await engine.logs(id, { ...options, follow: false }))
    ) {
      const rest = bytes.subarray(passed[stream]);
      passed[stream] = Math.max(0, passed[stream] - bytes.length);
      await (stream === "stdout" ? out : err).write(rest);
    }
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error; // somebody removed it
  }
}

/** How long the last lines of a server that was ended may take to come, in seconds. */
const LAST_LINES = 5;

/** The logs of servers, passed on from their beginning while they run. */
export class FollowedLogs {
  readonly #reading = new AbortController();
  readonly #open = new Set<Promise<void>>();

  /** @param onFailure called when a log cannot be passed on. */
  constructor(
    private readonly host: Pick<Host, "out" | "err">,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  follow(engine: Engine, { id }: Server): Promise<void> {
    const options = { tail: "all", follow: true, signal: this.#reading.signal } as const;
    const log = passLogOn(engine, id, options, this.host).then(() => {});
    log.catch((error) => this.#reading.signal.aborted || this.onFailure(error));
    const ended = log.catch(() => {}).finally(() => this.#open.delete(ended));
    this.#open.add(ended);
    return log;
  }

  /** Waits for the last lines of containers that have ended, until somebody hurries. */
  async lastLines(hurry: AbortSignal): Promise<void> {
    using deadline = deadlineIn(LAST_LINES);
    using enough = joinSignals(deadline.signal, hurry);
    await Promise.race([Promise.all(this.#open), abortOf(enough.signal)]).catch(() => {});
  }

  close(): void {
    this.#reading.abort();
  }
}
