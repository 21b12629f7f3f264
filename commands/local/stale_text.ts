/**
 * What is newer than a server, in words.
 *
 * @module
 */

import type { Stale } from "../../runtime/local/server/made_of.ts";
import { timeOfDay } from "../render/timestamp.ts";

/** `code edited 14:03, model trained 14:05` */
export function staleText({ code, model, image }: Stale, now: Date): string {
  const parts = [["code edited", code], ["model trained", model], ["image built", image]] as const;
  return parts.flatMap(([words, time]) =>
    time === undefined ? [] : [`${words} ${timeOfDay(time, now)}`]
  )
    .join(", ");
}
