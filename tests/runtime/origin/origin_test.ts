import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  migrationText,
  nameOf,
  type Origin,
  requirementsFile,
} from "../../../runtime/origin/origin.ts";
import { it, suite } from "../../helpers/suite.ts";

const ORIGIN: Origin = {
  what: "the sagify project ../shop",
  name: "shop",
  configuration: {},
  files: [],
  taken: [["`src/x.py`", "`common/x.py`"], ["a|b", "c\n| d"]],
  left: ["The first.\n# No heading", "The second."],
  next: ["mlcli build", "mlcli local train"],
};

suite("MIGRATION.md", () => {
  it("has what was taken over, what was not, and what comes next", () => {
    assertEquals(
      migrationText(ORIGIN),
      `# Origin of this app

\`mlcli init --from\` created it from the sagify project ../shop. The original is unchanged.

## Converted

| Original | App |
| --- | --- |
| \`src/x.py\` | \`common/x.py\` |
| a\\|b | c?\\| d |

## To check

- The first.?# No heading
- The second.

## Next steps

\`\`\`sh
mlcli build
mlcli local train
\`\`\`
`,
    );
  });

  it("says so where nothing was left behind, and has no empty table", () => {
    const text = migrationText({ ...ORIGIN, taken: [], left: [] });
    assertStringIncludes(text, "## To check\n\nNothing.\n");
    assertEquals(text.includes("| Original |"), false);
  });
});

suite("the app's name", () => {
  const rows: readonly (readonly [string | undefined, string, string])[] = [
    ["typed", "found", "typed"],
    [undefined, "flats", "flats"],
    [undefined, "my flats/2", "my-flats-2"],
    [undefined, "-.flats.-", "flats"],
    [undefined, "../..", "app"],
    [undefined, "größe", "gr-e"],
    [undefined, "\x1b[31m", "31m"],
    [undefined, "", "app"],
  ];
  for (const [typed, found, expected] of rows) {
    it(`is ${expected} for ${JSON.stringify(found)}`, () => {
      assertEquals(nameOf(typed, found), expected);
    });
  }
});

suite("a requirements file", () => {
  it("says where it comes from, in one line", () => {
    assertEquals(requirementsFile("requirements.txt", "a\nflask", ["numpy", ""]), {
      path: "requirements.txt",
      content: "# From a?flask.\nnumpy\n",
    });
  });
});
