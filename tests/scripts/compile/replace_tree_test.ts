import { assertEquals } from "@std/assert";
import { replaceTree } from "../../../scripts/compile/replace_tree.ts";
import { it, suite } from "../../helpers/suite.ts";

function namesIn(directory: string): string[] {
  return [...Deno.readDirSync(directory)].map(({ name }) => name).sort();
}

suite("replaceTree", () => {
  it("leaves what was made, and nothing of what was there before", async () => {
    const directory = await Deno.makeTempDir({ prefix: "mlcli-test-copy-" });
    const [made, place] = [`${directory}/made`, `${directory}/dist`];
    await Deno.mkdir(made);
    await Deno.writeTextFile(`${made}/mlcli`, "new");
    await replaceTree(place, made);
    await Deno.writeTextFile(`${place}/other`, "old");
    await replaceTree(place, made);
    assertEquals([namesIn(place), namesIn(directory)], [["mlcli"], ["dist", "made"]]);
    await Deno.remove(directory, { recursive: true });
  });
});
