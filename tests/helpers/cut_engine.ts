/**
 * Commands on an engine whose connection breaks at one of their calls, or that answers something else
 * there: in this process, through a front before a fake engine.
 */

import { completeApp } from "./app.ts";
import { type EngineFront, engineFront, type Fate } from "./engine_front.ts";
import type { EngineCommand } from "./engine_commands.ts";
import { fakeContainers } from "./fake_containers.ts";
import { runInProcess } from "./in_process.ts";
import { answerOrEnd } from "./ping_server.ts";
import { unfinishedRuns } from "./runs.ts";
import type { ProgramResult } from "./program.ts";

/** What becomes of one of its calls. */
export interface Cut {
  readonly at: number;
  readonly fate: Fate;
  /** Whether nobody listens from then on. */
  readonly isGone: boolean;
}

export interface CutRun extends ProgramResult {
  /** The calls: `POST /containers/c1/start`. */
  readonly course: readonly string[];
  readonly left: readonly string[];
  /** What is in the app's model directory. */
  readonly model: readonly string[];
  /** Reruns the command once the engine is back. */
  readonly again:
    | ProgramResult & {
      /** Leftovers of the first command: containers, and runs without an end. */
      readonly left: readonly string[];
    }
    | undefined;
}

/** Runs a command, and once more when the engine is back. @param cut nothing is cut without it. */
export async function runCut(command: EngineCommand, cut?: Cut): Promise<CutRun> {
  await using app = await completeApp({ files: { "../../rows.csv": "1\n" } });
  await using servers = new AsyncDisposableStack();
  await using engine = await fakeContainers({
    program: (container) => answerOrEnd(container, servers),
    ...command.play?.(app.name),
  });
  const course: string[] = [];
  let isGone = false;
  await using front: EngineFront = await engineFront(({ call }) => {
    if (call === "GET /_ping") return isGone ? "cut before the call" : "pass";
    const number = course.push(call) - 1;
    if (isGone) return "cut before the call";
    if (cut === undefined || number !== cut.at) return "pass";
    isGone = cut.isGone;
    return cut.fate;
  }, engine.socket);
  const args = command.args.map((arg) => arg.replace("APP", app.name));
  const run = (engine: { readonly socket: string }): Promise<ProgramResult> =>
    runInProcess(args, { cwd: app.directory, engine });
  const result = await run(front);
  const left = [...engine.left];
  const runs = await unfinishedRuns(app);
  // This process goes on; mlcli itself would not.
  for (const name of runs) {
    await Deno.writeTextFile(
      app.path("local_test/jobs", name, "owner"),
      `4194305 ${Deno.hostname()}`,
    );
  }
  const model = await Array.fromAsync(Deno.readDir(app.testPath("model")), ({ name }) => name);
  if (command.isOnce) return { ...result, course, left, model, again: undefined };
  const again = await run(engine);
  const still = [...engine.left, ...await unfinishedRuns(app)];
  return {
    ...result,
    course,
    left,
    model,
    again: { ...again, left: still.filter((name) => [...left, ...runs].includes(name)) },
  };
}
