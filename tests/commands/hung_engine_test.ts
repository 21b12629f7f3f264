import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertNamesLeft, ENGINE_COMMANDS, LOCAL_STOP } from "../helpers/engine_commands.ts";
import { type HungRun, runHung } from "../helpers/hung_engine.ts";
import { it, suite } from "../helpers/suite.ts";
import { isInSample } from "../helpers/sweep.ts";

/** Has a limit of its own, whether somebody types or not: tried each day. */
const ATTACH = "POST /containers/ID/attach";

/** These go on for as long as something else does. */
const ENDLESS = ["POST /build"];

/** What holds of each run, whatever it is that hangs. */
function check(run: HungRun, plain: HungRun, isPressed: boolean): void {
  const { code, stdout, stderr, hung } = run;
  // A call whose answer does not matter any more, or is asked for by words alone, changes nothing.
  assert([isPressed ? 130 : 1, plain.code].includes(code), `${hung}: ${code}, ${stderr}`);
  if (code === 1 && plain.code === 0) {
    assertMatch(stdout + stderr, /The Docker Engine did not respond within \d+ s \(/, hung);
  }
  assertEquals(/defect|undefined/.test(stderr), false, stderr);
  assertNamesLeft(run, `${hung}`);
  // A directory stays with its containers, and no other.
  for (const name of run.runs) {
    assert(run.left.length > 0, `${hung}: ${name}`);
    assertStringIncludes(stderr, name);
  }
}

/** Its check of the server can leave a connection open, which ends with the process of mlcli. */
const OPEN_CONNECTION = "local transform";

suite("an engine that hangs", () => {
  let row = 0;
  for (const command of ENGINE_COMMANDS) {
    if (command.args.join(" ").startsWith(OPEN_CONNECTION)) continue;
    it(`ends mlcli ${command.args.join(" ")}, at whatever call`, async () => {
      const plain = await runHung(command);
      assert(plain.course.length > 0);
      for (let at = 0; at < plain.course.length; at++) {
        for (const isAlone of [true, false]) {
          for (const isPressed of [true, false]) {
            const isAlways = plain.course[at] === ATTACH && isAlone && !isPressed;
            if (!isInSample(row++) && !isAlways) continue;
            if (ENDLESS.includes(plain.course[at]!) && !isPressed) continue;
            check(await runHung(command, { at, isAlone, isPressed }), plain, isPressed);
          }
        }
      }
    });
  }

  it("during a training ends it at Ctrl-C, and what is left is said", async () => {
    const run = await runHung({
      args: ["local", "train", "--grace", "3"],
      // It has begun, and goes on.
      play: (_, keys) => ({ program: () => keys.press() }),
    }, { at: 6, isAlone: false, isPressed: false });
    assertEquals([run.hung, run.code], ["POST /containers/ID/stop", 130]);
    const [name = ""] = run.left;
    const app = name.replace(/^mlcli-(.*)-train-.*$/, "$1");
    const base = `${app}/mlcli_base/local_test`;
    assertEquals(run.stderr.split("\n"), [
      "Stopping (up to 3 s; press Ctrl-C again to kill)",
      `warning: The container ${name} might still exist because the Docker Engine did not ` +
      "remove it",
      `hint: Remove it when the engine responds: docker rm -f ${name}`,
      `note: Kept ${base}/jobs/${run.runs[0]}; the app's next mlcli local train cleans it up ` +
      "when the container is gone",
      "",
    ]);
    assertEquals(run.runs.length, 1);
  });

  it("during a stop is reported at Ctrl-C", async () => {
    const run = await runHung(LOCAL_STOP, { at: 1, isAlone: false, isPressed: true });
    assertEquals([run.hung, run.code], ["POST /containers/ID/stop", 130]);
    assertMatch(run.stderr, /^warning: The container mlcli-\S+-serve-\d+ might still exist /);
  });
});
