import { assertEquals } from "@std/assert";
import { sizeText } from "../../../commands/render/size.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("sizes", () => {
  for (
    const [bytes, text] of [
      [0, "0 B"],
      [999, "999 B"],
      [1_000, "1.0 kB"],
      [1_250_000, "1.3 MB"],
      [99_900, "99.9 kB"],
      [99_960, "100 kB"],
      [999_400, "999 kB"],
      [999_600, "1.0 MB"],
      [3_200_000_000, "3.2 GB"],
      [7e15, "7000 TB"],
    ] as const
  ) {
    it(`${bytes} bytes are ${text}`, () => assertEquals(sizeText(bytes), text));
  }
});
