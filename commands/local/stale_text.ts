/**
 * What is newer than a server, in words.
 *
 * @module
 */

import type { Stale } from "../../runtime/local/server/made_of.ts";
import { timeOfDay } from "../render/timestamp.ts";

/** `code edited 14:03, model trained 14:05; ...`, and what to do. */
export function staleText(
  { code, model, image, isWatched = false }: Stale,
  port: number,
  now: Date,
): string {
  const parts = [["code edited", code], ["model trained", model], ["image built", image]] as const;
  const words = parts.flatMap(([what, time]) =>
    time === undefined ? [] : [`${what} ${timeOfDay(time, now)}`]
  ).join(", ");
  return isWatched
    ? `${words}; see what mlcli local deploy --watch says of it`
    : `${words}; mlcli local deploy --port ${port} --replace serves what is there now`;
}
