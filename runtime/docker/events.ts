/** What happened to a container that the engine has removed, by its events. */

import { deadlineIn } from "../time.ts";
import { object, text } from "./shape.ts";
import type { Transport } from "./transport.ts";

/** A line of `GET /events`. */
const EVENT = object({}, { Action: text });

/** How long to wait for past events, in seconds. */
const SECONDS_FOR_EVENTS = 5;

/**
 * Whether memory ran out in a container that the engine has removed.
 *
 * It asks for events of all times: `until` would be compared with the engine's clock, which need not
 * be this machine's. The engine sends those that it remembers at once (the last 256 of all containers:
 * moby, daemon/events/events.go), and would send later ones for ever: the removal is the last.
 *
 * @throws Error where the engine has forgotten the removal.
 */
export async function wasOutOfMemory(
  request: Transport["request"],
  id: string,
  seconds = SECONDS_FOR_EVENTS,
): Promise<boolean> {
  using limit = deadlineIn(seconds);
  const filters = JSON.stringify({ type: ["container"], container: [id] });
  const answer = await request("GET", `/events?${new URLSearchParams({ since: "1", filters })}`, {
    expect: [200],
    signal: limit.signal,
  });
  for await (const { Action } of answer.lines(EVENT)) {
    if (Action === "oom") return true;
    if (Action === "destroy") return false;
  }
  return false;
}
