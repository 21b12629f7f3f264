/** How soon the page of `local ui` shows what it has to show, and how large it is. */

import { pageDocument } from "../../runtime/page/document.ts";
import { makeApp } from "../../tests/helpers/app.ts";
import { openBrowser } from "../../tests/helpers/browser.ts";
import { fallingCurve, makeRun } from "../../tests/helpers/made_runs.ts";
import { servePage } from "../../tests/helpers/page_server.ts";
import type { Comparison, Contender } from "./measure.ts";

const RUNS = 100;
const POINTS = 10_000;
/** The page shows those of so many runs unasked, and tells the ends of so many. */
const CURVES = 10;

/** What the page may take: in ms, and in kB. */
const PAINT = 1_000;
const SIZE = 150;

/** Comparisons, and what they need while they run. */
export interface PageBench extends AsyncDisposable {
  readonly comparisons: readonly Comparison[];
}

export async function makePageBench(): Promise<PageBench> {
  await using stack = new AsyncDisposableStack();
  const many = await painted(stack, RUNS);
  const one = await painted(stack, 1);
  const page = { unit: "ms", ours: many, rounds: 9 } as const;
  const all = stack.move();
  return {
    comparisons: [
      { title: "page: first paint", ...page, theirs: limit(PAINT, "ms"), goal: { atMost: 1 } },
      { title: "page: first paint, of many runs", ...page, theirs: one, goal: { atMost: 3 } },
      {
        title: "page: its size",
        unit: "kB",
        ours: { command: "the page, compressed by gzip", measure: compressedSize },
        theirs: limit(SIZE, "kB"),
        goal: { atMost: 1 },
        rounds: 1,
      },
    ],
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** From the navigation until the rows of all runs and the curves of the newest ten are painted. */
async function painted(stack: AsyncDisposableStack, runs: number): Promise<Contender> {
  const app = stack.use(await makeApp());
  for (let run = 0; run < runs; run++) {
    await makeRun(app, run, {
      hyperparameters: { rate: String(run / 1_000) },
      curves: [["loss", fallingCurve(POINTS, run + 1)]],
    });
  }
  const server = stack.use(await servePage(app));
  const browser = stack.use(await openBrowser());
  const look = `requestAnimationFrame(function look() {
    const rows = document.querySelectorAll("tbody tr").length;
    const curves = document.querySelector("[role=img]")?.ariaLabel.split(" ends at ").length - 1;
    if (rows < ${runs} || !(curves >= ${Math.min(runs, CURVES)})) requestAnimationFrame(look);
    else requestAnimationFrame((now) => globalThis.paintedAt = now);
  })`;
  return {
    command: `mlcli local ui, ${runs} run${runs === 1 ? "" : "s"} of ${POINTS} points`,
    measure: async () => {
      const page = await browser.open(server.address, { first: look });
      const time = await (await page.waitForFunction("globalThis.paintedAt")).jsonValue();
      await page.close();
      return time as number;
    },
  };
}

function limit(value: number, unit: string): Contender {
  return { command: `the goal of ${value} ${unit}`, measure: () => Promise.resolve(value) };
}

async function compressedSize(): Promise<number> {
  const document = new Blob([await pageDocument()]).stream();
  const bytes = await new Response(document.pipeThrough(new CompressionStream("gzip"))).bytes();
  return bytes.length / 1_000;
}
