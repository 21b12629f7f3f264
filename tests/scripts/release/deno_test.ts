import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../../../", import.meta.url));
const SCRIPT = join(ROOT, "scripts/release/deno.sh");

/** Runs the script in a directory of its own, changed. */
async function run(
  change: (script: string) => string,
  temporary: string,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const script = await Deno.readTextFile(SCRIPT);
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", change(script)],
    env: { TMPDIR: temporary },
    stdin: "null",
    signal: AbortSignal.timeout(120_000),
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

// Where releases are made.
if (Deno.build.target === "x86_64-unknown-linux-gnu") {
  suite("the Deno that releases are made with", () => {
    it("is the one that CI uses", async () => {
      await using directory = await makeDirectory();
      const { code, stdout } = await run((script) => script, directory.path);
      assertEquals(code, 0);
      const deno = stdout.trimEnd();
      const version = await new Deno.Command(deno, { args: ["--version"] }).output();
      const [, number] = /^deno (\S+) /.exec(new TextDecoder().decode(version.stdout)) ?? [];
      const ci = await Deno.readTextFile(join(ROOT, ".ci/run"));
      assertStringIncludes(ci, `NEWEST=${number}\n`);
    });

    it("is refused when it is another file than the one that was checked", async () => {
      await using directory = await makeDirectory();
      const change = (script: string) => script.replace(/^(readonly integrity=)..../m, "$1AAAA");
      const { code, stdout, stderr } = await run(change, directory.path);
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /^error: \S+ from npm is not the file that was checked: /m);
      assertEquals([...Deno.readDirSync(directory.path)], []);
    });
  });
}
