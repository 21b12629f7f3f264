/** The page as one document. The only module here that runs in mlcli, and not in a browser. */

import { isMissing, MlcliError } from "../errors.ts";

/** Made by `scripts/page.ts`: from source, `deno task` does it; a binary has it beside its code. */
const DOCUMENT = new URL("page.html", import.meta.url);

/** Where a report has its data in the document. */
const REPORT_PLACE = "<!--report-->";

/** @throws MlcliError where it has not been made. */
export async function pageDocument(): Promise<string> {
  try {
    return await Deno.readTextFile(DOCUMENT);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new MlcliError("The page has not been built", {
      hint: "Build it: deno task setup",
      cause: error,
    });
  }
}

/** Returns JSON in which no text can end the element that holds it. */
export function jsonInPage(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

export function withReport(document: string, report: unknown): string {
  const element = `<script type="application/json" id="report">${jsonInPage(report)}</script>`;
  return document.replace(REPORT_PLACE, () => element);
}
