import { assertEquals } from "@std/assert";
import { networkDifferences } from "../../../runtime/contract/resources.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("networks of this machine", () => {
  for (const network of [undefined, "none", "bridge", "default"]) {
    it(`differ from the platform not: ${network}`, () => {
      assertEquals(networkDifferences(network), []);
    });
  }

  for (
    const [network, words] of [
      ["host", "The code is on this machine's own network (--network host)"],
      ["db", 'The code is on the network "db" of this machine'],
    ] as const
  ) {
    it(`differ from the platform: ${network}`, () => {
      assertEquals(networkDifferences(network).map(({ message }) => message), [
        `${words}, which the platform does not have`,
      ]);
    });
  }
});
