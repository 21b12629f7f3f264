import { assertEquals, assertMatch } from "@std/assert";
import configuration from "../../deno.json" with { type: "json" };
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
});
