import { assertEquals } from "@std/assert";
import { main } from "../../main.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { it, suite } from "../helpers/suite.ts";

/** Runs a command line that may not get as far as the platform or the engine. */
async function refused(args: readonly string[]): Promise<string> {
  const context = fakeContext();
  assertEquals([await main(args, context), context.out.text], [2, ""]);
  return context.err.text;
}

suite("the command line", () => {
  it("may have no words after --: they would not count", async () => {
    const message = (word: string): string =>
      `error: Nothing may follow "--", but "${word}" does.\n` +
      'hint: Leave "--" out. A file whose name begins with a dash is written ./-name.\n';
    const region = ["--region", "eu-west-1"];
    assertEquals(
      await refused(["delete-endpoint", "-n", "prod", ...region, "--", "--dry-run"]),
      message("--dry-run"),
    );
    assertEquals(await refused(["local", "invoke", "--", "-rows.csv"]), message("-rows.csv"));
    assertEquals(await refused(["local", "invoke", "--", ""]), message(""));
    assertEquals(await refused(["--", "doctor"]), message("doctor"));
  });

  it("may have no empty word: Cliffy 1.2 would take a default in its place", async () => {
    for (
      const [args, message] of [
        [["list-endpoints", "--region", ""], 'Missing value for option "--region".'],
        [["delete-endpoint", "-n", "", "--dry-run"], 'Missing value for option "-n".'],
        [["local", "stop", "--port="], 'Missing value for option "--port".'],
        [["local", "stop", "-p="], 'Missing value for option "-p".'],
        [["local", "invoke", ""], "An argument is empty."],
        [[""], "An argument is empty."],
      ] as const
    ) {
      const hint =
        "hint: See mlcli --help. If $(...) stands there, that command printed nothing: " +
        "its error is above.";
      assertEquals(await refused(args), `error: ${message}\n${hint}\n`);
    }
  });
});
