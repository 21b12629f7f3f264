import { assert } from "@std/assert";
import { makeApp } from "../../helpers/app.ts";
import { holds, openBrowser } from "../../helpers/browser.ts";
import { fallingCurve, makeRun } from "../../helpers/made_runs.ts";
import { servePage } from "../../helpers/page_server.ts";
import { it, suite } from "../../helpers/suite.ts";

const [RUNS, POINTS] = [80, 10_000];
const ROWS = "document.querySelectorAll('tbody tr').length";

suite("a page of many long runs", () => {
  it(`shows ${RUNS} runs and ${POINTS} points a curve, and answers at once`, async () => {
    await using app = await makeApp();
    for (let run = 0; run < RUNS; run++) {
      const rate = String(run / 100);
      await makeRun(app, run, {
        hyperparameters: { rate },
        curves: [["loss", fallingCurve(POINTS, run + 1)], ["accuracy", fallingCurve(POINTS)]],
      });
    }
    await using server = await servePage(app);
    await using browser = await openBrowser();
    const page = await browser.open(server.address);
    await holds(page, `${ROWS} === ${RUNS}`);
    // All of them over each other.
    for (const box of await page.$$("tbody input[type=checkbox]:not(:checked)")) await box.click();
    await holds(
      page,
      `document.querySelector("[role=img]").ariaLabel.endsWith("${RUNS - 10} more")`,
    );
    const colours = "((c) => new Set(new Uint32Array(c.getContext('2d')" +
      ".getImageData(0, 0, c.width, c.height).data.buffer)).size)(document.querySelector('canvas'))";
    assert(await page.evaluate(colours) as number > RUNS / 10, "the chart is empty");
    await page.focus("input[type=search]");
    await page.keyboard.type("0.79");
    await page.waitForFunction(`${ROWS} === 1`);
  });
});
