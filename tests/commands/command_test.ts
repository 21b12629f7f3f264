import { assertEquals, assertRejects } from "@std/assert";
import { command } from "../../commands/command.ts";
import { WaitingProgress } from "../../commands/render/progress/waiting.ts";
import { root } from "../../commands/root.ts";
import { drawnOnce, fakeContext } from "../helpers/fake_context.ts";
import { it, suite } from "../helpers/suite.ts";

const DRAWN = "\rChecking (0s)\x1b[K\r";

suite("command()", () => {
  it("removes what a command waits for from the terminal before it asks a question", async () => {
    let before = "";
    const caller = fakeContext({
      isTerminal: true,
      ask() {
        before = caller.err.text;
        return Promise.resolve("y");
      },
    });
    const { run } = command({
      options: {},
      async action(context) {
        new WaitingProgress(context).show("Checking");
        await context.ask("Continue?", "");
      },
    });
    await run(caller, () => ({} as never), { path: "mlcli test", root });
    assertEquals(before, `${DRAWN}\r\x1b[K`);
  });

  it("removes what a command waits for from the terminal when the command ends or fails", async () => {
    for (const isFailing of [false, true]) {
      const caller = fakeContext({ isTerminal: true });
      const { run } = command({
        options: {},
        action(context) {
          new WaitingProgress(context).show("Checking");
          return isFailing ? Promise.reject(new Error("no")) : Promise.resolve();
        },
      });
      const done = run(caller, () => ({} as never), { path: "mlcli test", root });
      if (isFailing) await assertRejects(() => done, Error, "no");
      else await done;
      assertEquals(caller.err.text, `${DRAWN}\r\x1b[K`);
    }
  });

  for (const stream of ["out", "err"] as const) {
    it(`prints text on ${stream} above what a command waits for`, async () => {
      using _clocks = drawnOnce();
      let screen = "";
      const more = (text: string): void => void (screen += text);
      const caller = fakeContext({ isTerminal: true, onMessage: more });
      const out = { ...caller.out, rows: caller.out.rows, print: more };
      const { run } = command({
        options: {},
        action(context) {
          new WaitingProgress(context).show("Checking");
          context[stream].print("text\n");
          return Promise.resolve();
        },
      });
      await run({ ...caller, out }, () => ({} as never), { path: "mlcli test", root });
      assertEquals(screen, `${DRAWN}\r\x1b[Ktext\n${DRAWN}\r\x1b[K`);
    });
  }
});
