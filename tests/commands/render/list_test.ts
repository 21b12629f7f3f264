import { assertEquals, assertRejects } from "@std/assert";
import { type List, printList, rowsText } from "../../../commands/render/list.ts";
import { fakeContext } from "../../helpers/fake_context.ts";
import { it, suite } from "../../helpers/suite.ts";

interface Item {
  readonly name: string;
  readonly age: number;
}

type Pages = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

function listOf(pages: Pages): List<Item> {
  return {
    pages,
    columns: [
      { heading: "NAME", field: ({ name }) => name, most: 8 },
      { heading: "NOTE", field: () => "" },
      { heading: "AGE", field: ({ age }) => `${age}s`, plain: ({ age }) => `2026 ${age}` },
    ],
    json: ({ name, age }) => ({ name, age }),
    empty: "No items",
  };
}

/** Prints a list, and returns the texts on standard output and standard error. */
async function printed(
  pages: Pages,
  { output = "text", ...terminal }: {
    readonly output?: "text" | "json";
    readonly isTerminal?: boolean;
    readonly columns?: number;
    readonly rows?: number;
    readonly onOutput?: (text: string) => void;
  } = {},
) {
  const context = fakeContext(terminal);
  await printList(listOf(pages), output, context);
  return { out: context.out.text, err: context.err.text };
}

const A: Item = { name: "a", age: 1 };
const B: Item = { name: "longer", age: 20 };

async function* failingAfter(page: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield page;
  await Promise.resolve();
  throw new Error("no more");
}

suite("rowsText", () => {
  const columns = [
    { heading: "APP", field: ([app]: readonly string[]) => app! },
    {
      heading: "STATE",
      field: ([, state]: readonly string[]) => state!,
      paint: (text: string) => `<${text}>`,
    },
  ];
  const rows = [["a", "running"], ["学习", "up"]];
  for (
    const [where, isTerminal, colour, text] of [
      ["lines in a pipe", false, false, "a  running\n学习  up\n"],
      ["painted lines in a pipe with colour", false, true, "a  <running>\n学习  <up>\n"],
      [
        "a table with columns for wide letters on a terminal without colour",
        true,
        false,
        "APP   STATE\na     running\n学习  up\n",
      ],
      [
        "a painted table on a terminal with colour",
        true,
        true,
        "\x1b[1mAPP\x1b[22m   \x1b[1mSTATE\x1b[22m\na     <running>\n学习  <up>\n",
      ],
    ] as const
  ) {
    it(`rowsText returns ${where}`, () => {
      assertEquals(rowsText(rows, columns, { isTerminal, colour, columns: 80 }).text, text);
      assertEquals(rowsText([], columns, { isTerminal, colour, columns: 80 }).text, "");
    });
  }
});

