/** The calls of the Engine API that mlcli uses: what `Engine` promises, over a transport. */

import { MlcliError } from "../errors.ts";
import { type Answer, clockAhead } from "./answer.ts";
import { type Builder, CONTAINER, type ContainerSummary, type Engine } from "./engine.ts";
import { type EngineInfo, INFO, VERSION } from "./engine_info.ts";
import { wasOutOfMemory } from "./events.ts";
import { imageCalls } from "./images.ts";
import { PROGRESS } from "./messages.ts";
import { flag, list, number, object, type Of, text } from "./shape.ts";
import { networkCalls } from "./networks.ts";
import { STUDIO_NETWORK, studioBody, studioPorts } from "./studio.ts";
import type { Transport } from "./transport.ts";
import { engineWords } from "./errors.ts";

/**
 * Keys that detach from a container. The engine's own, Ctrl-P Ctrl-Q, would be swallowed from a shell,
 * and they cannot be switched off: so these are keys that nobody types.
 */
const NO_DETACH_KEYS = "ctrl-^,ctrl-_,ctrl-^,ctrl-_";

/** Go's `fs.ModeDir` and `fs.ModeSymlink`, in the mode that the engine says. */
const MODE_DIRECTORY = 0x80000000;
const MODE_LINK = 0x08000000;

/** How much longer the copy of a large model may take than other calls, in seconds. */
const SLOW_COPY = 3_600;

/** What an engine says of itself when it is found. */
export interface EngineIdentity {
  /** The version of the API to speak with it: `1.41`. */
  readonly apiVersion: string;
  readonly isPodman: boolean;
  readonly builder: Builder;
  readonly inStudio: boolean;
}

/** What `GET /containers/ID/json` says, as far as mlcli asks. */
const DETAILS = object({ State: object({}, { Running: flag, OOMKilled: flag }) });

/** The response of `POST /containers/create` and `POST /containers/ID/exec`. */
const CREATED = object({ Id: text });

/** What `POST /containers/ID/wait` says; `Error`: why the engine does not know how it ended. */
const WAITED = object({ StatusCode: number }, { Error: object({}, { Message: text }) });

