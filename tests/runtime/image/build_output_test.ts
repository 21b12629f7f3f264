import { assertEquals } from "@std/assert";
import type { ProgressMessage } from "../../../runtime/docker/messages.ts";
import type { BuildEvent } from "../../../runtime/image/build_events.ts";
import { ClassicOutput } from "../../../runtime/image/build_output.ts";
import { it, suite } from "../../helpers/suite.ts";

/** The events of these messages, at the times 1, 2, 3, ... */
function eventsOf(messages: readonly ProgressMessage[], error?: string): readonly BuildEvent[] {
  const events: BuildEvent[] = [];
  let time = 0;
  const output = new ClassicOutput((event) => void events.push(event), {
    now: () => ++time,
  });
  for (const message of messages) output.add(message);
  output.end(error);
  return events;
}

function step(
  id: string,
  name: string,
  state: "running" | "done" | "cached" | "failed",
  times: { readonly started: number; readonly ended?: number; readonly error?: string },
): BuildEvent {
  return { kind: "step", id, name, state, ...times };
}

const FROM = { stream: "Step 1/2 : FROM x" };

suite("the classic builder's output", () => {
  type Row = readonly [
    title: string,
    messages: readonly ProgressMessage[],
    events: readonly BuildEvent[],
    error?: string,
  ];
  const rows: readonly Row[] = [
    ["nothing where nothing is said", [], []],
    [
      "steps with what they write, without the builder's own words",
      [
        FROM,
        { stream: "\n" },
        { stream: " ---> a0a0160845bb\n" },
        { stream: "Step 2/2 : RUN make" },
        { stream: "\n" },
        { stream: " ---> Running in 0123456789ab\n" },
        { stream: " ---> fine\n" },
        { stream: "\x1b[91mwarning\n\x1b[0m" },
        { stream: "Removing intermediate container 0123456789ab\n" },
        { stream: " ---> 111111111111\n" },
        { aux: { ID: "sha256:1" } },
        { stream: "Successfully built 111111111111\n" },
        { stream: "Successfully tagged x:latest\n" },
      ],
      [
        step("1/2", "[1/2] FROM x", "running", { started: 1 }),
        step("1/2", "[1/2] FROM x", "done", { started: 1, ended: 2 }),
        step("2/2", "[2/2] RUN make", "running", { started: 3 }),
        { kind: "log", id: "2/2", text: " ---> fine\n" },
        { kind: "log", id: "2/2", text: "warning\n" },
        step("2/2", "[2/2] RUN make", "done", { started: 3, ended: 4 }),
      ],
    ],
    [
      "what was in the cache",
      [FROM, { stream: "\n" }, { stream: " ---> Using cache\n" }],
      [
        step("1/2", "[1/2] FROM x", "running", { started: 1 }),
        step("1/2", "[1/2] FROM x", "cached", { started: 1, ended: 2 }),
      ],
    ],
    [
      "the step that fails",
      [FROM],
      [
        step("1/2", "[1/2] FROM x", "running", { started: 1 }),
        step("1/2", "[1/2] FROM x", "failed", { started: 1, ended: 2, error: "exit?1" }),
      ],
      "exit\u202e1",
    ],
    [
      "what is pulled",
      [
        FROM,
        { status: "Pulling from library/x", id: "1" },
        { status: "Downloading", id: "aa", progressDetail: { current: 1, total: 2 } },
        { status: "Downloading", id: "aa", progressDetail: { current: 2, total: 2 } },
        { status: "Pull complete", id: "aa", progressDetail: {} },
      ],
      [
        step("1/2", "[1/2] FROM x", "running", { started: 1 }),
        { kind: "log", id: "1/2", text: "1: Pulling from library/x\n" },
        {
          ...{ kind: "transfer", step: "1/2", id: "aa", name: "Downloading" },
          ...{ current: 1, total: 2, isDone: false },
        },
        {
          ...{ kind: "transfer", step: "1/2", id: "aa", name: "Downloading" },
          ...{ current: 2, total: 2, isDone: true },
        },
        { kind: "log", id: "1/2", text: "aa: Pull complete\n" },
        step("1/2", "[1/2] FROM x", "done", { started: 1, ended: 2 }),
      ],
    ],
    [
      "a step's name in one line, fit for a terminal",
      [{ stream: "Step 1/1 : RUN \x1b[31mx\ty" }],
      [
        step("1/1", "[1/1] RUN ?[31mx?y", "running", { started: 1 }),
        step("1/1", "[1/1] RUN ?[31mx?y", "done", { started: 1, ended: 2 }),
      ],
    ],
    [
      "text before the first step",
      [{ stream: "hello\n" }],
      [
        step("build", "Building", "running", { started: 1 }),
        { kind: "log", id: "build", text: "hello\n" },
        step("build", "Building", "done", { started: 1, ended: 2 }),
      ],
    ],
    [
      "Podman's, with the stage where there are several",
      [
        { stream: "[2/2] STEP 1/2: FROM x\nhello\n" },
        { stream: "--> Using cache 2f1e\n" },
        { stream: "STEP 2/2: RUN y\n" },
        { stream: "--> d997fba2d4c\n" },
      ],
      [
        step("2 1/2", "[2 1/2] FROM x", "running", { started: 1 }),
        { kind: "log", id: "2 1/2", text: "hello\n" },
        step("2 1/2", "[2 1/2] FROM x", "cached", { started: 1, ended: 2 }),
        step("2/2", "[2/2] RUN y", "running", { started: 3 }),
        step("2/2", "[2/2] RUN y", "done", { started: 3, ended: 4 }),
      ],
    ],
  ];
  for (const [title, messages, events, error] of rows) {
    it(`tells ${title}`, () => assertEquals(eventsOf(messages, error), events));
  }
});
