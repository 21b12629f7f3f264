import type { CreateBody, Engine } from "../../runtime/docker/engine.ts";
import { demultiplex } from "../../runtime/docker/frames.ts";
import { withEngine } from "./engine.ts";

/** Longest time for a container, in ms. */
const TIMEOUT = 60_000;

/** Calls `work` with a container that has been started, and removes it however that ends. */
export async function withContainer<T>(
  body: CreateBody,
  work: (engine: Engine, id: string) => Promise<T>,
): Promise<T> {
  return await withEngine(async (engine) => {
    const id = await engine.createContainer(`mlcli-test-${crypto.randomUUID().slice(0, 8)}`, {
      ...body,
      HostConfig: { ...body.HostConfig, AutoRemove: false, LogConfig: undefined },
    });
    try {
      await engine.startContainer(id);
      return await work(engine, id);
    } finally {
      await engine.removeContainer(id);
    }
  });
}

export interface Ended {
  readonly status: number;
  readonly log: string;
}

/** Runs a container until it ends, and removes it. */
export function runToEnd(body: CreateBody): Promise<Ended> {
  return withContainer(body, endOf);
}

/** Waits until a container ends. */
export async function endOf(engine: Engine, id: string): Promise<Ended> {
  const { status } = await engine.wait(id, "not-running", AbortSignal.timeout(TIMEOUT));
  const ended = await status;
  return { status: ended, log: await logOf(engine, id) };
}

/** What a container has written so far: standard output and standard error. */
export async function logOf(engine: Engine, id: string): Promise<string> {
  let log = "";
  for await (
    const { bytes } of demultiplex(await engine.logs(id, { tail: "all", follow: false }))
  ) log += new TextDecoder().decode(bytes);
  return log;
}
