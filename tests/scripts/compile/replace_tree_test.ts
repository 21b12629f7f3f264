import { assertEquals } from "@std/assert";
import { replaceTree } from "../../../scripts/compile/replace_tree.ts";
import { makeDirectory, namesIn } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("replaceTree", () => {
  it("leaves what was made, and nothing of what was there before", async () => {
    await using directory = await makeDirectory({ "made/mlcli": "new" });
    const [made, place] = [`${directory.path}/made`, `${directory.path}/dist`];
    await replaceTree(place, made);
    await Deno.writeTextFile(`${place}/other`, "old");
    await replaceTree(place, made);
    assertEquals([await namesIn(place), await namesIn(directory.path)], [
      ["mlcli"],
      ["dist", "made"],
    ]);
  });
});
