import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { filesBelow } from "../../../scripts/files.ts";
import {
  addressOf,
  stamped,
  stampRelease,
  withInstallSection,
} from "../../../scripts/release/stamp.ts";
import { makeDirectory, namesIn } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../../../", import.meta.url));
const ADDRESS = addressOf("https://git.example.org", "some-one/some.thing");

suite("addressOf", () => {
  it("is that of the repository", () => {
    assertEquals(addressOf("https://github.com", "a/b"), {
      repository: "a/b",
      releases: "https://github.com/a/b/releases",
    });
    assertEquals(ADDRESS.releases, "https://git.example.org/some-one/some.thing/releases");
  });

  it("takes no repository that is more than OWNER/NAME", () => {
    const repositories = [
      ...[undefined, "", "name", "a/b/c", "/b", "a/", "../b", "a/..", "a/.b", "-a/b", "a/-b"],
      ...[
        "a/b'",
        'a/b"',
        "a/b;id",
        "a/$(id)",
        "a/`id`",
        "a/b c",
        "a/b\n",
        "a\nb/c",
        "a/b#",
        "a/b?c",
      ],
      ...["a/b@c", "a/b%20", "ä/b", "a\\b", "a/b|sh"],
    ];
    for (const repository of repositories) {
      assertThrows(() => addressOf("https://github.com", repository), Error, "GITHUB_REPOSITORY");
    }
  });

  it("takes no server that is more than https://HOST", () => {
    const servers = [
      ...[undefined, "", "github.com", "http://github.com", "https://", "https://github.com/"],
      ...[
        "https://a@b.com",
        "https://b.com/a",
        "https://b.com'",
        "https://b.com\n",
        "https://b..c",
      ],
    ];
    for (const server of servers) {
      assertThrows(() => addressOf(server, "a/b"), Error, "GITHUB_SERVER_URL");
    }
  });
});

suite("stamped", () => {
  it("changes the places for the address and nothing else", () => {
    const text = "$& @RELEASES@/x '@REPOSITORY@' @OTHER@\n@RELEASES@";
    assertEquals(
      stamped(text, { releases: "https://h/$&", repository: "a/b" }),
      "$& https://h/$&/x 'a/b' @OTHER@\nhttps://h/$&",
    );
  });

  it("fails where there is no place", () => {
    assertThrows(() => stamped("@REPOSITORY@", ADDRESS), Error, "no place");
  });
});

suite("withInstallSection", () => {
  it("replaces that section alone", () => {
    const readme =
      "# a\n\n## Need\n\nx\n\n## Install\n\nold\n\n### deeper\n\n## Next\n\n## Install\n";
    assertEquals(
      withInstallSection(readme, "## Install\n\nnew $&\n"),
      "# a\n\n## Need\n\nx\n\n## Install\n\nnew $&\n\n## Next\n\n## Install\n",
    );
    assertThrows(() => withInstallSection("# a\n", "x"), Error, "no section");
  });
});

suite("stampRelease", () => {
  it("makes files of one address, which name no other", async () => {
    await using directory = await makeDirectory();
    await stampRelease(directory.path, ADDRESS);
    const names = await namesIn(directory.path);
    assertEquals(names, ["INSTALL.md", "README.md", "install.ps1", "install.sh"]);
    for (const name of names) {
      const text = await Deno.readTextFile(join(directory.path, name));
      assertStringIncludes(text, `${ADDRESS.releases}/latest/download/install.`);
      assertEquals(text.match(/@[A-Z]+@/g), null, name);
      assertEquals(addresses(text).filter((address) => !address.includes(".example.")), [], name);
    }
    const readme = await Deno.readTextFile(join(directory.path, "README.md"));
    assertStringIncludes(readme, `--repo ${ADDRESS.repository}\n`);
    assertEquals(readme.includes("No release is published yet"), false);
    assertMatch(readme, /\n\n## Quick start\n/);
  });
});

suite("the source", () => {
  it("names no address or registry from which anybody would get mlcli", async () => {
    const found: string[] = [];
    for (const part of await Array.fromAsync(Deno.readDir(ROOT))) {
      if (["vendor", "dist", "node_modules", "coverage", ".git"].includes(part.name)) continue;
      for await (const path of filesBelow(join(ROOT, part.name))) {
        const file = join(part.name, path);
        const text = await Deno.readTextFile(join(ROOT, file));
        found.push(...addresses(text).map((address) => `${file}: ${address}`));
      }
    }
    assertEquals(found, []);
  });
});

/** Names under which a repository or registry would have mlcli. */
function addresses(text: string): readonly string[] {
  const host = String.raw`(?:git(?:hub|lab)\.[a-z.]+|ghcr\.io|docker\.io|quay\.io|raw\.[a-z.]+)`;
  // With a variable part at the end, so that this file does not find itself.
  const name = `ml${"cli"}`;
  const patterns = [
    // Not the image that the engine's tests and the pictures build on.
    new RegExp(String.raw`\b${host}/[\w.-]+/${name}\b(?!-python)`, "g"),
    new RegExp(String.raw`\b${name}/${name}\b`, "g"),
    new RegExp(String.raw`@${name}/`, "g"),
    new RegExp(String.raw`\b(?:jsr|npm):@?[\w.-]*/?${name}\b`, "g"),
    // By name; a file is named by its path.
    new RegExp(
      String
        .raw`\b(?:npx|(?:npm|deno|pipx?|tool|apt-get|brew) install(?![^\n]*--no-index)) [^\n\`]*(?<!/)\b${name}\b`,
      "g",
    ),
  ];
  return patterns.flatMap((pattern) => text.match(pattern) ?? []);
}
