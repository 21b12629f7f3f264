import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { binaryName, TARGETS } from "../../../../scripts/compile/targets.ts";
import { makeDirectory, namesIn, type TestDirectory } from "../../../helpers/directory.ts";
import { packaged, writeSums } from "../../../helpers/release.ts";
import { it, suite } from "../../../helpers/suite.ts";

const VERSION = "1.2.0-rc.3";
const DOWNLOADS = `https://git.example.org/Some-one/some.thing/releases/download/v${VERSION}/`;

const MANIFESTS = ["mlcli.rb", "mlcli.scoop.json", "mlcli.winget.yaml"];

const PACKAGES = [
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
  ...MANIFESTS,
  "mlcli_1.2.0-rc.3_amd64.deb",
  "mlcli_1.2.0-rc.3_arm64.deb",
];

/** Files in place of binaries. */
async function binaries(): Promise<TestDirectory> {
  const content = (name: string): string => `${name} GLIBC_2.9 GLIBC_2.27`;
  const directory = await makeDirectory(
    Object.fromEntries(TARGETS.map(binaryName).map((name) => [name, content(name)])),
  );
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
      for (const { path } of [first, second, second]) await packaged(path, TARGETS, VERSION);
      const sums = await Deno.readTextFile(join(first.path, "SHA256SUMS"));
      assertEquals(await Deno.readTextFile(join(second.path, "SHA256SUMS")), sums);
      assertEquals(sums.match(/\S+$/gm), [...TARGETS.map(binaryName), ...PACKAGES].sort());

      const deb = join(first.path, "mlcli_1.2.0-rc.3_amd64.deb");
      assertEquals(await run("dpkg-deb", "-f", deb, "Version"), "1.2.0~rc.3\n");

      const [main, ...systems] = await Promise.all(
        PACKAGES.filter((name) => name.endsWith(".tgz")).map(async (name) =>
          JSON.parse(await run("tar", "-xzOf", join(first.path, name), "package/package.json"))
        ),
      );
      const dependencies = systems.map(({ name, version }) => [name, version]);
      assertEquals(main.optionalDependencies, Object.fromEntries(dependencies));
      for (const { name, os, cpu, libc, bin } of systems) {
        assertEquals(name, `@some-one/mlcli-${os}-${cpu}`);
        assertEquals(libc, name.includes("linux") ? ["glibc"] : undefined);
        assertEquals(bin.mlcli, name.includes("win32") ? "bin/mlcli.exe" : "bin/mlcli");
      }

      for (const name of MANIFESTS) {
        const text = await Deno.readTextFile(join(first.path, name));
        assertMatch(text.split("\n").slice(0, 2).join("\n"), /Not tried/);
        const named = [...text.matchAll(/"(\S+?\/)(mlcli-[\w.-]+).*?["\s:]([0-9a-f]{64})"/gs)];
        for (const [, address, binary, sum] of named) {
          assertEquals(address, DOWNLOADS);
          assertStringIncludes(sums, `${sum}  ${binary}\n`);
        }
        assertEquals(named.length, name === "mlcli.rb" ? 4 : 1);
      }
    });

    it("are not made of another binary, nor of one that needs a newer glibc", async () => {
      await using directory = await binaries();
      // The packages of the first are made when the second is refused.
      const [first, second] = TARGETS;
      const file = join(directory.path, binaryName(second));
      const before = await namesIn(directory.path);
      const refuses = (message: string) =>
        assertRejects(() => packaged(directory.path, [first, second], VERSION), Error, message);
      await Deno.writeTextFile(file, "GLIBC_2.31");
      await refuses("is not the file that SHA256SUMS names");
      await writeSums(directory.path, [first, second]);
      await refuses("needs glibc 2.31");
      assertEquals(await namesIn(directory.path), before);
    });
  });
}
