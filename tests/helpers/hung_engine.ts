/**
 * Commands on an engine that answers `_ping`, and then leaves calls unanswered. mlcli's time limits
 * take some milliseconds for these calls, and do not count for the others: so nothing depends on how
 * fast the machine is.
 */

import { completeApp, type TestApp } from "./app.ts";
import { fakeContainers, type Play } from "./fake_containers.ts";
import { Keys, runInProcess } from "./in_process.ts";
import { answerOrEnd } from "./ping_server.ts";
import { unfinishedRuns } from "./runs.ts";
import type { ProgramResult } from "./program.ts";

/** What hangs, and when somebody presses Ctrl-C. */
export interface Hanging {
  /** Number of the call, from 0; it hangs, `alone` or with all that come after it. */
  readonly at: number;
  readonly isAlone: boolean;
  /** Whether Ctrl-C is pressed once it hangs. */
  readonly isPressed: boolean;
}

export interface HungRun extends ProgramResult {
  /** The calls: `POST /containers/ID/start`. */
  readonly course: readonly string[];
  /** The one that hung first; undefined where there were fewer. */
  readonly hung: string | undefined;
  /** Names of containers that may be left, by what the engine has answered. */
  readonly left: readonly string[];
  /** Runs that have not come to their end. */
  readonly runs: readonly string[];
}

/** A command, and the behaviour of its fake engine. */
export interface HungCommand {
  /** APP stands for the app's name. */
  readonly args: readonly string[];
  readonly play?: (app: string, keys: Keys) => Play;
}

/** Runs a command in this process. @param hanging nothing hangs without it. */
export async function runHung(
  { args, play }: HungCommand,
  hanging?: Hanging,
): Promise<HungRun> {
  await using app: TestApp = await completeApp({ files: { "../../rows.csv": "1\n" } });
  await using servers = new AsyncDisposableStack();
  const keys = new Keys();
  const own = play?.(app.name, keys) ?? {};
  const { promise: hanged, resolve: hang } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const course: string[] = [];
  let hung: string | undefined;
  const before = async (call: string): Promise<void> => {
    await own.before?.(call);
    if (call === "GET /_ping") return;
    const number = course.push(call) - 1;
    if (hanging === undefined || number < hanging.at) return;
    if (number > hanging.at && hanging.isAlone) return;
    hung ??= call;
    if (hanging.isPressed && number === hanging.at) keys.press();
    hang();
    await released;
  };
  await using engine = await fakeContainers({
    program: (container) => answerOrEnd(container, servers),
    ...own,
    before,
  });
  // After the servers and before the engine that it keeps from ending.
  await using _release = { [Symbol.asyncDispose]: () => Promise.resolve(release()) };
  const result = await runInProcess(args.map((arg) => arg.replace("APP", app.name)), {
    cwd: app.directory,
    engine,
    keys,
    limits: {
      after: (seconds, call) => {
        const over = new AbortController();
        const isHung = (): boolean => hung !== undefined && (!hanging?.isAlone || isOf(call, hung));
        hanged.then(() => {
          const timer = setTimeout(() => isHung() && over.abort(), seconds / 10);
          Deno.unrefTimer(timer);
          released.then(() => clearTimeout(timer));
        });
        return over.signal;
      },
    },
  });
  return {
    ...result,
    course,
    hung,
    left: [...engine.left],
    runs: await unfinishedRuns(app),
  };
}

/** Whether a call is of a kind: `POST /containers/abc/start` of `POST /containers/ID/start`. */
function isOf(call: string, kind: string): boolean {
  const pattern = kind.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\b(?:ID|NAME)\b/, ".+");
  return new RegExp(`^${pattern}$`).test(call);
}
