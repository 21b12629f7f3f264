import { assertEquals, assertThrows } from "@std/assert";
import { binaryName, chooseTargets, TARGETS } from "../../../scripts/compile/targets.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

const LINUX = "x86_64-unknown-linux-gnu";

suite("chooseTargets", () => {
  it("chooses all five when none is named", () => {
    assertEquals(chooseTargets([], undefined), TARGETS);
    assertEquals(TARGETS.length, 5);
  });

  it("chooses those named, each once", () => {
    const mac = "aarch64-apple-darwin";
    assertEquals(chooseTargets([mac, LINUX, mac], undefined), [mac, LINUX]);
  });

  it("refuses a name that is none", () => {
    assertThrows(() => chooseTargets(["linux"], undefined), MlcliError, "Unknown target: linux");
  });

  it("with DENORT_BIN, chooses Linux x86-64 and refuses the others", () => {
    assertEquals(chooseTargets([], "/denort"), [LINUX]);
    assertEquals(chooseTargets([LINUX], "/denort"), [LINUX]);
    assertThrows(
      () => chooseTargets(["aarch64-unknown-linux-gnu"], "/denort"),
      MlcliError,
      "DENORT_BIN",
    );
  });
});

suite("binaryName", () => {
  it("ends in .exe for Windows alone", () => {
    assertEquals(TARGETS.map(binaryName).filter((name) => name.endsWith(".exe")), [
      "mlcli-x86_64-pc-windows-msvc.exe",
    ]);
    assertEquals(binaryName(LINUX), "mlcli-x86_64-unknown-linux-gnu");
  });
});
