import { assertEquals } from "@std/assert";
import { updatedReference } from "../../../scripts/tasks/reference.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the command reference", () => {
  it("is what the command tree says (deno task reference writes it)", async () => {
    const text = await Deno.readTextFile(
      new URL("../../../docs/reference/cli.md", import.meta.url),
    );
    assertEquals(text, await updatedReference());
  });
});
