import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { countResults, failureText, resultLine } from "../../../scripts/testing/test_results.ts";
import { removeTreeIfThere } from "../../../runtime/files.ts";
import { afterAll, beforeAll, it, suite } from "../../helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../../../", import.meta.url));
const SUITE = new URL("../../helpers/suite.ts", import.meta.url);

/** A test module; the files that a run consists of are made of these. */
const PASSING = 'suite("group", () => { it("one", () => {}); it("two", () => {}); });';
const FAILING_STEP = 'suite("bad", () => { it("fails", () => { throw new Error("no"); }); ' +
  'it("passes", () => {}); });';
const FAILING_HOOK = 'suite("hook", () => { beforeAll(() => { throw new Error("no"); }); ' +
  'it("one", () => {}); });';
const LEAKING = 'suite("leak", () => { it("leaks", async () => { setTimeout(() => {}, 60_000); ' +
  "await Promise.resolve(); }); });";
const NOT_LOADING = 'throw new Error("no");';
const WRONG_TYPE = 'export const x: number = "no"; suite("never", () => { it("one", () => {}); });';
const PLAIN = 'Deno.test("plain", () => {}); Deno.test.ignore("later", () => {});';

suite("The test command: what it counts", () => {
  const rows: readonly (readonly [string, readonly string[], string])[] = [
    ["types that do not check", [WRONG_TYPE], "0 passed, 1 failed"],
    ["a run without tests as a failure", ["export {};"], "0 passed, 1 failed"],
    [
      "counts tests with and without a group, and each failed test, hook, leak and module once",
      [PASSING, PLAIN, FAILING_STEP, FAILING_HOOK, LEAKING, NOT_LOADING],
      "5 passed, 4 failed",
    ],
  ];
  let directory = "";
  beforeAll(async () => {
    directory = await Deno.makeTempDir({ prefix: "mlcli-test-" });
  });
  afterAll(() => removeTreeIfThere(directory));

  for (const [index, [what, modules, expected]] of rows.entries()) {
    it(what, async () => {
      const folder = `${directory}/${index}`;
      await Deno.mkdir(folder);
      for (const [number, module] of modules.entries()) {
        const text = `import { beforeAll, it, suite } from "${SUITE}";\n${module}\n` +
          "export const used = [beforeAll, it, suite];\n";
        await Deno.writeTextFile(`${folder}/${number}_test.ts`, text);
      }
      const { code, stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "scripts/tasks/test.ts", "--unit", folder],
        cwd: ROOT,
        stdin: "null",
        stderr: "null",
      }).output();
      const last = new TextDecoder().decode(stdout).trimEnd().split("\n").at(-1);
      assertEquals(last, expected);
      assertEquals(code, expected.endsWith(" 0 failed") ? 0 : 1);
    });
  }
});

suite("Counting test results", () => {
  const report = `<testsuites><testsuite>
    <testcase name="group" classname="a"><failure message="1 test step failed">1</failure></testcase>
    <testcase name="group &gt; one" classname="./a" time="2.5"/>
    <testcase name="group &gt; two" classname="a"><failure message="no &quot;&lt;one&gt;&quot;
was there">no</failure></testcase>
    <testcase name="later &gt; than now" classname="b"><skipped/></testcase>
  </testsuite></testsuites>`;

  it("names what was skipped", () => {
    const output = "FAILED | 0 passed (1 step) | 1 failed (1 step) | 1 ignored (1ms)\n";
    assertEquals(countResults(report, output, false), {
      passed: 1,
      failed: 1,
      failures: [{ name: "group > two", message: 'no "<one>"\nwas there' }],
      skipped: ["later > than now"],
      slowest: [{ name: "group > one", seconds: 2.5 }],
    });
  });

  it("tells a failure in few words", () => {
    assertEquals(
      failureText({ name: "group > two", message: 'no "<one>"\n7 passed, 0 failed' }),
      'failed: group > two\n  no "<one>"\n  7 passed, 0 failed',
    );
    const text = failureText({ name: "long", message: "x".repeat(2_001) });
    assertEquals(text, `failed: long\n  ${"x".repeat(2_000)} ...`);
  });

  it("reads the last summary, coloured or not", () => {
    const output = "ok | 9 passed | 9 failed (1ms)\n" +
      "\x1b[0m\x1b[31mFAILED\x1b[0m | 0 passed (1 step) | 3 failed (1 step) (1ms)\n";
    assertEquals(countResults(report, output, false).failed, 3);
  });

  it("counts a failure where Deno reports none but ends badly", () => {
    const passing = '<testcase name="one"></testcase>';
    const output = "ok | 1 passed | 0 failed (1ms)\n";
    assertEquals(resultLine(countResults(passing, output, true)), "1 passed, 0 failed");
    assertEquals(resultLine(countResults(passing, output, false)), "1 passed, 1 failed");
  });
});
