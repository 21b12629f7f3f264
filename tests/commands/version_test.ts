import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import configuration from "../../deno.json" with { type: "json" };
import { makeDirectory } from "../helpers/directory.ts";
import { runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

const BINARY = Deno.env.get("MLCLI_UNDER_TEST");
const ROOT = fromFileUrl(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");
const INSTALLED = BINARY === undefined
  ? `from source in ${ROOT}`
  : `as ${Deno.realPathSync(BINARY)}`;

suite("mlcli --version", () => {
  for (const flag of ["--version", "-V"]) {
    it(`${flag} prints version, commit and Deno in a line, and how it was installed`, async () => {
      const { code, stdout, stderr } = await runProgram([flag], { cwd: "/" });
      assertEquals([code, stderr], [0, ""]);
      const origin = BINARY ? /commit ([0-9a-f]{12}(-dirty)?|unknown)/ : /from source/;
      const [line = "", installed, ...rest] = stdout.split("\n");
      assertMatch(line, new RegExp(`^mlcli [\\d.]+ \\(${origin.source}, Deno \\d[\\d.]+\\)$`));
      assertEquals([installed, ...rest], [`Installed ${INSTALLED}`, ""]);
      assertEquals(stdout.split(" ")[1], configuration.version);
    });
  }

  it("--output json says the same and more to a program", async () => {
    const text = (await runProgram(["--version"], { cwd: "/" })).stdout;
    for (const args of [["--version", "--output", "json"], ["--output=JSON", "-V"]]) {
      const { code, stdout, stderr } = await runProgram(args, { cwd: "/" });
      assertEquals([code, stderr], [0, ""]);
      const facts = JSON.parse(stdout);
      assertEquals(stdout, `${JSON.stringify(facts, null, 2)}\n`);
      const { name, version, commit, deno, os, arch, installed } = facts;
      assertEquals(facts, { name, version, commit, deno, os, arch, installed });
      const origin = commit === null ? "from source" : `commit ${commit}`;
      assertEquals(text, `mlcli ${version} (${origin}, Deno ${deno})\nInstalled ${installed}\n`);
    }
    const options = { cwd: "/", env: { MLCLI_OUTPUT: "json" } };
    assertEquals((await runProgram(["--version", "--output", "text"], options)).stdout, text);
    assertEquals((await runProgram(["--version"], options)).stdout, text);
  });

  const REFUSED: readonly (readonly [args: readonly string[], words: string])[] = [
    [["--version", "--output", "yaml"], 'Option "--output" must be text or json'],
    [["--version", "--output"], 'Missing value for option "--output"'],
    [
      ["--version", "--docker-tag", "a"],
      'Cannot use options other than "--output" with "--version"',
    ],
    [["--output", "json"], 'Unknown option "--output"'],
  ];
  for (const [args, words] of REFUSED) {
    it(`refuses ${args.join(" ")}`, async () => {
      const { code, stdout, stderr } = await runProgram(args, { cwd: "/" });
      assertEquals([code, stdout], [2, ""]);
      assertStringIncludes(stderr, `error: ${words}`);
    });
  }

  // Deno's cache of compiled code has a name there that everybody knows: who owns the file decides
  // what runs.
  it("keeps nothing where temporary files lie", async () => {
    await using temporary = await makeDirectory();
    for (let run = 0; run < 2; run++) {
      const options = { cwd: "/", env: { TMPDIR: temporary.path } };
      assertEquals((await runProgram(["--version"], options)).code, 0);
    }
    assertEquals([...Deno.readDirSync(temporary.path)], []);
  });
});
