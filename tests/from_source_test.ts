import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { batchText, launcherText, MARK } from "../scripts/tasks/install.ts";
import { copyTree, makeDirectory, namesIn } from "./helpers/directory.ts";
import { Box } from "./helpers/box/box.ts";
import { killedAfter, type ProgramResult, resultOf } from "./helpers/program.ts";
import { HOSTILE, makeHostileDirectory } from "./helpers/hostile_directory.ts";
import { it, suite } from "./helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));

/** All that mlcli needs to run from a checkout. */
const PARTS = ["deno.json", "main.ts", "commands", "runtime", "scripts", "vendor"];

/** Returns the command of the README that installs mlcli from a checkout. */
async function installLine(): Promise<string> {
  const readme = await Deno.readTextFile(join(ROOT, "README.md"));
  const [, section = ""] = /^## Install\n(.*?)^## /ms.exec(readme) ?? [];
  const [line] = /^npx .*$/m.exec(section) ?? [];
  if (!line) throw new Error("The README does not say how to run mlcli from source");
  return line;
}

function output(program: string, options: Deno.CommandOptions = {}): Promise<ProgramResult> {
  const streams = { stdin: "null", stdout: "piped", stderr: "piped" } as const;
  const command = new Deno.Command(program, { ...streams, ...options });
  return resultOf(killedAfter(120_000, command.spawn()));
}

/** Runs the script of the tasks. */
function task(args: readonly string[], cwd = ROOT): Promise<ProgramResult> {
  const script = join(ROOT, "scripts/tasks/install.ts");
  return output(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config", join(ROOT, "deno.json"), script, ...args],
    cwd,
    env: { INIT_CWD: cwd },
  });
}

// Windows has another launcher.
if (Deno.build.os !== "windows") {
  suite("deno task install", () => {
    it("makes mlcli a program, which runs nothing that a hostile directory has", async () => {
      await using hostile = await makeHostileDirectory();
      // With what a shell would obey.
      await using work = await makeDirectory({ "it's $HOME/": "", "home/": "" });
      const checkout = join(work.path, "it's $HOME");
      for (const part of PARTS) await copyTree(join(ROOT, part), join(checkout, part));
      await using platform = await Box.open();
      const before = await namesIn(hostile.path);
      const home = join(work.path, "home");
      const cache = Deno.env.get("npm_config_cache") ?? `${Deno.env.get("HOME")}/.npm`;
      const install = await output("sh", {
        args: ["-c", await installLine()],
        cwd: checkout,
        env: { HOME: home, npm_config_cache: cache },
      });
      const program = join(home, ".local/bin/mlcli");
      assertMatch(install.stdout, /^Installed mlcli \S+ \(from source, Deno 2\.9\.6\) as /);
      assertStringIncludes(install.stdout, ` as ${program}\nAdd it to your PATH: export PATH=`);

      const lines = "mlcli --version; sh -c 'mlcli list-endpoints'; echo $?";
      const { stdout, stderr } = await output("sh", {
        args: ["-c", lines],
        cwd: hostile.path,
        env: {
          ...platform.env(),
          // So that the SDK is downloaded: not from where .npmrc says.
          DENO_DIR: join(work.path, "cache"),
          PATH: `${join(home, ".local/bin")}:${Deno.env.get("PATH")}`,
        },
      });
      assertEquals((stdout + stderr).includes(HOSTILE), false, stderr);
      assertMatch(
        stdout,
        /^mlcli \S+ \(from source, Deno 2\.9\.6\)\nInstalled from source in .*\n0\n$/,
      );
      assertEquals(platform.requests.length, 1);
      assertEquals(await namesIn(hostile.path), before);
    });

    it("replaces its own launcher, which uninstall removes", async () => {
      await using place = await makeDirectory({ "old/mlcli": `#!/bin/sh\n# ${MARK}\n` });
      const program = join(place.path, "old/mlcli");
      for (let time = 0; time < 2; time++) {
        const { code, stdout, stderr } = await task(["--to", "old"], place.path);
        assertEquals([code, stderr], [0, ""]);
        assertStringIncludes(stdout, ` as ${program}\n`);
        assertEquals(await namesIn(join(place.path, "old")), ["mlcli"]);
      }
      assertEquals((await output(program, { args: ["--version"] })).code, 0);
      for (const said of [`Removed ${program}\n`, `Nothing to remove: ${program} is not there\n`]) {
        const { code, stdout, stderr } = await task(["--remove", "--to", "old"], place.path);
        assertEquals([code, stdout, stderr], [0, said, ""]);
      }
      assertEquals(await namesIn(place.path), ["old"]);
    });

    it("leaves what else has its name", async () => {
      await using place = await makeDirectory({
        "program/mlcli": "other\n",
        "directory/mlcli/": "",
      });
      await Deno.mkdir(join(place.path, "link"));
      await Deno.symlink("nowhere", join(place.path, "link/mlcli"));
      for (const name of ["program", "directory", "link"]) {
        const path = join(place.path, name, "mlcli");
        const { ino } = await Deno.lstat(path);
        for (const args of [[], ["--remove"]]) {
          const { code, stdout, stderr } = await task([...args, "--to", dirname(path)]);
          assertEquals([code, stdout], [1, ""]);
          assertMatch(stderr, /^error: \S+\/mlcli is no launcher .*\nhint: .*--to DIR.*\n$/);
        }
        assertEquals((await Deno.lstat(path)).ino, ino);
      }
    });

    it("says what to do where Deno or the checkout has gone", async () => {
      await using place = await makeDirectory({ "main.ts": "" });
      const program = join(place.path, "mlcli");
      for (const [root, deno] of [[place.path, "/gone"], ["/gone", Deno.execPath()]] as const) {
        const text = launcherText({ root, deno });
        await Deno.writeTextFile(program, text, { mode: 0o755 });
        const { code, stdout, stderr } = await output(program);
        assertEquals([code, stdout], [1, ""]);
        assertMatch(stderr, /^error: .* has gone\nhint: .* npx -y deno@\S+ task install\n$/);
      }
    });
  });
}

suite("the launcher for Windows", () => {
  it("names all paths in quotes, and a percent sign twice", () => {
    const [root, deno] = ["C:\\100% & more", "C:\\d (x86)\\deno.exe"];
    const lines = batchText({ root, deno }).split("\r\n");
    assertEquals(lines[1], `rem ${MARK}`);
    const files = ["deno.json", "main.ts"].map((name) => `"C:\\100%% & more\\${name}"`);
    assertEquals(lines.at(-2), `"${deno}" run -A --quiet --config ${files.join(" ")} %*`);
  });
});
