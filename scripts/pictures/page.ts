/** The page of `local ui` in a browser, light and dark. */

import { holds, openBrowser } from "../../tests/helpers/browser.ts";
import { servePage } from "../../tests/helpers/page_server.ts";
import { startProgram } from "../../tests/helpers/program.ts";

/** Of the pictures, in percent: a higher one is not seen, but takes more bytes. */
const QUALITY = 75;

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
    const page = await browser.open(server.at("runs"), { scheme, width: 1360 });
    await holds(page, "document.querySelectorAll('[role=img]').length === 4");
    const name = scheme === "light" ? "page_runs.webp" : "page_runs_dark.webp";
    pictures[name] = await page.screenshot({
      type: "webp",
      quality: QUALITY,
      fullPage: true,
    });
  }
  return pictures;
}
