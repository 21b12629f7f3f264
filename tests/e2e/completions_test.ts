import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { commandPaths } from "../helpers/command_paths.ts";
import { buildTestImage } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { programCommand, runProgram } from "../helpers/program.ts";
import { deployServer } from "../helpers/server.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

/** Long enough for a slow machine, in ms. */
const TIMEOUT = 60_000;

/** Asks bash, with mlcli's script loaded, how it completes the last of these words. */
async function complete(
  app: TestApp,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const bin = await Deno.makeTempDir();
  const program = programCommand([]).map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(join(bin, "mlcli"), `#!/bin/sh\nexec ${program} "$@"\n`, {
    mode: 0o755,
  });
  // As bash does when the tab key is pressed: the function that is registered for the command.
  const script = `source <(mlcli completions bash)
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    registered=$(complete -p mlcli); [[ $registered =~ -F\\ ([^ ]+) ]]; "\${BASH_REMATCH[1]}"
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["--norc", "--noprofile", "-c", script, "bash", ...words],
    cwd: app.directory,
    env: { ...env, PATH: `${bin}:${Deno.env.get("PATH")}` },
    stdin: "null",
    signal: AbortSignal.timeout(TIMEOUT),
  }).output();
  await Deno.remove(bin, { recursive: true });
  assertEquals({ code, stderr: new TextDecoder().decode(stderr) }, { code: 0, stderr: "" });
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "").sort();
}

/** Returns the commands of a group whose names begin so, sorted. */
async function namesWith(start: string, ...group: readonly string[]): Promise<readonly string[]> {
  const inGroup = (await commandPaths()).filter((names) =>
    names.length === group.length + 1 && group.every((name, index) => names[index] === name)
  );
  return inGroup.map((names) => names.at(-1)!).filter((name) => name.startsWith(start)).sort();
}

suite("completions in bash", () => {
  beforeAll(buildTestImage);

  it("bash completes commands and options", async () => {
    await using app = await makeApp();
    assertEquals(await complete(app, ["mlcli", "lis"]), await namesWith("lis"));
    assertEquals(await complete(app, ["mlcli", "local", "st"]), await namesWith("st", "local"));
    assertEquals(await complete(app, ["mlcli", "local", "logs", "--f"]), ["--follow"]);
    const formats = ["mlcli", "local", "status", "--output"];
    assertEquals(await complete(app, [...formats, ""]), ["json", "text"]);
    // Bash treats `=` as a word.
    assertEquals(await complete(app, [...formats, "="]), ["json", "text"]);
    assertEquals(await complete(app, [...formats, "=", "j"]), ["json"]);
    assertEquals(
      await complete(app, ["mlcli", "local", "train", "-e", "A", "=", "b", "-a", "te"]),
      [
        app.name,
      ],
    );
  });

  it("of the apps and scripts of this directory", async () => {
    await using app = await makeApp({ files: { "processing/a.py": "", "processing/b.py": "" } });
    assertEquals(await complete(app, ["mlcli", "build", "--app-name", ""]), [app.name]);
    assertEquals(await complete(app, ["mlcli", "local", "train", "-a", "te"]), [app.name]);
    const scripts = await complete(app, ["mlcli", "local", "process", "--file", ""]);
    assertEquals(scripts, ["a.py", "b.py"]);
  });

  it("of the directory that the command line names", async () => {
    await using app = await makeApp({ files: { "processing/a.py": "" } });
    await using other = await makeApp({ files: { "processing/b.py": "" } });
    const there = ["--directory", other.directory];
    assertEquals(await complete(app, ["mlcli", ...there, "build", "-a", ""]), [other.name]);
    const equal = ["--directory", "=", other.directory];
    const scripts = ["mlcli", "local", "process", ...equal, "--file", ""];
    assertEquals(await complete(app, scripts), ["b.py"]);
    assertEquals(await complete(app, ["mlcli", "--directory", "/none", "build", "-a", ""]), []);
    assertEquals(await complete(app, ["mlcli", "build", "--directory", ""]), []);
    assertEquals(await complete(app, ["mlcli", "local", "train", "--dir"]), ["--directory"]);
  });

  it("of names with blanks, and with characters that mean something to a shell", async () => {
    const files = { "processing/a b.py": "", "processing/a$b.py": "", "processing/-c.py": "" };
    await using app = await makeApp({ files });
    const scripts = (typed: string): Promise<string[]> =>
      complete(app, ["mlcli", "local", "process", "--file", typed]);
    assertEquals(await scripts("a"), ["a\\ b.py", "a\\$b.py"]);
    // As typed, and as bash has completed it.
    for (const typed of ["a b", "a\\ b"]) assertEquals(await scripts(typed), ["a\\ b.py"]);
    assertEquals(await scripts("a.*"), []);
  });

  it("run nothing that a file's name says", async () => {
    const marks = [["app", "one.py"], ["$(touch${IFS}ran)", "$(touch${IFS}ran).py"], [
      "`touch ran`",
      "`touch ran`.py",
    ]] as const;
    await using app = await makeApp();
    for (const [name, script] of marks) {
      await app.write(join(app.directory, `${name}.json`), "{}");
      await Deno.mkdir(join(app.directory, name, "mlcli_base"), { recursive: true });
      await app.write(app.path("processing", script), "");
    }
    const scripts = await complete(app, ["mlcli", "local", "process", "--file", ""]);
    assertEquals(scripts, ["\\$\\(touch\\$\\{IFS\\}ran\\).py", "\\`touch\\ ran\\`.py", "one.py"]);
    // What no command would take is not completed.
    assertEquals(await complete(app, ["mlcli", "build", "--app-name", ""]), ["app", app.name]);
    const names = (await Array.fromAsync(Deno.readDir(app.directory))).map(({ name }) => name);
    assertEquals(names.includes("ran"), false);
    // In zsh, compadd would evaluate -Oname[$(touch ran)].
    const { stdout } = await app.run(["completions", "zsh"]);
    assertMatch(stdout, /compadd -l -d shown -- "\$\{found\[@\]\}"/);
  });

  it("leave out names with characters that a terminal obeys", async () => {
    const files = { "processing/a\nb.py": "", "processing/a\x1b[2J.py": "", "processing/a.py": "" };
    await using app = await makeApp({ files });
    const words = ["local", "process", "--file"];
    const { stdout } = await app.run(["completions", "complete", "--", ...words]);
    assertEquals(stdout, "a.py\n");
  });

  it("of the options of a command that takes a file; files are left to bash", async () => {
    await using app = await makeApp({ files: { "processing/a.py": "" } });
    assertEquals(await complete(app, ["mlcli", "local", "invoke", "--po"]), ["--port"]);
    const accept = ["mlcli", "local", "invoke", "--port", "8080", "--acc"];
    assertEquals(await complete(app, accept), ["--accept"]);
    const env = { DOCKER_HOST: "unix:///nonexistent" };
    for (
      const words of [["--port", ""], ["-t", ""], ["--accept", ""], [""], ["-p", "8080", ""]]
    ) {
      assertEquals(await complete(app, ["mlcli", "local", "invoke", ...words], env), []);
    }
    assertEquals(await complete(app, ["mlcli", "local", "process", "--input", ""]), []);
    for (const words of [["--", ""], ["--", "--f"], ["--", "--file", ""], ["--", "a", ""]]) {
      assertEquals(await complete(app, ["mlcli", "local", "process", ...words]), []);
    }
    // What bash 3.2 lacks, and what would run a value.
    const { stdout } = await runProgram(["completions", "bash"], { cwd: app.directory });
    assertEquals(stdout.match(/compgen|mapfile/g), null);
  });

  it("are none for a word that begins like an option but is no option", async () => {
    await using app = await makeApp();
    assertEquals(await complete(app, ["mlcli", "list-endpoints", "--zz"]), []);
  });

  it("of the ports of servers and the tags of built images", async () => {
    await using server = await deployServer(
      "def model_fn(model_dir): return 1\ndef predict_fn(input_data, model): return [1]\n",
    );
    // More than once: Tab does not wait for an engine that has much to do at the moment.
    const completed = async (words: readonly string[], value: string): Promise<boolean> =>
      (await complete(server.app, ["mlcli", "local", ...words, ""])).includes(value);
    await eventually(() => completed(["stop", "--port"], server.port));
    await eventually(() => completed(["train", "--docker-tag"], "latest"));
  });

  it("are none, without a word, where there is no engine, and soon where it hangs", async () => {
    await using app = await makeApp();
    const asked = ["mlcli", "local", "stop", "--port", "x"];
    assertEquals(await complete(app, asked, { DOCKER_HOST: "unix:///nonexistent" }), []);
    // It takes connections, and leaves it at that.
    using engine = Deno.listen({ transport: "unix", path: join(app.directory, "docker.sock") });
    const host = `unix://${app.directory}/docker.sock`;
    assertEquals(await complete(app, asked, { DOCKER_HOST: host }), []);
    assertEquals(engine.addr.transport, "unix");
  });
});
