import { assert, assertEquals } from "@std/assert";
import { type Column, columnsText } from "../../../commands/render/table.ts";
import { widthOf } from "../../../runtime/cells.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("a table that is fitted to a terminal", () => {
  const fitted = (columns: number, ...all: readonly Column[]) =>
    columnsText(all, { columns, colour: false });
  const column = (heading: string, ...fields: readonly string[]): Column => ({ heading, fields });
  const long = (heading: string): Column => ({ heading, fields: ["x".repeat(100)], most: 8 });

  it("a table leaves out a column without any text", () => {
    const columns = [column("k", "rbf", "-"), column("x", "", ""), column("loss", "1e-3", "7")];
    assertEquals(fitted(80, ...columns).text, "k    loss\nrbf  1e-3\n-    7\n");
  });

  it("a narrow table leaves out the columns of the highest rank, and names them", () => {
    // https://github.com/treeverse/dvc/pull/5381
    const columns = [
      column("name", "a"),
      ...["h1", "h2", "h3"].map((heading, rank) => ({ ...column(heading, "123456"), rank })),
      ...["m1", "m2", "m3"].map((heading, rank) => ({ ...column(heading, "123456"), rank })),
    ];
    assertEquals(fitted(30, ...columns), {
      text: "name  h1      h2      m1\na     123456  123456  123456\n",
      left: ["h3", "m2", "m3"],
    });
  });

  it("a narrow table shows a narrow column even if one before it has no room", () => {
    const { text, left } = fitted(
      9,
      column("name", "a"),
      column("wide", "123456"),
      column("x", "1"),
    );
    assertEquals({ text, left }, { text: "name  x\na     1\n", left: ["wide"] });
  });

  it("a narrow table cuts fields, and shares the room that is left among them", () => {
    assertEquals(
      fitted(30, long("a"), long("b")).text.split("\n")[1],
      `${"x".repeat(13)}…  ${"x".repeat(13)}…`,
    );
    assertEquals(fitted(30, long("a"), long("b")).left, []);
  });

  it("a narrow table cuts headings at their beginning", () => {
    // https://github.com/ray-project/ray/pull/28764
    const names = ["train_loop_per_worker/lr", "train_loop_per_worker/l2"];
    const columns = names.map((heading) => ({ ...column(heading, "0.1"), most: 8 }));
    assertEquals(fitted(20, ...columns).text, "…orker/lr  …orker/l2\n0.1        0.1\n");
  });

  for (const columns of [1, 2, 7, 20, 40, 80]) {
    it(`a table is never wider than ${columns} columns, for any fields`, () => {
      const odd = [
        "\x1b[2J\n",
        "大きい値がここにあります",
        "🙂🙂🙂",
        "e\u0301".repeat(300),
        "",
        "-",
      ];
      const all = odd.map((text, index): Column => ({
        heading: text,
        fields: odd.toSpliced(0, 1, text.repeat(1000)),
        most: 8,
        rank: index % 2,
      }));
      const { text, left } = fitted(columns, ...all);
      for (const line of text.split("\n")) assert(widthOf(line) <= columns, line);
      // deno-lint-ignore no-control-regex
      assert(!/[\x00-\x09\x0b-\x1f]/.test(text + left.join("")));
    });
  }
});
