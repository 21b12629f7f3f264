/**
 * What `local transform` makes of a fast server: against the rate of the server itself, asked by wrk with
 * the same bodies; and the memory that it takes for large data, against that for less.
 */

import { join } from "@std/path";
import { type BenchApp, deployed } from "./local.ts";
import type { Comparison } from "./measure.ts";
import { mlcli, peakMemory, run } from "./program.ts";
import { BENCH_IMAGE, buildImage } from "./serving/servers.ts";
import { parseReport, wrk } from "./serving/wrk.ts";

/** Answers with the rows. */
const ROWS = "def model_fn(directory): return 1\ndef predict_fn(rows, model): return rows\n";
const RECORDS = 1_000_000;

/** A short answer for each line, which is not looked at. */
const LINES = `def model_fn(directory): return 1
def input_fn(body, content_type): return body.count(b"\\n")
def predict_fn(count, model): return "1\\n" * count
def output_fn(answer, accept): return answer
`;

const MB = 1024 ** 2;
const LINE = "72,3,15,1984,0.25,-1.5,7.125,12,0,1\n";
/** How large the large data is, in GB. */
const LARGE = Number(Deno.env.get("MLCLI_BENCH_GB") ?? 10);
/** Distance of the newlines in large data: what is between them takes no room on the disk. */
const LARGE_LINE = 128 * 1024;
const BY_LINE = "--split line --assemble line";
/** For a pass over large data, in ms. */
const LARGE_TIMEOUT = 1_200_000;
const WRK_SECONDS = 10;
/** Requests at once. */
const CONCURRENCY = 2;

/** Both, each with its server. */
export async function* transformComparisons(app: BenchApp): AsyncGenerator<Comparison> {
  yield await rateComparison(app);
  yield await memoryComparison(app);
}

/** Records a second, in bodies of 1 MB. */
async function rateComparison(app: BenchApp): Promise<Comparison> {
  await serving(app, ROWS);
  await buildImage(app.image);
  const perBody = Math.floor(MB / LINE.length);
  const data = { one: LINE, all: LINE.repeat(RECORDS), body: LINE.repeat(perBody) };
  for (const [name, lines] of Object.entries(data)) {
    await Deno.writeTextFile(join(app.directory, `${name}.csv`), lines);
  }
  await Deno.writeTextFile(
    join(app.directory, "body.lua"),
    `wrk.method, wrk.body = "POST", io.open("/data/body.csv"):read("*a")
wrk.headers["Content-Type"], wrk.headers["Accept"] = "text/csv", "text/csv"
`,
  );
  const options = ["--max-payload", "1", "--max-concurrency", String(CONCURRENCY)];
  const transform = (file: keyof typeof data): Promise<number> =>
    app.time("local", "transform", "-i", `${file}.csv`, "-o", "out", ...options);
  return {
    title: "local transform, a million lines of CSV",
    unit: "records/s",
    ours: {
      command: `mlcli local transform ${options.join(" ")}, less the time that one record takes`,
      measure: async () =>
        (RECORDS - 1) * 1_000 / (await transform("all") - await transform("one")),
    },
    theirs: {
      command: `wrk -c${CONCURRENCY} with bodies of 1 MB, the server by mlcli local deploy`,
      measure: () =>
        deployed(app, async (url) => {
          const load = wrk(CONCURRENCY, url, { script: "/data/body.lua", seconds: WRK_SECONDS });
          return parseReport(await run([...inContainer(app), ...load])).requestsPerSecond * perBody;
        }),
    },
    goal: { atLeast: 0.8 },
    rounds: 3,
  };
}

/** What runs a program of the bench's image, with the app's directory and the machine's network. */
function inContainer({ directory }: BenchApp): readonly [string, ...string[]] {
  const options = `--rm --network host --entrypoint env --volume ${directory}:/data:ro`.split(" ");
  return ["docker", "run", ...options, BENCH_IMAGE];
}

/** The largest memory that mlcli takes, of a file that is read whole. */
async function memoryComparison(app: BenchApp): Promise<Comparison> {
  await serving(app, LINES);
  const peak = (gigabytes: number) => async (): Promise<number> => {
    const path = join(app.directory, "large");
    await makeLarge(path, gigabytes * 1024 ** 3);
    const words = `-i large -o out --content-type application/octet-stream ${BY_LINE}`.split(" ");
    const line = mlcli("local", "transform", ...words);
    const bytes = await peakMemory(line, { cwd: app.directory, timeout: LARGE_TIMEOUT });
    return bytes / MB;
  };
  const command = (gigabytes: number): string =>
    `mlcli local transform ${BY_LINE}, ${gigabytes} GB`;
  return {
    title: "local transform, largest memory",
    unit: "MB",
    ours: { command: command(LARGE), measure: peak(LARGE) },
    theirs: { command: command(1), measure: peak(1) },
    goal: { atMost: 1.2 },
    rounds: 1,
  };
}

async function serving({ base }: BenchApp, code: string): Promise<void> {
  await Deno.writeTextFile(join(base, "prediction/serve"), code);
}

/** Lines of zeros, with holes in their place. */
async function makeLarge(path: string, size: number): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const newline = new Uint8Array([10]);
  for (let place = LARGE_LINE - 1; place < size; place += LARGE_LINE) {
    file.seekSync(place, Deno.SeekMode.Start);
    file.writeSync(newline);
  }
}
