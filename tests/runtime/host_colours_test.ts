import { assertEquals } from "@std/assert";
import { hostColour, withHostColours } from "../../runtime/host_colours.ts";
import { it, suite } from "../helpers/suite.ts";

suite("the colours of hosts", () => {
  it("differ between ten in a row, and are the same again", () => {
    const colours = Array.from({ length: 11 }, (_, index) => hostColour(`algo-${index + 1}`));
    assertEquals([new Set(colours).size, colours.at(-1)], [10, colours[0]]);
  });

  it("are those of the names before lines alone", () => {
    assertEquals(
      withHostColours("algo-2: a, algo-1: b\nalgo-12: \nalgo-x: c\n algo-1: d\n"),
      "\x1b[33malgo-2\x1b[39m: a, algo-1: b\n\x1b[33malgo-12\x1b[39m: \nalgo-x: c\n algo-1: d\n",
    );
  });
});
