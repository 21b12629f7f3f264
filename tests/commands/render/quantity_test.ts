import { assertEquals } from "@std/assert";
import { byteCount, counted } from "../../../commands/render/quantity.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("quantities", () => {
  for (
    const [bytes, text] of [
      [0, "0 bytes"],
      [1, "1 byte"],
      [999, "999 bytes"],
      [1_000, "1.0 kB"],
      [999_949, "999.9 kB"],
      [999_950, "1.0 MB"],
      [12_345_678, "12.3 MB"],
      [80_000_000_000, "80.0 GB"],
      [5e15, "5000.0 TB"],
    ] as const
  ) {
    it(`${bytes}: ${text}`, () => assertEquals(byteCount(bytes), text));
  }

  it("has a word for one, and for others", () => {
    assertEquals([0, 1, 2].map((count) => counted(count, "file")), [
      "0 files",
      "1 file",
      "2 files",
    ]);
  });
});
