/**
 * A real browser, Debian's Chromium, with a fresh profile. What a page of it must not do fails the
 * test: an error, something that its policy forbids, a request to another place than its own.
 */

import { assertEquals } from "@std/assert";
import puppeteer, { type Page } from "puppeteer-core";
import { installed } from "../../scripts/engine/chromium.ts";
import { say } from "../../scripts/script.ts";

/** A test that hangs ends after this time, in ms. */
const TIMEOUT = 240_000;
/** What a test waits for comes within this time, in ms. */
const PATIENCE = 20_000;

/** How a page is looked at. */
export interface Look {
  /** Default: a light one. */
  readonly scheme?: "dark" | "light";
  /** Of its window, in pixels. Default: 1280. */
  readonly width?: number;
  /** What it may complain of. */
  readonly expects?: RegExp;
  /** What runs in it first, in JavaScript. */
  readonly first?: string;
}

/** A browser that is closed at the end. */
export interface TestBrowser extends AsyncDisposable {
  /** Opens an address in a tab of its own. */
  open(address: string, look?: Look): Promise<Page>;
}

export async function openBrowser(): Promise<TestBrowser> {
  const chromium = await puppeteer.launch({
    executablePath: await installed(),
    // Chromium's own sandbox is not for root; /dev/shm is small in containers.
    args: [...Deno.uid() === 0 ? ["--no-sandbox"] : [], "--disable-dev-shm-usage"],
    timeout: PATIENCE,
  });
  const process = chromium.process()!;
  const timer = setTimeout(() => process.kill("SIGKILL"), TIMEOUT);
  const problems: string[] = [];
  const open = async (address: string, look: Look = {}): Promise<Page> => {
    const { scheme = "light", width = 1280, expects, first } = look;
    const page = await chromium.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    if (first) await page.evaluateOnNewDocument(first);
    const complain = (problem: string): void => {
      // Chromium aborts requests when a container of another test adds or removes a network.
      if (problem.endsWith("net::ERR_NETWORK_CHANGED") || expects?.test(problem)) return;
      problems.push(problem);
    };
    // What its policy forbids is told there, too.
    page.on("console", (message) => {
      if (["error", "warn", "assert"].includes(message.type())) complain(message.text());
    });
    page.on("pageerror", (error) => complain(String(error)));
    page.on("dialog", (dialog) => {
      complain(`It says: ${dialog.message()}`);
      dialog.dismiss().catch(() => {});
    });
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      const isOwn = protocol === "data:" || origin === new URL(address).origin;
      if (!isOwn) complain(`It asks ${request.url()}`);
    });
    await page.goto(address);
    return page;
  };
  return {
    open,
    async [Symbol.asyncDispose]() {
      // Also where the browser has ended before.
      await chromium.close().catch(() => process.kill("SIGKILL"));
      clearTimeout(timer);
      // Where a test has failed before, that is what is said of it.
      for (const problem of problems) say(`The page: ${problem}`);
      assertEquals(problems, []);
    },
  };
}

/** What all of a page says, as text. */
export async function textOf(page: Page): Promise<string> {
  return await page.evaluate("document.body.innerText") as string;
}

/** Waits until a page says this. */
export async function says(page: Page, wanted: RegExp | string): Promise<void> {
  const pattern = typeof wanted === "string" ? RegExp(RegExp.escape(wanted)) : wanted;
  await holds(page, `${pattern}.test(document.body.innerText)`);
}

/** Waits until a page has these texts, also where they are folded; unfolds it. */
export async function has(page: Page, texts: readonly string[]): Promise<void> {
  const isThere = '(text) => document.getElementById("page").textContent.includes(text)';
  await holds(page, `${JSON.stringify(texts)}.every(${isThere})`);
  await page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)");
}

/** Waits until a condition, in JavaScript, holds in the page. */
export async function holds(page: Page, condition: string): Promise<void> {
  // A tab behind another gets no events, and paints no frames.
  await page.bringToFront();
  try {
    await page.waitForFunction(condition, { polling: 100 });
  } catch (error) {
    throw new Error(`${condition} does not hold: ${await textOf(page)}`, { cause: error });
  }
}

/** Presses a key until the element that has the focus is what is meant. */
export async function focusBy(page: Page, key: "Tab" | "/", isMeant: string): Promise<void> {
  for (let pressed = 0; pressed < 100; pressed++) {
    if (await page.evaluate(`((element) => ${isMeant})(document.activeElement)`)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} leads to nothing for which ${isMeant}`);
}
