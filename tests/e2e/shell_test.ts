import { assertEquals, assertMatch } from "@std/assert";
import { completeApp, type TestApp } from "../helpers/app.ts";
import { buildTestImage, containersOf, TEST_IMAGE } from "../helpers/engine.ts";
import { resultOf } from "../helpers/program.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import { typeOnTerminal } from "../helpers/terminal.ts";

const FEATURES = `import time

ROWS = 7

def wait():
    print("waiting", flush=True)
    while True: time.sleep(0.05)
`;

function appWithImage(): Promise<TestApp> {
  return completeApp({
    configuration: { image_name: TEST_IMAGE },
    files: { "training/features.py": FEATURES },
  });
}

const SUM = "python3 -c 'import features; print(features.ROWS * 6)'";

suite("local shell", () => {
  beforeAll(buildTestImage);

  for (const columns of [80, 40]) {
    it(`is a shell on a terminal of ${columns} columns, and ends as that does`, async () => {
      await using app = await appWithImage();
      const { code, screen } = await typeOnTerminal(
        ["local", "shell"],
        app.directory,
        [
          // An older engine tells the size once the shell is there, which may draw its line again.
          ["code# ", `until [ "$(stty size)" = "24 ${columns}" ]; do sleep 0.1; done; ${SUM}\r`],
          ["42\r", "python3 -c 'import features; features.wait()'\r"],
          // To what runs in the shell: it ends, and there is another prompt.
          ["waiting\r", "\x03"],
          ["KeyboardInterrupt\r", "exit 7\r"],
        ],
        columns,
      );
      assertEquals(code, 7);
      // The terminal is as before.
      assertMatch(screen, / icanon .*[^-]echo /s);
      assertEquals(await containersOf(app.name), []);
    });
  }

  it("runs what a pipe brings, its standard error apart", async () => {
    await using app = await appWithImage();
    const process = app.start(["local", "shell", "serve", "--", "python3"], { stdin: "piped" });
    const writer = process.stdin.getWriter();
    const program = "import os, sys\nprint(os.listdir('/opt/ml/model'))\nsys.exit('no')\n";
    await writer.write(new TextEncoder().encode(program));
    await writer.close();
    assertEquals(await resultOf(process), { code: 1, stdout: "['m']\n", stderr: "no\n" });
  });
});
