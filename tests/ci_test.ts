import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { makeDirectory } from "./helpers/directory.ts";
import { type ProgramResult, resultOf } from "./helpers/program.ts";
import { it, suite } from "./helpers/suite.ts";

const SCRIPT = fromFileUrl(new URL("../.ci/run", import.meta.url));

/** A stand-in for Deno: a shell script that prints by its arguments. There is no runtime base. */
const DENO = `#!/bin/sh
case $* in
  *"task test:unit --no-check --all") printf '%s' "$UNIT"; exit "$UNIT_STATUS" ;;
  *"task test --no-check"*) printf '%s' "$TESTS"; exit 0 ;;
  *"fmt --check") exit "$FORMATTING" ;;
  *compile*) exit 1 ;;
esac
`;

/**
 * Runs `.ci/run --all` with stand-ins for Deno and for the user, who is not root: the unit tests on the
 * oldest Deno print `unit`, all tests on the newest print `all`.
 */
async function ci(
  { unit = "3 passed, 0 failed\n", status = 0, all = "4 passed, 0 failed\n", formatting = 0 } = {},
  args: readonly string[] = ["--all"],
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
        "reads the last line only",
        { unit: "9 passed, 9 failed\n3 passed, 0 failed\n" },
        0,
        "7 passed, 0 failed",
      ],
      [
        "counts a failed run without a failed test as a failure",
        { status: 1 },
        1,
        "7 passed, 1 failed",
      ],
      ["counts a run without a result as a failure", { unit: "" }, 1, "4 passed, 1 failed"],
      [
        "does not accept a line that only contains a count",
        { unit: "x 3 passed, 0 failed\n" },
        1,
        "4 passed, 1 failed",
      ],
      [
        "stops at a check that fails, and counts it as a failure",
        { formatting: 7 },
        7,
        "0 passed, 1 failed",
      ],
    ] as const
  ) {
    it(title, async () => {
      const result = await ci(told);
      assertEquals([result.code, result.last, result.stderr], [code, last, ""]);
    });
  }

  it("keeps running after a failure, and ends with all failures and their rerun lines", async () => {
    const { code, stdout } = await ci({
      unit: "a ... ok\nfailed: c\n  not\nrerun: deno task c\n2 passed, 1 failed\n",
      all: "failed: d\n  never\nrerun: deno task d\n1 passed, 1 failed\n",
    });
    assertEquals(code, 1);
    assertEquals(
      stdout.split(/== Tests that failed .*\n/)[1]?.replace(/\d+ s/, "0 s"),
      "failed: d\n  never\nrerun: deno task d\nfailed: c\n  not\nrerun: deno task c\n\n" +
        "The run took 0 s.\n3 passed, 2 failed\n",
    );
    assertEquals((await ci()).stdout.includes("== Tests that failed"), false);
  });

  it("runs each test once without --all, and accepts no other argument", async () => {
    assertEquals((await ci({}, [])).last, "4 passed, 0 failed");
    for (const args of [["--al"], ["--all", "--all"]]) {
      const { code, stdout, stderr } = await ci({}, args);
      assertEquals({ code, stdout, stderr }, {
        code: 2,
        stdout: "",
        stderr: "usage: .ci/run [--all]\n",
      });
    }
  });
});
