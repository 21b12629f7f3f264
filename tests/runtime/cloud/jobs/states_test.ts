import { assertEquals } from "@std/assert";
import { States } from "../../../../runtime/cloud/jobs/follow.ts";
import { it, suite } from "../../../helpers/suite.ts";

const startTime = new Date(0);

function training(...steps: readonly string[]) {
  const transitions = steps.map((step) => {
    const [status = "", message = ""] = step.split(": ");
    return { status, message, startTime };
  });
  return { status: "InProgress", secondaryStatus: transitions.at(-1)?.status, transitions };
}

/** All that has changed, before the log and after it. */
function told(states: States, job: Parameters<States["changes"]>[0]): readonly string[] {
  const { beforeItsLog, afterItsLog } = states.changes(job);
  return [...beforeItsLog, ...afterItsLog];
}

suite("States", () => {
  it("tells each step once, with the service's words", () => {
    const states = new States();
    assertEquals(told(states, training("Starting: Launching")), ["Starting: Launching"]);
    assertEquals(told(states, training("Starting: Launching")), []);
    assertEquals(
      told(states, training("Starting: Launching", "Downloading: Data", "Training: Image")),
      ["Downloading: Data", "Training: Image"],
    );
  });

  it("tells words that change while a step lasts", () => {
    const states = new States();
    told(states, training("Starting: Launching"));
    assertEquals(told(states, training("Starting: Preparing")), ["Starting: Preparing"]);
    // As it ended, though it was left before anybody asked again.
    assertEquals(told(states, training("Starting: Replacing", "Training: Image")), [
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
    assertEquals(told(states, processing("InProgress")), ["InProgress"]);
    assertEquals(told(states, processing("InProgress")), []);
    assertEquals(told(states, processing("Failed")), ["Failed"]);
  });

  it("tells an end that has no step", () => {
    const states = new States();
    const job = training("Starting: Preparing");
    assertEquals(told(states, job), ["Starting: Preparing"]);
    const ended = { ...job, status: "Completed", secondaryStatus: "Completed" };
    assertEquals(told(states, ended), ["Completed"]);
    assertEquals(told(states, ended), []);
  });

  it("tells it in a line that a terminal does not obey", () => {
    assertEquals(told(new States(), training("Starting: a\x1b[2J\nb")), ["Starting: a?[2J?b"]);
  });

  it("stand around the log: what comes when the code has ended is told after it", () => {
    assertEquals(
      new States().changes(training("Training: Image", "Uploading: Model", "Completed: Done")),
      {
        beforeItsLog: ["Training: Image"],
        afterItsLog: ["Uploading: Model", "Completed: Done"],
      },
    );
    assertEquals(new States().changes(training("Training: Image", "Stopping: Asked")), {
      beforeItsLog: ["Training: Image", "Stopping: Asked"],
      afterItsLog: [],
    });
  });
});
