import { assertEquals } from "@std/assert";
import { updatedReadme } from "../../../scripts/tasks/reference.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the command reference", () => {
  it("is what the command tree says (deno task reference writes it)", async () => {
    const readme = await Deno.readTextFile(new URL("../../../README.md", import.meta.url));
    assertEquals(readme, await updatedReadme());
  });
});
