import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { assertEquals, assertThrows } from "@std/assert";
import { failureOf, type ProgressMessage, traceIn } from "../../../runtime/docker/messages.ts";
import { BrokenEngine } from "../../../runtime/docker/errors.ts";
import type { BuildEvent } from "../../../runtime/image/build_events.ts";
import { BuildkitOutput } from "../../../runtime/image/buildkit_output.ts";
import { it, suite } from "../../helpers/suite.ts";

type Field = string | number | Uint8Array | readonly Fields[];
/** A message: values by the numbers of their fields. */
interface Fields {
  readonly [field: number]: Field;
}

function written(fields: Fields, writer = new BinaryWriter()): BinaryWriter {
  for (const [key, value] of Object.entries(fields)) {
    const field = Number(key);
    if (typeof value === "number") writer.tag(field, WireType.Varint).int64(value);
    else if (typeof value === "string") writer.tag(field, WireType.LengthDelimited).string(value);
    else if (value instanceof Uint8Array) {
      writer.tag(field, WireType.LengthDelimited).bytes(value);
    } else {
      for (const message of value) {
        written(message, writer.tag(field, WireType.LengthDelimited).fork()).join();
      }
    }
  }
  return writer;
}

/** The events of these traces, of which each is a `StatusResponse`. */
function eventsOf(...traces: readonly Fields[]): readonly BuildEvent[] {
  const events: BuildEvent[] = [];
  const output = new BuildkitOutput((event) => void events.push(event));
  for (const trace of traces) output.add(written(trace).finish().toBase64());
  return events;
}

/** A time, at which a second has gone by for each. */
const at = (seconds: number): readonly Fields[] => [{ 1: seconds, 2: 500_000_000 }];

const RUN = { 1: "sha256:1", 3: "[stage-0 2/2] RUN make", 5: at(1) };
const RUNNING: BuildEvent = {
  ...{ kind: "step", id: "sha256:1", name: "[2/2] RUN make", state: "running" },
  started: 1500,
};

suite("BuildKit's trace", () => {
  type Row = readonly [
    title: string,
    traces: readonly Fields[],
    events: readonly BuildEvent[],
  ];
  const rows: readonly Row[] = [
    ["nothing where nothing is said", [{}], []],
    ["nothing of a step that waits", [{ 1: [{ 1: "sha256:1", 3: "[1/2] FROM x" }] }], []],
    ["a step once, however often it comes", [{ 1: [RUN] }, { 1: [RUN, RUN] }], [RUNNING]],
    ["when it is done", [{ 1: [RUN] }, { 1: [{ ...RUN, 6: at(3) }] }], [
      RUNNING,
      { ...RUNNING, state: "done", ended: 3500 } as BuildEvent,
    ]],
    ["that it was in the cache", [{ 1: [{ ...RUN, 4: 1, 6: at(1) }] }], [
      { ...RUNNING, state: "cached", ended: 1500 } as BuildEvent,
    ]],
    ["that it failed", [{ 1: [{ ...RUN, 6: at(2), 7: "exit\u202e 9" }] }], [
      { ...RUNNING, state: "failed", ended: 2500, error: "exit? 9" } as BuildEvent,
    ]],
    ["nothing of a step that another one's failure ends", [
      { 1: [{ ...RUN, 6: at(2), 7: "executor failed: context canceled" }] },
    ], []],
    ["nothing of BuildKit's own steps", [
      {
        1: [
          { 1: "sha256:2", 3: "[internal] load remote build context", 5: at(1) },
          { 1: "sha256:3", 3: "copy /context /", 5: at(1) },
          { 1: "sha256:4", 3: "[internal] load metadata for x", 5: at(1), 6: at(1) },
        ],
      },
    ], []],
    ["that one of them takes long", [
      { 1: [{ 1: "sha256:4", 3: "[internal] load metadata for x", 5: at(1) }] },
      { 1: [{ 1: "sha256:4", 3: "[internal] load metadata for x", 5: at(1), 6: at(2) }] },
    ], [
      {
        ...{ kind: "step", id: "sha256:4", name: "load metadata for x", state: "running" },
        started: 1500,
      },
      {
        ...{ kind: "step", id: "sha256:4", name: "load metadata for x", state: "done" },
        ...{ started: 1500, ended: 2500 },
      },
    ]],
    ["that one of them fails", [
      { 1: [{ 1: "sha256:3", 3: "copy /context /", 5: at(1), 6: at(1), 7: "no room" }] },
    ], [
      {
        ...{ kind: "step", id: "sha256:3", name: "copy /context /", state: "failed" },
        ...{ started: 1500, ended: 1500, error: "no room" },
      },
    ]],
    ["names in a line, fit for a terminal", [
      { 1: [{ 1: "a", 3: "[2/2] RUN \x1b[2J\nx", 5: at(1) }] },
    ], [
      {
        ...{ kind: "step", id: "a", name: "[2/2] RUN ?[2J?x", state: "running" },
        started: 1500,
      },
    ]],
    ["what a step writes, letters that are cut in two included", [
      { 1: [RUN] },
      {
        3: [
          { 1: "sha256:1", 3: 1, 4: new Uint8Array([0x67, 0x72, 0xc3]) },
          { 1: "sha256:1", 3: 2, 4: new TextEncoder().encode("\x1b[31moh\x1b[0m\n") },
          { 1: "sha256:1", 3: 1, 4: new Uint8Array([0xbc, 0x0a]) },
          { 1: "sha256:9", 3: 1, 4: new TextEncoder().encode("nobody's\n") },
        ],
      },
    ], [
      RUNNING,
      { kind: "log", id: "sha256:1", text: "gr" },
      { kind: "log", id: "sha256:1", text: "\x1b[31moh\x1b[0m\n" },
      { kind: "log", id: "sha256:1", text: "ü\n" },
    ]],
    ["what a step fetches", [
      { 1: [RUN] },
      {
        2: [
          { 1: "sha256:aa", 2: "sha256:1", 3: "downloading", 4: 5_000_000_000, 5: 6_000_000_000 },
          { 1: "exporting layers", 2: "sha256:1", 8: at(2) },
          { 1: "sha256:bb", 2: "sha256:9" },
        ],
      },
    ], [
      RUNNING,
      {
        ...{ kind: "transfer", step: "sha256:1", id: "sha256:aa", isDone: false },
        ...{ name: "sha256:aa downloading", current: 5_000_000_000, total: 6_000_000_000 },
      },
      {
        ...{ kind: "transfer", step: "sha256:1", id: "exporting layers", isDone: true },
        ...{ name: "exporting layers", current: 0 },
      },
    ]],
    ["warnings, but for the argument that mlcli gives", [
      {
        4: [
          { 1: "sha256:1", 2: 1, 3: "FromAsCasing: 'as' and 'FROM' differ (line 2)" },
          {
            1: "sha256:1",
            3: "InvalidDefaultArgInFrom: Default value for ARG ${BASE_IMAGE} results in empty or " +
              "invalid base image name (line 5)",
          },
        ],
      },
    ], [{ kind: "warning", text: "FromAsCasing: 'as' and 'FROM' differ (line 2)" }]],
    ["what it knows, and skips what BuildKit may add", [
      { 1: [{ ...RUN, 8: "a group", 77: 1 }], 9: "new" },
    ], [RUNNING]],
  ];
  for (const [title, traces, events] of rows) {
    it(`tells ${title}`, () => assertEquals(eventsOf(...traces), events));
  }

  for (const [title, base64] of [["no base64", "?"], ["cut off", "Cm8K"]] as const) {
    it(`that is ${title} is an error of the engine`, () => {
      assertThrows(() => new BuildkitOutput(() => {}).add(base64), BrokenEngine);
    });
  }
});

