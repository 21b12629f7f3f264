import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { runToEnd } from "../helpers/container.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { buildTestImage, TEST_IMAGE } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

/** Directories as `local process` mounts them: the input is there twice. */
const MOUNTS: readonly (readonly [string, string])[] = [
  ["code", "/opt/ml/code"],
  ["input", "/opt/ml/input"],
  ["input/data/processing", "/opt/ml/processing/input"],
  ["output", "/opt/ml/processing/output"],
  ["model", "/opt/ml/model"],
  ["report", "/opt/mlcli/report"],
];

/** What the harness reports of a processing script. */
async function reportOf(script: string): Promise<readonly unknown[]> {
  await using directory = await makeDirectory({
    "code/script.py": `import os\n${script}`,
    "input/data/processing/p.csv": "1\n",
    "input/data/training/t.csv": "2\n",
    "model/model.json": "{}",
    "output/": "",
    "report": "",
  });
  const ended = await runToEnd({
    Image: TEST_IMAGE,
    Cmd: ["process", "script.py"],
    Labels: {},
    Env: ["MLCLI_REPORT=/opt/mlcli/report", "MLCLI_WATCH=/opt/ml/model:/opt/ml/input"],
    HostConfig: {
      AutoRemove: false,
      Mounts: MOUNTS.map(([source, Target]) => ({
        Type: "bind",
        Source: join(directory.path, source),
        Target,
        ReadOnly: source === "code",
      })),
    },
  });
  assertEquals(ended, { status: 0, log: "" });
  const report = await Deno.readTextFile(join(directory.path, "report"));
  const rows = report.split("\n").filter((line) => line).map((line) => JSON.parse(line));
  // Every report has what the image has of Python.
  assertEquals(rows[0][0], "python");
  return rows.filter(([what]) => what !== "python" && what !== "package");
}

suite("the harness's watch in a container", () => {
  beforeAll(buildTestImage);

  it("sees what is opened, and lost, but not the input by its other path", async () => {
    const proper = `
for folder, _, files in os.walk("/opt/ml/processing"):
    for file in files: open(folder + "/" + file).close()
`;
    assertEquals(await reportOf(proper), []);
    assertEquals(await reportOf('open("/opt/ml/model/model.json")'), [
      ["opened", "/opt/ml/model/model.json"],
    ]);
    assertEquals(await reportOf(`${proper}os.listdir("/opt/ml/input/data")`), [
      ["opened", "/opt/ml/input/data"],
    ]);
    const other = "cat /opt/ml/input/data/training/t.csv > /opt/ml/processing/copy.csv";
    assertEquals(await reportOf(`os.system("${other}")`), [
      ["opened", "/opt/ml/input/data/training/t.csv"],
      ["lost", "/opt/ml/processing/copy.csv"],
    ]);
  });
});
