import { assert, assertEquals } from "@std/assert";
import { buildFrame } from "../../../../commands/render/progress/build.ts";
import { Steps } from "../../../../commands/render/progress/build_steps.ts";
import { widthOf } from "../../../../runtime/cells.ts";
import type { BuildEvent } from "../../../../runtime/image/build_events.ts";
import { it, suite } from "../../../helpers/suite.ts";

type State = "running" | "done" | "cached" | "failed";

function step(id: string, name: string, state: State, took = 0): BuildEvent {
  return { kind: "step", id, name, state, started: 0, ...state === "done" && { ended: took } };
}

const log = (id: string, text: string): BuildEvent => ({ kind: "log", id, text });

function fetched(id: string, current: number, total: number): BuildEvent {
  const isDone = current === total;
  return { kind: "transfer", step: "1", id, name: id, current, total, isDone };
}

/** The frame after the events, which came at 0, when this time has passed. */
function frame(
  events: readonly BuildEvent[],
  { columns = 79, rows = 23, now = 2_340 }: {
    readonly columns?: number;
    readonly rows?: number;
    readonly now?: number;
  } = {},
): readonly string[] {
  const steps = new Steps(() => 0);
  for (const event of events) {
    const of = steps.add(event);
    if (event.kind === "log") of?.step.log.add(event.text);
  }
  const of = { title: "Building churn:latest", steps: steps.all, start: 0, now };
  const lines = buildFrame(of, { columns, rows }).map(({ text }) => text);
  assert(lines.length <= rows, `${lines.length} lines in ${rows} rows`);
  for (const line of lines) assert(widthOf(line) <= columns, `${line} is wider than ${columns}`);
  return lines;
}

const BUILD = [
  step("1", "[1/4] FROM docker.io/library/python:3.12-slim", "cached"),
  step("2", "[2/4] COPY .mlcli/install /opt/mlcli/", "done", 120),
  step("3", "[3/4] RUN /opt/mlcli/install /opt/mlcli/requirements.txt", "running"),
  log("3", Array.from({ length: 9 }, (_, index) => `Collecting ${index}\n`).join("")),
  log("3", "10%\r20%"),
];

suite("a build on a terminal", () => {
  it("of 80 columns", () => {
    assertEquals(frame(BUILD), [
      "Building churn:latest (2.3s)",
      "✓ [1/4] FROM docker.io/library/python:3.12-slim                          cached",
      "✓ [2/4] COPY .mlcli/install /opt/mlcli/                                    0.1s",
      "• [3/4] RUN /opt/mlcli/install /opt/mlcli/requirements.txt                 2.3s",
      "    Collecting 4",
      "    Collecting 5",
      "    Collecting 6",
      "    Collecting 7",
      "    Collecting 8",
      "    20%",
    ]);
  });

  it("of 40 columns and 10 lines", () => {
    assertEquals(frame(BUILD, { columns: 39, rows: 9, now: 65_000 }), [
      "Building churn:latest (1m 05s)",
      "✓ [1/4] FROM docker.io/library/… cached",
      "✓ [2/4] COPY .mlcli/install /opt/… 0.1s",
      "• [3/4] RUN /opt/mlcli/install…  1m 05s",
      "    Collecting 6",
      "    Collecting 7",
      "    Collecting 8",
      "    20%",
    ]);
  });

  it("of hardly any lines", () => {
    assertEquals(frame(BUILD, { rows: 3 }).map((line) => line.slice(0, 11)), [
      "Building ch",
      "• [3/4] RUN",
      "    20%",
    ]);
    assertEquals(frame(BUILD, { rows: 1 }), ["Building churn:latest (2.3s)"]);
  });

  it("with several steps at a time, all of which have something to say", () => {
    const events = ["a", "b", "c"].flatMap((id) => [
      step(id, `[${id} 1/1] RUN ${id}`, "running"),
      log(id, "1\n2\n3\n4\n5\n6\n7\n"),
    ]);
    assertEquals(frame(events, { rows: 12, columns: 24 }), [
      "Building churn:latest (…",
      "• [a 1/1] RUN a     2.3s",
      "    6",
      "    7",
      "• [b 1/1] RUN b     2.3s",
      "    6",
      "    7",
      "• [c 1/1] RUN c     2.3s",
      "    6",
      "    7",
    ]);
  });

  it("with what it fetches, in one line", () => {
    const from = step("1", "[1/4] FROM a", "running");
    assertEquals(
      frame([from, fetched("sha256:1", 5e6, 1e7)]).at(-1),
      "    sha256:1 5.0 MB of 10.0 MB",
    );
    assertEquals(
      frame([from, fetched("a", 5e6, 1e7), fetched("b", 10, 10), fetched("c", 0, 1e6)]).at(-1),
      "    5.0 MB of 11.0 MB, 1 of 3 parts",
    );
  });

  it("with a step that failed, and letters that are wide or nothing", () => {
    assertEquals(
      frame([
        step("1", `[1/2] RUN ${"模".repeat(30)}`, "running"),
        log("1", `a\tb ${"型".repeat(30)}\n`),
        step("2", "[2/2] RUN e\u0301", "failed"),
      ], { columns: 30 }),
      [
        "Building churn:latest (2.3s)",
        "• [1/2] RUN 模模模模模模… 2.3s",
        "    a    b 型型型型型型型型型…",
        "✗ [2/2] RUN e\u0301           failed",
      ],
    );
  });
});
