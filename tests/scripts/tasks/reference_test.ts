import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { filesBelow } from "../../../scripts/files.ts";
import { MADE, updatedReference } from "../../../scripts/tasks/reference.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROOT = new URL("../../../", import.meta.url);

suite("the reference", () => {
  for (const page of Object.keys(MADE)) {
    it(`has in ${page} what the source says (deno task reference writes it)`, async () => {
      const text = await Deno.readTextFile(new URL(`docs/reference/${page}`, ROOT));
      assertEquals(text.split("\n"), (await updatedReference(page)).split("\n"));
    });
  }

  it("has no error by hand that neither mlcli nor the server in the image says", async () => {
    const page = await Deno.readTextFile(new URL("docs/reference/errors.md", ROOT));
    const [byHand = "", made = ""] = page.split("## All messages");
    const sources = [made.replaceAll(/\n +/g, " ")];
    for await (const path of filesBelow(fromFileUrl(new URL("runtime/", ROOT)))) {
      sources.push(await Deno.readTextFile(new URL(`runtime/${path}`, ROOT)));
    }
    const said = sources.join("\n");
    const sections = byHand.split(/^## .+$/m).slice(2);
    const messages = sections.join("").matchAll(/^- ((?:`[^`]+`[^`:]*)+):/gm).flatMap((
      [, words = ""],
    ) => words.matchAll(/`([^`]+)`/g).map(([, message = ""]) => message.replace(/^mlcli: /, "")))
      .toArray();
    assert(messages.length > 20, `${messages.length} messages`);
    const unknown = messages.filter((message) =>
      message.split(/[A-Z]{4,}|\bN\b/).some((words) => !said.includes(words.trim()))
    );
    assertEquals(unknown, []);
  });
});
