import { assertEquals } from "@std/assert";
import { DISTRIBUTIONS, STANDARD } from "../../../runtime/contract/well_known_modules.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the well-known modules", () => {
  const rows: readonly (readonly [module: string, distribution: string | undefined])[] = [
    ["pandas", "pandas"],
    ["sklearn", "scikit-learn"],
    ["google.protobuf", "protobuf"],
    ["zmq", "pyzmq"],
    // The index has packages of these names.
    ...["google", "features", "utils"].map((name) => [name, undefined] as const),
    ["constructor", undefined],
  ];
  for (const [module, distribution] of rows) {
    it(`"${module}" is of ${distribution}`, () => {
      assertEquals(DISTRIBUTIONS.get(module), distribution);
    });
  }

  it("are Python's own or a distribution's, and have names as an index has them", () => {
    const names = [...DISTRIBUTIONS].flat();
    assertEquals(names.filter((name) => !/^[\w.]+(-[\w.]+)*$/.test(name)), []);
    assertEquals([...DISTRIBUTIONS.keys()].filter((name) => STANDARD.has(name)), []);
    assertEquals(["os", "zoneinfo", ""].map((name) => STANDARD.has(name)), [true, true, false]);
  });
});