suite("what Docker 20.10.24 said", () => {
  it("is told", async () => {
    const recorded = new URL("recorded/buildkit_20.10.24.jsonl", import.meta.url);
    const lines = (await Deno.readTextFile(recorded)).trimEnd().split("\n");
    const messages = lines.map((line) => JSON.parse(line) as ProgressMessage);
    const events: string[] = [];
    const output = new BuildkitOutput((event) => {
      if (event.kind === "log") events.push(`> ${event.text}`);
      else if (event.kind === "step") {
        const took = event.ended && event.started && Math.round(event.ended - event.started);
        const end = event.state === "failed" ? `: ${event.error}` : "";
        events.push(
          `${event.name}: ${event.state}${took === undefined ? "" : ` ${took} ms`}${end}`,
        );
      } else events.push(event.kind);
    });
    const failures: string[] = [];
    for (const message of messages) {
      const trace = traceIn(message);
      if (trace !== undefined) output.add(trace);
      failures.push(...[failureOf(message)].filter((failure) => failure !== undefined));
    }
    const FAILURE = "executor failed running [/bin/sh -c exit 9]: exit code: 9";
    assertEquals(failures, [FAILURE]);
    assertEquals(events, [
      // In parts: the source names no registry from which anybody would get mlcli.
      `[base 1/2] FROM ${["docker.io", "library", "mlcli-python"].join("/")}:bookworm: cached 0 ms`,
      "[base 2/2] COPY a /a: running",
      "[base 2/2] COPY a /a: done 25 ms",
      "[other 1/1] RUN echo other: running",
      "[stage-2 1/3] RUN --mount=type=cache,target=/x echo grüß dich; echo oh >&2: running",
      "> grüß dich\n",
      "> oh\n",
      "[stage-2 1/3] RUN --mount=type=cache,target=/x echo grüß dich; echo oh >&2: done 449 ms",
      "> other\n",
      "[other 1/1] RUN echo other: done 486 ms",
      "[stage-2 2/3] COPY --from=other /a /b: running",
      "[stage-2 2/3] COPY --from=other /a /b: done 29 ms",
      "[stage-2 3/3] RUN exit 9: running",
      `[stage-2 3/3] RUN exit 9: failed 254 ms: ${FAILURE}`,
    ]);
  });

  it("is read in one go, however much of it comes at once", () => {
    // Where each piece copied those before it, this took minutes.
    const logs = Array.from({ length: 100_000 }, () => ({ 1: "sha256:1", 3: 1, 4: "x" }));
    assertEquals(eventsOf({ 1: [RUN] }, { 3: logs }).length, 100_001);
  });
});
