import { assertEquals, assertMatch } from "@std/assert";
import { withTag } from "../../../../runtime/app/app.ts";
import type { ImageDetails } from "../../../../runtime/docker/images.ts";
import { imageDifferences } from "../../../../runtime/local/differences/image.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { it, suite } from "../../../helpers/suite.ts";

const IMAGE: ImageDetails = {
  Id: "sha256:1",
  Created: "2026-01-01T00:00:00Z",
  Os: "linux",
  Architecture: "amd64",
  Config: { Entrypoint: ["/opt/mlcli/entrypoint"] },
};

function differences(image: Partial<ImageDetails>, platform?: string): readonly string[] {
  const app = withTag(appObject("/work", "flats", { platform }), "v2");
  return imageDifferences(app, { ...IMAGE, ...image })
    .map(({ message, hint }) => `${message} // ${hint}`);
}

suite("what of an image's entry point differs", () => {
  for (
    const entryPoint of [
      ["/opt/mlcli/entrypoint"],
      ["python", "/train.py"],
      ["/bin/sh", "/start.sh"],
      ["/bin/sh", "/start.sh", "-c", "x"],
      ["bash", "-e", "/start.sh"],
      ["/start.sh"],
      ["python", "-c", "import train"],
      ["tini", "--", "python", "/train.py"],
      // What a shell replaces itself by.
      ["/bin/sh", "-c", "exec python /train.py"],
      ["/bin/bash", "-o", "pipefail", "-c", " exec python /train.py"],
      // AWS's example scikit_bring_your_own: train and serve are programs in the PATH.
      [],
      undefined,
    ]
  ) {
    it(`nothing: ${JSON.stringify(entryPoint)}`, () => {
      assertEquals(differences({ Config: { Entrypoint: entryPoint } }), []);
    });
  }

  it("nothing where the engine does not tell", () => {
    assertEquals(differences({ Config: undefined }), []);
  });

  for (
    const entryPoint of [
      ["/bin/sh", "-c", "python /train.py"],
      ["/bin/bash", "-o", "pipefail", "-c", "python /train.py"],
      ["bash", "-lc", "python /train.py"],
      ["sh", "-ec", "cd /x && exec python train.py"],
      ["tini", "--", "/usr/bin/dash", "-c", "python /train.py"],
      ["/usr/bin/env", "zsh", "-c", "execute"],
    ]
  ) {
    it(`SIGTERM may be lost: ${JSON.stringify(entryPoint)}`, () => {
      const [found, ...more] = differences({ Config: { Entrypoint: entryPoint } });
      assertEquals(more, []);
      assertMatch(found!, /^The ENTRYPOINT of flats:v2 is a shell: .*SIGTERM.* \/\/ .*exec/);
    });
  }
});

suite("what of an image's platform differs", () => {
  const graviton =
    /^flats:v2 is for linux\/arm64, .* only on Graviton instances \(ml\.c7g, \.\.\.\)/;
  const nowhere = /^flats:v2 is for \S+, which SageMaker does not support/;
  const rows: readonly (readonly [string, string, string | undefined, RegExp | undefined])[] = [
    ["linux", "amd64", undefined, undefined],
    ["linux", "amd64", "linux/arm64", undefined],
    ["linux", "arm64", undefined, graviton],
    ["linux", "arm64", "linux/amd64", graviton],
    ["linux", "arm64", "linux/arm64x", graviton],
    ["linux", "arm64", "linux/arm64", undefined],
    ["linux", "arm64", "linux/arm64/v8", undefined],
    ["linux", "arm", undefined, nowhere],
    ["linux", "arm", "linux/arm", nowhere],
    ["linux", "s390x", undefined, nowhere],
    ["windows", "amd64", undefined, nowhere],
  ];
  for (const [Os, Architecture, platform, expected] of rows) {
    it(`${Os}/${Architecture}, configured ${platform}: ${expected ? "said" : "nothing"}`, () => {
      const found = differences({ Os, Architecture }, platform);
      assertEquals(found.length, expected ? 1 : 0);
      if (expected) assertMatch(found[0]!, expected);
    });
  }

  it("is remedied by a build of the app's own image alone", () => {
    const arm = { Architecture: "arm64" };
    const build = /run mlcli build --platform linux\/amd64\./;
    const built = { Entrypoint: ["/x"], Labels: { "mlcli.app": "flats" } };
    assertMatch(differences(arm)[0]!, build);
    assertMatch(differences({ ...arm, Config: built })[0]!, build);
    const [foreign] = differences({ ...arm, Config: { Entrypoint: ["/x"] } });
    assertMatch(
      foreign!,
      /\/\/ For other instances, use an image for linux\/amd64\. .* "platform": "linux\/arm64" in/,
    );
  });
});
