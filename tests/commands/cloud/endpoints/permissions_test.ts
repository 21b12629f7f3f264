import { assert, assertEquals } from "@std/assert";
import { Box } from "../../../helpers/box/box.ts";
import { runCloudInProcess } from "../../../helpers/in_process.ts";
import { permissionTable } from "../../../helpers/permission_table.ts";
import { it, suite } from "../../../helpers/suite.ts";

const DELETE = ["delete-endpoint", "-n", "shop"];

const ROWS: readonly (readonly [row: string, args: readonly string[]])[] = [
  ["describe", ["describe", "shop"]],
  ["wait", ["wait", "shop"]],
  ["logs", ["logs", "shop"]],
  ["list-endpoints", ["list-endpoints", "--output", "json"]],
  ["delete-endpoint", DELETE],
  ["delete-endpoint --delete-config", [...DELETE, "--delete-config"]],
  ["delete-endpoint --delete-model", [...DELETE, "--delete-model"]],
  ["delete-endpoint --wait", [...DELETE, "--wait"]],
];

/** An endpoint with all that may be asked about: two configurations, a model of another name. */
async function withShop(): Promise<Box> {
  const box = await Box.open();
  const Tags = [{ Key: "mlcli.endpoint", Value: "shop" }];
  box.endpoints.addModel("tagged", { PrimaryContainer: { Image: "i" }, Tags });
  box.endpoints.addConfiguration("shop-config-2", { ProductionVariants: [], Tags });
  box.endpoints.add("shop", { model: "tagged" });
  box.endpoints.add("other");
  box.logs.put("/aws/sagemaker/Endpoints/shop", "AllTraffic/i-1", ["line"]);
  return box;
}

suite("the permissions that commands about endpoints ask for", () => {
  for (const [row, args] of ROWS) {
    it(`mlcli ${args.join(" ")}: asks for those in the docs alone, and works without those that it can do without`, async () => {
      const permissions = (await permissionTable()).get(row);
      assert(permissions, row);
      const { needs, isBetterWith } = permissions;
      const isOfJobs = (action: string): boolean =>
        /Describe(Training|Processing|Transform)Job$/.test(action);
      {
        await using box = await withShop();
        const first = await runCloudInProcess(box, args);
        assertEquals(first.code, 0, first.stderr);
        const known = new Set([...needs, ...isBetterWith]);
        const { asked } = box.faults;
        assertEquals([...asked].filter((action) => !known.has(action)), [], first.stderr);
        // What the docs say is asked for, is.
        const ofEndpoints = [...known].filter((action) => action.startsWith("sagemaker:"));
        assertEquals(ofEndpoints.filter((action) => !asked.has(action)), []);
      }
      await using box = await withShop();
      const others = [...isBetterWith, ...needs.filter(isOfJobs)];
      for (const action of others) {
        if (!needs.includes(action) || isOfJobs(action)) box.faults.deny(action);
      }
      const second = await runCloudInProcess(box, args);
      assertEquals(second.code, 0, second.stderr);
    });
  }
});
