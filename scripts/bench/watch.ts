/** What the harness's watch costs the user's code. */

import { fromFileUrl, join } from "@std/path";
import type { Comparison, Contender } from "./measure.ts";
import { run } from "./program.ts";

const HARNESS = fromFileUrl(new URL("../../runtime/harness/", import.meta.url));
const PROGRAM = fromFileUrl(new URL("watch/opens.py", import.meta.url));

/** How many times the file is opened. */
const OPENS = 1_000_000;

/** A comparison, and the directory that it needs. */
export interface WatchBench extends AsyncDisposable {
  readonly comparison: Comparison;
}

/** A million `open()` calls, with the watch that `mlcli local` asks for and without it. */
export async function makeWatchBench(): Promise<WatchBench> {
  const directory = await Deno.makeTempDir({ prefix: "mlcli-bench-watch-" });
  const [watched, file] = [join(directory, "watched"), join(directory, "file")];
  await Deno.mkdir(watched);
  await Deno.writeTextFile(file, "");
  const opens = (env: Readonly<Record<string, string>>): Contender => ({
    command: `python3 opens.py ${OPENS}${env.MLCLI_REPORT ? ", MLCLI_REPORT and MLCLI_WATCH" : ""}`,
    measure: async () =>
      Number(await run(["python3", "-B", PROGRAM, HARNESS, file, String(OPENS)], { env })),
  });
  return {
    comparison: {
      title: "a million open(), with the watch",
      unit: "ms",
      ours: opens({ MLCLI_REPORT: join(directory, "report"), MLCLI_WATCH: watched }),
      theirs: opens({}),
      goal: { atMost: 1.05 },
      rounds: 5,
    },
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}
