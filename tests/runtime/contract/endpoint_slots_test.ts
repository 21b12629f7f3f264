import { assert, assertEquals } from "@std/assert";
import { DEPLOYED_NAME_LENGTH } from "../../../runtime/contract/endpoint_names.ts";
import { freeSlot, type InUse, slotsOf } from "../../../runtime/contract/endpoint_slots.ts";
import { isResourceName } from "../../../runtime/contract/limits.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What an endpoint "shop" has, and the names that its next deployment takes. */
const FREE: readonly (readonly [inUse: InUse, configuration: string, model: string])[] = [
  [{ configurations: [], models: [] }, "shop-config", "shop-mlcli"],
  [
    { configurations: ["shop-config"], models: ["shop-mlcli"] },
    "shop-config-2",
    "shop-mlcli-2",
  ],
  [
    { configurations: ["shop-config-2"], models: ["shop-mlcli-2"] },
    "shop-config",
    "shop-mlcli",
  ],
  // Made by somebody else: nothing of it has one of these names.
  [{ configurations: ["shop-2026"], models: ["shop-model"] }, "shop-config", "shop-mlcli"],
  [{ configurations: ["shop-config"], models: ["shop-model"] }, "shop-config-2", "shop-mlcli"],
  [{ configurations: ["shop-2026"], models: ["shop-mlcli"] }, "shop-config", "shop-mlcli-2"],
  // Each of another pair.
  [{ configurations: ["shop-config"], models: ["shop-mlcli-2"] }, "shop-config-2", "shop-mlcli"],
];

suite("the names of what an endpoint is made of", () => {
  it("are two pairs, of which the first has the specification's configuration", () => {
    assertEquals(slotsOf("shop"), [
      { configuration: "shop-config", model: "shop-mlcli" },
      { configuration: "shop-config-2", model: "shop-mlcli-2" },
    ]);
  });

  it("are names for the longest endpoint that deploy takes, and not all for a longer one", () => {
    const all = (length: number): readonly string[] =>
      slotsOf("a".repeat(length)).flatMap(({ configuration, model }) => [configuration, model]);
    assert(all(DEPLOYED_NAME_LENGTH).every(isResourceName));
    assert(!all(DEPLOYED_NAME_LENGTH + 1).every(isResourceName));
  });

  for (const [inUse, configuration, model] of FREE) {
    it(`beside ${JSON.stringify(inUse)}: ${configuration}, ${model}`, () => {
      assertEquals(freeSlot("shop", inUse), { configuration, model });
    });
  }
});
