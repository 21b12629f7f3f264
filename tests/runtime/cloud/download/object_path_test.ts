import { assertEquals, assertThrows } from "@std/assert";
import { pathBelow } from "../../../../runtime/cloud/download/object_path.ts";
import { MlcliError } from "../../../../runtime/errors.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("pathBelow", () => {
  for (const name of ["a.csv.out", "b/c d.out", "..a/b..", "Müller/東京", "a:b", "con"]) {
    it(`takes ${name}`, () => assertEquals(pathBelow(`out/${name}`, "out/", "/"), name.split("/")));
  }

  const refused = [
    ...["../a", "a/../b", "a/..", ".", "./a", "/etc/passwd", "a//b", "a\\b", "..\\a"],
    ...["a\0b", "a\nb", "a\x1b[2J", "a\u202eb", "a\ufffdb"],
  ];
  for (const name of refused) {
    it(`refuses ${JSON.stringify(name)}`, () => {
      assertThrows(
        () => pathBelow(`out/${name}`, "out/"),
        MlcliError,
        "Cannot save S3 object",
      );
    });
  }

  it("refuses a key that is not below the prefix", () => {
    assertThrows(() => pathBelow("other/a", "out/"), MlcliError);
  });

  for (const name of ["a:b", "C:", "con", "nul.txt", "a.", "a ", "a?b", "x/LPT1"]) {
    it(`refuses ${name} on Windows`, () => {
      assertThrows(() => pathBelow(name, "", "\\"), MlcliError);
    });
  }
});
