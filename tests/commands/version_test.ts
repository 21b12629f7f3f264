import { assertEquals, assertMatch } from "@std/assert";
import configuration from "../../deno.json" with { type: "json" };
import { makeDirectory } from "../helpers/directory.ts";
import { runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

suite("mlcli --version", () => {
  for (const flag of ["--version", "-V"]) {
    it(`${flag} says version, commit and Deno in a line`, async () => {
      const { code, stdout, stderr } = await runProgram([flag], { cwd: "/" });
      assertEquals([code, stderr], [0, ""]);
      const isBinary = Deno.env.get("MLCLI_UNDER_TEST") !== undefined;
      const origin = isBinary ? /commit ([0-9a-f]{12}(-dirty)?|unknown)/ : /from source/;
      assertMatch(stdout, new RegExp(`^mlcli [\\d.]+ \\(${origin.source}, Deno \\d[\\d.]+\\)\n$`));
      assertEquals(stdout.split(" ")[1], configuration.version);
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
