import { assertEquals, assertRejects } from "@std/assert";
import { guarded } from "../../../runtime/doctor/check.ts";
import { Interrupted, MlcliError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("guarded()", () => {
  it("throws an interruption instead of returning it as a failed check", async () => {
    const cause = new Interrupted("SIGINT");
    const failing = guarded("engine", () => Promise.reject(new MlcliError("No answer", { cause })));
    assertEquals(await assertRejects(() => failing, Interrupted), cause);
  });

  it("returns a system error without its number as a failed check", async () => {
    const [check] = await guarded("disk", async () => {
      await Deno.stat("/nonexistent");
      return [];
    });
    assertEquals({ name: check?.name, level: check?.level }, { name: "disk", level: "error" });
    assertEquals(check?.message.includes("os error"), false, check?.message);
  });
});
