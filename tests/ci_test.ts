import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { makeDirectory } from "./helpers/directory.ts";
import { type ProgramResult, resultOf } from "./helpers/program.ts";
import { it, suite } from "./helpers/suite.ts";

const SCRIPT = fromFileUrl(new URL("../.ci/run", import.meta.url));

/** What Deno plays: a case of the shell's, by its arguments. No runtime base can be had. */
const DENO = `#!/bin/sh
case $* in
  *"task test:unit"*) printf '%s' "$UNIT"; exit "$UNIT_STATUS" ;;
  *"task test:page"*) printf '2 passed, 0 failed\\n'; exit 0 ;;
  *"task test --no-check") printf '%s' "$TESTS"; exit 0 ;;
  *"fmt --check") exit "$FORMATTING" ;;
  *compile*) exit 1 ;;
esac
`;

/** Runs .ci/run where neither Deno nor root is the real one; both runs of tests say these words. */
async function ci(
  { unit = "3 passed, 0 failed\n", status = 0, all = "4 passed, 0 failed\n", formatting = 0 } = {},
  ...args: readonly string[]
): Promise<ProgramResult & { readonly last: string | undefined }> {
  await using directory = await makeDirectory();
  const place = (path: string): string => join(directory.path, path);
  await Deno.mkdir(place(".ci"));
  await Deno.mkdir(place("bin"));
  await Deno.copyFile(SCRIPT, place(".ci/run"));
  await Deno.writeTextFile(place("bin/npx"), DENO, { mode: 0o755 });
  await Deno.writeTextFile(place("bin/id"), "#!/bin/sh\necho 1000\n", { mode: 0o755 });
  const child = new Deno.Command("bash", {
    args: [place(".ci/run"), ...args],
    env: {
      PATH: `${place("bin")}:${Deno.env.get("PATH")}`,
      MLCLI_DENORT: "/nonexistent",
      UNIT: unit,
      UNIT_STATUS: String(status),
      TESTS: all,
      FORMATTING: String(formatting),
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const result = await resultOf(child);
  return { ...result, last: result.stdout.trimEnd().split("\n").at(-1) };
}

suite(".ci/run", () => {
  for (
    const [title, told, code, last] of [
      ["adds up what passes", {}, 0, "7 passed, 0 failed"],
      [
        "goes on after a failure",
        { unit: "2 passed, 1 failed\n", status: 1 },
        1,
        "6 passed, 1 failed",
      ],
      [
        "goes by the last line",
        { unit: "9 passed, 9 failed\n3 passed, 0 failed\n" },
        0,
        "7 passed, 0 failed",
      ],
      ["counts tests that ended badly with none failed", { status: 1 }, 1, "7 passed, 1 failed"],
      ["counts tests that did not say what became of them", { unit: "" }, 1, "4 passed, 1 failed"],
      [
        "takes nothing like a count for one",
        { unit: "x 3 passed, 0 failed\n" },
        1,
        "4 passed, 1 failed",
      ],
      [
        "counts those of the last run, too",
        { all: "1 passed, 2 failed\n" },
        1,
        "4 passed, 2 failed",
      ],
      ["ends with a check that fails, as a failure", { formatting: 7 }, 7, "0 passed, 1 failed"],
    ] as const
  ) {
    it(title, async () => {
      const result = await ci(told);
      assertEquals([result.code, result.last, result.stderr], [code, last, ""]);
    });
  }

  it("says at its end what failed, and which words it threw", async () => {
    const { code, stdout } = await ci({
      unit: "a ... ok\nfailed: a > b\n  no\nfailed: c\n  not\n2 passed, 2 failed\n",
      all: "failed: d\n  never\n1 passed, 1 failed\n",
    });
    assertEquals(code, 1);
    assertEquals(
      stdout.slice(stdout.indexOf("\n== Tests that failed\n")),
      "\n== Tests that failed\nfailed: a > b\n  no\nfailed: c\n  not\nfailed: d\n  never\n\n3 passed, 3 failed\n",
    );
    assertEquals((await ci()).stdout.includes("== Tests that failed"), false);
  });

  it("takes one option, and no other word", async () => {
    assertEquals((await ci({}, "--all")).last, "9 passed, 0 failed");
    for (const args of [["--al"], ["--all", "--all"]]) {
      const { code, stdout, stderr } = await ci({}, ...args);
      assertEquals({ code, stdout, stderr }, {
        code: 2,
        stdout: "",
        stderr: "usage: .ci/run [--all]\n",
      });
    }
  });
});
