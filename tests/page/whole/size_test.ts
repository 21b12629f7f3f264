import { assert, assertEquals } from "@std/assert";
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
    const count = `document.querySelector("[role=img]")?.ariaLabel.includes("and ${
      RUNS - 10
    } more")`;
    await holds(page, count);
    const painted = await page.evaluate(
      "(() => { const c = document.querySelector('canvas'); return c.getContext('2d')" +
        ".getImageData(0, 0, c.width, c.height).data.filter((_, i) => i % 4 === 3).some((a) => a > 0) })()",
    );
    assertEquals(painted, true, "the chart is empty");
    // What a reader does next is seen within a moment.
    const filtered = await page.evaluate(`new Promise((resolve) => {
      const begun = performance.now();
      const input = document.querySelector("input[type=search], input[type=text], input:not([type])");
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, "0.79");
      input.dispatchEvent(new Event("input", { bubbles: true }));
      const look = () => ${ROWS} < ${RUNS}
        ? resolve(performance.now() - begun) : requestAnimationFrame(look);
      look();
    })`) as number;
    assert(filtered < 1_000, `${filtered} ms`);
  });
});
