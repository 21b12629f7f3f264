import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import {
  makeReport,
  readReport,
  REPORT_VARIABLES,
  reportMount,
  reportOf,
} from "../../../../runtime/local/differences/report.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

const line = (...words: readonly unknown[]): string => `${JSON.stringify(words)}\n`;

const NOTHING = { differences: [], python: undefined, reason: undefined };

suite("what the harness reports of Python", () => {
  it("is its version, and its packages", () => {
    const text = line("python", "3.12.4") + line("package", "scikit-learn 1.5.0") +
      line("package", "torch 2.3.0+cpu") + line("lost", "/opt/ml/processing/a");
    assertEquals(reportOf(text).python, {
      version: "3.12.4",
      packages: { "scikit-learn": "1.5.0", torch: "2.3.0+cpu" },
    });
  });

  it("is nothing in another form", () => {
    assertEquals(reportOf(line("package", "a 1")).python, undefined);
    assertEquals(reportOf(line("python", "\x1b[2J")).python, undefined);
    assertEquals(
      reportOf(
        line("python", "3.8.0") + line("package", "a\nb 1") + line("package", "a b c"),
      ).python
        ?.packages,
      {},
    );
  });
});

suite("a report that a full disk cut off anywhere", () => {
  const whole = line("python", "3.12.4") + line("package", "numpy 2.0.0") +
    line("lost", "/opt/ml/processing/m") + line("reason", "No room");
  const packages: Readonly<Record<string, string>> = { numpy: "2.0.0" };

  it("says nothing false", () => {
    for (let length = 0; length < whole.length; length++) {
      const text = whole.slice(0, length);
      const python = reportOf(text).python;
      assertEquals(python?.version ?? "3.12.4", "3.12.4");
      for (const [name, version] of Object.entries(python?.packages ?? {})) {
        assertEquals(version, packages[name], text);
      }
      assertEquals(reportOf(text).reason ?? "No room", "No room");
      for (const { message } of reportOf(text).differences) {
        assertEquals(message.endsWith("lost: /opt/ml/processing/m"), true, message);
      }
    }
  });
});

suite("what the harness reports of a failure", () => {
  it("is its first reason, as SageMaker would cut it, and without control characters", () => {
    const rows: readonly (readonly [text: string, reason: string | undefined])[] = [
      ["", undefined],
      [
        line("reason", "KeyError: 3\n\nTraceback") + line("reason", "2"),
        "KeyError: 3\n\nTraceback",
      ],
      [line("reason", "é".repeat(2000)), "é".repeat(1024)],
      [line("reason", "\x1b[31mred"), "[31mred"],
      [line("reason", 3) + line("reason"), undefined],
      [line("reason", "cut off").slice(0, -4), undefined],
    ];
    for (const [text, reason] of rows) assertEquals(reportOf(text).reason, reason);
  });
});

suite("what the harness reports", () => {
  it("is asked for by variables, and written to one mounted file", async () => {
    await using directory = await makeDirectory();
    const path = makeReport(directory.path);
    assertEquals(reportMount(path), {
      Type: "bind",
      Source: join(directory.path, "report"),
      Target: "/opt/mlcli/report",
      ReadOnly: false,
    });
    // The container's user may be any.
    assertEquals((await Deno.stat(path)).mode! & 0o777, 0o666);
    assertEquals(await readReport(path), NOTHING);
    // If the run's directory was removed, the result of the run still matters.
    await Deno.remove(path);
    assertEquals(await readReport(path), NOTHING);
    assertEquals(REPORT_VARIABLES, { MLCLI_REPORT: "/opt/mlcli/report" });
  });

  it("reportOf names the first three lost files, and where to write them", () => {
    const lost = (...names: readonly string[]): string =>
      names.map((name) => line("lost", `/opt/ml/processing/${name}`)).join("");
    const hint = "Write results to /opt/ml/processing/output";
    assertEquals(reportOf(lost("a.png", "a.png")).differences, [{
      level: "warning",
      message:
        "Processing wrote files outside its outputs, so they are lost: /opt/ml/processing/a.png",
      hint,
    }]);
    assertEquals(reportOf(lost("1", "2", "3", "4")).differences, [{
      level: "warning",
      message:
        "Processing wrote files outside its outputs, so they are lost: /opt/ml/processing/1, " +
        "/opt/ml/processing/2, /opt/ml/processing/3 and 1 more",
      hint,
    }]);
  });

  it("may be cut off, or be anything that a container writes", () => {
    const rubbish = ["", "x", "null", "[]", '["lost"]', '["lost", 1]', '{"a": 1}', "[".repeat(9)];
    assertEquals(reportOf(rubbish.join("\n")).differences, []);
    assertEquals(reportOf('["lost", "/a"]\n["lost", "/b').differences.length, 1);
  });

  it("reportOf ignores rows of an earlier version's harness", () => {
    assertEquals(reportOf(line("opened", "/opt/ml/model/m")), NOTHING);
  });

  it("is read up to a limit", async () => {
    await using directory = await makeDirectory();
    const path = makeReport(directory.path);
    await Deno.writeTextFile(
      path,
      line("lost", "/first") + " ".repeat(270_000) + line("lost", "/x"),
    );
    const { differences: [found] } = await readReport(path);
    assertEquals(found!.message.includes("/x"), false);
    assertEquals(found!.message.includes("/first"), true);
  });
});
