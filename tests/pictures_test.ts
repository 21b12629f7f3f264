import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { filesBelow } from "../scripts/files.ts";
import { ROAD } from "../scripts/pictures/road.ts";
import { commandPaths } from "./helpers/command_paths.ts";
import { it, suite } from "./helpers/suite.ts";
import { assertWellFormed } from "./helpers/xml.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));
const PICTURES = [...Deno.readDirSync(join(ROOT, "docs/pictures"))].map(({ name }) => name);

/** Of a machine: its directories, its users. */
const PATH = /\/(home|root|tmp|work|usr|private|Users)\/|\\Users\\/;

suite("the pictures of the documents", () => {
  for (const name of PICTURES) {
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

  it("are shown by a page, with words in their place", async () => {
    const pages = ["README.md"];
    for await (const path of filesBelow(join(ROOT, "docs"))) {
      if (path.endsWith(".md")) pages.push(`docs/${path}`);
    }
    const texts = await Promise.all(pages.map((page) => Deno.readTextFile(join(ROOT, page))));
    const shown = texts.flatMap((
      text,
    ) => [...text.matchAll(/!\[[^\]]{20,}\]\([^)]*pictures\/([^)]+)\)/g)]);
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
