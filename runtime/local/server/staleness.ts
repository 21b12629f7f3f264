import type { Engine } from "../../docker/engine.ts";
import { abortOf, deadlineIn } from "../../time.ts";
import type { Host } from "../jobs.ts";
import { type Stale, stalenessOf } from "./made_of.ts";
import { findServers, type Server } from "./servers.ts";

export async function stalenessOfServer(
  { madeOf, modelRun, isRelayed }: Pick<Server, "madeOf" | "modelRun" | "isRelayed">,
  engine: Engine,
): Promise<Stale | undefined> {
  const stale = await stalenessOf(madeOf, engine);
  // A server of the current model knows that model's files.
  const run = madeOf?.model === "" ? modelRun : undefined;
  return stale && { ...stale, isWatched: isRelayed, ...run && { run } };
}

/** The longest that a user waits to hear whether a server is stale, in seconds. */
const PATIENCE = 1;

/**
 * What is newer than the server on a port; undefined also where that is not known within a second,
 * counted from when `since` has ended: it is good to know, and no more.
 */
export async function stalenessOn(
  port: number,
  { engine, interruption }: Pick<Host, "engine" | "interruption">,
  since: Promise<unknown>,
): Promise<Stale | undefined> {
  const { signal } = interruption;
  const asked = (async () => {
    const servers = await findServers(await engine(), port, signal);
    const server = servers.find(({ running }) => running);
    return server && await stalenessOfServer(server, await engine());
  })().catch(() => undefined);
  const known = await Promise.race([
    asked.then((stale) => ({ stale })),
    since.then(() => undefined, () => undefined),
  ]);
  if (known !== undefined) return known.stale;
  using deadline = deadlineIn(PATIENCE);
  return await Promise.race([asked, abortOf(deadline.signal)]).catch(() => undefined);
}
