import { assert, assertEquals, assertMatch } from "@std/assert";
import { makeApp } from "../../helpers/app.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What the script is given, options excepted: it asks for those after a dash alone. */
async function candidates(cwd: string, ...words: readonly string[]): Promise<readonly string[]> {
  return (await all(cwd, ...words)).filter((value) => !value.startsWith("-"));
}

async function all(cwd: string, ...words: readonly string[]): Promise<readonly string[]> {
  const args = ["completions", "candidates", "--", ...words];
  const { code, stdout, stderr } = await runInProcess(args, { cwd });
  assertEquals([code, stderr], [0, ""]);
  return stdout.split("\n").slice(0, -1);
}

suite("completions in PowerShell", () => {
  it("are a script that asks mlcli for what may follow the words before", async () => {
    const { code, stdout, stderr } = await runInProcess(["completions", "powershell"], {
      cwd: "/",
    });
    assertEquals([code, stderr], [0, ""]);
    assertMatch(stdout, /^Register-ArgumentCompleter -Native -CommandName mlcli -ScriptBlock \{\n/);
    assertMatch(
      stdout,
      /^ {2}mlcli completions candidates -- @before 2>\$null \| Where-Object \{$/m,
    );
    assertMatch(stdout, /-match '\^\[\\w\.\/:-\]\+\$'/);
  });

  type Row = readonly [words: readonly string[], expected: readonly string[]];
  const rows: readonly Row[] = [
    [["local", "status", "--output"], ["text", "json"]],
    [["local", "train", "--app-name"], ["shop"]],
    [["build", "-a"], ["shop"]],
    [["local", "process", "--file"], ["a.py"]],
    [["--no-color", "local", "process", "--app-name", "shop", "--file"], ["a.py"]],
    [["local", "process", "--file=a.py"], []],
    [["completions"], ["bash", "zsh", "fish", "powershell"]],
    // PowerShell completes files.
    [["local", "process", "--input"], []],
    [["local", "process", "--", "--file"], []],
  ];
  for (const [words, expected] of rows) {
    it(`of ${words.join(" ")}`, async () => {
      await using app = await makeApp({ name: "shop", files: { "processing/a.py": "" } });
      assertEquals(await candidates(app.directory, ...words), expected);
    });
  }

  it("of commands, options, and values that all commands share", async () => {
    const commands = await candidates("/");
    assert(commands.includes("init") && commands.includes("list-endpoints"), commands.join(" "));
    assert((await candidates("/", "local")).includes("train"));
    const options = await all("/", "local", "train");
    for (const option of ["--docker-tag", "--app-name", "--help", "--directory"]) {
      assert(options.includes(option), option);
    }
    assert((await candidates("/", "train", "--instance-type")).includes("ml.m5.large"));
    assert((await candidates("/", "list-jobs", "--region")).includes("eu-west-1"));
  });

  it("of the directory that the command line names", async () => {
    await using app = await makeApp({ name: "shop", files: { "processing/b.py": "" } });
    await using other = await makeDirectory();
    const words = ["--directory", app.directory, "local", "process", "--file"];
    assertEquals(await candidates(other.path, ...words), ["b.py"]);
  });
});