export function engineOver(
  transport: Transport,
  { apiVersion, isPodman, builder, inStudio }: EngineIdentity,
  rule: string,
): Engine {
  const request: Transport["request"] = (method, path, options) =>
    transport.request(method, `/v${apiVersion}${path}`, options);

  async function get(path: string, signal?: AbortSignal): Promise<Answer> {
    return await request("GET", path, { expect: [200], signal });
  }

  async function containers(
    parameters: Readonly<Record<string, string | undefined>>,
    signal?: AbortSignal,
  ): Promise<readonly ContainerSummary[]> {
    const answer = await get(`/containers/json?${query(parameters)}`, signal);
    const ahead = clockAhead(answer.headers);
    return (await answer.json(list(CONTAINER))).map((container) => ({
      ...container,
      Created: (container.Created ?? 0) - ahead / 1000,
      Image: container.Image ?? "",
      State: container.State ?? "",
      Status: container.Status ?? "",
      // Null where there are none, on some engines.
      Names: container.Names ?? [],
      Labels: container.Labels ?? {},
      Ports: [
        ...container.Ports ?? [],
        ...(inStudio
          ? studioPorts({ State: container.State ?? "", Labels: container.Labels ?? {} })
          : []),
      ],
    }));
  }

  /** Sends a request whose answer's body does not matter. */
  async function command(
    method: string,
    path: string,
    expect: readonly number[],
    signal?: AbortSignal,
  ): Promise<Answer> {
    const answer = await request(method, path, { expect, signal });
    await answer.discard();
    return answer;
  }

  /** Undefined when there is no such container. */
  async function state(id: string): Promise<Of<typeof DETAILS>["State"] | undefined> {
    const answer = await request("GET", `/containers/${id}/json`, { expect: [200, 404] });
    if (answer.status === 200) {
      return (await answer.json(DETAILS)).State;
    }
    await answer.discard();
  }

  let info: Promise<EngineInfo> | undefined;
  return {
    address: transport.address,
    rule,
    builder,
    isPodman,
    inStudio,
    remembersExitStatus: !isPodman,
    followsLogsToTheirEnd: !isPodman,
    info(signal) {
      if (info !== undefined) return info;
      const asked = get("/info", signal).then((answer) => answer.json(INFO));
      asked.catch(() => info = undefined);
      return info = asked;
    },
    version: async (signal) => (await get("/version", signal)).json(VERSION),

    async *build(options) {
      const parameters = query({
        // Without a session: the context comes with the request, and nothing is asked back.
        version: options.builder === "buildkit" ? "2" : undefined,
        t: options.tag,
        dockerfile: options.dockerfile,
        target: options.target,
        buildargs: JSON.stringify(options.buildArguments),
        labels: JSON.stringify(options.labels),
        platform: options.platform,
        networkmode: inStudio ? STUDIO_NETWORK : options.networkMode,
        nocache: options.noCache ? "1" : undefined,
        rm: "1",
        forcerm: "1",
      });
      const answer = await request("POST", `/build?${parameters}`, {
        expect: [200],
        effort: "wait",
        tar: options.context,
        signal: options.signal,
      });
      yield* answer.lines(PROGRESS);
    },

    async *importImage(reference, tar) {
      const parameters = query({ fromSrc: "-", repo: reference });
      const answer = await request("POST", `/images/create?${parameters}`, {
        expect: [200],
        effort: "wait",
        tar,
      });
      yield* answer.lines(PROGRESS);
    },

    async createContainer(name, body) {
      const answer = await request("POST", `/containers/create?${query({ name })}`, {
        expect: [201],
        json: inStudio ? studioBody(body) : body,
      });
      return (await answer.json(CREATED)).Id;
    },

    async startContainer(id) {
      await command("POST", `/containers/${id}/start`, [204, 304]);
    },

    async renameContainer(id, name) {
      await command("POST", `/containers/${id}/rename?${query({ name })}`, [204]);
    },

    async attach(id, signal) {
      const path = `/containers/${id}/attach?stream=1&stdout=1&stderr=1`;
      const options = { expect: [200], effort: "ask", isStream: true, signal } as const;
      return (await request("POST", path, options)).body;
    },

    attachWithInput: (id, signal) => {
      const parameters = query({
        stream: "1",
        stdin: "1",
        stdout: "1",
        stderr: "1",
        detachKeys: NO_DETACH_KEYS,
      });
      return transport.upgrade(`/v${apiVersion}/containers/${id}/attach?${parameters}`, signal);
    },

    async resize(id, { rows, columns }) {
      // 409, and Podman's 500: it does not run, or not any more.
      const path = `/containers/${id}/resize?h=${rows}&w=${columns}`;
      await command("POST", path, [200, 201, 404, 409, 500]);
    },

    async wait(id, condition, signal) {
      const path = `/containers/${id}/wait?${query({ condition })}`;
      const options = { expect: [200], effort: "ask", isStream: true, signal } as const;
      const answer = await request("POST", path, options);
      const status = answer.json(WAITED).then(exitStatusOf);
      status.catch(() => {}); // where nobody awaits it, its error must not end the program
      return { status };
    },

    async stopContainer(id, graceSeconds, signal) {
      const path = `/containers/${id}/stop?t=${graceSeconds}`;
      const options = { expect: [204, 304, 404], effort: "ask", grace: graceSeconds } as const;
      await (await request("POST", path, { ...options, signal })).discard();
    },

    async killContainer(id) {
      await command("POST", `/containers/${id}/kill`, [204, 404, 409]);
    },

    async removeContainer(id, signal) {
      // 409: its removal is already in progress.
      await command("DELETE", `/containers/${id}?force=1&v=1`, [204, 404, 409], signal);
    },

    async containersOnPort(port, signal) {
      // The engine's own filter, `publish`, is unknown to newer Podman.
      return (await containers({}, signal)).filter(({ Ports }) =>
        Ports.some(({ IP, PublicPort }) => PublicPort === port && isThisMachine(IP))
      );
    },

    listContainers: (labels, signal) =>
      containers({ all: "1", filters: JSON.stringify({ label: labels }) }, signal),

    async logs(id, options) {
      const parameters = query({
        stdout: "1",
        stderr: "1",
        tail: String(options.tail),
        follow: options.follow ? "1" : undefined,
      });
      const path = `/containers/${id}/logs?${parameters}`;
      // The engine may send the head together with the first line.
      const limit = options.follow ? { effort: "wait" } as const : { within: options.within };
      return (await request("GET", path, { expect: [200], ...limit, signal: options.signal })).body;
    },

    async pathInContainer(id, path) {
      const address = `/containers/${id}/archive?${new URLSearchParams({ path })}`;
      const answer = await request("HEAD", address, { expect: [200, 404] });
      await answer.discard();
      if (answer.status === 404) return undefined;
      const { mode, linkTarget } = statIn(answer.headers.get("X-Docker-Container-Path-Stat") ?? "");
      return {
        isDirectory: (mode & MODE_DIRECTORY) !== 0,
        isExecutable: (mode & 0o111) !== 0,
        target: (mode & MODE_LINK) !== 0 ? linkTarget : undefined,
      };
    },

    async archiveOf(id, path) {
      return (await get(`/containers/${id}/archive?${new URLSearchParams({ path })}`)).body;
    },

    async unpackInContainer(id, directory, archive, signal) {
      const address = `/containers/${id}/archive?${new URLSearchParams({ path: directory })}`;
      const options = { expect: [200], grace: SLOW_COPY, tar: archive, signal };
      await (await request("PUT", address, options)).discard();
    },

    async execute(id, command, signal) {
      const json = { AttachStdout: true, AttachStderr: true, Cmd: command };
      const options = { expect: [201], json, signal };
      const { Id } = await (await request("POST", `/containers/${id}/exec`, options)).json(CREATED);
      const start = { Detach: false, Tty: false };
      return (await request("POST", `/exec/${Id}/start`, { expect: [200], json: start, signal }))
        .body;
    },

    async ranOutOfMemory(id) {
      const known = await state(id);
      if (known !== undefined) return known.OOMKilled === true;
      // Docker keeps the events of a container that it removed by itself. Podman (4.3.1) has no event
      // for memory; there mlcli removes containers only after asking about them.
      return !isPodman && await wasOutOfMemory(request, id);
    },

    isRunning: async (id) => (await state(id))?.Running === true,

    ...imageCalls(request),
    ...networkCalls(request),

    close: () => transport.close(),
  };
}

