import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "puppeteer-core";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { violationsOf } from "../helpers/axe.ts";
import { has, holds, openBrowser, says, textOf } from "../helpers/browser.ts";
import { fallingCurve, makeRun } from "../helpers/made_runs.ts";
import { servePage } from "../helpers/page_server.ts";
import { it, suite } from "../helpers/suite.ts";

const SCHEMES = ["light", "dark"] as const;
/** Of a desk, and of a phone. */
const WIDTHS = [1280, 390] as const;

/** The chart of the loss, once the curves of both runs are in it. */
const WHOLE_CHART = "[aria-label*='first-run ends'][aria-label*='second-run ends']";

/** An app with some of each that there may be. */
async function fullApp(): Promise<TestApp> {
  const app = await makeApp();
  await makeRun(app, 0, {
    name: "first-run",
    hyperparameters: { rate: "0.1", depth: "3" },
    curves: [["loss", fallingCurve(50, 1)], ["accuracy", fallingCurve(50, 2)], ["r2", [0.9125]]],
    packages: { numpy: "1.26.4", scipy: "1.11.1" },
    data: { training: { files: 2, bytes: 1_234, hash: "ab".repeat(16), by: "contents" } },
    commit: "4313efd9".repeat(5),
    log: "out one line\nerr a warning\n",
  });
  await makeRun(app, 1, {
    name: "second-run",
    hyperparameters: { rate: "0.2", depth: "3" },
    curves: [["loss", fallingCurve(50, 3)]],
    packages: { numpy: "2.0.0", scipy: "1.11.1" },
    outcome: { status: "Failed", exit_status: 1, reason: "ValueError: no rows" },
    hosts: [
      { name: "algo-1", exit_status: 143, seconds: 3, peak_memory: 12e6, ended_by: "algo-2" },
      { name: "algo-2", exit_status: 1, seconds: 2.5, peak_memory: null, ended_by: null },
    ],
    log: "err ValueError: no rows\n",
  });
  const transform = {
    model_run: "first-run",
    records: 3,
    requests: 3,
    latency_ms: { p50: 10, p95: 800, p99: 812 },
    slowest: [{ file: "a.csv", first: 3, records: 1, ms: 812 }],
    failed: [{ file: "b.csv", first: 2, last: 2, status: 500, reason: "the model is tired" }],
  };
  await makeRun(app, 2, { name: "third-run", kind: "transform", transform });
  return app;
}

/** What makes a view unfit for some, or for its window. */
async function flawsOf(page: Page, view: string): Promise<readonly string[]> {
  const wanted = await page.evaluate("document.documentElement.scrollWidth") as number;
  const width = page.viewport()!.width;
  const flaws = wanted > width ? [`It takes ${wanted} of ${width} pixels`] : [];
  return [...flaws, ...await violationsOf(page)].map((flaw) => `${view}: ${flaw}`);
}

const VIEWS = [
  [["runs"], "first-run", "second-run", "Failed", "0.2"],
  [["runs", "first-run"], "one line", "a warning", "numpy", "metrics.csv", "job.json"],
  [["runs", "second-run"], "ValueError: no rows", "Failed", "algo-2", "12.0 MB"],
  [["runs", "third-run"], "the model is tired", "812", "a.csv"],
  [["comparison", "first-run", "second-run"], "rate", "2.0.0", "1.26.4"],
] as const;

