/** The page of `local ui` in a browser, light and dark. */

import { openBrowser } from "../../tests/helpers/browser.ts";
import { servePage } from "../../tests/helpers/page_server.ts";
import { startProgram } from "../../tests/helpers/program.ts";

/** As many bytes as a picture may have need this quality at most. */
const QUALITY = 70;

/**
 * @param cwd where the app lies.
 * @returns the pictures, by the names of their files.
 */
export async function pagePictures(cwd: string): Promise<Readonly<Record<string, Uint8Array>>> {
  const app = { start: (args: readonly string[]) => startProgram(args, { cwd }) };
  await using server = await servePage(app);
  await using browser = await openBrowser();
  const pictures: Record<string, Uint8Array> = {};
  for (const scheme of ["light", "dark"] as const) {
    const page = await browser.open(server.at("runs"), { scheme });
    await page.waitForFunction('performance.getEntriesByName("painted").length > 0');
    pictures[`page_runs_${scheme}.webp`] = await page.screenshot({
      type: "webp",
      quality: QUALITY,
    });
  }
  return pictures;
}
