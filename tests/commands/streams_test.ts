import { assertEquals } from "@std/assert";
import { killedAfter, programCommand, resultOf } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

async function redirected(args: readonly string[], to: string): Promise<[number, string, string]> {
  const command = new Deno.Command("sh", {
    args: ["-c", `exec "$@" ${to}`, "sh", ...programCommand(args)],
    cwd: "/",
    stdout: "piped",
    stderr: "piped",
  });
  const { code, stdout, stderr } = await resultOf(killedAfter(60_000, command.spawn()));
  return [code, stdout, stderr];
}

// /dev/full is a disk without any room.
suite("standard output on a full disk", () => {
  for (
    const args of [["--help"], ["local", "train", "--help"], ["local"], ["-V"], [
      "completions",
      "zsh",
    ]]
  ) {
    it(`mlcli ${args.join(" ")} says so`, async () => {
      const error = "error: Cannot write to standard output: No space left on device\n" +
        "hint: Free some disk space, then rerun the command\n";
      assertEquals(await redirected(args, ">/dev/full"), [1, "", error]);
    });
  }

  it("standard error too: the exit status tells", async () => {
    assertEquals(await redirected(["--nonsense"], "2>/dev/full"), [2, "", ""]);
    assertEquals(await redirected(["--help"], ">/dev/full 2>/dev/full"), [1, "", ""]);
  });
});

suite("standard input that is a directory", () => {
  it("is reported", async () => {
    const error = "error: Cannot read standard input: Is a directory\n";
    assertEquals(await redirected(["local", "invoke", "--port", "1"], "</"), [1, "", error]);
  });
});