suite("the views of the page", () => {
  it("show what there is, dark and light, on a desk and on a phone", async () => {
    await using app = await fullApp();
    // Which servers there are differs from machine to machine: servers_test.ts has them.
    await using server = await servePage(app, { env: { DOCKER_HOST: "unix:///nowhere.sock" } });
    await using browser = await openBrowser();
    const papers = new Set<unknown>();
    const flaws: string[] = [];
    for (const width of WIDTHS) {
      for (const scheme of SCHEMES) {
        const page = await browser.open(server.at("runs"), { scheme, width });
        for (const [view, ...shown] of [...VIEWS, [["servers"], "Docker"]] as const) {
          await page.goto(server.at(...view));
          await has(page, shown);
          flaws.push(...await flawsOf(page, `${view.join("/")} ${scheme} ${width}`));
        }
        papers.add(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
      }
    }
    assertEquals(flaws, []);
    assertEquals(papers.size, SCHEMES.length, "dark and light look the same");
  });

  it("are those of a report, too, without a server and with logs only when asked for", async () => {
    await using app = await fullApp();
    await using browser = await openBrowser();
    for (const [options, hasLog] of [[[], false], [["--with-logs"], true]] as const) {
      const file = `${app.directory}/report-${hasLog}.html`;
      const { code, stderr } = await app.run(["local", "report", "-o", file, ...options]);
      assertEquals(code, 0, stderr);
      assertEquals((await Deno.readTextFile(file)).includes("one line"), hasLog);
      const page = await browser.open(`file://${file}`);
      for (const [view, ...shown] of VIEWS) {
        await page.goto(`file://${file}#/${view.join("/")}`);
        await has(page, shown.filter((text) => hasLog || !/one line|a warning/.test(text)));
        if (hasLog) assertEquals(await flawsOf(page, view.join("/")), []);
      }
      assert(!/Servers/.test(await textOf(page)));
    }
  });

  it("the page shows a metric with a single value as a number, not as a chart", async () => {
    await using app = await fullApp();
    await using server = await servePage(app);
    await using browser = await openBrowser();
    for (const view of [["runs"], ["runs", "first-run"]]) {
      const page = await browser.open(server.at(...view));
      await page.waitForSelector("[aria-label^='Chart of loss']");
      await has(page, ["0.9125"]);
      assertEquals(await page.$("[aria-label^='Chart of r2']"), null);
    }
  });

  it("say that curves are on their way, and not that there are none", async () => {
    await using app = await fullApp();
    await using server = await servePage(app);
    await using browser = await openBrowser();
    const first = `
      const held = new Promise((resolve) => self.release = resolve), ask = fetch;
      self.fetch = (url, options) => (/curves/.test(url) ? held : Promise.resolve()).then(() => ask(url, options));
    `;
    const page = await browser.open(server.at("runs"), { first });
    await says(page, "first-run");
    assertMatch(await textOf(page), /Loading…/);
    await page.evaluate("release()");
    await page.waitForSelector(WHOLE_CHART);
    await page.locator("::-p-text(Clear selection)").click();
    await page.locator("[aria-label='Select third-run']").click();
    await says(page, "No curves. Define metrics with metric_definitions");
  });

  it("sort, filter, choose columns, change charts, and follow runs that come and go", async () => {
    await using app = await fullApp();
    await using server = await servePage(app);
    await using browser = await openBrowser();
    const page = await browser.open(server.at("runs"));
    const named = (name: string, role: string) =>
      page.locator(`::-p-aria([name='${name}'][role='${role}'])`);
    /** Waits until the rows are those of these runs, in this order. */
    const shows = (...names: readonly string[]) =>
      holds(
        page,
        `[...document.querySelectorAll("tbody a")].map((a) => a.innerText).join() === "${names}"`,
      );
    await shows("third-run", "second-run", "first-run");
    // The table moves down when the charts come.
    await page.waitForSelector(WHOLE_CHART);
    await named("rate", "button").click();
    await shows("first-run", "second-run", "third-run");
    await named("rate", "button").click();
    await shows("second-run", "first-run", "third-run");
    await page.locator("input[type=search]").fill("rate<0.15");
    await shows("first-run");
    await page.locator("input[type=search]").fill("-run");
    await page.locator("summary").click();
    await named("Commit", "checkbox").click();
    await says(page, "4313efd9");
    await named("Log scale", "checkbox").click();
    const chart = await page.waitForSelector("[aria-label^='Chart of loss, log scale']");
    await page.select("select", "time");
    const { x, y, width, height } = (await chart!.boundingBox())!;
    const middle = x + width / 2;
    const pointed = (): Promise<string> =>
      page.$eval("figure:has([aria-label*='loss']) small", (element) => element.textContent ?? "");
    for (let down = 0; down < height && !(await pointed()).includes("run: "); down += 8) {
      await page.mouse.move(middle, y + down);
    }
    assertMatch(await pointed(), /^\w+-run: [\d.]+ at [\dm]+ ?[\d.]+s$/);
    const label = await page.evaluate("document.querySelector('[aria-label*=loss]').ariaLabel");
    await page.focus("input[type=range]");
    await page.keyboard.press("End");
    await holds(page, `document.querySelector("[aria-label*=loss]").ariaLabel !== "${label}"`);
    await page.mouse.move(middle, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(middle + 40, y + height / 2, { steps: 4 });
    await page.mouse.up();
    const reset =
      `[...document.querySelectorAll("button")].find((one) => /zoom/.test(one.innerText))`;
    await holds(page, `!${reset}.disabled`);
    await page.mouse.click(middle, y + height / 2, { count: 2 });
    await holds(page, `${reset}.disabled`);
    // A choice is kept when it is seen, and not a moment later: the tab may be gone then.
    const untick = `document.querySelector("[aria-label='Select first-run']").click()`;
    const kept = await page.evaluate(
      `(async () => { ${untick}; await null; return Object.values(sessionStorage).join() })()`,
    );
    assertMatch(String(kept), /"first-run":false/);
    await holds(page, `!document.querySelector("[role=img]").ariaLabel.includes("first-run")`);
    await page.reload();
    await says(page, "4313efd9");
    await holds(page, `!document.querySelector("[aria-label='Select first-run']").checked`);
    // Once its curves are here: asking for those of a run that is gone is an error to a browser.
    await page.waitForSelector("[aria-label*='second-run ends']");
    await Deno.remove(app.path("local_test/jobs/second-run"), { recursive: true });
    await makeRun(app, 3, { name: "fourth-run" });
    await shows("first-run", "fourth-run", "third-run");
  });
});
