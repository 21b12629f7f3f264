import { assertEquals, assertRejects } from "@std/assert";
import { Interrupted } from "../../../runtime/errors.ts";
import { makeScaffold, planScaffold } from "../../../runtime/image/scaffold.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("makeScaffold", () => {
  it("creates nothing if Ctrl-C was pressed before it starts", async () => {
    await using directory = await makeDirectory();
    const plan = await planScaffold(directory.path, "demo", {}, "{}");
    const signal = AbortSignal.abort(new Interrupted("SIGINT"));
    await assertRejects(() => makeScaffold(plan, signal), Interrupted);
    assertEquals(Array.from(Deno.readDirSync(directory.path)), []);
  });
});
