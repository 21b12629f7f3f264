import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { installation } from "../../runtime/installation.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { it, suite } from "../helpers/suite.ts";

const INFO = "e/lib/python3.11/site-packages/mlcli-0.1.0.dist-info";
const WHEEL = { "e/bin/mlcli": "", [`${INFO}/RECORD`]: "../../../bin/mlcli,sha256=x,1\n" };
const WINDOWS_WHEEL = {
  "e/Scripts/mlcli.exe": "",
  "e/Lib/site-packages/mlcli-0.1.0.dist-info/RECORD": "../../Scripts/mlcli.exe,,\n",
};
const NPM = "lib/node_modules/@o/mlcli/node_modules/@o/mlcli-linux-x64/bin/mlcli";

/** Files, the program first, and how it was installed. */
const ROWS: readonly (readonly [files: Readonly<Record<string, string>>, how: string])[] = [
  [WHEEL, "by pip"],
  [WINDOWS_WHEEL, "by pip"],
  [{ ...WHEEL, [`${INFO}/INSTALLER`]: "uv\n" }, "by uv pip"],
  [{ ...WHEEL, "e/pipx_metadata.json": "" }, "by pipx"],
  [{ ...WHEEL, "e/uv-receipt.toml": "" }, "by uv tool"],
  [{ ...WHEEL, [`${INFO}/RECORD`]: "other,,\n" }, "as ROOT/e/bin/mlcli"],
  [{ [NPM]: "" }, "by npm"],
  [{ "Cellar/mlcli/0.1.0/bin/mlcli": "" }, "by Homebrew"],
  [{ "scoop/apps/mlcli/0.1.0/mlcli.exe": "" }, "by Scoop"],
  [{ "WinGet/Packages/a.mlcli_S_1/mlcli.exe": "" }, "by winget"],
  [{ "usr/bin/mlcli": "" }, "as a Debian package"],
  [{ "a b/mlcli": "" }, "as ROOT/a b/mlcli"],
];

suite("how mlcli was installed", () => {
  for (const [files, how] of Deno.build.os === "windows" ? [] : ROWS) {
    it(`${Object.keys(files).join(", ")}: ${how}`, async () => {
      await using place = await makeDirectory({ ...files, "links/": "" });
      const owned = `/.\n${join(place.path, "usr/bin/mlcli")}\n`;
      await place.write({ "var/lib/dpkg/info/mlcli.list": owned });
      const link = join(place.path, "links/mlcli");
      await Deno.symlink(join(place.path, Object.keys(files)[0]!), link);
      assertEquals(await installation(place.path, link), how.replace("ROOT", place.path));
    });
  }

  it("installation returns the program's path if the program was deleted while it runs", async () => {
    assertEquals(await installation("/", "/none/mlcli"), "as /none/mlcli");
  });
});
