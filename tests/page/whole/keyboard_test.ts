import { assertEquals } from "@std/assert";
import type { Page } from "puppeteer-core";
import { focusBy, holds, openBrowser, says } from "../../helpers/browser.ts";
import { buildTestImage } from "../../helpers/engine.ts";
import { fallingCurve, makeRun } from "../../helpers/made_runs.ts";
import { servePage } from "../../helpers/page_server.ts";
import { deployServer } from "../../helpers/server.ts";
import { beforeAll, it, suite } from "../../helpers/suite.ts";

const SERVING = `
def model_fn(model_dir): pass
def predict_fn(input_data, model): return "seven times"
def output_fn(prediction, accept): return prediction
`;

/** Goes on by Tab to such an element of this name; it must be seen where the focus is. */
async function go(page: Page, name: string, selector: string, within = ""): Promise<void> {
  const is = `element.matches(${JSON.stringify(selector)}) && ` +
    `(element.ariaLabel ?? element.innerText ?? "").includes(${JSON.stringify(name)}) && ` +
    `(element.closest("article")?.innerText ?? "").includes(${JSON.stringify(within)})`;
  await focusBy(page, "Tab", is);
  const style = await page.evaluate(
    "(({ outlineStyle, boxShadow }) => [outlineStyle, boxShadow])(getComputedStyle(document.activeElement))",
  );
  const isSeen = JSON.stringify(style) !== JSON.stringify(["none", "none"]);
  assertEquals(isSeen, true, `nobody sees that ${name} has the focus`);
}

suite("the keyboard alone", () => {
  beforeAll(buildTestImage);

  it("leads to a filter, an order, a run, a comparison and an answer of a server", async () => {
    await using model = await deployServer(SERVING);
    for (const [index, name] of ["first-run", "second-run", "third-run"].entries()) {
      const hyperparameters = { rate: String(index) };
      await makeRun(model.app, index, {
        name,
        hyperparameters,
        curves: [["loss", fallingCurve(20)]],
        log: "out a line\n",
      });
    }
    await using server = await servePage(model.app);
    await using browser = await openBrowser();
    const page = await browser.open(server.address);
    const { keyboard } = page;
    await says(page, "third-run");
    await focusBy(page, "/", "element.type === 'search'");
    await keyboard.type("second");
    await holds(page, "document.querySelectorAll('tbody tr').length === 1");
    await keyboard.down("Control");
    await keyboard.press("a");
    await keyboard.up("Control");
    await keyboard.press("Backspace");
    await holds(page, "document.querySelectorAll('tbody tr').length === 3");
    await go(page, "rate", "th button");
    await keyboard.press("Enter");
    await holds(page, "document.querySelector('[aria-sort]') !== null");
    // The newest are checked from the beginning: two are left.
    await go(page, "second-run", "input[type=checkbox]");
    await keyboard.press("Space");
    await page.reload();
    await says(page, "third-run");
    await go(page, "second-run", "input[type=checkbox]");
    await keyboard.press("Space");
    await go(page, "Compare", "a");
    await keyboard.press("Enter");
    await says(page, /Comparison[^]*rate/);
    await go(page, "Runs", "nav a");
    await keyboard.press("Enter");
    await go(page, "first-run", "tbody a");
    await keyboard.press("Enter");
    await says(page, "a line");
    await go(page, "Servers", "nav a");
    await keyboard.press("Enter");
    await says(page, `${model.app.name} on port`);
    // Other apps may have servers, too.
    await go(page, "Try it", "summary", model.app.name);
    await keyboard.press("Enter");
    await go(page, "", "textarea");
    await keyboard.type("[1]");
    // Out of it again: nothing holds the focus.
    await go(page, "Send", "button");
    await keyboard.press("Enter");
    await says(page, "seven times");
  });
});
