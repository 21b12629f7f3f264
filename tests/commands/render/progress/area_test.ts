import { assertEquals } from "@std/assert";
import { Area } from "../../../../commands/render/progress/area.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

const lines = (...texts: readonly string[]) => texts.map((text) => ({ text }));

suite("lines in their place", () => {
  it("are drawn over those before, in one write", () => {
    const writes: string[] = [];
    const { err } = fakeContext({ isTerminal: true });
    const area = new Area({ ...err, rows: 24, print: (text) => void writes.push(text) });
    area.draw(lines("a", "b"));
    area.draw(lines("c", "d", "e"));
    area.draw(lines("f"));
    area.draw([]);
    area.clear();
    assertEquals(writes, [
      "\ra\x1b[K\r\nb\x1b[K\r",
      "\r\x1b[1Ac\x1b[K\r\nd\x1b[K\r\ne\x1b[K\r",
      "\r\x1b[2Af\x1b[K\x1b[J\r",
      "\r\x1b[K",
    ]);
  });

  it("make room for what is printed above them", () => {
    const { err } = fakeContext({ isTerminal: true });
    const area = new Area(err);
    area.draw(lines("a", "b"));
    area.above().print("note\n");
    assertEquals(err.text, "\ra\x1b[K\r\nb\x1b[K\r\r\x1b[1A\x1b[Jnote\n");
  });

  it("are found again when the terminal has become narrower and wrapped them", () => {
    let columns = 10;
    const { err } = fakeContext({ isTerminal: true });
    const area = new Area({
      isTerminal: true,
      colour: false,
      rows: 24,
      get columns() {
        return columns;
      },
      write: err.write,
      print: err.print,
    });
    area.draw(lines("12345678", "模型模", ""));
    columns = 4;
    area.draw(lines("a"));
    // Two rows each; the cursor is in the fifth.
    assertEquals(err.text.split("\x1b[K\r\n\x1b[K")[1], "\r\r\x1b[4Aa\x1b[K\x1b[J\r");
  });

  it("are painted where colour is wanted", () => {
    for (const [colour, expected] of [[true, "\r<a>\x1b[K\r"], [false, "\ra\x1b[K\r"]] as const) {
      const { err } = fakeContext({ isTerminal: true, colour });
      new Area(err).draw([{ text: "a", paint: (text) => `<${text}>` }]);
      assertEquals(err.text, expected);
    }
  });

  it("are not drawn in a pipe, nor on a dumb terminal", () => {
    for (const isTerminal of [false, true]) {
      const { err } = fakeContext({ isTerminal, rows: 0 });
      using area = new Area(err);
      area.draw(lines("a"));
      assertEquals(err.text, "");
    }
  });
});
