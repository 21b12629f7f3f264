import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { buildTestImage, containersOf, TEST_IMAGE } from "../helpers/engine.ts";
import { resultOf } from "../helpers/program.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import { typeOnTerminal } from "../helpers/terminal.ts";

/** An older engine tells the size of a terminal only once the program is there. */
const STOPS = `import os, sys, time

def wait():
    print("waiting")
    while True: time.sleep(0.05)

def train(data, model):
    while sys.stdin.isatty() and os.get_terminal_size().columns == 0: time.sleep(0.01)
    x = 41
    breakpoint()
    print("x is", x)
    open(model + "/m", "w").close()
`;

function stoppingApp(): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: {
      "training/training.py": STOPS,
      "processing/p.py": "import sys\nfor line in sys.stdin: print('read', line, end='')\n",
      [TRAINING_DATA]: "1\n",
    },
  });
}

suite("--interactive", () => {
  beforeAll(buildTestImage);

  for (const columns of [80, 40]) {
    it(`lets somebody type at breakpoint(), on a terminal of ${columns} columns`, async () => {
      await using app = await stoppingApp();
      const { code, screen } = await typeOnTerminal(
        ["local", "train", "--interactive"],
        app.directory,
        [
          ["(Pdb) ", "p x + 1\r"],
          ["42\r", "wait()\r"],
          // To the code, and not to mlcli.
          ["waiting\r", "\x03"],
          ["KeyboardInterrupt\r", "x = os.get_terminal_size().columns\r"],
          ["(Pdb) ", "c\r"],
        ],
        columns,
      );
      assertStringIncludes(screen, `x is ${columns}\r`);
      assertEquals(code, 0);
      assertMatch(screen, / icanon .*[^-]echo /s);
      assertEquals(await containersOf(app.name), []);
    });
  }

  it("reads what a pipe brings, to its end, and ends with the status of the code", async () => {
    await using app = await stoppingApp();
    const process = app.start(["local", "process", "-f", "p.py", "--interactive"], {
      stdin: "piped",
    });
    const writer = process.stdin.getWriter();
    await writer.write(new TextEncoder().encode("a\nb"));
    await writer.close();
    assertEquals(await resultOf(process), { code: 0, stdout: "read a\nread b", stderr: "" });
  });

  it("is what the error of a breakpoint() without it names", async () => {
    await using app = await stoppingApp();
    const { code, stderr } = await app.run(["local", "train"]);
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /\nerror: Training failed: BdbQuit \(training\.py, line \d+\)\nhint: To use breakpoint\(\), run mlcli local t/,
    );
    assertMatch(stderr, /hint: To use breakpoint\(\), run mlcli local train --interactive\n$/);
  });
});
