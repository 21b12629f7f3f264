import { assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { statIfThere } from "../runtime/files.ts";
import { filesBelow } from "../scripts/files.ts";
import { it, suite } from "./helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));

/** A link to a page or a heading of ours. */
const LINK = /\]\((?![a-z]+:)([^)#]*)(?:#([^)]*))?\)/g;

suite("the documents", () => {
  it("lead by their links to files and headings that are there", async () => {
    const broken: string[] = [];
    for (const page of await pages()) {
      for (const [link, path = "", heading] of (await read(page)).matchAll(LINK)) {
        const target = path === "" ? page : join(dirname(page), path);
        const isThere = await statIfThere(join(ROOT, target)) !== undefined &&
          (heading === undefined || headings(await read(target)).includes(heading));
        if (!isThere) broken.push(`${page}: ${link}`);
      }
    }
    assertEquals(broken, []);
  });

  it("are all reached from the README or CONTRIBUTING.md", async () => {
    const linked = new Set<string>();
    for (const page of ["README.md", "CONTRIBUTING.md"]) {
      for (const [, path = ""] of (await read(page)).matchAll(LINK)) linked.add(path);
    }
    const lost = (await pages()).filter((page) =>
      page.endsWith(".md") && page.startsWith("docs/") && !linked.has(page)
    );
    assertEquals(lost, []);
  });
});

async function pages(): Promise<readonly string[]> {
  const docs = await Array.fromAsync(filesBelow(join(ROOT, "docs")));
  return ["README.md", "CONTRIBUTING.md", ...docs.map((path) => `docs/${path}`)];
}

async function read(page: string): Promise<string> {
  return (await Deno.readTextFile(join(ROOT, page))).replaceAll("\r\n", "\n");
}

/** The headings of a page, as links name them. */
function headings(text: string): readonly string[] {
  return [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title.toLowerCase().replaceAll(/[^\w\s-]/g, "").trim().replaceAll(" ", "-")
  );
}
