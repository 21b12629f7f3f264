import { assertEquals } from "@std/assert";
import { freeSlot, slotsOf } from "../../../runtime/contract/endpoint_slots.ts";
import { isResourceName } from "../../../runtime/contract/limits.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("endpoint slots", () => {
  const rows: readonly (readonly [string, string[], string[], readonly [string, string]])[] = [
    ["nothing is in use", [], [], ["shop-config", "shop-mlcli"]],
    ["the first", ["shop-config"], ["shop-mlcli"], ["shop-config-2", "shop-mlcli-2"]],
    ["the second", ["shop-config-2"], ["shop-mlcli-2"], ["shop-config", "shop-mlcli"]],
    ["somebody else's", ["theirs"], ["old"], ["shop-config", "shop-mlcli"]],
    ["mixed", ["shop-config"], ["shop-mlcli-2"], ["shop-config-2", "shop-mlcli"]],
    ["a model of ours", ["theirs"], ["shop-mlcli"], ["shop-config", "shop-mlcli-2"]],
    ["of another endpoint", ["shop-config-3"], [], ["shop-config", "shop-mlcli"]],
  ];
  for (const [what, configurations, models, [configuration, model]] of rows) {
    it(`takes the names that are free: ${what}`, () => {
      assertEquals(freeSlot("shop", { configurations, models }), { configuration, model });
    });
  }

  it("has names that can be, of each endpoint that deploy takes", () => {
    for (const slot of slotsOf("a".repeat(54))) {
      assertEquals(Object.values(slot).map(isResourceName), [true, true]);
    }
  });
});
