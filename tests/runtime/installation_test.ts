import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { installation } from "../../runtime/installation.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { it, suite } from "../helpers/suite.ts";

const POWERSHELL = '/a b"; Get-Content -Raw install.ps1 | Invoke-Expression';
const TASK = `npx -y deno@${Deno.version.deno} task install --to`;
const INFO = "e/lib/python3.11/site-packages/mlcli-0.1.0.dist-info";
const WHEEL = { "e/bin/mlcli": "", [`${INFO}/RECORD`]: "../../../bin/mlcli,sha256=x,1\n" };
const NPM = "lib/node_modules/@o/mlcli/node_modules/@o/mlcli-linux-x64/bin/mlcli";

/** What lies somewhere, the program first; how it was installed, and the end of the line. */
const ROWS: readonly (readonly [
  files: Readonly<Record<string, string>>,
  how: string,
  line: string,
  first?: string,
])[] = [
  [WHEEL, "by pip", "python3.11 -m pip install --upgrade FILE", "wheel"],
  [{ ...WHEEL, "e/bin/python": "" }, "by pip", "/e/bin/python -m pip install --upgrade FILE"],
  [
    {
      "e/Scripts/mlcli.exe": "",
      "e/Scripts/python.exe": "",
      "e/Lib/site-packages/mlcli-0.1.0.dist-info/RECORD": "../../Scripts/mlcli.exe,,\n",
    },
    "by pip",
    '/e/Scripts/python" -m pip install --upgrade FILE',
  ],
  [
    { ...WHEEL, [`${INFO}/INSTALLER`]: "uv\n" },
    "by uv",
    "uv pip install --python python3.11 --upgrade FILE",
  ],
  [{ ...WHEEL, "e/pipx_metadata.json": "" }, "by pipx", "pipx install --force FILE"],
  [{ ...WHEEL, "e/uv-receipt.toml": "" }, "by uv tool", "uv tool install --force FILE"],
  [{ ...WHEEL, [`${INFO}/RECORD`]: "other,,\n" }, "as the file ", "/e/bin sh install.sh"],
  [{ [NPM]: "" }, "by npm, in ", "npm install --global FILE", "npm package"],
  [{ [NPM]: "", "lib/package.json": "" }, "by npm, in ", "/lib FILE"],
  [{ "Cellar/mlcli/0.1.0/bin/mlcli": "" }, "by Homebrew", "brew upgrade mlcli"],
  [{ "scoop/apps/mlcli/0.1.0/mlcli.exe": "" }, "by Scoop", "scoop update mlcli"],
  [{ "WinGet/Packages/a.mlcli_S_1/mlcli.exe": "" }, "by winget", "winget upgrade mlcli"],
  [{ "usr/bin/mlcli": "" }, "as a Debian package", "sudo dpkg --install FILE", ".deb"],
  [{ "a b/mlcli": "" }, "as the file ", "/a b' sh install.sh", "install.sh"],
  [{ "a b/mlcli.exe": "" }, "as the file ", POWERSHELL, "install.ps1"],
];

/** Windows' programs have their names alone: the paths are those of this system. */
function systemOf(path: string, root: string) {
  return { os: path.endsWith(".exe") ? "windows" : "linux", root } as const;
}

suite("how mlcli was installed", () => {
  for (const [files, how, line, first = ""] of Deno.build.os === "windows" ? [] : ROWS) {
    it(`${Object.keys(files).join(", ")}: ${how}`, async () => {
      await using place = await makeDirectory({ ...files, "links/": "" });
      const owned = `/.\n${join(place.path, "usr/bin/mlcli")}\n`;
      await place.write({ "var/lib/dpkg/info/mlcli.list": owned });
      const [path = ""] = Object.keys(files);
      const link = join(place.path, "links/mlcli");
      await Deno.symlink(join(place.path, path), link);
      const system = systemOf(path, place.path);
      const found = await installation({ env: () => undefined, system }, link);
      assertEquals([found.how.slice(0, how.length), found.lines.length], [how, 1]);
      assertEquals(found.lines[0]!.slice(-line.length), line);
      assertStringIncludes(found.first ?? "", first);
    });
  }

  for (const [path, launcher] of [["mlcli", "'/b c'"], ["mlcli.exe", '"/b c"']] as const) {
    it(`from source, with a launcher for ${path}`, async () => {
      const { lines } = await installation({ env: () => "/b c", system: systemOf(path, "/") });
      assertEquals(lines.slice(1), ["git pull", `${TASK} ${launcher}`]);
    });
  }
});
