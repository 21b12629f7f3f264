import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { binaryName, type Target, TARGETS } from "../../../../scripts/compile/targets.ts";
import { SYSTEMS, versionOf } from "../../../../scripts/release/packages/kinds.ts";
import { packageJson } from "../../../../scripts/release/packages/npm.ts";
import { MANIFESTS } from "../../../../scripts/release/packages/manifests.ts";
import { makeDirectory, namesIn, type TestDirectory } from "../../../helpers/directory.ts";
import { packaged, RELEASE, writeSums } from "../../../helpers/release.ts";
import { it, suite } from "../../../helpers/suite.ts";

const PRE_RELEASE = { ...RELEASE, version: versionOf("1.2.0-rc.3") };
const [LINUX] = TARGETS;

/** How programs of each target begin, in hexadecimal. */
const HEADERS: Readonly<Record<Target, string>> = {
  "x86_64-unknown-linux-gnu": "7f454c460201010000000000000000000300" + "3e00",
  "aarch64-unknown-linux-gnu": "7f454c460201010000000000000000000300" + "b700",
  "x86_64-apple-darwin": "cffaedfe07000001",
  "aarch64-apple-darwin": "cffaedfe0c000001",
  "x86_64-pc-windows-msvc": "4d5a90",
};

/** Files that begin as programs of their systems do, and no more. */
async function binaries(): Promise<TestDirectory> {
  const directory = await makeDirectory();
  for (const target of TARGETS) {
    const file = join(directory.path, binaryName(target));
    await Deno.writeFile(file, Uint8Array.fromHex(HEADERS[target]));
    await append("GLIBC_2.9 GLIBC_2.27")(file);
  }
  await writeSums(directory.path, TARGETS);
  return directory;
}

async function run(command: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await new Deno.Command(command, { args: [...args] }).output();
  return new TextDecoder().decode(stdout);
}

// Where releases are made.
if (Deno.build.os === "linux") {
  suite("the packages of a release", () => {
    it("are made of all binaries, each time the same, and named in SHA256SUMS", async () => {
      await using first = await binaries();
      await using second = await binaries();
      for (const { path } of [first, second, second]) await packaged(path, TARGETS, PRE_RELEASE);
      const names = (await namesIn(first.path)).filter((name) => name !== "SHA256SUMS");
      const made = names.filter((name) => !TARGETS.map(binaryName).includes(name));
      assertEquals(made, [
        "mlcli-1.2.0rc3-py3-none-macosx_12_0_arm64.whl",
        "mlcli-1.2.0rc3-py3-none-macosx_12_0_x86_64.whl",
        "mlcli-1.2.0rc3-py3-none-manylinux_2_27_aarch64.whl",
        "mlcli-1.2.0rc3-py3-none-manylinux_2_27_x86_64.whl",
        "mlcli-1.2.0rc3-py3-none-win_amd64.whl",
        "mlcli-npm-1.2.0-rc.3.tgz",
        "mlcli-npm-darwin-arm64-1.2.0-rc.3.tgz",
        "mlcli-npm-darwin-x64-1.2.0-rc.3.tgz",
        "mlcli-npm-linux-arm64-1.2.0-rc.3.tgz",
        "mlcli-npm-linux-x64-1.2.0-rc.3.tgz",
        "mlcli-npm-win32-x64-1.2.0-rc.3.tgz",
        "mlcli.rb",
        "mlcli.scoop.json",
        "mlcli.winget.yaml",
        "mlcli_1.2.0-rc.3_amd64.deb",
        "mlcli_1.2.0-rc.3_arm64.deb",
      ]);
      const sums = await Deno.readTextFile(join(first.path, "SHA256SUMS"));
      assertEquals(await Deno.readTextFile(join(second.path, "SHA256SUMS")), sums);
      assertEquals(sums.match(/\S+$/gm)?.sort(), names);

      const deb = join(first.path, "mlcli_1.2.0-rc.3_amd64.deb");
      assertEquals(await run("dpkg-deb", "-f", deb, "Version"), "1.2.0~rc.3\n");
      const tarball = join(first.path, "mlcli-npm-1.2.0-rc.3.tgz");
      const main = JSON.parse(await run("tar", "-xzOf", tarball, "package/package.json"));
      const platforms = TARGETS.map((target) => packageJson(PRE_RELEASE, SYSTEMS[target]));
      assertEquals(
        main.optionalDependencies,
        Object.fromEntries(platforms.map(({ name, version }) => [name, version])),
      );
      for (const name of MANIFESTS) {
        const text = await Deno.readTextFile(join(first.path, name));
        assertMatch(text.split("\n").slice(0, 2).join("\n"), /Not tried/);
        assertStringIncludes(text, `${RELEASE.address.releases}/download/v1.2.0-rc.3/mlcli-`);
        const named = [...text.matchAll(/download\/\S+?\/([\w.-]+).*?["\s:]([0-9a-f]{64})"/gs)];
        for (const [, binary, sum] of named) assertStringIncludes(sums, `${sum}  ${binary}\n`);
        assertEquals(named.length, name === "mlcli.rb" ? 4 : 1);
      }
    });

    /** What is wrong with the binary for Linux, whether SHA256SUMS knows it, and what is said. */
    const rows: readonly (readonly [
      what: string,
      spoil: (path: string) => Promise<void>,
      isNamed: boolean,
      error: string,
    ])[] = [
      ["is missing", (path) => Deno.remove(path), false, "There is no FILE"],
      ["has changed", append("x"), false, "FILE is not the file that SHA256SUMS names"],
      [
        "is for another system",
        (path) => Deno.copyFile(path.replace("x86_64", "aarch64"), path),
        true,
        `FILE is no program for ${LINUX}`,
      ],
      ["needs a newer glibc", append("GLIBC_2.31"), true, "FILE needs glibc 2.31"],
    ];
    for (const [what, spoil, isNamed, message] of rows) {
      it(`are not made of a binary that ${what}`, async () => {
        await using directory = await binaries();
        const file = join(directory.path, binaryName(LINUX));
        await spoil(file);
        if (isNamed) await writeSums(directory.path, [LINUX]);
        const before = await namesIn(directory.path);
        const error = await assertRejects(() => packaged(directory.path, [LINUX]), Error);
        assertEquals(error.message, message.replace("FILE", file));
        assertEquals(await namesIn(directory.path), before);
      });
    }
  });
}

function append(text: string): (path: string) => Promise<void> {
  return (path) => Deno.writeTextFile(path, text, { append: true });
}
