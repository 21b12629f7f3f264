import { assertEquals } from "@std/assert";
import { command } from "../../commands/command.ts";
import { WaitingProgress } from "../../commands/render/progress/waiting.ts";
import { root } from "../../commands/root.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { it, suite } from "../helpers/suite.ts";

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
    assertEquals(before, "\rChecking (0s)\x1b[K\r\r\x1b[K");
  });
});
