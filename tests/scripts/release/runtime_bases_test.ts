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
  readonly place?: "origin" | "other";
  readonly answer?: Readonly<{ text: string; status?: number }>;
  readonly previous?: string;
}

/** Checks bases whose content is their name. */
async function check({ place, answer, previous }: World) {
  await using directory = await makeDirectory(
    Object.fromEntries(names.map((name) => [name, name])),
  );
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      const name = pathname.replace(/^\/\w+\/|\.sha256sum$/g, "");
      const { text, status } = pathname === `/${place}/${FIRST}.sha256sum` && answer ||
        { text: await asPublished(name) };
      return new Response(text, { status });
    },
  );
  const address = `http://127.0.0.1:${server.addr.port}`;
  const places = { origin: `${address}/origin`, other: `${address}/other` };
  return await checkBases({ directory: directory.path, version: "2.9.6", ...places, previous });
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
    const { warnings } = await check({ place: "other", answer: { text: OTHER_SUM } });
    assertEquals(warnings.length, 1);
    assertEquals(warnings[0]!.split(", but ")[0], `${FIRST} is ${await sha256(FIRST)}`);
  });

  const rows: readonly (readonly [what: string, world: World, message: string])[] = [
    [
      "differ from what is published beside them",
      { place: "origin", answer: { text: OTHER_SUM } },
      `not ${OTHER_SUM} as http`,
    ],
    [
      "differ from the previous release's",
      { previous: `${OTHER_SUM}  ${FIRST}\n` },
      `not ${OTHER_SUM} as the lock of the previous release says`,
    ],
    [
      "have a page in place of a checksum",
      { place: "origin", answer: { text: "<title>Sorry</title>" } },
      "has no checksum: HTTP 200",
    ],
    [
      "have no checksum",
      { place: "other", answer: { text: OTHER_SUM, status: 404 } },
      "has no checksum: HTTP 404",
    ],
    ["come after a lock that is none", { previous: "<html>\n" }, "lock has no checksums"],
  ];
  for (const [what, world, message] of rows) {
    it(`are refused when they ${what}`, async () => {
      await assertRejects(() => check(world), Error, message);
    });
  }
});
