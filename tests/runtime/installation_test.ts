import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { type Facts, installation, installationOf } from "../../runtime/installation.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { it, suite } from "../helpers/suite.ts";

/** In a variable: a test reads all files for lines that would get mlcli from somewhere. */
const NAME = "mlcli";
const { deno } = Deno.version;

type Row = readonly [
  what: string,
  facts: Partial<Facts>,
  first: RegExp | undefined,
  lines: string[],
];

const VENV = {
  directory: "/v x",
  python: "/v x/bin/python",
  by: "pip",
  isFromFile: false,
} as const;
const CHECKOUT = { root: "/c x", isGit: true };
const WHEEL = /^Download the wheel .* in place of FILE\.$/;
const HAND = "C:\\Users\\me\\bin\\mlcli.exe";

const ROWS: readonly Row[] = [
  ["a checkout", { checkout: CHECKOUT }, undefined, [
    "cd '/c x'",
    "git pull",
    `npx -y deno@${deno} task setup`,
  ]],
  ["with a launcher", { checkout: { ...CHECKOUT, launcher: "/b" } }, undefined, [
    "cd '/c x'",
    "git pull",
    `npx -y deno@${deno} task install --to /b`,
  ]],
  ["without git", { checkout: { root: "C:\\c", isGit: false }, isWindows: true }, /new source/, [
    'cd "C:\\c"',
    `npx -y deno@${deno} task setup`,
  ]],
  ["pip", { python: VENV }, undefined, [`'/v x/bin/python' -m pip install --upgrade ${NAME}`]],
  ["pip, a file", { python: { ...VENV, isFromFile: true } }, WHEEL, [
    "'/v x/bin/python' -m pip install --upgrade FILE",
  ]],
  ["pip, a user", { python: { ...VENV, python: "python3.11" } }, undefined, [
    `python3.11 -m pip install --upgrade ${NAME}`,
  ]],
  ["uv", { python: { ...VENV, by: "uv" } }, undefined, [
    `uv pip install --python '/v x' --upgrade ${NAME}`,
  ]],
  ["pipx", { python: { ...VENV, by: "pipx" } }, undefined, ["pipx upgrade mlcli"]],
  ["pipx, a file", { python: { ...VENV, by: "pipx", isFromFile: true } }, WHEEL, [
    "pipx install --force FILE",
  ]],
  ["uv tool", { python: { ...VENV, by: "uv tool" } }, undefined, ["uv tool upgrade mlcli"]],
  ["uv tool, a file", { python: { ...VENV, by: "uv tool", isFromFile: true } }, WHEEL, [
    "uv tool install --force FILE",
  ]],
  ["npm", { npm: { name: "@o/x", root: "/lib", isGlobal: true } }, /files of a release/, [
    "npm install --global @o/x@latest",
  ]],
  ["npm, a project", { npm: { name: "@o/x", root: "/a b", isGlobal: false } }, /files of/, [
    "npm install --prefix '/a b' @o/x@latest",
  ]],
  ["Homebrew", { program: "/opt/homebrew/Cellar/mlcli/0.1.0/bin/mlcli" }, undefined, [
    "brew upgrade mlcli",
  ]],
  ["Scoop", { program: "C:\\Users\\me\\scoop\\apps\\mlcli\\0.1.0\\mlcli.exe" }, undefined, [
    "scoop update mlcli",
  ]],
  [
    "winget",
    { program: "C:\\L\\Microsoft\\WinGet\\Packages\\Ab.mlcli_Src_1\\mlcli.exe" },
    undefined,
    [
      "winget upgrade --id Ab.mlcli",
    ],
  ],
  ["Debian", { isOfDebian: true }, /^Download the \.deb file/, ["sudo dpkg --install FILE"]],
  ["install.sh", { program: "/home/a b/.local/bin/mlcli" }, /^Download install\.sh /, [
    "MLCLI_INSTALL='/home/a b/.local/bin' sh install.sh",
  ]],
  ["install.ps1", { program: HAND, isWindows: true }, /^Download install\.ps1 /, [
    '$env:MLCLI_INSTALL = "C:\\Users\\me\\bin"; Get-Content -Raw install.ps1 | Invoke-Expression',
  ]],
  ["another name", { program: "/d/mlcli-x86_64-unknown-linux-gnu" }, /in the place of this/, []],
];

