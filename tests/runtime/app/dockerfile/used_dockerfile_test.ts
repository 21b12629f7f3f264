import { join } from "@std/path";
import { assertEquals } from "@std/assert";
import { findApp } from "../../../../runtime/app/app.ts";
import { usedDockerfile } from "../../../../runtime/app/dockerfile/used_dockerfile.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("the Dockerfile of an image", () => {
  for (
    const [label, expected] of [
      [undefined, "demo/mlcli_base/Dockerfile"],
      ["demo/mlcli_base/Dockerfile", "demo/mlcli_base/Dockerfile"],
      ["gpu.Dockerfile", "gpu.Dockerfile"],
      [".mlcli-dockerfile", undefined],
      // Of an image that anybody may have made.
      ["../x", undefined],
      ["a/../../x", undefined],
      ["/etc/passwd", undefined],
    ] as const
  ) {
    it(`is ${expected} where it says ${label}`, async () => {
      await using directory = await makeDirectory({ "demo.json": "{}" });
      const app = await findApp(directory.path, "demo");
      const Labels: Record<string, string> = label === undefined
        ? {}
        : { "mlcli.dockerfile": label };
      assertEquals(
        usedDockerfile(app, { Config: { Labels } }),
        expected && join(app.directory, expected),
      );
    });
  }
});
