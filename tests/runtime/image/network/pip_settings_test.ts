import { assertEquals } from "@std/assert";
import {
  pipFilePaths,
  type PipSettings,
  pipSettings,
} from "../../../../runtime/image/network/pip_settings.ts";
import { it, suite } from "../../../helpers/suite.ts";

type Variables = Readonly<Record<string, string>>;

/** As `option=value (source)`, sorted. */
function inWords(settings: PipSettings): readonly string[] {
  return Object.entries(settings).map(([option, { value, source }]) =>
    `${option}=${value} (${source})`
  ).sort();
}

function settings(
  files: readonly (readonly [string, string])[],
  variables: Variables = {},
): readonly string[] {
  return inWords(pipSettings(
    files.map(([path, text]) => ({ path, text })),
    (name) => variables[name],
  ));
}

suite("pipSettings: as pip itself reads them", () => {
  it("takes the options that concern the network, of the sections that pip install reads", () => {
    const text = "[global]\nindex-url = https://a/simple\nno-cache-dir = false\nretries: 3\n" +
      "[install]\ntrusted_host = a\n[freeze]\ntimeout = 10\n[list]\nindex-url = https://list\n";
    assertEquals(settings([["f", text]]), [
      "index-url=https://a/simple (f)",
      "retries=3 (f)",
      "trusted-host=a (f)",
    ]);
  });

  it("lets a later file win, the section install over global, a variable over all", () => {
    const files = [
      ["etc", "[global]\nindex-url = etc\ntimeout = 1\nproxy = etc\n[install]\ncert = etc\n"],
      ["user", "[global]\nindex-url = user\ncert = user\ntimeout = 2\n"],
    ] as const;
    assertEquals(settings(files, { PIP_DEFAULT_TIMEOUT: "180", PIP_INDEX_URL: "" }), [
      "cert=etc (etc)",
      "index-url=user (user)",
      "proxy=etc (etc)",
      "timeout=180 (PIP_DEFAULT_TIMEOUT)",
    ]);
  });

  it("reads lists over several lines, comments and Windows' line ends", () => {
    const text = "# [global]\r\n[global]\r\nextra-index-url =\r\n    https://a/simple\r\n" +
      "    ; not this\r\n\thttps://b/simple\r\n\r\nINDEX_URL=https://c?x=1\r\n";
    assertEquals(settings([["f", text]]), [
      "extra-index-url=https://a/simple https://b/simple (f)",
      "index-url=https://c?x=1 (f)",
    ]);
  });

  it("takes uv's indexes only where pip has none", () => {
    const uv = { UV_DEFAULT_INDEX: "corp=https://uv/simple", UV_INDEX: "x=https://b https://c" };
    assertEquals(settings([], uv), [
      "extra-index-url=https://b https://c (UV_INDEX)",
      "index-url=https://uv/simple (UV_DEFAULT_INDEX)",
    ]);
    assertEquals(settings([["f", "[global]\nindex-url=https://f\n"]], uv), [
      "extra-index-url=https://b https://c (UV_INDEX)",
      "index-url=https://f (f)",
    ]);
  });

  it("takes broken files for empty ones", () => {
    assertEquals(
      settings([["f", "\0\xff\n]global[\nindex-url\n= x\n  y\n[global\nproxy = p"]]),
      [],
    );
  });
});

suite("pipFilePaths", () => {
  const rows: readonly (readonly [typeof Deno.build.os, Variables, readonly string[]])[] = [
    ["linux", { HOME: "/home/me" }, [
      "/etc/xdg/pip/pip.conf",
      "/etc/pip.conf",
      "/home/me/.pip/pip.conf",
      "/home/me/.config/pip/pip.conf",
    ]],
    ["linux", {
      HOME: "/h",
      XDG_CONFIG_HOME: "/c",
      XDG_CONFIG_DIRS: "/a:/b",
      VIRTUAL_ENV: "/v",
      PIP_CONFIG_FILE: "/own",
    }, [
      "/a/pip/pip.conf",
      "/b/pip/pip.conf",
      "/etc/pip.conf",
      "/h/.pip/pip.conf",
      "/c/pip/pip.conf",
      "/v/pip.conf",
      "/own",
    ]],
    ["linux", { HOME: "/h", PIP_CONFIG_FILE: "/dev/null" }, []],
    ["darwin", { HOME: "/Users/me", CONDA_PREFIX: "/conda" }, [
      "/Library/Application Support/pip/pip.conf",
      "/Users/me/.pip/pip.conf",
      "/Users/me/.config/pip/pip.conf",
      "/Users/me/Library/Application Support/pip/pip.conf",
      "/conda/pip.conf",
    ]],
    ["windows", {
      ProgramData: "C:\\ProgramData",
      USERPROFILE: "C:\\Users\\me",
      APPDATA: "C:\\Users\\me\\AppData\\Roaming",
    }, [
      "C:\\ProgramData\\pip\\pip.ini",
      "C:\\Users\\me\\pip\\pip.ini",
      "C:\\Users\\me\\AppData\\Roaming\\pip\\pip.ini",
    ]],
    ["windows", { PIP_CONFIG_FILE: "NUL" }, []],
  ];
  for (const [os, variables, expected] of rows) {
    it(`${os}, ${Object.keys(variables).join(" ") || "nothing set"}`, () => {
      const found = pipFilePaths((name) => variables[name], { os, root: "/" });
      assertEquals([found.global, found.user, found.site, found.own].flat(), expected);
    });
  }
});
