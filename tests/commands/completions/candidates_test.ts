import { assert, assertEquals, assertMatch } from "@std/assert";
import completions from "../../../commands/completions/completions.ts";
import { makeApp } from "../../helpers/app.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

const SHELLS = Object.entries(completions.commands).filter(([, { isHidden }]) => !isHidden)
  .map(([name]) => name);

/** Returns the completions of these words, as the scripts get them. */
async function lines(cwd: string, ...words: readonly string[]): Promise<readonly string[]> {
  const args = ["completions", "complete", "--", ...words];
  const { code, stdout, stderr } = await runInProcess(args, { cwd });
  assertEquals([code, stderr], [0, ""]);
  return stdout.split("\n").slice(0, -1);
}

/** Without descriptions and options, which a shell shows only after a dash. */
async function candidates(cwd: string, ...words: readonly string[]): Promise<readonly string[]> {
  const found = (await lines(cwd, ...words)).map((line) => line.replace(/\t.*/, ""));
  return found.filter((word) => !word.startsWith("-"));
}

suite("completions of a command line", () => {
  type Row = readonly [words: readonly string[], expected: readonly string[]];
  const rows: readonly Row[] = [
    [["local", "status", "--output"], ["text", "json"]],
    [["local", "train", "--app-name"], ["shop"]],
    [["build", "-a"], ["shop"]],
    [["local", "process", "--file"], ["a.py"]],
    [["--no-color", "local", "process", "--app-name", "shop", "--file"], ["a.py"]],
    [["--docker-tag", "v2", "local", "process", "--file"], ["a.py"]],
    [["local", "process", "--file=a.py"], []],
    [["completions"], SHELLS],
    [["local", "list-jobs"], ["run-1"]],
    [["local", "list-jobs", "run-1"], ["run-1"]],
    [["local", "ls"], ["run-1"]],
    [["local", "runs"], ["run-1"]],
    [["local", "runs", "--kind"], ["train", "process", "transform"]],
    [["--output"], ["text", "json"]],
    [["--app-name", "shop", "local", "ls"], ["run-1"]],
    // The shell completes files.
    [["local", "process", "--input"], []],
    [["local", "invoke"], []],
    [["local", "process", "--", "--file"], []],
  ];
  for (const [words, expected] of rows) {
    it(`completions exist after ${words.join(" ")}`, async () => {
      const record = JSON.stringify({
        app: "shop",
        kind: "train",
        started: "2026-03-01T09:00:00Z",
      });
      const files = { "processing/a.py": "", "local_test/jobs/shop-run-1/job.json": record };
      await using app = await makeApp({ name: "shop", files });
      assertEquals(await candidates(app.directory, ...words), expected);
    });
  }

  it("completions are commands and options, with their descriptions", async () => {
    const commands = await lines("/");
    assert(commands.includes("deploy\tCreate or update an endpoint that serves a model"));
    const options = await lines("/", "local", "train");
    assert(options.includes("--docker-tag\tTag of the image"), options.join("\n"));
    assert(options.some((line) => line.startsWith("--directory\t")));
    assert((await candidates("/", "train", "--instance-type")).includes("ml.m5.large"));
    assert((await candidates("/", "list-jobs", "--region")).includes("eu-west-1"));
  });

  it("completions belong to the directory that the command line names", async () => {
    await using app = await makeApp({ name: "shop", files: { "processing/b.py": "" } });
    await using other = await makeDirectory();
    const words = ["local", "process", "--file"];
    assertEquals(await candidates(other.path, "--directory", app.directory, ...words), ["b.py"]);
    assertEquals(await candidates(other.path, ...words, `--directory=${app.directory}`), ["b.py"]);
  });
});

suite("the scripts of mlcli completions", () => {
  for (const shell of SHELLS) {
    it(`the script for ${shell} asks mlcli`, async () => {
      const { code, stdout, stderr } = await runInProcess(["completions", shell], { cwd: "/" });
      assertEquals([code, stderr], [0, ""]);
      assertMatch(stdout, /mlcli completions complete -- .*2> ?(\/dev\/null|\$null)/);
      assertMatch(stdout, /^(complete|compdef|Register-ArgumentCompleter) .*\bmlcli\b/m);
    });
  }
});
