import { join } from "@std/path";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { filesBelow, makeDirectory } from "../helpers/directory.ts";
import { Keys, runInProcess } from "../helpers/in_process.ts";
import { it, suite } from "../helpers/suite.ts";
import { answerOnTerminal } from "../helpers/terminal.ts";

const PROJECT = {
  ".sagify.json": '{"image_name": "shop", "sagify_module_dir": "src"}',
  "requirements.txt": "numpy\n",
  "src/sagify_base/training/training.py": "def train(input_data_path, model_save_path): pass\n",
  "src/sagify_base/prediction/prediction.py": "def predict(json_input): return json_input\n",
};

/** Names of NAME.json here. */
async function appsIn(path: string): Promise<readonly string[]> {
  return Object.keys(await filesBelow(path)).filter((name) => /^[^./][^/]*\.json$/.test(name));
}

suite("mlcli init --from, whatever it is", () => {
  it("makes the app, leaves the original as it is, and changes nothing the second time", async () => {
    await using old = await makeDirectory(PROJECT);
    await using directory = await makeDirectory();
    const run = () => runInProcess(["init", "--from", old.path], { cwd: directory.path });
    const first = await run();
    assertEquals(first.code, 0, first.stderr);
    const made = await filesBelow(directory.path);
    assertEquals(first.stdout.trimEnd().split("\n").sort(), Object.keys(made).sort());
    assertStringIncludes(made["shop/MIGRATION.md"]!, "\nmlcli local train\n");
    assertStringIncludes(first.stderr, "\n  mlcli local train\n");
    const second = await run();
    assertEquals([second.code, second.stdout], [0, ""]);
    assertEquals(second.stderr, "Nothing to do: shop is complete\n");
    assertEquals(await filesBelow(directory.path), made);
    assertEquals(await filesBelow(old.path), PROJECT);
  });

  it("finishes an app that was half made, and keeps what was edited", async () => {
    await using old = await makeDirectory(PROJECT);
    await using directory = await makeDirectory();
    const run = () => runInProcess(["init", "--from", old.path], { cwd: directory.path });
    await run();
    const all = await filesBelow(directory.path);
    await Deno.remove(join(directory.path, "shop/mlcli_base/prediction"), { recursive: true });
    await directory.write({ "requirements.txt": "mine\n" });
    const { code, stderr } = await run();
    assertEquals(code, 0);
    assertStringIncludes(stderr, "shop.json already exists and was not changed\n");
    const whole = { ...all, "requirements.txt": "mine\n" };
    assertEquals(await filesBelow(directory.path), whole);
  });

  it("keeps a file that others may not read, and one that is no text in UTF-8, as it is", async () => {
    await using old = await makeDirectory(PROJECT);
    const code = "src/sagify_base/training/training.py";
    await old.write({ [code]: "import words\ndef train(a, b): pass\n" });
    const latin = new Uint8Array([...new TextEncoder().encode("# "), 0xe9, 10]);
    await Deno.writeFile(join(old.path, "src/words.py"), latin);
    await Deno.chmod(join(old.path, code), 0o600);
    await using directory = await makeDirectory();
    await runInProcess(["init", "--from", old.path], { cwd: directory.path });
    const base = join(directory.path, "shop/mlcli_base");
    const { mode } = await Deno.stat(join(base, "training/training.py"));
    assertEquals(mode! & 0o777, 0o600);
    assertEquals(await Deno.readFile(join(base, "common/words.py")), latin);
  });

  it("ends on Ctrl-C, and goes on with the same command", async () => {
    await using old = await makeDirectory(PROJECT);
    await using directory = await makeDirectory();
    const keys = new Keys();
    keys.press();
    const words = ["init", "--from", old.path];
    const { code, stdout } = await runInProcess(words, { cwd: directory.path, keys });
    assertEquals([code, stdout, await filesBelow(directory.path)], [130, "", {}]);
    assertEquals((await runInProcess(words, { cwd: directory.path })).code, 0);
  });

  it("names the app in the next commands where there are others", async () => {
    await using old = await makeDirectory(PROJECT);
    await using directory = await makeDirectory({ "other.json": '{"image_name": "other"}' });
    const { stderr } = await runInProcess(["init", "mine", "--from", old.path], {
      cwd: directory.path,
    });
    const next = ["build", "local train", "local deploy"];
    for (const command of next) {
      assertStringIncludes(stderr, `\n  mlcli ${command} --app-name mine\n`);
    }
  });

  it("writes region and profile that are typed", async () => {
    await using old = await makeDirectory(PROJECT);
    await using directory = await makeDirectory();
    const words = ["--from", old.path, "--region", "eu-west-1", "--profile", "work"];
    assertEquals((await runInProcess(["init", ...words], { cwd: directory.path })).code, 0);
    const { cloud_region: region, cloud_profile: profile } = JSON.parse(
      await Deno.readTextFile(join(directory.path, "shop.json")),
    );
    assertEquals([region, profile], ["eu-west-1", "work"]);
  });

  it("--dry-run prints the files and what is not taken over, and makes nothing", async () => {
    await using old = await makeDirectory(PROJECT);
    await using directory = await makeDirectory();
    const { code, stdout, stderr } = await runInProcess(
      ["init", "--from", old.path, "--dry-run"],
      { cwd: directory.path },
    );
    assertEquals(code, 0);
    assertStringIncludes(stdout, "shop/MIGRATION.md\n");
    assertStringIncludes(stderr, "note: sagify's server was replaced: ");
    assertEquals(await filesBelow(directory.path), {});
  });

  const REFUSED: readonly (readonly [words: readonly string[], message: string])[] = [
    [["--from", ".", "--image", "a:1"], 'Options "--from" and "--image" cannot be used together'],
    [
      ["--from", ".", "--python-version", "3.12"],
      'Options "--from" and "--python-version" cannot be used together',
    ],
    [["--from", ".", "--data", "1MB"], 'Options "--from ." and "--data" cannot be used together'],
    [["--data", "1MB"], 'Option "--data" has no effect without "--from"'],
    [
      ["--from", "model/a", "--data", "lots"],
      'Option "--data" must be a size like 100MB or 2GB, but got "lots"',
    ],
    [["a/b", "--from", "."], 'Argument "NAME" must be a name of letters'],
    [["--from", "nowhere"], "Not a directory: nowhere"],
    [["--from", "../x\x1b[31m"], "Not a directory: ../x?[31m"],
  ];
  for (const [words, message] of REFUSED) {
    it(`refuses ${JSON.stringify(words)}`, async () => {
      await using directory = await makeDirectory(PROJECT);
      const { code, stdout, stderr } = await runInProcess(["init", ...words], {
        cwd: directory.path,
      });
      assertEquals([code, stdout], [2, ""], stderr);
      assertStringIncludes(stderr, message);
      assertEquals(await filesBelow(directory.path), PROJECT);
    });
  }
});

