import { assertEquals } from "@std/assert";
import { holdsHarness, isBuiltByMlcli } from "../../../runtime/contract/images.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("an image", () => {
  for (
    const [title, config, holds, isBuilt] of [
      ["mlcli's entry point", { Entrypoint: ["/opt/mlcli/entrypoint"] }, true, true],
      ["the harness's label", { Entrypoint: ["/a"], Labels: { "mlcli.harness": "1" } }, true, true],
      ["another entry point", { Entrypoint: ["sh", "/opt/mlcli/entrypoint"] }, false, false],
      ["the label of a build", { Entrypoint: null, Labels: { "mlcli.app": "a" } }, false, true],
      ["labels of others", { Entrypoint: ["train"], Labels: { app: "a" } }, false, false],
      ["nothing", { Entrypoint: null, Labels: null }, false, false],
      ["no configuration", undefined, false, false],
    ] as const
  ) {
    const words = [holds ? "holds the harness" : "does not", isBuilt ? "is ours" : "is not"];
    it(`with ${title} ${words.join(", ")}`, () => {
      assertEquals(holdsHarness({ Config: config }), holds);
      assertEquals(isBuiltByMlcli({ Config: config }), isBuilt);
    });
  }
});
