import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { filesBelow } from "../../../scripts/files.ts";
import { allMessages, explainedIn, patternOf } from "../../../scripts/reference/errors.ts";
import { MADE, updatedReference } from "../../../scripts/tasks/reference.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROOT = new URL("../../../", import.meta.url);

/** The program in images, which is written in Python. */
const HARNESS = "runtime/harness/";

suite("the reference", () => {
  for (const page of Object.keys(MADE)) {
    it(`has in ${page} what the source says (deno task reference writes it)`, async () => {
      const text = await Deno.readTextFile(new URL(`docs/reference/${page}`, ROOT));
      assertEquals(text.split("\n"), (await updatedReference(page)).split("\n"));
    });
  }

  it("explains at least 140 messages, all of mlcli or of the server in the image", async () => {
    const page = await Deno.readTextFile(new URL("docs/reference/errors.md", ROOT));
    const [byHand = ""] = page.split("## Appendix");
    const explained = explainedIn(byHand);
    assert(explained.length >= 140, `${explained.length} messages`);
    const known = new Set((await allMessages()).map(({ text }) => patternOf(text)));
    for await (const path of filesBelow(fromFileUrl(new URL(HARNESS, ROOT)))) {
      const text = await Deno.readTextFile(new URL(`${HARNESS}${path}`, ROOT));
      for (const [, literal = ""] of text.matchAll(/"((?:[^"\\\n]|\\.)+)"/g)) {
        known.add(patternOf(literal.replaceAll(/(?:%[sdr])+/g, "...")));
      }
    }
    assertEquals(explained.filter((message) => !known.has(patternOf(message))), []);
  });
});
