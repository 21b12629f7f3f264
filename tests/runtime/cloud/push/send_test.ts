import { assertEquals } from "@std/assert";
import { Layers } from "../../../../runtime/cloud/push/send.ts";
import type { ProgressMessage } from "../../../../runtime/docker/messages.ts";
import { it, suite } from "../../../helpers/suite.ts";

function pushing(id: string, current: number, total?: number): ProgressMessage {
  return { id, status: "Pushing", progressDetail: { current, ...(total ? { total } : {}) } };
}

/** What messages make, and which of them are worth a line. */
function after(...messages: readonly ProgressMessage[]) {
  const layers = new Layers();
  const events = messages.map((message) => layers.add(message)).filter((event) => event);
  return { ...layers.progress, events: events.map((event) => `${event!.id} ${event!.status}`) };
}

suite("layers that are pushed", () => {
  for (
    const [what, messages, expected] of [
      ["nothing yet", [], { sent: 0, total: 0, done: 0, layers: 0, sending: [], events: [] }],
      ["what is about no layer", [{ status: "The push refers to ..." }, { id: "a" }], {
        ...{ sent: 0, total: 0, done: 0, layers: 0, sending: [], events: [] },
      }],
      ["what has begun", [
        { id: "a", status: "Preparing" },
        { id: "b", status: "Preparing" },
        { id: "b", status: "Waiting" },
        pushing("a", 3, 10),
        pushing("b", 20, 100),
        pushing("a", 7, 10),
      ], {
        ...{ sent: 27, total: 110, done: 0, layers: 2, events: [] },
        sending: [{ id: "a", sent: 7, total: 10 }, { id: "b", sent: 20, total: 100 }],
      }],
      // (The engine leaves the total out at the end.)
      ["more than there is", [pushing("a", 9, 10), pushing("a", 12)], {
        ...{ sent: 10, total: 10, done: 0, layers: 1, events: [] },
        sending: [{ id: "a", sent: 10, total: 10 }],
      }],
      ["what is done", [
        pushing("a", 9, 10),
        { id: "a", status: "Pushed" },
        { id: "a", status: "Pushed" },
        { id: "b", status: "Layer already exists" },
        { id: "c", status: "Mounted from team/other" },
        pushing("d", 1, 5),
      ], {
        ...{ sent: 11, total: 15, done: 3, layers: 4 },
        sending: [{ id: "d", sent: 1, total: 5 }],
        events: ["a Pushed", "b Layer already exists", "c Mounted from team/other"],
      }],
      ["what is tried again, said once each time", [
        pushing("a", 9, 10),
        { id: "a", status: "Retrying in 2 seconds" },
        { id: "a", status: "Retrying in 1 second" },
        pushing("a", 1, 10),
        { id: "a", status: "Retrying in 5 seconds" },
      ], {
        ...{ sent: 1, total: 10, done: 0, layers: 1, sending: [] },
        events: ["a Retrying in 2 seconds", "a Retrying in 5 seconds"],
      }],
    ] as const
  ) {
    it(what, () => assertEquals(after(...messages), expected as never));
  }
});
