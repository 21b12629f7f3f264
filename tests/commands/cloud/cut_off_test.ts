import { type Rows, sweepCalls } from "../../helpers/call_sweep.ts";
import {
  type Cut,
  isFirstSide,
  runScene,
  runWithFault,
  type Scene,
  sweptScene,
} from "../../helpers/cut_off/scene.ts";
import { SCENES } from "../../helpers/cut_off/scenes.ts";
import type { Fault } from "../../helpers/planted_fault.ts";
import { runInProcessUntil } from "../../helpers/stopped_call.ts";
import { it, suite } from "../../helpers/suite.ts";
import { isInSample } from "../../helpers/sweep.ts";

/** What goes wrong at a call. */
const FAULTS: readonly Fault[] = [
  "fails for a moment",
  "fails",
  "is denied",
  "loses its request",
  "loses its answer for a moment",
  "loses its answer",
  "breaks off its answer for a moment",
  "breaks off its answer",
  "is made with expired keys",
  "is interrupted when done",
];

/** After that the SDK waits for seconds. */
const THROTTLED: Fault = "is throttled for a moment";

suite("a cloud command, interrupted at each of its calls", () => {
  for (const [name, open] of Object.entries(SCENES)) {
    it(`leaves nothing that nobody knows of, and completes when it is repeated: ${name}`, async () => {
      await using scene = await open();
      const rows: Rows<Cut> = (call, row) => {
        const run = () => runInProcessUntil(runnable(scene), scene.args, call);
        return isInSample(row) ? [{ fault: "SIGINT", run }] : [];
      };
      await sweepCalls(sweptScene(scene), rows);
    });
  }
});

suite("a cloud command, with a fault at each of its calls", () => {
  for (const [name, open] of Object.entries(SCENES)) {
    it(`leaves nothing that nobody knows of, and completes when it is repeated: ${name}`, async () => {
      await using scene = await open();
      const rows: Rows<Cut> = (call, row) => {
        if (!isFirstSide(call)) return [];
        const faults = FAULTS.filter((_, kind) => isInSample(row * FAULTS.length + kind + call.at));
        if (isInSample(row, 80)) faults.push(THROTTLED);
        return faults.map((fault) => ({ fault, run: () => runWithFault(scene, fault, call.at) }));
      };
      await sweepCalls(sweptScene(scene), rows);
    });
  }
});

function runnable(scene: Scene) {
  return { box: scene.box, run: (_: unknown, more = {}) => runScene(scene, more) };
}
