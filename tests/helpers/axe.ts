/** What axe finds wrong with a page for those who do not see it, or not well, or use the keyboard. */

import axe, { type AxeResults } from "axe-core";
import type { Page } from "puppeteer-core";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** One line for each element that breaks a rule. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(RULES)} })`);
  return (results as AxeResults).violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) =>
      `${id}: ${html.slice(0, 200)} ${failureSummary.replaceAll(/\s+/g, " ")}`
    )
  );
}
