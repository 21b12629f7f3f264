import { assertEquals, assertRejects } from "@std/assert";
import { TARGETS } from "../../../scripts/compile/targets.ts";
import { checkBases } from "../../../scripts/release/runtime_bases.ts";
import { sha256 } from "../../../runtime/text.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const names = TARGETS.map((target) => `v2.9.6/denort-${target}.zip`);
const [FIRST = ""] = names;
const OTHER_SUM = "0".repeat(64);

/** Of a world where all agree, what one place says of the first base, and the previous lock. */
interface World {
  readonly place?: string;
  readonly answer?: () => Response;
  readonly previous?: string;
}

const DENO: World = {
  place: "https://dl.deno.land/release",
  answer: () => new Response(OTHER_SUM),
};
const GITHUB: World = { ...DENO, place: "https://github.com/denoland/deno/releases/download" };

/** Checks bases whose content is their name. */
async function check({ place, answer, previous }: World) {
  await using directory = await makeDirectory(
    Object.fromEntries(names.map((name) => [name, name])),
  );
  return await checkBases(directory.path, "2.9.6", previous, async (address) => {
    if (answer && address === `${place}/${FIRST}.sha256sum`) return answer();
    const name = names.find((name) => address.endsWith(`/${name}.sha256sum`));
    return new Response(await asPublished(name!));
  });
}

/** As sha256sum writes it, or for Windows PowerShell. */
async function asPublished(name: string): Promise<string> {
  const sum = await sha256(name);
  return name.includes("windows")
    ? `\r\nAlgorithm : SHA256\r\nHash      : ${sum.toUpperCase()}\r\nPath      : D:\\denort.zip\r\n`
    : `${sum}  denort.zip\n`;
}

suite("the runtime bases of a release", () => {
  it("are locked when all that is published says the same", async () => {
    const lines = await Promise.all(names.map(async (name) => `${await sha256(name)}  ${name}\n`));
    const lock = lines.join("");
    // Of another Deno: nothing to compare.
    const older = lock.replaceAll("v2.9.6", "v2.9.5").replaceAll(/^\w+/gm, OTHER_SUM);
    for (const previous of [undefined, lock, older]) {
      assertEquals(await check({ previous }), { lock, warnings: [] });
    }
  });

  it("may differ from GitHub's, with a warning", async () => {
    const sum = await sha256(FIRST);
    const { warnings } = await check(GITHUB);
    assertEquals(warnings, [`${FIRST} is ${sum}, but ${OTHER_SUM} on ${GITHUB.place}`]);
  });

  const missing = () => new Response(OTHER_SUM, { status: 404 });
  const page = () => new Response("<title>Sorry</title>");
  const previous = `${OTHER_SUM}  ${FIRST}\n`;
  const rows: readonly (readonly [what: string, world: World, message: string])[] = [
    ["differ from those that Deno publishes", DENO, `not ${OTHER_SUM} as ${DENO.place} says`],
    ["differ from the previous lock", { previous }, `not ${OTHER_SUM} as the lock of the previous`],
    ["come after a lock that is none", { previous: "<html>\n" }, "lock has no checksums"],
    ["have no checksum", { ...GITHUB, answer: missing }, "has no checksum: HTTP 404"],
    ["have a page for a checksum", { ...DENO, answer: page }, "has no checksum: HTTP 200"],
  ];
  for (const [what, world, message] of rows) {
    it(`are refused when they ${what}`, async () => {
      await assertRejects(() => check(world), Error, message);
    });
  }
});
