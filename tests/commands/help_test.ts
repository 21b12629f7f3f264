import { assertEquals, assertStringIncludes } from "@std/assert";
import { runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

suite("the help", () => {
  it("shows a default that is a value, and none that Cliffy computes", async () => {
    const build = await runProgram(["build", "--help"], { cwd: "/" });
    assertStringIncludes(build.stdout, "(default: latest)");
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, stdout } = await runProgram(["completions", shell, "--help"], { cwd: "/" });
      assertEquals([code, stdout.match(/.*default.*/g)], [0, null]);
    }
  });
});
