import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { filesBelow } from "../../../scripts/files.ts";
import { stageProgram, withCommit } from "../../../scripts/compile/stage.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../../../", import.meta.url));

suite("withCommit", () => {
  it("fails where there is no place for it", () => {
    assertThrows(() => withCommit("export const OTHER = 1;", "abc"), Error, "no place");
  });
});

suite("stageProgram", () => {
  it("takes the program alone", async () => {
    await using directory = await makeDirectory();
    await stageProgram(ROOT, directory.path, "0123456789ab", new AbortController().signal);
    const parts = new Set<string>();
    for await (const path of filesBelow(directory.path)) parts.add(path.split(/[/\\]/)[0]!);
    const program = ["commands", "deno.json", "main.ts", "runtime"];
    assertEquals([...parts].sort(), [...program, "deno.lock", "vendor"].sort());
    const configuration = await Deno.readTextFile(`${directory.path}/deno.json`);
    assertEquals(JSON.parse(configuration).unstable, ["no-legacy-abort"]);
    const info = await Deno.readTextFile(`${directory.path}/runtime/build_info.ts`);
    assertStringIncludes(info, '= "0123456789ab";');
  });
});
