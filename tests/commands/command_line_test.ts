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

  it("may end with --", async () => {
    const context = fakeContext();
    assertEquals(await main(["local", "--"], context), 0);
    assertEquals(context.err.text, "");
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

  it("counts ports and seconds in whole decimal numbers", async () => {
    const seconds = 'Option "--timeout" must be a whole number of seconds, 1 to 2000000, but got ';
    const port = 'Option "--port" must be a number from 0 to 65535, but got ';
    for (
      const [args, message] of [
        [["local", "deploy", "--timeout", "0x10"], `${seconds}"0x10".`],
        [["local", "invoke", "--timeout", "0"], `${seconds}"0".`],
        [["local", "invoke", "--timeout", "3000000"], `${seconds}"3000000".`],
        [["local", "invoke", "--timeout", "1.5"], `${seconds}"1.5".`],
        [["delete-endpoint", "-n", "a", "--wait", "--timeout", "1e3"], `${seconds}"1e3".`],
        [["local", "stop", "--port", "0x1F90"], `${port}"0x1F90".`],
        [["local", "logs", "--port", "65536"], `${port}"65536".`],
        [["local", "invoke", "--port", "http"], `${port}"http".`],
      ] as const
    ) {
      assertEquals((await refused(args)).split("\n")[0], `error: ${message}`);
    }
  });

  it("names hosts without scheme, port or path", async () => {
    const wrong = [
      ...["http://a.example", "a.example:80", "a.example/", "[::1]:80", "::1:g", "[a]", "a b"],
      ...["*", "*.example", "a..b", "a@b", "a%41", "a?b", "a,b", ".", "256.1.1.1"],
    ];
    for (const host of wrong) {
      assertEquals(
        (await refused(["local", "deploy", "--allow-host", "a.example", "--allow-host", host]))
          .split("\n")[0],
        'error: Option "--allow-host" must be a host name or an address without scheme and port, ' +
          `but got "${host}".`,
      );
    }
  });

  it("may have a hyperparameter that is empty", async () => {
    const error = await refused(["local", "train", "--hyperparameter=name=", "--nonsense"]);
    assertEquals(error.split(".")[0], 'error: Unknown option "--nonsense"');
  });
});
