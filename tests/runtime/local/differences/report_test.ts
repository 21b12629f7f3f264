import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import {
  makeReport,
  readReport,
  reportMount,
  reportOf,
  reportVariables,
} from "../../../../runtime/local/differences/report.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

const line = (...words: readonly unknown[]): string => `${JSON.stringify(words)}\n`;

const NOTHING = { differences: [], python: undefined, reason: undefined };

suite("what the harness reports of Python", () => {
  it("is its version, and its packages", () => {
    const text = line("python", "3.12.4") + line("package", "scikit-learn 1.5.0") +
      line("package", "torch 2.3.0+cpu") + line("opened", "/opt/ml/model");
    assertEquals(reportOf(text, "train").python, {
      version: "3.12.4",
      packages: { "scikit-learn": "1.5.0", torch: "2.3.0+cpu" },
    });
  });

  it("is nothing in another form", () => {
    assertEquals(reportOf(line("package", "a 1"), "train").python, undefined);
    assertEquals(reportOf(line("python", "\x1b[2J"), "train").python, undefined);
    assertEquals(
      reportOf(
        line("python", "3.8.0") + line("package", "a\nb 1") + line("package", "a b c"),
        "train",
      ).python
        ?.packages,
      {},
    );
  });
});

suite("a report that a full disk cut off anywhere", () => {
  const whole = line("python", "3.12.4") + line("package", "numpy 2.0.0") +
    line("opened", "/opt/ml/model/m") + line("reason", "No room");
  const packages: Readonly<Record<string, string>> = { numpy: "2.0.0" };

  it("says nothing false", () => {
    for (let length = 0; length < whole.length; length++) {
      const text = whole.slice(0, length);
      const python = reportOf(text, "train").python;
      assertEquals(python?.version ?? "3.12.4", "3.12.4");
      for (const [name, version] of Object.entries(python?.packages ?? {})) {
        assertEquals(version, packages[name], text);
      }
      assertEquals(reportOf(text, "train").reason ?? "No room", "No room");
      for (const { message } of reportOf(text, "process").differences) {
        assertEquals(message.includes("opened /opt/ml/model/m;"), true, message);
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
    for (const [text, reason] of rows) assertEquals(reportOf(text, "train").reason, reason);
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
    assertEquals(await readReport(path, "train"), NOTHING);
    // Where the run's directory was taken away, how the run ended still matters.
    await Deno.remove(path);
    assertEquals(await readReport(path, "train"), NOTHING);
    assertEquals(reportVariables("train", false), {
      MLCLI_REPORT: "/opt/mlcli/report",
      MLCLI_WATCH: "/opt/ml/input/data/processing",
    });
    assertEquals(reportVariables("process", false).MLCLI_WATCH, "/opt/ml/model:/opt/ml/input");
    // Where they are not mounted, nothing there can be opened.
    assertEquals(reportVariables("process", true), {
      MLCLI_REPORT: "/opt/mlcli/report",
      MLCLI_WATCH: "",
    });
  });

  it("names paths and remedy", () => {
    const text = line("opened", "/opt/ml/input/data/training/a.csv") +
      line("opened", "/opt/ml/model/model.json") + line("opened", "/opt/ml/model/model.json") +
      line("opened", "/opt/ml/model") + line("lost", "/opt/ml/processing/plots/a.png");
    assertEquals(
      reportOf(text, "process").differences.map(({ message }) => message),
      [
        "Processing opened /opt/ml/model/model.json, /opt/ml/model; " +
        "on SageMaker, it has no /opt/ml/model",
        "Processing opened /opt/ml/input/data/training/a.csv; " +
        "on SageMaker, it has no /opt/ml/input",
        "Processing wrote /opt/ml/processing/plots/a.png, which nothing keeps, " +
        "here or on SageMaker",
      ],
    );
    const [training] = reportOf(
      ["1", "2", "3", "4"].map((name) => line("opened", `/opt/ml/input/data/processing/${name}`))
        .join(""),
      "train",
    ).differences;
    assertEquals(
      training!.message,
      "Training opened /opt/ml/input/data/processing/1, /opt/ml/input/data/processing/2, " +
        "/opt/ml/input/data/processing/3 and 1 more; on SageMaker, it has no " +
        "/opt/ml/input/data/processing",
    );
  });

  it("may be cut off, or be anything that a container writes", () => {
    const rubbish = [
      "",
      "x",
      "null",
      "[]",
      '["opened"]',
      '["opened", 1]',
      '{"a": 1}',
      "[".repeat(9),
    ];
    assertEquals(reportOf(rubbish.join("\n"), "process").differences, []);
    assertEquals(reportOf(line("opened", "/etc/passwd"), "process").differences, []);
    assertEquals(reportOf(line("opened", "/opt/ml/models"), "process").differences, []);
    assertEquals(reportOf('["lost", "/a"]\n["lost", "/b', "process").differences.length, 1);
  });

  it("is read up to a limit", async () => {
    await using directory = await makeDirectory();
    const path = makeReport(directory.path);
    await Deno.writeTextFile(
      path,
      line("lost", "/first") + " ".repeat(270_000) + line("lost", "/x"),
    );
    const { differences: [found] } = await readReport(path, "process");
    assertEquals(found!.message.includes("/x"), false);
    assertEquals(found!.message.includes("/first"), true);
  });
});
