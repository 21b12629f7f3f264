import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { makeDirectory, type TestDirectory } from "../../../helpers/directory.ts";
import { killedAfter, type ProgramResult, resultOf } from "../../../helpers/program.ts";
import { it, suite } from "../../../helpers/suite.ts";
import { onTerminal } from "../../../helpers/terminal.ts";

const LAUNCHER = fromFileUrl(
  new URL("../../../../scripts/release/packages/launcher.js", import.meta.url),
);
const INSTALLED = "node_modules/@a/mlcli/bin/mlcli.js";
const ARCH = Deno.build.arch === "x86_64" ? "x64" : "arm64";

/** The launcher as npm would put it, with a script of the shell for mlcli where there is one. */
async function installed(script?: string, shell = "/bin/sh"): Promise<TestDirectory> {
  const mlcli = `node_modules/@a/mlcli-linux-${ARCH}/bin/mlcli`;
  const directory = await makeDirectory({
    "node_modules/@a/mlcli/package.json": '{ "name": "@a/mlcli" }',
    [INSTALLED]: await Deno.readTextFile(LAUNCHER),
    ...script === undefined ? {} : { [mlcli]: `#!${shell}\n${script}\n` },
  });
  if (script !== undefined) await Deno.chmod(join(directory.path, mlcli), 0o755);
  return directory;
}

/** What Node's report says where it was linked with musl: no version of glibc. */
const AS_MUSL = "process.report.getReport = () => ({ header: {} });\n";

/** Runs it; without a terminal of its own, whatever terminal the tests have. */
async function run(script?: string, ...args: readonly string[]): Promise<ProgramResult> {
  await using place = await installed(script);
  return await runIn(place, {}, args);
}

async function runIn(
  place: TestDirectory,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<ProgramResult> {
  const command = new Deno.Command("setsid", {
    args: ["--wait", "node", join(place.path, INSTALLED), ...args],
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  return await resultOf(killedAfter(60_000, command.spawn()));
}

/** A program that the kernel cannot start, as one for glibc where glibc is missing. */
const NO_LOADER = ["", "/none/ld-linux-x86-64.so.2"] as const;

/** Counts the signals that come after a statement, and ends a while after the first one. */
const counting = (statement: string): string =>
  `exec node -e '
    let count = 0;
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => {
      count++;
      setTimeout(() => {
        console.log(count, name);
        process.exit(7);
      }, 300);
    });
    setTimeout(() => process.exit(1), 10_000);
    ${statement}'`;

if (Deno.build.os === "linux") {
  suite("the launcher in npm's package", () => {
    it("hands over arguments and both streams, and ends as mlcli ends", async () => {
      const result = await run('printf "%s|" "$@"; echo why >&2; exit 5', "a b", "", "$c");
      assertEquals(result, { code: 5, stdout: "a b||$c|", stderr: "why\n" });
    });

    for (const name of ["INT", "TERM", "HUP"]) {
      it(`hands over SIG${name}, once`, async () => {
        const { code, stdout } = await run(counting(`process.kill(process.ppid, "SIG${name}")`));
        assertEquals([code, stdout], [7, `1 SIG${name}\n`]);
      });
    }

    it("leaves Ctrl-C to the terminal, which sends it to mlcli, too", async () => {
      await using place = await installed(counting('console.log("ready")'));
      const { code, screen } = await onTerminal({
        command: `exec node ${INSTALLED}`,
        cwd: place.path,
        keys: (screen) => screen.endsWith("ready\r\n") ? "\x03" : undefined,
      });
      assertEquals([code, screen], [7, "ready\r\n^C1 SIGINT\r\n"]);
    });

    it("ends by the signal that ended mlcli", async () => {
      assertEquals((await run("kill -TERM $$")).code, 143);
    });

    // https://github.com/npm/rfcs/issues/438, https://github.com/ast-grep/ast-grep/pull/2652
    for (const [title, program] of [["without", []], ["with", NO_LOADER]] as const) {
      it(`asks for glibc where Node uses musl, ${title} the package for Linux`, async () => {
        await using preload = await makeDirectory({ "musl.js": AS_MUSL });
        await using place = await installed(...program);
        const env = { NODE_OPTIONS: `--require=${preload.path}/musl.js` };
        const { code, stderr } = await runIn(place, env);
        assertEquals([code, stderr], [
          1,
          "error: mlcli needs glibc 2.27 or later, but this system has musl\n" +
          "hint: Use a system with glibc, such as the image node:22-slim instead of node:22-alpine\n",
        ]);
      });
    }

    it("does not ask for glibc on macOS, whose Node names none", async () => {
      await using preload = await makeDirectory({
        "macos.js": `${AS_MUSL}Object.defineProperty(process, "platform", { value: "darwin" });\n`,
      });
      await using place = await installed();
      const env = { NODE_OPTIONS: `--require=${preload.path}/macos.js` };
      const { code, stderr } = await runIn(place, env);
      assertEquals(code, 1);
      assertMatch(stderr, /^error: The package @a\/mlcli-darwin-\w+, .* is not installed/);
    });

    it("says that the package does not start", async () => {
      await using place = await installed(...NO_LOADER);
      const { code, stderr } = await runIn(place);
      assertEquals(code, 1);
      assertMatch(stderr, /^error: The package @a\/mlcli-linux-\w+, .* not start\nhint: .+\n$/);
    });

    it("says which package is missing", async () => {
      const { code, stderr } = await run();
      assertEquals(code, 1);
      assertMatch(stderr, /^error: The package @a\/mlcli-linux-\w+, .*\nhint: .+\n$/);
    });
  });
}
