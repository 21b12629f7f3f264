import { assertEquals } from "@std/assert";
import type { Page } from "puppeteer-core";
import { focusBy, openBrowser, says } from "../../helpers/browser.ts";
import { buildTestImage } from "../../helpers/engine.ts";
import { fallingCurve, makeRun } from "../../helpers/made_runs.ts";
import { servePage } from "../../helpers/page_server.ts";
import { deployServer } from "../../helpers/server.ts";
import { beforeAll, it, suite } from "../../helpers/suite.ts";

const SERVING = `
def model_fn(model_dir): return 1
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
      const curves = [["loss", fallingCurve(20)]] as const;
      await makeRun(model.app, index, { name, hyperparameters, curves, log: "out a line\n" });
    }
    await using server = await servePage(model.app);
    await using browser = await openBrowser();
    const page = await browser.open(server.address);
    await says(page, "third-run");
    await focusBy(page, "/", "element.type === 'search'");
    await page.keyboard.type("second");
    await says(page, "1 of 3 runs");
    await page.keyboard.press("Escape");
    await says(page, "3 of 3 runs");
    const { name } = model.app;
    for (
      const [target, selector, keys, shown, within] of [
        ["rate", "th button", ["Enter"], /first-run[^]*third-run/],
        ["second-run", "input[type=checkbox]", ["Space"], "Compare the selected"],
        ["Compare", "a", ["Enter"], /Comparison[^]*rate/],
        ["Runs", "nav a", ["Enter"], "3 of 3 runs"],
        ["first-run", "tbody a", ["Enter"], "a line"],
        ["Servers", "nav a", ["Enter"], `${name} on port`],
        // Other apps may have servers, too.
        ["Try it", "summary", ["Enter"], "Content type", name],
        // Out of the text, too, leads Tab.
        ["", "textarea", ["[", "1", "]"], "--data-raw '[1]'"],
        ["Send", "button", ["Enter"], "seven times"],
      ] as const
    ) {
      await go(page, target, selector, within);
      for (const key of keys) await page.keyboard.press(key);
      await says(page, shown);
    }
  });
});