suite("how mlcli is upgraded", () => {
  for (const [what, facts, first, lines] of ROWS) {
    it(what, () => {
      const other = { isWindows: false, program: "/usr/bin/mlcli", isOfDebian: false };
      const found = installationOf({ ...other, ...facts });
      assertEquals(found.lines, lines);
      assertEquals(first?.test(found.first ?? "") ?? found.first === undefined, true, found.first);
    });
  }
});

const INFO = "lib/python3.11/site-packages/mlcli-0.1.0.dist-info";
const ENV = { "env/bin/mlcli": "", [`env/${INFO}/RECORD`]: "../../../bin/mlcli,sha256=x,1\n" };
const GLOBAL = "lib/node_modules/@o/mlcli";
const PLATFORM = "node_modules/@o/mlcli-linux-x64";

/** What lies there, the program, and the end of the last line that upgrades it. */
const PLACES: readonly (readonly [files: Record<string, string>, program: string, line: string])[] =
  [
    [ENV, "env/bin/mlcli", `python3.11 -m pip install --upgrade ${NAME}`],
    [
      { ...ENV, "env/bin/python": "" },
      "env/bin/mlcli",
      `/bin/python -m pip install --upgrade ${NAME}`,
    ],
    [{ ...ENV, [`env/${INFO}/INSTALLER`]: "uv" }, "env/bin/mlcli", `/env --upgrade ${NAME}`],
    [{ ...ENV, "env/pipx_metadata.json": "" }, "env/bin/mlcli", "pipx upgrade mlcli"],
    [{ ...ENV, "env/uv-receipt.toml": "" }, "env/bin/mlcli", "uv tool upgrade mlcli"],
    [{ ...ENV, [`env/${INFO}/direct_url.json`]: "{}" }, "env/bin/mlcli", "--upgrade FILE"],
    [
      { "env/bin/mlcli": "", [`env/${INFO}/RECORD`]: "other,,\n" },
      "env/bin/mlcli",
      " sh install.sh",
    ],
    [
      { [`${GLOBAL}/package.json`]: "{}", [`${GLOBAL}/${PLATFORM}/bin/mlcli`]: "" },
      `${GLOBAL}/${PLATFORM}/bin/mlcli`,
      `npm install --global @o/${NAME}@latest`,
    ],
    [
      { [`${PLATFORM}/bin/mlcli`]: "" },
      `${PLATFORM}/bin/mlcli`,
      " --global @o/mlcli-linux-x64@latest",
    ],
    [
      {
        [`${PLATFORM}/bin/mlcli`]: "",
        "node_modules/@o/mlcli/package.json": "",
        "package.json": "",
      },
      `${PLATFORM}/bin/mlcli`,
      " @o/mlcli@latest",
    ],
    [{ "usr/bin/mlcli": "" }, "usr/bin/mlcli", " --install FILE"],
  ];

suite("how mlcli was installed", () => {
  for (const [files, program, line] of PLACES) {
    it(`${Object.keys(files).join(", ")}: ${line}`, async () => {
      await using place = await makeDirectory({ ...files, "links/": "", "var/lib/dpkg/info/": "" });
      const path = join(place.path, program);
      const owned = `/.\n${join(place.path, "usr/bin/mlcli")}\n`;
      await place.write({ "var/lib/dpkg/info/mlcli.list": owned });
      const link = join(place.path, "links/mlcli");
      await Deno.symlink(path, link);
      const system = { os: "linux", root: place.path } as const;
      const { lines } = await installation({ env: () => undefined, system }, link);
      assertEquals(lines.at(-1)!.slice(-line.length), line);
    });
  }
});
