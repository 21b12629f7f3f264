/**
 * Resolves the dependencies: `deno task setup`.
 *
 * Where JSR answers, Deno fetches its packages by itself and this script only asks it to. Where
 * only npm is reachable (a company's mirror, say), it fills `vendor/jsr.io/` from a package on npm
 * that carries the same modules; `"vendor": true` in deno.json makes Deno look there first. With
 * `--npm` it does so everywhere: a release is made from files that were checked, and JSR's newest
 * are not.
 *
 * Imports nothing that needs resolving, nor do those that it imports, since it runs before anything
 * is resolved.
 */

import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { filesBelow } from "../files.ts";
import { PAGE, pageOf } from "../page.ts";
import { runScript, say } from "../script.ts";
import { packageFolder, vendorFromNpm, writeManifest } from "../setup/from_npm.ts";

/** Stand-ins for packages that npm has in no usable form: only what the tests use of them. */
const STAND_INS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "@std/assert": { ".": "assert.ts" },
  "@std/testing": { "./bdd": "bdd.ts" },
};

const ROOT = new URL("../../", import.meta.url);
const VENDOR = fileURLToPath(new URL("vendor", ROOT));
/** Written last, so that an interrupted set-up starts again. */
const DONE = new URL("vendor/.set-up", ROOT);
const STAND_IN_FILES = new URL("../setup/stand_ins/", import.meta.url);

/** After a change of one of these, it is done again. */
const MADE_FROM = [
  new URL(import.meta.url),
  new URL("../setup/from_npm.ts", import.meta.url),
  new URL("deno.json", ROOT),
  ...Object.values(STAND_INS).flatMap((files) =>
    Object.values(files).map((file) => new URL(file, STAND_IN_FILES))
  ),
];

/**
 * Makes every import of deno.json resolvable. Costs nothing when it has been done before.
 * @param fromNpm whether to take JSR's packages from npm even where JSR answers.
 */
export async function setUp(fromNpm: boolean, signal: AbortSignal): Promise<void> {
  const fingerprint = await fingerprintOf(MADE_FROM);
  const done = await readIfThere(DONE);
  if (done === `${fingerprint} npm` || (done === fingerprint && !fromNpm)) return;
  const vendored = fromNpm || !await jsrAnswers();
  if (vendored) {
    if (!fromNpm) say("JSR does not answer: taking its packages from npm");
    await vendorFromNpm(VENDOR, signal);
    for (const [name, exports] of Object.entries(STAND_INS)) await putStandIn(name, exports);
  }
  await Deno.mkdir(VENDOR, { recursive: true });
  await Deno.writeTextFile(DONE, vendored ? `${fingerprint} npm` : fingerprint);
}

async function fingerprintOf(files: readonly URL[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files) hash.update(await Deno.readTextFile(file));
  return hash.digest("hex");
}

async function jsrAnswers(): Promise<boolean> {
  try {
    const answer = await fetch("https://jsr.io/@cliffy/command/meta.json", {
      signal: AbortSignal.timeout(5_000),
    });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

async function putStandIn(name: string, exports: Readonly<Record<string, string>>): Promise<void> {
  const version = "1.0.0";
  const entries: Record<string, string> = {};
  const folder = packageFolder(VENDOR, name, version);
  await Deno.mkdir(folder, { recursive: true });
  for (const [entry, file] of Object.entries(exports)) {
    await Deno.copyFile(new URL(file, STAND_IN_FILES), `${folder}/${file}`);
    entries[entry] = `./${file}`;
  }
  await writeManifest(VENDOR, name, version, entries);
}

async function readIfThere(file: URL): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Makes the page that `local ui` serves, where its source has changed. */
async function makePage(signal: AbortSignal): Promise<void> {
  const page = new URL(`${PAGE}/`, ROOT);
  const sources = (await Array.fromAsync(filesBelow(fileURLToPath(page)))).sort();
  const fingerprint = await fingerprintOf([
    ...sources.filter((name) => name !== "page.html").map((name) => new URL(name, page)),
    new URL("../page.ts", import.meta.url),
    new URL("deno.json", ROOT),
  ]);
  const made = new URL("page.html", page);
  const mark = `<!-- ${fingerprint} -->\n`;
  if ((await readIfThere(made))?.endsWith(mark)) return;
  const document = await pageOf(fileURLToPath(ROOT), [], {}, signal);
  await Deno.writeTextFile(`${fileURLToPath(made)}.part`, document + mark);
  await Deno.rename(`${fileURLToPath(made)}.part`, made);
}

async function main(signal: AbortSignal): Promise<number> {
  await setUp(Deno.args.includes("--npm"), signal);
  await makePage(signal);
  return 0;
}

if (import.meta.main) runScript(main);
