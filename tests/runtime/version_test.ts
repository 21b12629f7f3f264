import { assertEquals, assertMatch } from "@std/assert";
import { VERSION, versionText } from "../../runtime/version.ts";
import { it, suite } from "../helpers/suite.ts";

suite("the version", () => {
  it("is that of deno.json, a whole one", async () => {
    const text = await Deno.readTextFile(new URL("../../deno.json", import.meta.url));
    assertEquals(VERSION, JSON.parse(text).version);
    assertMatch(VERSION, /^\d+\.\d+\.\d+$/);
  });

  it("stands in a line with where it is from and what runs it", () => {
    assertEquals(versionText(), `mlcli ${VERSION} (from source, Deno ${Deno.version.deno})`);
  });
});
