import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { findApp } from "../../../runtime/app/app.ts";
import {
  baseImageFinding,
  elsewhereFinding,
  requireOwnImage,
  usedDockerfile,
} from "../../../runtime/app/image.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { warning } from "../../../runtime/messages.ts";
import { markOf } from "../../helpers/app.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("whose an image is", () => {
  const OUTSIDE_DOCKERFILE = "churn:v1 was not built from this directory, so its code might differ";
  const APP = { name: "churn", mark: "here" };
  const rows: readonly (readonly [string, string | undefined, string | undefined, string?])[] = [
    ["the app's own", "churn", "here"],
    ["the app's own, without a directory", "churn", undefined],
    ["nobody's", undefined, undefined],
    ["nobody's, whatever it says of a directory", "", "there"],
    ["another app's", "payments", "here", "app"],
    ["another app's of another directory", "payments", "there", "app"],
    ["of another directory", "churn", "there", OUTSIDE_DOCKERFILE],
  ];
  for (const [title, app, directory, expected] of rows) {
    it(`is told by its labels: ${title}`, () => {
      const labels = {
        ...app === undefined ? {} : { "mlcli.app": app },
        ...directory === undefined ? {} : { "mlcli.directory": directory },
      };
      const image = { Config: { Labels: labels } };
      const require = () => requireOwnImage(APP, "churn:v1", image);
      if (expected === "app") {
        assertThrows(require, MlcliError, "churn:v1 belongs to another app: payments");
      } else {
        require();
        assertEquals(elsewhereFinding(APP, "churn:v1", image)?.message, expected);
      }
    });
  }

  const BUILT_UPON: readonly (readonly [string, Record<string, string>, string?])[] = [
    ["a registry's", {}],
    ["the app's own", { "mlcli.app": "churn", "mlcli.directory": "here" }],
    ["a name without a directory", { "mlcli.app": "churn" }],
    ["another app's", { "mlcli.app": "a\nb", "mlcli.directory": "here" }, "a?b"],
    ["of another directory", { "mlcli.app": "churn", "mlcli.directory": "there" }, "churn"],
  ];
  for (const [title, Labels, app] of BUILT_UPON) {
    it(`baseImageFinding compares the labels of a base image: ${title}`, () => {
      const expected = app === undefined ? undefined : warning(
        `The base image python:latest is local: mlcli built it for the app ${app}`,
        "To use the registry's image, run docker pull python:latest",
      );
      assertEquals(baseImageFinding(APP, "python:latest", { Config: { Labels } }), expected);
    });
  }

  it("is nobody's without labels", () => {
    for (const marks of [{}, { Config: {} }, { Config: { Labels: null } }]) {
      requireOwnImage(APP, "churn:v1", marks);
      assertEquals(elsewhereFinding(APP, "churn:v1", marks), undefined);
    }
  });

  it("is a hash of the machine and the directory, whatever the app is called", async () => {
    await using place = await makeDirectory({ "a/churn.json": "{}", "b/churn.json": "{}" });
    for (const folder of ["a", "b"]) {
      const path = await Deno.realPath(`${place.path}/${folder}`);
      const { mark } = await findApp(path, "churn");
      assertEquals(mark, markOf(path));
      assertEquals(/^[0-9a-f]{64}$/.test(mark), true);
    }
    const path = await Deno.realPath(place.path);
    await Deno.symlink(`${path}/a`, `${path}/link`);
    assertEquals((await findApp(`${path}/link`, "churn")).mark, markOf(`${path}/a`));
  });
});

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
