import { shellWord } from "../../runtime/app/typed_path.ts";
import type { Stale } from "../../runtime/local/server/made_of.ts";
import { localTimestamp } from "../../runtime/time.ts";

/** Returns the stale parts of a server (`code edited 14:03, model trained 14:05`) and the fix. */
export function staleText(
  { code, model, image, credentials, profile, run, isWatched = false }: Stale,
  port: number,
  now: Date,
): string {
  const parts = [["code edited", code], ["model trained", model], ["image built", image]] as const;
  const words = parts.flatMap(([what, time]) =>
    time === undefined ? [] : [`${what} ${timeOfDay(time, now)}`]
  );
  if (credentials !== undefined) {
    const verb = credentials > now ? "expire" : "expired";
    words.push(`AWS credentials ${verb} ${timeOfDay(credentials, now)}`);
  }
  const renewal = profile === undefined ? "" : ` --aws-credentials ${shellWord(profile)}`;
  const version = run === undefined ? "" : ` --run ${shellWord(run)}`;
  return isWatched
    ? `${words.join(", ")}; see the output of mlcli local deploy --watch`
    : `${words.join(", ")}; update it: ` +
      `mlcli local deploy --port ${port} --replace${version}${renewal}`;
}

/** A time of today, `14:03`, or of another day, `2026-03-01 14:03`. */
function timeOfDay(time: Date, now: Date): string {
  const [date, clock] = localTimestamp(time, " ").split(" ");
  const minutes = clock!.slice(0, 5);
  return date === localTimestamp(now, " ").split(" ")[0] ? minutes : `${date} ${minutes}`;
}
