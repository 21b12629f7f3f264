import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { filesBelow } from "../scripts/files.ts";
import { ROAD } from "../scripts/pictures/road.ts";
import { commandPaths } from "./helpers/command_paths.ts";
import { it, suite } from "./helpers/suite.ts";
import { assertWellFormed } from "./helpers/xml.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));
const PICTURES = [...Deno.readDirSync(join(ROOT, "docs/pictures"))].map(({ name }) => name);
const IMAGES = PICTURES.filter((name) => name.endsWith(".webp"));

/** With words in its place; or, for a dark page, in the place of one that has words. */
const SHOWN = [
  /!\[[^\]]{20,}\]\([^)]*pictures\/([^)]+)\)/g,
  /<img src="[^"]*pictures\/([^"]+)" alt="[^"]{20,}">/g,
  /<source media="\(prefers-color-scheme: dark\)" srcset="[^"]*pictures\/([^"]+)">/g,
];

/** Of a machine: its directories, its users. */
const PATH = /\/(home|root|tmp|work|usr|private|Users)\/|\\Users\\/;

suite("the pictures of the documents", () => {
  for (const name of PICTURES.filter((name) => !IMAGES.includes(name))) {
    it(`${name} is whole, has words for those who do not see it, and names no machine`, async () => {
      const picture = await Deno.readTextFile(join(ROOT, "docs/pictures", name));
      assertWellFormed(picture);
      assertMatch(picture, /^<svg [^>]*>\s*<title>[^<]{5,}<\/title>\s*<desc>[^<]{20,}<\/desc>/);
      assert(picture.includes("@media(prefers-color-scheme:dark)"));
      assert(!/<script|<foreignObject|href="(?!#)|url\((?!#)/.test(picture), "loads something");
      assert(!PATH.test(picture.replaceAll("\u00a0", " ")), "names a path");
      assert(picture.length < 300_000, String(picture.length));
    });
  }

  for (const name of IMAGES) {
    it(`${name} is an image that loads soon`, async () => {
      const picture = await Deno.readFile(join(ROOT, "docs/pictures", name));
      assertEquals(new TextDecoder().decode(picture.subarray(8, 12)), "WEBP");
      assert(picture.length < 100_000, String(picture.length));
    });
  }

  it("are shown by a page, with words in their place", async () => {
    const pages = ["README.md"];
    for await (const path of filesBelow(join(ROOT, "docs"))) {
      if (path.endsWith(".md")) pages.push(`docs/${path}`);
    }
    const texts = await Promise.all(pages.map((page) => Deno.readTextFile(join(ROOT, page))));
    const shown = texts.flatMap((text) => SHOWN.flatMap((form) => [...text.matchAll(form)]));
    assertEquals(PICTURES.filter((name) => !shown.some(([, file]) => file === name)), []);
  });

  it("name commands on the road that there are", async () => {
    const commands = (await commandPaths()).map((names) => names.join(" "));
    const named = ROAD.flatMap(({ stops }) =>
      stops.map(([command]) => command.replace(/ --.*/, ""))
    );
    assertEquals(named.filter((command) => !commands.includes(command)), []);
  });
});
