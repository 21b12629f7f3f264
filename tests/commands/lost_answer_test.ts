import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { killedAfter, type ProgramResult, resultOf } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

const root = (path: string): string => fromFileUrl(new URL(`../../${path}`, import.meta.url));

/** From source also where the tests are of the binary: no command of it is known to do this. */
async function loseAnswer(...args: readonly string[]): Promise<ProgramResult> {
  const options = ["-A", "--quiet", "--config", root("deno.json")];
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", ...options, root("tests/helpers/lost_answer.ts"), ...args],
    stdout: "piped",
    stderr: "piped",
  });
  return await resultOf(killedAfter(60_000, command.spawn()));
}

suite("a process that has nothing left to wait for, and has not done its work", () => {
  it("fails, and says so", async () => {
    assertEquals(await loseAnswer(), {
      code: 1,
      stdout: "",
      stderr: "error: What mlcli was waiting for went away without an answer\n" +
        "hint: This is a defect of mlcli. --debug shows where it happened.\n",
    });
  });

  it("ends as one that was interrupted, where it was", async () => {
    assertEquals(await loseAnswer("SIGTERM"), { code: 143, stdout: "", stderr: "" });
  });
});
