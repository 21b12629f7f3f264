import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { type Facts, installation, installationOf } from "../../runtime/installation.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { it, suite } from "../helpers/suite.ts";

/** In a variable: a test reads all files for lines that would get mlcli from somewhere. */
const NAME = "mlcli";
const TASK = `npx -y deno@${Deno.version.deno} task`;
const [root, python] = ["/a b", "/v/bin/python"];
const WINGET = "C:\\L\\WinGet\\Packages\\Ab.mlcli_Src_1\\mlcli.exe";
const POWERSHELL = "Get-Content -Raw install.ps1 | Invoke-Expression";

/** Facts, the lines that upgrade it, and what is to be downloaded before. */
const ROWS: readonly (readonly [facts: Partial<Facts>, lines: string, first?: string])[] = [
  [{ checkout: { root } }, `cd '/a b'\ngit pull\n${TASK} setup`],
  [{ checkout: { root, launcher: "/b" } }, `cd '/a b'\ngit pull\n${TASK} install --to /b`],
  [
    { isWindows: true, checkout: { root: "C:\\a", launcher: "C:\\b c" } },
    `cd "C:\\a"\ngit pull\n${TASK} install --to "C:\\b c"`,
  ],
  [{ wheel: { by: "pip", python, isFromFile: true } }, `${python} -m pip install --upgrade FILE`],
  [{ wheel: { by: "pipx", python, isFromFile: true } }, "pipx install --force FILE"],
  [{ wheel: { by: "uv tool", python, isFromFile: true } }, "uv tool install --force FILE"],
  [{ npm: { name: "@o/x", root, isGlobal: true } }, "npm install --global @o/x@latest"],
  [{ npm: { name: "@o/x", root, isGlobal: false } }, "npm install --prefix '/a b' @o/x@latest"],
  [{ program: "/opt/homebrew/Cellar/mlcli/0.1.0/bin/mlcli" }, "brew upgrade mlcli"],
  [{ program: "C:\\me\\scoop\\apps\\mlcli\\0.1.0\\mlcli.exe" }, "scoop update mlcli"],
  [{ program: WINGET }, "winget upgrade --id Ab.mlcli"],
  [{ isOfDebian: true }, "sudo dpkg --install FILE", ".deb file"],
  [{ program: "/a b/mlcli" }, "MLCLI_INSTALL='/a b' sh install.sh", "install.sh"],
  [
    { program: "C:\\a b\\mlcli.exe", isWindows: true },
    `$env:MLCLI_INSTALL = "C:\\a b"; ${POWERSHELL}`,
    "install.ps1",
  ],
];

const INFO = "e/lib/python3.11/site-packages/mlcli-0.1.0.dist-info";
const ENV = { "e/bin/mlcli": "", [`${INFO}/RECORD`]: "../../../bin/mlcli,sha256=x,1\n" };
const GLOBAL = "lib/node_modules/@o/mlcli";
const PLATFORM = "node_modules/@o/mlcli-linux-x64";
const IN_GLOBAL = `${GLOBAL}/${PLATFORM}/bin/mlcli`;

/** What lies somewhere, the program first, and the end of the line that upgrades it. */
const PLACES: readonly (readonly [files: Readonly<Record<string, string>>, line: string])[] = [
  [ENV, `python3.11 -m pip install --upgrade ${NAME}`],
  [{ ...ENV, "e/bin/python": "" }, `/e/bin/python -m pip install --upgrade ${NAME}`],
  [{ ...ENV, [`${INFO}/INSTALLER`]: "uv" }, `--python python3.11 --upgrade ${NAME}`],
  [{ ...ENV, "e/pipx_metadata.json": "" }, "pipx upgrade mlcli"],
  [{ ...ENV, "e/uv-receipt.toml": "" }, "uv tool upgrade mlcli"],
  [{ ...ENV, [`${INFO}/direct_url.json`]: "{}" }, "--upgrade FILE"],
  [{ "e/bin/mlcli": "", [`${INFO}/RECORD`]: "other,,\n" }, "/e/bin sh install.sh"],
  [{ [IN_GLOBAL]: "", [`${GLOBAL}/package.json`]: "{}" }, " --global @o/mlcli@latest"],
  [{ [`${PLATFORM}/bin/mlcli`]: "" }, " --global @o/mlcli-linux-x64@latest"],
  [{ [`${PLATFORM}/bin/mlcli`]: "", "package.json": "" }, " @o/mlcli-linux-x64@latest"],
  [{ "usr/bin/mlcli": "" }, "dpkg --install FILE"],
];

suite("how mlcli was installed", () => {
  for (const [facts, lines, first] of ROWS) {
    it(`${JSON.stringify(facts)}: ${lines}`, () => {
      const other = { isWindows: false, program: "/usr/bin/mlcli", isOfDebian: false };
      const found = installationOf({ ...other, ...facts });
      assertEquals(found.lines, lines.split("\n"));
      const download = first ?? (facts.wheel?.isFromFile ? "wheel" : undefined);
      assertEquals(/^Download (?:the )?(.*?) of/.exec(found.first ?? "")?.[1], download);
    });
  }

  // With this system's paths.
  for (const [files, line] of Deno.build.os === "windows" ? [] : PLACES) {
    it(`is found by ${Object.keys(files).join(", ")}`, async () => {
      await using place = await makeDirectory({ ...files, "links/": "" });
      const owned = `/.\n${join(place.path, "usr/bin/mlcli")}\n`;
      await place.write({ "var/lib/dpkg/info/mlcli.list": owned });
      const link = join(place.path, "links/mlcli");
      await Deno.symlink(join(place.path, Object.keys(files)[0]!), link);
      const system = { os: "linux", root: place.path } as const;
      const { lines } = await installation({ env: () => undefined, system }, link);
      assertEquals(lines[0]!.slice(-line.length), line);
    });
  }
});
