import { assert, assertEquals } from "@std/assert";
import { type Cut, type CutRun, runCut } from "../helpers/cut_engine.ts";
import { assertNamesLeft, ENGINE_COMMANDS } from "../helpers/engine_commands.ts";
import type { Fate } from "../helpers/engine_front.ts";
import { it, suite } from "../helpers/suite.ts";
import { isInSample } from "../helpers/sweep.ts";

/** Of the two sweeps, one row of so many is tried by day: each takes two commands. */
const SHARE = 40;

const CUTS: readonly Fate[] = [
  "cut before the call",
  "cut before the answer",
  "cut in the head",
  "cut in the body",
];

const page = "<!DOCTYPE html><title>\x1b]0;Proxy\x07</title><h1>Bad gateway</h1>";

/** What is said in the place of an answer. */
const ODD: Readonly<Record<string, Fate>> = {
  "a page": { answer: { status: 200, body: page } },
  "a refusal that is a page": { answer: { status: 502, body: page } },
  "nothing": { answer: { status: 200, body: "" } },
  "null": { answer: { status: 200, body: "null" } },
  "half an object": { answer: { status: 200, body: '{"Id":"abc","St' } },
  "wrong types": {
    answer: {
      status: 200,
      body: '{"Id":1,"State":"up","Created":[],"StatusCode":"0","Config":{"Env":5},"stream":{}}',
    },
  },
  "a list of wrong types": {
    answer: { status: 200, body: '[{"Id":"a","Names":"b","Labels":["c"],"Ports":5}]' },
  },
  "a refusal of 5 MB": {
    answer: { status: 500, body: JSON.stringify({ message: "\x1b[2J".repeat(1_250_000) }) },
  },
};

/** What a command says where the connection broke, or the answer was of something else. */
const WORDS = [
  /Lost the connection to the Docker Engine \([A-Z]+ \/\S+\): \S/,
  /Unexpected response from the Docker Engine \([A-Z]+ \S+/,
  /The Docker Engine refused [A-Z]+ \/\S+ \(500\): .{700} \.\.\. \(\d+ characters omitted\) \.\.\. /,
  /Cannot read the container's output from/,
  /Cannot get the exit code of the run from the Docker Engine/,
  /The engine stopped without creating an image|the engine stopped without creating an image/,
];

/** What holds of each run. */
function check(run: CutRun, plain: CutRun, where: string): void {
  const { code, stdout, stderr } = run;
  const said = `${where}\n${stdout}\n${stderr}`;
  // A call whose answer does not matter any more, or is asked for by words alone, changes nothing.
  assert([1, plain.code].includes(code), said);
  if (code === 1 && plain.code === 0) {
    assert(WORDS.some((words) => words.test(stdout + stderr)), said);
  }
  assertEquals(/defect|undefined|os error|client error|\bat file:/.test(stderr), false, said);
  // deno-lint-ignore no-control-regex
  assertEquals(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(stdout + stderr), false, said);
  assert(stderr.length < 6_000, where);
  assertNamesLeft(run, said);
  // The earlier model, or that of the run.
  assertEquals(run.model, ["m"], said);
  if (run.again === undefined) return;
  assertEquals(run.again.code, plain.code, `${said}\nagain:\n${run.again.stderr}`);
  assertEquals(run.again.left.filter((name) => !name.startsWith("mlcli-")), [], said);
}

suite("an engine whose connection breaks", () => {
  let row = 0;
  for (const command of ENGINE_COMMANDS) {
    it(`is reported by mlcli ${command.args.join(" ")}, at whatever call it breaks, and it works again`, async () => {
      const plain = await runCut(command);
      assert(plain.course.length > 0);
      for (let at = 0; at < plain.course.length; at++) {
        for (const fate of CUTS) {
          for (const isGone of [false, true]) {
            if (!isInSample(row++, SHARE)) continue;
            const cut: Cut = { at, fate, isGone };
            check(await runCut(command, cut), plain, `${plain.course[at]} ${JSON.stringify(cut)}`);
          }
        }
      }
    });
  }
});

suite("an engine that answers something else", () => {
  let row = 0;
  for (const command of ENGINE_COMMANDS) {
    it(`is reported by mlcli ${command.args.join(" ")}, whatever call it answers, and it works again`, async () => {
      const plain = await runCut(command);
      for (let at = 0; at < plain.course.length; at++) {
        for (const [what, fate] of Object.entries(ODD)) {
          if (!isInSample(row++, SHARE)) continue;
          const run = await runCut(command, { at, fate, isGone: false });
          check(run, plain, `${plain.course[at]}: ${what}`);
        }
      }
    });
  }
});
