import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { makeDirectory, type TestDirectory } from "../../../helpers/directory.ts";
import { killedAfter, resultOf } from "../../../helpers/program.ts";
import { it, suite } from "../../../helpers/suite.ts";

const LAUNCHER = fromFileUrl(
  new URL("../../../../scripts/release/packages/launcher.js", import.meta.url),
);

const ARCH = Deno.build.arch === "x86_64" ? "x64" : "arm64";

/** The launcher as npm would put it, with a script of the shell for mlcli where there is one. */
async function installed(script?: string): Promise<TestDirectory & { readonly program: string }> {
  const mlcli = `node_modules/@a/mlcli-linux-${ARCH}/bin/mlcli`;
  const directory = await makeDirectory({
    "node_modules/@a/mlcli/package.json": '{ "name": "@a/mlcli" }',
    "node_modules/@a/mlcli/bin/mlcli.js": await Deno.readTextFile(LAUNCHER),
    ...script === undefined ? {} : { [mlcli]: `#!/bin/sh\n${script}\n` },
  });
  if (script !== undefined) await Deno.chmod(join(directory.path, mlcli), 0o755);
  return { ...directory, program: join(directory.path, "node_modules/@a/mlcli/bin/mlcli.js") };
}

/** Starts it; without a terminal of its own, whatever terminal the tests have. */
function start(program: string, ...args: readonly string[]): Deno.ChildProcess {
  const command = new Deno.Command("setsid", {
    args: ["--wait", "node", program, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  return killedAfter(60_000, command.spawn());
}

/** Says when it is ready, counts the signals, ends a while after the first one, and without one. */
const COUNTS = `n=0 left=200
for name in INT TERM HUP; do trap "n=\\$((n + 1)); last=$name" $name; done
echo "ready $PPID"
while [ $n -eq 0 ] && [ $left -gt 0 ]; do left=$((left - 1)); sleep 0.05; done
sleep 0.3
echo "$n $last"
exit 7`;

if (Deno.build.os === "linux") {
  suite("the launcher in npm's package", () => {
    it("hands over arguments and both streams, and ends as mlcli ends", async () => {
      await using place = await installed('printf "%s|" "$@"; echo why >&2; exit 5');
      const result = await resultOf(start(place.program, "a b", "", "$c"));
      assertEquals(result, { code: 5, stdout: "a b||$c|", stderr: "why\n" });
    });

    for (const name of ["INT", "TERM", "HUP"]) {
      it(`hands over SIG${name}, once`, async () => {
        await using place = await installed(COUNTS);
        const { code, stdout } = await signalled(start(place.program), name);
        assertMatch(stdout, new RegExp(`^ready \\d+\\n1 ${name}\\n$`));
        assertEquals(code, 7);
      });
    }

    it("leaves Ctrl-C to the terminal, which sends it to mlcli, too", async () => {
      await using place = await installed(COUNTS);
      const command = `exec node '${place.program}'`;
      const terminal = new Deno.Command("script", {
        args: ["--quiet", "--return", "--command", command, "/dev/null"],
        stdin: "piped",
        stdout: "piped",
      });
      const child = killedAfter(60_000, terminal.spawn());
      const writer = child.stdin.getWriter();
      let screen = "";
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
        if (!screen.includes("ready") && (screen + text).includes("ready")) {
          await writer.write(new TextEncoder().encode("\x03"));
        }
        screen += text;
      }
      await writer.close().catch(() => {});
      assertMatch(screen, /^ready \d+\r\n\^C1 INT\r\n$/);
      assertEquals((await child.status).code, 7);
    });

    it("ends by the signal that ended mlcli", async () => {
      await using place = await installed("kill -TERM $$");
      assertEquals((await resultOf(start(place.program))).code, 143);
    });

    it("says which package is missing", async () => {
      await using place = await installed();
      const { code, stderr } = await resultOf(start(place.program));
      assertEquals(code, 1);
      assertMatch(stderr, /^error: The package @a\/mlcli-linux-\w+, .*\nhint: .+\n$/);
    });
  });
}

/** Sends a signal to the launcher alone, once mlcli is ready. */
async function signalled(
  child: Deno.ChildProcess,
  name: string,
): Promise<{ readonly code: number; readonly stdout: string }> {
  let stdout = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    stdout += text;
    const [, launcher] = /^ready (\d+)\n$/.exec(stdout) ?? [];
    if (launcher !== undefined) Deno.kill(Number(launcher), `SIG${name}` as Deno.Signal);
  }
  await child.stderr.cancel();
  return { code: (await child.status).code, stdout };
}
