import { assertEquals } from "@std/assert";
import { holdsHarness, isBuiltByMlcli, tagOption } from "../../../runtime/contract/images.ts";
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

suite("a command about an image", () => {
  const rows: readonly (readonly [reference: string, option: string])[] = [
    ["flats:latest", ""],
    ["flats:v2", " --docker-tag v2"],
    ["localhost:5000/team/flats", ""],
    ["localhost:5000/team/flats:v2.1-a", " --docker-tag v2.1-a"],
  ];
  for (const [reference, option] of rows) {
    it(`tagOption returns "${option}" for ${reference}`, () => {
      assertEquals(tagOption(reference), option);
    });
  }
});