suite("printList", () => {
  it("printList prints whole fields in a pipe, without empty ones and without headings", async () => {
    assertEquals((await printed([[A], [B]])).out, "a  2026 1\nlonger  2026 20\n");
  });

  it("printList prints one table with one header row for all pages on a terminal", async () => {
    assertEquals(await printed([[A], [], [B]], { isTerminal: true }), {
      out: "NAME    AGE\na       1s\nlonger  20s\n",
      err: "",
    });
  });

  it("printList prints whole names if the terminal is wide enough", async () => {
    // https://github.com/smol-machines/smolvm/issues/1168
    const name = "x".repeat(63);
    const { out } = await printed([[{ name, age: 1 }]], { isTerminal: true });
    assertEquals(out.split("\n")[1], `${name}  1s`);
  });

  it("printList marks a name that it cuts on a narrow terminal", async () => {
    // https://github.com/microsoft/winml-cli/issues/540
    const page = [{ name: "microsoft-swin-large-patch4-window7", age: 1 }];
    const { out } = await printed([page], { isTerminal: true, columns: 24 });
    assertEquals(
      out,
      "NAME                 AGE\nmicrosoft-swin-lar…  1s\n",
    );
  });

  it("printList names the columns that do not fit a narrow terminal", async () => {
    const { err } = await printed([[A]], { isTerminal: true, columns: 4 });
    assertEquals(err.replace(/\s+/g, " "), "note: Columns not shown: AGE (use --output json) ");
  });

  it("printList prints a screenful before it requests the next page", async () => {
    let text = "";
    let seen = "";
    async function* pages(): AsyncGenerator<readonly Item[]> {
      yield [A, B];
      await Promise.resolve();
      seen = text;
      yield [{ name: "much-longer", age: 3 }];
    }
    const onOutput = (more: string): void => void (text += more);
    const { out } = await printed(pages(), { isTerminal: true, rows: 2, onOutput });
    assertEquals(seen, "NAME    AGE\na       1s\nlonger  20s\n");
    assertEquals(out, `${seen}much-longer  3s\n`);
  });

  it("printList keeps the columns of a table where the first page put them", async () => {
    const { out } = await printed([[B], [A]], { isTerminal: true, rows: 1 });
    assertEquals(out, "NAME    AGE\nlonger  20s\na       1s\n");
  });

  it("printList names the columns without room that only an earlier page fills", async () => {
    const columns = listOf([]).columns.toSpliced(1, 1, {
      heading: "NOTE",
      field: ({ age }) => "x".repeat(age),
    });
    const context = fakeContext({ isTerminal: true, columns: 13, rows: 1 });
    await printList({ ...listOf([[B], [{ name: "a", age: 0 }]]), columns }, "text", context);
    assertEquals(
      context.err.text.replace(/\s+/g, " "),
      "note: Columns not shown: NOTE (use --output json) ",
    );
  });

  it("printList prints a field with a line break in one line", async () => {
    const item = { name: "a\nb", age: 1 };
    assertEquals((await printed([[item]])).out, "a?b  2026 1\n");
    const { out } = await printed([[item]], { isTerminal: true });
    assertEquals(out, "NAME  AGE\na?b   1s\n");
  });

  it("printList prints each page as JSON on a terminal before it requests the next one", async () => {
    let [text, seen] = ["", ""];
    async function* pages(): AsyncGenerator<readonly Item[]> {
      yield [A];
      await Promise.resolve();
      seen = text;
    }
    const onOutput = (more: string): void => void (text += more);
    await printed(pages(), { output: "json", isTerminal: true, onOutput });
    assertEquals(seen, '[\n  {\n    "name": "a",\n    "age": 1\n  }');
  });

  it("printList prints one JSON array for all pages", async () => {
    // https://github.com/Azure/azure-xplat-cli/issues/2226
    const { out } = await printed([[A], [], [B]], { output: "json" });
    assertEquals(JSON.parse(out), [A, B]);
  });

  it("printList without rows prints an empty JSON array, and a message only on a terminal", async () => {
    // https://github.com/coder/coder/issues/16312, https://github.com/buildkite/cli/issues/634
    for (const [isTerminal, err] of [[false, ""], [true, "No items\n"]] as const) {
      const result = await printed([], { output: "json", isTerminal });
      assertEquals([result.out, result.err], ["[]\n", err]);
      assertEquals((await printed([], { isTerminal })).out, "");
    }
  });

  for (
    const [name, options, out] of [
      ["a table", { isTerminal: true }, "NAME  AGE\na     1s\n"],
      ["lines", {}, "a  2026 1\n"],
      [
        "JSON without its closing bracket",
        { output: "json" },
        '[\n  {\n    "name": "a",\n    "age": 1\n  }\n',
      ],
    ] as const
  ) {
    it(`printList prints the rows before a failure as ${name}`, async () => {
      // https://github.com/dsx-ai-factory/infra-controller/pull/6472
      const { output = "text", ...terminal } = { output: undefined, ...options };
      const context = fakeContext(terminal);
      const failing = printList(listOf(failingAfter([A])), output, context);
      await assertRejects(() => failing, Error, "no more");
      assertEquals(context.out.text, out);
    });
  }
});
