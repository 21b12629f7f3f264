import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { completeApp, makeApp } from "../helpers/app.ts";
import { fakeContainers } from "../helpers/fake_containers.ts";
import { runInProcess } from "../helpers/in_process.ts";
import { it, suite } from "../helpers/suite.ts";

suite("--directory", () => {
  it("runs a command there, wherever it stands on the command line", async () => {
    await using app = await completeApp();
    await using engine = await fakeContainers({ program: ({ end }) => end(0) });
    const outside = await Deno.makeTempDir({ prefix: "mlcli-test-" });
    await Deno.symlink(app.directory, join(outside, "a link"));
    const there = ["--directory", app.directory];
    const lines = [
      [outside, [...there, "local", "train"]],
      [outside, ["local", ...there, "train"]],
      [outside, ["local", "train", `--directory=${app.directory}`]],
      [outside, ["local", "train", "--directory", "a link"]],
      [app.path("training"), ["local", "train", "--directory", "../../.."]],
    ] as const;
    for (const [cwd, args] of lines) {
      const { code, stderr } = await runInProcess(args, { cwd, engine });
      assertEquals(code, 0, stderr);
    }
    const images = engine.callsOf("POST /containers/create").map(({ body }) =>
      (body as { readonly Image: string }).Image
    );
    assertEquals(images, lines.map(() => `${app.name}:latest`));
    await Deno.remove(outside, { recursive: true });
  });

  it("makes the paths of other options count from there", async () => {
    await using app = await completeApp({ files: { "../../own.env": "A=1\n" } });
    await using engine = await fakeContainers({ program: ({ end }) => end(0) });
    const args = ["local", "train", "--directory", app.directory, "--env-file", "own.env"];
    const { code, stderr } = await runInProcess(args, { cwd: "/", engine });
    assertEquals(code, 0, stderr);
  });

  it("is refused where there is no such directory", async () => {
    await using app = await makeApp();
    const file = `${app.name}.json`;
    for (
      const [directory, message] of [
        ["none", 'Directory "none" (--directory) does not exist'],
        [file, `"${file}" (--directory) is not a directory`],
        [`${file}/x`, `Cannot open "${file}/x" (--directory): Not a directory`],
      ] as const
    ) {
      const args = ["--directory", directory, "build"];
      const { code, stdout, stderr } = await runInProcess(args, { cwd: app.directory });
      assertEquals([code, stdout, stderr], [2, "", `error: ${message}\n`]);
    }
  });
});

suite("a command in a directory below an app's", () => {
  const hintOf = async (args: readonly string[], cwd: string): Promise<string> => {
    const { code, stdout, stderr } = await runInProcess(args, { cwd });
    assertEquals([code, stdout], [1, ""], stderr);
    const [error = "", hint = ""] = stderr.split("\nhint: ");
    assertStringIncludes(error, "error: Not a valid mlcli directory: ");
    return hint.trimEnd();
  };

  it("gets a hint with the command that works, ready to paste", async () => {
    await using app = await makeApp({ files: { "training/training.py": "", "my data/a": "" } });
    const training = app.path("training");
    assertEquals(
      await hintOf(["local", "train", "--hyperparameter", "a=it's 1", "-t", "v2"], training),
      "Run this instead: mlcli --directory ../../.. local train --hyperparameter 'a=it'\\''s 1' -t v2",
    );
    assertEquals(
      await hintOf(["local", "process", "-f", "p.py", "--", "--rows", "*"], app.path()),
      "Run this instead: mlcli --directory ../.. local process -f p.py -- --rows '*'",
    );
    // Where it was typed with another directory, that is replaced.
    const typed = ["--directory", join(app.name, "mlcli_base", "my data"), "build"];
    assertEquals(await hintOf(typed, app.directory), "Run this instead: mlcli build");
    assertEquals(
      await hintOf(["build", "--directory", "../my data"], training),
      "Run this instead: mlcli --directory ../../.. build",
    );
    assertEquals(
      await hintOf(["build", "-a", app.name], training),
      `Run this instead: mlcli --directory ../../.. build -a ${app.name}`,
    );
  });

  it("gets a hint without what may be a secret", async () => {
    await using app = await makeApp();
    for (const env of [["--env", "TOKEN=s3cret"], ["--env=TOKEN=s3cret"]]) {
      const hint = await hintOf(["local", "train", ...env], app.path());
      assertEquals(hint, "Run this instead: mlcli --directory ../.. ...");
    }
  });

  it("gets no hint where no directory above holds an app", async () => {
    await using app = await makeApp();
    assertStringIncludes(await hintOf(["build", "-a", "other"], app.path()), "mlcli init other");
    const outside = await Deno.makeTempDir({ prefix: "mlcli-test-" });
    await Deno.writeTextFile(join(outside, "package.json"), "{}");
    await Deno.mkdir(join(outside, "below"));
    assertStringIncludes(await hintOf(["build"], join(outside, "below")), "mlcli init");
    await Deno.remove(outside, { recursive: true });
  });
});