suite("mlcli init in a project of another tool", () => {
  for (const [answer, made] of [["\n", true], ["y\n", true], ["n\n", false]] as const) {
    it(`offers to make the app of it: ${JSON.stringify(answer)}`, async () => {
      await using directory = await makeDirectory(PROJECT);
      // After a no, the question about the name of a new app: its default.
      const answers = made ? answer : `${answer}\n`;
      const { code, screen } = await answerOnTerminal(["init"], directory.path, answers);
      assertEquals(code, 0, screen);
      assertStringIncludes(
        screen,
        "Found a sagify project. Convert it into an mlcli app? [Y/n]: ",
      );
      const [app] = await appsIn(directory.path);
      assertEquals(app === "shop.json", made, screen);
    });
  }

  it("makes no example among what is here, in a pipe, unless a new app is named", async () => {
    await using directory = await makeDirectory(PROJECT);
    const refused = await runInProcess(["init"], { cwd: directory.path });
    assertEquals([refused.code, refused.stdout], [2, ""]);
    assertStringIncludes(
      refused.stderr,
      "error: mlcli init needs a choice: this directory contains a sagify project\n" +
        "hint: Convert your project (mlcli init --from .), or create the sample app (mlcli init NAME)",
    );
    assertEquals(await filesBelow(directory.path), PROJECT);
    const { code, stderr } = await runInProcess(["init", "demo"], { cwd: directory.path });
    assertEquals(code, 0);
    const note = "note: Found a sagify project. To convert it, run mlcli init --from .\n";
    assertStringIncludes(stderr, note);
    assertEquals(await appsIn(directory.path), ["demo.json"]);
  });

  it("offers nothing where an app is, or an image is named", async () => {
    await using directory = await makeDirectory(PROJECT);
    for (const words of [["init", "one", "--image", "a:1"], ["init", "one"], ["init", "two"]]) {
      const { code, stderr } = await runInProcess(words, { cwd: directory.path });
      assertEquals(code, 0);
      assert(!stderr.includes("sagify"), stderr);
    }
  });
});
