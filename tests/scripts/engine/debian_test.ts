import { assertEquals } from "@std/assert";
import { canInstallPackages, parseMirror, parseSystem } from "../../../scripts/engine/debian.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("Debian: the system", () => {
  it("is read from os-release, with and without quotes", () => {
    const text = 'PRETTY_NAME="Linux Mint 21"\nID=linuxmint\nID_LIKE="ubuntu debian"\n' +
      "VERSION_CODENAME='vanessa'\n";
    assertEquals(parseSystem(text), {
      id: "linuxmint",
      like: ["ubuntu", "debian"],
      codename: "vanessa",
    });
  });

  it("is unknown where the file says nothing", () => {
    assertEquals(parseSystem(""), { id: "", like: [], codename: "" });
  });

  const debian = parseSystem("ID=debian\nVERSION_CODENAME=bookworm\n");
  const ubuntu = parseSystem("ID=ubuntu\nID_LIKE=debian\n");
  const fedora = parseSystem("ID=fedora\n");
  const rows = [
    [debian, 0, true],
    [ubuntu, 0, true],
    [fedora, 0, false],
    [debian, 1000, false],
    [debian, null, false],
  ] as const;
  for (const [system, uid, expected] of rows) {
    it(`${expected ? "can" : "cannot"} install packages as ${uid} on ${system.id}`, () => {
      assertEquals(canInstallPackages(system, uid), expected);
    });
  }
});

suite("Debian: the mirror", () => {
  const targets = [
    "Contents-deb main bookworm bookworm http://contents.example/debian/",
    "Packages contrib bookworm bookworm http://contrib.example/debian/",
    "Packages main bookworm-security stable-security http://security.example/debian-security/",
    "Packages main bookworm stable https://mirror.example/debian/",
    "Packages main bookworm stable https://second.example/debian/",
    "",
  ].join("\n");

  it("is the first that has the main packages of the release", () => {
    assertEquals(parseMirror(targets, "bookworm"), "https://mirror.example/debian/");
  });

  it("is found by the name of the suite, too", () => {
    assertEquals(parseMirror(targets, "stable"), "https://mirror.example/debian/");
  });

  it("is not known for a release that apt does not have", () => {
    assertEquals(parseMirror(targets, "trixie"), undefined);
  });

  it("is not one that debootstrap cannot read", () => {
    const disc = "Packages main bookworm stable cdrom://[Debian 12]/\n" +
      "Packages main bookworm stable mirror+file:/etc/apt/mirrors.txt\n";
    assertEquals(parseMirror(disc, "bookworm"), undefined);
  });
});
