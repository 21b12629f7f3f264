import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { makeDirectory, namesIn } from "./helpers/directory.ts";
import { Box } from "./helpers/box/box.ts";
import { HOSTILE, makeHostileDirectory } from "./helpers/hostile_directory.ts";
import { it, suite } from "./helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));

/** What the README says to type in a checkout. */
function setUpLines(readme: string): string {
  const [, lines] = /^## Install\n.*?^```sh\n(.*?)^```$/ms.exec(readme) ?? [];
  if (!lines) throw new Error("The README does not say how to run mlcli from source");
  return lines;
}

// Windows has no aliases of this kind.
if (Deno.build.os !== "windows") {
  suite("the alias that the README gives", () => {
    for (const shell of ["sh", "bash", "zsh"].filter(isInstalled)) {
      it(`runs mlcli and nothing that a hostile directory has, in ${shell}`, async () => {
        await using hostile = await makeHostileDirectory();
        await using work = await makeDirectory();
        // With a space in its path.
        const checkout = join(work.path, "a checkout");
        await Deno.symlink(ROOT, checkout);
        await using platform = await Box.open();
        const before = await namesIn(hostile.path);
        const script = [
          'if [ -n "${BASH_VERSION:-}" ]; then shopt -s expand_aliases; fi',
          'cd "$1"',
          setUpLines(await Deno.readTextFile(join(ROOT, "README.md"))),
          'cd "$2"',
          // Read after the alias is there, as the next line that somebody types is.
          "eval 'mlcli --version; mlcli list-endpoints; echo $?'",
        ].join("\n");
        const { stdout, stderr } = await new Deno.Command(shell, {
          args: ["-c", script, shell, checkout, hostile.path],
          // So that the SDK is downloaded: not from where .npmrc says.
          env: { ...platform.env(), DENO_DIR: join(work.path, "cache") },
          stdin: "null",
          signal: AbortSignal.timeout(120_000),
        }).output();
        const [output, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
        assertEquals((output! + errors).includes(HOSTILE), false, errors);
        assertMatch(output!, /^mlcli \S+ \(from source, Deno 2\.9\.6\)\n0\n$/m);
        assertEquals(platform.requests.length, 1);
        assertEquals(await namesIn(hostile.path), before);
      });
    }
  });
}

function isInstalled(program: string): boolean {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  return folders.some((folder) => {
    try {
      return Deno.statSync(join(folder, program)).isFile;
    } catch {
      return false;
    }
  });
}
