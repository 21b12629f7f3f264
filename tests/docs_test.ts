import { assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { optionRows } from "../commands/render/help.ts";
import { root } from "../commands/root.ts";
import { topicOf } from "../commands/topic.ts";
import { statIfThere } from "../runtime/files.ts";
import { filesBelow } from "../scripts/files.ts";
import { it, suite } from "./helpers/suite.ts";

/** Number of lines above which a page must list its sections. */
const LONG = 150;

const ROOT = fromFileUrl(new URL("../", import.meta.url));

/** A link to a page or a heading of ours. */
const LINK = /\]\((?![a-z]+:)([^)#]*)(?:#([^)]*))?\)/g;

suite("the documents", () => {
  it("documents link only to files and headings that exist", async () => {
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

  it("all documents are linked from the README, docs/README.md or CONTRIBUTING.md", async () => {
    const linked = new Set(["docs/README.md"]);
    for (const page of ["README.md", "docs/README.md", "CONTRIBUTING.md"]) {
      for (const [, path = ""] of (await read(page)).matchAll(LINK)) {
        linked.add(join(dirname(page), path));
      }
    }
    const lost = (await pages()).filter((page) =>
      page.endsWith(".md") && page.startsWith("docs/") && !linked.has(page)
    );
    assertEquals(lost, []);
  });

  it("documents list their sections at the top if they are long", async () => {
    await assertNone(/^docs\/.*\.md$/, (text) => {
      const [top = ""] = text.split(/^## /m);
      const listed = [...top.matchAll(LINK)].map(([, , heading]) => heading);
      const sections = headings(text, /^## (.+)$/gm);
      if (text.split("\n").length <= LONG) return [];
      return sections.filter((name) => !listed.includes(name));
    });
  });

  it("have no line that is too wide to read", async () => {
    await assertNone(/\.md$/, (text) => text.split("\n").filter((line) => line.length > 200));
  });

  it("name files that are there, none of the tests, and no mlcli but this one", async () => {
    const files = /`((?:commands|docs|fixtures|runtime|scripts)\/[\w./-]*\w)`/g;
    await assertNone(/^docs\/(?!explanation\/architecture).*\.md$/, async (text) => {
      const named = [...text.matchAll(files)].map(([, path = ""]) => path);
      const isThere = await Promise.all(named.map((path) => statIfThere(join(ROOT, path))));
      return [
        ...named.filter((_, index) => isThere[index] === undefined),
        ...(text.match(/\btests\/\w+|\w+_test\.ts|older mlcli/g) ?? []),
      ];
    });
  });

  it("show commands and options that mlcli has", async () => {
    await assertNone(/\.(md|yml)$/, async (text, page) => {
      const wrong: string[] = [];
      for (const line of commandLines(page.endsWith(".md") ? text : `\`\`\`yaml\n${text}\`\`\``)) {
        const words = line.split(/\s+/);
        const group = await topicOf(root, words.slice(0, 1)).catch(() => undefined);
        const topic = group?.members === undefined
          ? group
          : await topicOf(root, words.slice(0, 2)).catch(() => undefined);
        const forms = topic && optionRows(topic).flatMap(({ form }) => form.split(/,? +/));
        const options = words.map((word) => word.replace(/=.*|["')]+$/, ""))
          .filter((word) => /^--?[a-zA-Z]/.test(word));
        if (!options.every((option) => forms?.includes(option))) wrong.push(line);
      }
      return wrong;
    });
  });
});

/** Asserts that nothing is found on these pages. */
async function assertNone(
  which: RegExp,
  find: (text: string, page: string) => readonly string[] | Promise<readonly string[]>,
): Promise<void> {
  const found: string[] = [];
  for (const page of (await pages()).filter((page) => which.test(page))) {
    for (const what of await find(await read(page), page)) found.push(`${page}: ${what}`);
  }
  assertEquals(found, []);
}

/** What follows `mlcli` in blocks of commands, up to the code's own arguments or another program. */
function commandLines(text: string): readonly string[] {
  return [...text.matchAll(/^( *)```(?:sh|console|yaml)\n(.*?)^\1```/gms)]
    .flatMap(([, , block = ""]) => block.replaceAll("\\\n", " ").split("\n"))
    .flatMap((line) => line.split(/(?<=^ *|[$|(&;:-] *|\$\()mlcli /).slice(1))
    .map((rest) => rest.split(/ -- | [|>#] | && |[;)]/)[0]!.trim())
    .filter((line) => /^[a-z]/.test(line));
}

async function pages(): Promise<readonly string[]> {
  const docs = await Array.fromAsync(filesBelow(join(ROOT, "docs")));
  const texts = docs.filter((path) => !path.endsWith(".webp"));
  const top = ["README", "CONTRIBUTING", "CHANGELOG", "CODE_OF_CONDUCT", "SECURITY", "SUPPORT"];
  return [
    ...top.map((name) => `${name}.md`),
    "llms.txt",
    ...texts.map((path) => `docs/${path}`),
  ];
}

async function read(page: string): Promise<string> {
  return (await Deno.readTextFile(join(ROOT, page))).replaceAll("\r\n", "\n");
}

/** The headings of a page, as links name them. */
function headings(text: string, heading = /^#+ (.+)$/gm): readonly string[] {
  return [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(heading)].map(([, title = ""]) =>
    title.toLowerCase().replaceAll(/[^\w\s-]/g, "").trim().replaceAll(" ", "-")
  );
}