function query(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] =>
    entry[1] !== undefined
  );
  return new URLSearchParams(given).toString();
}

function exitStatusOf({ StatusCode, Error }: Of<typeof WAITED>): number {
  const isStatus = Number.isInteger(StatusCode) && StatusCode >= 0;
  if (isStatus && !Error?.Message) return StatusCode;
  const reason = engineWords(Error?.Message ?? "") || `invalid value ${StatusCode}`;
  throw new MlcliError(`Cannot get the exit code of the run from the Docker Engine: ${reason}`, {
    hint: "Check that the Docker Engine is running: docker version",
  });
}

/** What the engine says of a path; a mode of 0 where it says nothing of the kind. */
function statIn(header: string): { readonly mode: number; readonly linkTarget: string } {
  try {
    const { mode, linkTarget } = Object(JSON.parse(atob(header)));
    return { mode: Number(mode) || 0, linkTarget: String(linkTarget ?? "") };
  } catch {
    return { mode: 0, linkTarget: "" };
  }
}

/** Whether programs on the engine's machine reach a port that is published on this address. */
function isThisMachine(address: string | undefined): boolean {
  // Podman leaves the address out, or empty, for all of them.
  return !address || ["0.0.0.0", "127.0.0.1", "::", "::1"].includes(address);
}
