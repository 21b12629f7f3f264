import { assertEquals, assertRejects } from "@std/assert";
import { TARGETS } from "../../../scripts/compile/targets.ts";
import { checkBases } from "../../../scripts/release/runtime_bases.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { sha256 } from "../../../runtime/text.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const names = TARGETS.map((target) => `v2.9.6/denort-${target}.zip`);
const [FIRST = ""] = names;
const OTHER_SUM = "0".repeat(64);

/** What changes, of a world where all agree. */
interface World {
  /** Answers in place of the sums, by path: `/origin/v2.9.6/denort-TARGET.zip.sha256sum`. */
  readonly answers?: Readonly<Record<string, () => Response>>;
  readonly previous?: string;
  readonly missing?: string;
}

/** Checks bases whose content is their name. */
async function check({ answers = {}, missing, ...rest }: World = {}) {
  const there = names.filter((name) => name !== missing);
  await using directory = await makeDirectory(
    Object.fromEntries(there.map((name) => [name, name])),
  );
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      const name = pathname.replace(/^\/\w+\/|\.sha256sum$/g, "");
      return answers[pathname]?.() ?? new Response(await asPublished(name));
    },
  );
  const address = `http://127.0.0.1:${server.addr.port}`;
  const places = { origin: `${address}/origin`, other: `${address}/other` };
  const checked = checkBases({ directory: directory.path, version: "2.9.6", ...places, ...rest });
  const error = await checked.then(() => undefined, (error) => error);
  const shown = (text: string) => text.replaceAll(address, "").replaceAll(directory.path, "");
  if (error instanceof MlcliError) throw new MlcliError(shown(error.message));
  const { lock, warnings } = await checked;
  return { lock, warnings: warnings.map(shown) };
}

/** As sha256sum writes it, or for Windows PowerShell. */
async function asPublished(name: string): Promise<string> {
  const sum = await sha256(name);
  return name.includes("windows")
    ? `\r\nAlgorithm : SHA256\r\nHash      : ${sum.toUpperCase()}\r\nPath      : D:\\denort.zip\r\n`
    : `${sum}  denort.zip\n`;
}

const beside = (place: string, answer: () => Response): World["answers"] => ({
  [`/${place}/${FIRST}.sha256sum`]: answer,
});

suite("the runtime bases of a release", () => {
  it("are locked when all that is published says the same", async () => {
    const lines = await Promise.all(names.map(async (name) => `${await sha256(name)}  ${name}\n`));
    const lock = lines.join("");
    assertEquals(await check(), { lock, warnings: [] });
    assertEquals((await check({ previous: lock })).lock, lock);
    // Of another Deno: nothing to compare.
    const older = lock.replaceAll("v2.9.6", "v2.9.5").replaceAll(/^\w+/gm, OTHER_SUM);
    assertEquals((await check({ previous: older })).lock, lock);
  });

  it("may differ from GitHub's, with a warning", async () => {
    const { warnings } = await check({ answers: beside("other", () => new Response(OTHER_SUM)) });
    assertEquals(warnings, [`${FIRST} is ${await sha256(FIRST)}, but ${OTHER_SUM} on /other`]);
  });

  const page = () => new Response("<!DOCTYPE html>\n<title>Sorry</title>");
  const sums = () => new Response(`${OTHER_SUM}\n${"1".repeat(64)}\n`);
  const rows: readonly (readonly [what: string, world: World, error: string])[] = [
    [
      "differ from what is published beside them",
      { answers: beside("origin", () => new Response(OTHER_SUM)) },
      `${FIRST} is SUM, not ${OTHER_SUM} as /origin says`,
    ],
    [
      "differ from the previous release's",
      { previous: `${OTHER_SUM}  ${FIRST}\n` },
      `${FIRST} is SUM, not ${OTHER_SUM} as the lock of the previous release says`,
    ],
    ["are missing", { missing: FIRST }, `There is no runtime base /${FIRST}`],
    [
      "have a page in place of a checksum",
      { answers: beside("origin", page) },
      `/origin/${FIRST}.sha256sum is no checksum: HTTP 200, <!DOCTYPE html>?<title>Sorry</title>`,
    ],
    [
      "have no checksum",
      { answers: beside("other", () => new Response(OTHER_SUM, { status: 404 })) },
      `/other/${FIRST}.sha256sum is no checksum: HTTP 404, ${OTHER_SUM.slice(0, 60)}`,
    ],
    [
      "have two checksums",
      { answers: beside("origin", sums) },
      `/origin/${FIRST}.sha256sum is no checksum: HTTP 200, ${OTHER_SUM.slice(0, 60)}`,
    ],
    [
      "come after a lock that is none",
      { previous: "<html>\n" },
      "The previous release's lock is none: not a line for each runtime base",
    ],
    [
      "come after an empty lock",
      { previous: "" },
      "The previous release's lock is none: not a line for each runtime base",
    ],
  ];
  for (const [what, world, message] of rows) {
    it(`are refused when they ${what}`, async () => {
      const error = await assertRejects(() => check(world), MlcliError);
      assertEquals(error.message, message.replace("SUM", await sha256(FIRST)));
    });
  }
});
