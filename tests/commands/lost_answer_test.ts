import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { killedAfter, resultOf } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

const root = (path: string): string => fromFileUrl(new URL(`../../${path}`, import.meta.url));

suite("a process that has nothing left to wait for, and has not done its work", () => {
  it("fails, and says so", async () => {
    // From source also where the tests are of the binary: no command of it is known to do this.
    const command = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--quiet",
        "--config",
        root("deno.json"),
        root("tests/helpers/lost_answer.ts"),
      ],
      stdout: "piped",
      stderr: "piped",
    });
    assertEquals(await resultOf(killedAfter(60_000, command.spawn())), {
      code: 1,
      stdout: "",
      stderr: "error: What mlcli was waiting for went away without an answer\n" +
        "hint: This is a defect of mlcli. MLCLI_DEBUG=1 shows where it happened.\n",
    });
  });
});
