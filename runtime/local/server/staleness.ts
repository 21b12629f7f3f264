import type { Engine } from "../../docker/engine.ts";
import { abortOf, deadlineIn } from "../../time.ts";
import type { Host } from "../jobs.ts";
import { type Stale, stalenessOf } from "./made_of.ts";
import { findServers, type Server } from "./servers.ts";

export async function stalenessOfServer(
  { madeOf, isRelayed }: Pick<Server, "madeOf" | "isRelayed">,
  engine: Engine,
): Promise<Stale | undefined> {
  const stale = await stalenessOf(madeOf, engine);
  return stale && { ...stale, isWatched: isRelayed };
}

/** The longest that a user waits to hear whether a server is stale, in seconds. */
const PATIENCE = 1;

/**
 * Returns what is newer than a server; undefined also if that is unknown a second after `since` ended,
 * because the user should not wait for it.
 *
 * @param on the server, or its port.
 */
export async function stalenessOn(
  on: Server | number,
  { engine, interruption }: Pick<Host, "engine" | "interruption">,
  since: Promise<unknown>,
): Promise<Stale | undefined> {
  const { signal } = interruption;
  const asked = (async () => {
    const servers = typeof on === "number" ? await findServers(await engine(), on, signal) : [on];
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
