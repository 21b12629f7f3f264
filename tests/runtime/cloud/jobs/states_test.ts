import { assertEquals } from "@std/assert";
import { States } from "../../../../runtime/cloud/jobs/states.ts";
import { it, suite } from "../../../helpers/suite.ts";

const startTime = new Date(0);

function training(...steps: readonly string[]) {
  const transitions = steps.map((step) => {
    const [status = "", message = ""] = step.split(": ");
    return { status, message, startTime };
  });
  return { status: "InProgress", secondaryStatus: transitions.at(-1)?.status, transitions };
}

suite("States", () => {
  it("tells each step once, with the service's words", () => {
    const states = new States();
    assertEquals(states.changes(training("Starting: Launching")), ["Starting: Launching"]);
    assertEquals(states.changes(training("Starting: Launching")), []);
    assertEquals(
      states.changes(training("Starting: Launching", "Downloading: Data", "Training: Image")),
      ["Downloading: Data", "Training: Image"],
    );
  });

  it("tells words that change while a step lasts", () => {
    const states = new States();
    states.changes(training("Starting: Launching"));
    assertEquals(states.changes(training("Starting: Preparing")), ["Starting: Preparing"]);
    // As it ended, though it was left before anybody asked again.
    assertEquals(states.changes(training("Starting: Replacing", "Training: Image")), [
      "Starting: Replacing",
      "Training: Image",
    ]);
  });

  it("tells the status where there are no steps", () => {
    const states = new States();
    const processing = (status: string) => ({
      status,
      secondaryStatus: undefined,
      transitions: [],
    });
    assertEquals(states.changes(processing("InProgress")), ["InProgress"]);
    assertEquals(states.changes(processing("InProgress")), []);
    assertEquals(states.changes(processing("Failed")), ["Failed"]);
  });

  it("tells an end that has no step", () => {
    const states = new States();
    const job = training("Starting: Preparing");
    assertEquals(states.changes(job), ["Starting: Preparing"]);
    const ended = { ...job, status: "Completed", secondaryStatus: "Completed" };
    assertEquals(states.changes(ended), ["Completed"]);
    assertEquals(states.changes(ended), []);
  });

  it("tells it in a line that a terminal does not obey", () => {
    assertEquals(new States().changes(training("Starting: a\x1b[2J\nb")), ["Starting: a?[2J?b"]);
  });
});
