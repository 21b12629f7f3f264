import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Aws } from "../../../../runtime/aws/aws.ts";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import { endResult } from "../../../../runtime/cloud/jobs/end.ts";
import { followJob, States } from "../../../../runtime/cloud/jobs/follow.ts";
import { MlcliError } from "../../../../runtime/errors.ts";
import { type AccessKey, REGION, USER_KEY } from "../../../helpers/box/account.ts";
import { Box } from "../../../helpers/box/box.ts";
import { Refused } from "../../../helpers/box/service.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { fakeClock, fakeContext } from "../../../helpers/fake_context.ts";
import { openCloud } from "../../../helpers/in_process.ts";
import { addJob, COMPLETED } from "../../../helpers/jobs.ts";
import { it, suite } from "../../../helpers/suite.ts";

const GROUP = "/aws/sagemaker/TrainingJobs";
const ROLE = "arn:aws:iam::123456789012:role/ml";
const NAME = { kind: "train", name: "churn" } as const;

/** Results of following the log. */
function logIn(shown: readonly string[]): readonly string[] {
  return shown.filter((line) => line.startsWith(">"));
}

/**
 * Follows a job like the command that created it.
 *
 * @returns `shown`: in order the messages, the lines of the log after `> `, and those of the result after `= `.
 */
async function follow(aws: Aws) {
  const shown: string[] = [];
  const show = (text: string, prefix = ""): void => {
    for (const line of text.trimEnd().split("\n")) shown.push(prefix + line);
  };
  const clock = fakeClock();
  const context = fakeContext({ clock, onMessage: show, onOutput: (text) => show(text, "> ") });
  const waiting = { show() {}, during: <T>(_: () => string, work: Promise<T>) => work };
  const host = { ...context, waiting };
  const error = await followJob(NAME, aws, host, { logTo: context.out })
    .then((followed) => endResult(followed, aws, context.messages))
    .then(({ lines, failure }) => {
      for (const line of lines) show(line, "= ");
      return failure;
    }, (error) => {
      if (error instanceof MlcliError) return error;
      throw error;
    });
  return { shown, pauses: clock.pauses, error };
}

/** Follows a job of the box. */
async function followIn(box: Box, role?: string) {
  using cloud = await openCloud({ ...box.env(), AWS_MAX_ATTEMPTS: "1" }, { role });
  return await follow(cloud.aws);
}

/** A key that the box takes from now on. */
function issue(box: Box, id: string): AccessKey {
  const secret = `secret-of-nobody-00000000000000-${id}`;
  const key = { ...USER_KEY, id, secret, token: `t-${id}` };
  box.keys.set(id, key);
  return key;
}

/** The box takes the key no more. */
function expire(box: Box, id: string): void {
  box.keys.set(id, { ...box.keys.get(id)!, isExpired: true });
}

/** Calls `then` when the job is described for the so-manieth time. */
function atDescribe(box: Box, when: number, then: () => void | Promise<void>): void {
  let count = 0;
  box.faults.before = async ({ operation }) => {
    if (operation === "DescribeTrainingJob" && ++count === when) await then();
    return undefined;
  };
}

suite("followJob", () => {
  it("shows states and log as they come, and the result at the end", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [
      { status: "Starting", message: "Launching requested ML instances" },
      { status: "Training", log: ["epoch 1"] },
      { log: ["epoch 2"] },
      { status: "Uploading" },
      { end: { status: "Completed", billableTime: 60 } },
    ]);
    const { shown, error } = await followIn(box);
    assertEquals(error, undefined);
    assertEquals(shown, [
      "Starting: Starting the training job",
      "Starting: Launching requested ML instances",
      "> epoch 1",
      "Training: Training image download completed. Training in progress.",
      "> epoch 2",
      "Uploading: Uploading generated training model",
      "Completed: Training job completed",
      "Time: 1 min x 1 ml.m5.large billed",
      "= s3://data/output/churn/output/model.tar.gz",
    ]);
  });

  it("asks soon at first, often while lines come, and rarely while nothing happens", async () => {
    await using box = await Box.open();
    const quiet = Array.from({ length: 8 }, () => ({}));
    addJob(box, "churn", [...quiet, { log: ["one"] }, { log: ["two"] }, {}, ...COMPLETED]);
    const { pauses } = await followIn(box);
    assertEquals(pauses, [
      ...[250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000],
      // The line comes right after the round in which the job was described.
      ...[10_000, 2_000, 2_000, 4_000],
      // After the end.
      2_000,
    ]);
  });

  it("does not wait for the log of a job that ended long ago", async () => {
    await using box = await Box.open();
    const job = addJob(box, "churn", []);
    box.logs.put(GROUP, job.logStream("algo-1"), ["one"]);
    job.end({ status: "Completed", artifact: "s3://data/model.tar.gz", billableTime: 1 });
    job.endTime! -= 3_600;
    const { shown, pauses } = await followIn(box);
    assertEquals(pauses, []);
    assertEquals(shown.filter((line) => /^[>=]/.test(line)), ["> one", "= s3://data/model.tar.gz"]);
  });

  it("waits for lines that come late, until two rounds in a row bring none", async () => {
    await using box = await Box.open();
    const job = addJob(box, "churn", [...COMPLETED]);
    let rounds = 0;
    box.faults.before = ({ operation }) => {
      if (operation !== "DescribeLogStreams" || !job.hasEnded) return undefined;
      rounds++;
      if (rounds === 2 || rounds === 3) box.logs.put(GROUP, job.logStream("algo-1"), [`${rounds}`]);
      return undefined;
    };
    const { shown } = await followIn(box);
    assertEquals(logIn(shown), ["> 2", "> 3"]);
    assertEquals(rounds, 5);
  });

  it("followJob stops waiting for a log that never ends", async () => {
    await using box = await Box.open();
    const job = addJob(box, "churn", [...COMPLETED]);
    box.faults.before = ({ operation }) => {
      if (operation === "DescribeLogStreams") {
        box.logs.put(GROUP, job.logStream("algo-1"), ["more"]);
      }
      return undefined;
    };
    const { shown, error } = await followIn(box);
    assertEquals(error, undefined);
    assert(shown.filter((line) => line === "> more").length > 50);
    assert(shown.includes("note: The log might be incomplete: mlcli stopped waiting for the rest"));
  });

  it("followJob prints one note, and follows without the log, if it has no permission to read it", async () => {
    for (const action of ["logs:DescribeLogStreams", "logs:GetLogEvents"]) {
      await using box = await Box.open();
      addJob(box, "churn", [{ log: ["one"] }, {}, {}, ...COMPLETED]);
      box.faults.deny(action);
      const { shown, error } = await followIn(box);
      assertEquals(error, undefined);
      assertEquals(
        shown.filter((line) => line.includes("log")),
        [
          `note: Cannot show the log: AccessDeniedException: ${action}`,
          `hint: Add the permission ${action} to the user or role named above`,
        ],
      );
      assertEquals(shown.at(-1), "= s3://data/output/churn/output/model.tar.gz");
    }
  });

  it("followJob follows without a log that cannot be read for another reason", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [{ log: ["one"] }, {}, ...COMPLETED]);
    const refusal = new Refused("UnknownOperationException", "Not implemented here");
    box.faults.refuse("logs:*", refusal);
    const { shown, error } = await followIn(box);
    assertEquals(error, undefined);
    const notes = shown.filter((line) => line.includes("log"));
    assertEquals(notes.length, 1);
    assertMatch(
      notes[0]!,
      /^note: Cannot show the log: logs:DescribeLogStreams failed: Not implemented/,
    );
  });

  it("does not wait for ever for a log whose service fails", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [...COMPLETED]);
    box.faults.fail("logs:*", Infinity, 501);
    const { shown, pauses, error } = await followIn(box);
    assertEquals([error, shown.at(-1)?.slice(0, 2)], [undefined, "= "]);
    assert(pauses.length < 20, `${pauses.length} pauses`);
  });

  it("reads on by the time where a token is too old", async () => {
    await using box = await Box.open();
    const job = addJob(box, "churn", [{}, {}, {}, {}, ...COMPLETED]);
    const stream = job.logStream("algo-1");
    box.logs.put(GROUP, stream, [{ timestamp: 1_000, message: "one" }]);
    atDescribe(box, 3, () => {
      // Of the same millisecond, too.
      box.logs.put(GROUP, stream, [
        { timestamp: 1_000, message: "two" },
        { timestamp: 2_000, message: "three" },
      ]);
      const words = "The specified nextToken is invalid.";
      box.faults.refuse("logs:GetLogEvents", new Refused("InvalidParameterException", words), 1);
    });
    const { shown, error } = await followIn(box);
    assertEquals([error, logIn(shown)], [undefined, ["> one", "> two", "> three"]]);
  });

  it("does not show the log twice with a failure", async () => {
    await using box = await Box.open();
    const reason = "AlgorithmError: no such column, exit code: 1";
    const log = ["Traceback (most recent call last):", "KeyError"];
    addJob(box, "churn", [{ log }, { end: { status: "Failed", reason } }]);
    const { shown, error } = await followIn(box);
    assertEquals(logIn(shown), log.map((line) => `> ${line}`));
    assertEquals(error?.message, "Training job churn failed");
    assertEquals(error?.quote, reason);
    assertMatch(
      error!.hint!,
      /^The code itself failed\. .* The last log lines of the job are above$/,
    );
  });

  it("finds the cause in the log that it has shown", async () => {
    await using box = await Box.open();
    const reason = "ClientError: , exit code: 1";
    const log = ["exec /opt/mlcli/entrypoint: exec format error"];
    addJob(box, "churn", [{ log }, { end: { status: "Failed", reason } }]);
    const { error } = await followIn(box);
    assertMatch(error!.hint!, /^The image does not match the processor of the instance/);
  });

  it("followJob retries each request if connections break", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [{ log: ["one"] }, { log: ["two"] }, { log: ["three"] }, ...COMPLETED]);
    box.faults.closeConnections();
    let count = 0;
    box.faults.before = ({ service, operation }) => {
      if (++count % 3 === 0) box.faults.loseAnswer(`${service}:${operation}`);
      return undefined;
    };
    const { shown, error } = await followIn(box);
    assertEquals([error, logIn(shown)], [undefined, ["> one", "> two", "> three"]]);
    assert(shown.includes("note: AWS is responding again"));
  });
});

suite("followJob with credentials that end", () => {
  /** A role to act in, in a box that has one. */
  async function boxWithRole(): Promise<Box> {
    const box = await Box.open();
    box.roles.add(ROLE);
    addJob(box, "churn", [{ log: ["one"] }, {}, { log: ["two"] }, {}, ...COMPLETED]);
    return box;
  }
  const assumed = (box: Box): number =>
    box.operations.filter((name) => name === "sts:AssumeRole").length;

  it("assumes a role once for all services, as long as its session lasts", async () => {
    await using box = await boxWithRole();
    const { error } = await followIn(box, ROLE);
    assertEquals([error, assumed(box)], [undefined, 1]);
  });

  it("assumes it anew before the session ends", async () => {
    await using box = await boxWithRole();
    box.sts.sessionLasts = 60;
    atDescribe(box, 3, () => void (box.sts.sessionLasts = 3_600));
    const { shown, error } = await followIn(box, ROLE);
    assertEquals(error, undefined);
    assert(assumed(box) > 2);
    assertEquals(logIn(shown), ["> one", "> two"]);
  });

  it("assumes it anew where only the service knows that the session has ended", async () => {
    await using box = await boxWithRole();
    atDescribe(box, 3, () => expire(box, "ASIAROLEROLEROLE0001"));
    const { shown, error } = await followIn(box, ROLE);
    assertEquals([error, assumed(box)], [undefined, 2]);
    assertEquals(logIn(shown), ["> one", "> two"]);
  });

  it("reads a profile anew that another program has renewed meanwhile", async () => {
    await using box = await Box.open();
    addJob(box, "churn", [{ log: ["one"] }, {}, { log: ["two"] }, ...COMPLETED]);
    const profile = ({ id, secret, token }: AccessKey) =>
      `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n` +
      `aws_session_token = ${token}\n`;
    const first = issue(box, "ASIAFIRSTFIRSTFIRST1");
    await using home = await makeDirectory({ credentials: profile(first) });
    atDescribe(box, 3, async () => {
      expire(box, first.id);
      const second = profile(issue(box, "ASIASECONDSECONDSEC2"));
      await Deno.writeTextFile(`${home.path}/credentials`, second);
    });
    using cloud = await openCloud({
      AWS_ENDPOINT_URL: box.url,
      AWS_REGION: REGION,
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_SHARED_CREDENTIALS_FILE: `${home.path}/credentials`,
    });
    const { shown, error } = await follow(cloud.aws);
    assertEquals([error, logIn(shown)], [undefined, ["> one", "> two"]]);
  });

  it("says how to go on where they cannot be renewed, and asks no more", async () => {
    await using box = await Box.open();
    const job = addJob(box, "churn", [{}, {}, {}, {}, ...COMPLETED]);
    const key = issue(box, "ASIAFIRSTFIRSTFIRST1");
    let asked = 0;
    atDescribe(box, 3, () => {
      expire(box, key.id);
      asked = box.requests.length;
    });
    using cloud = await openCloud(box.env(key));
    const { error } = await follow(cloud.aws);
    assert(error instanceof AwsError && error.refusal === "credentials");
    assertEquals(error.message, "The AWS credentials have expired");
    assertMatch(
      error.hint!,
      /^Set new values for AWS_ACCESS_KEY_ID, .*\. The job keeps running\. .*mlcli wait churn\./,
    );
    // What was sent before may be answered still.
    assert(box.requests.length <= asked + 1);
    assertEquals(job.status, "InProgress");
  });

  it("says so where the role may not be assumed any more", async () => {
    await using box = await boxWithRole();
    atDescribe(box, 3, () => {
      expire(box, "ASIAROLEROLEROLE0001");
      box.roles.delete(ROLE);
    });
    const { error } = await followIn(box, ROLE);
    assertEquals(error?.message, `Cannot assume role ${ROLE}`);
    assertMatch(error!.hint!, /The job keeps running\./);
  });

  it("followJob waits if the network is down when the credentials must be renewed", async () => {
    await using box = await boxWithRole();
    atDescribe(box, 3, () => {
      expire(box, "ASIAROLEROLEROLE0001");
      box.faults.loseAnswer("sts:AssumeRole", 3);
    });
    const { shown, error } = await followIn(box, ROLE);
    assertEquals(error, undefined);
    const words = shown.filter((line) => /^note: (Cannot reach )?AWS /.test(line));
    assertEquals(words.length, 2, shown.join("\n"));
  });

  it("tells at once where there is no job", async () => {
    await using box = await Box.open();
    using cloud = await openCloud(box.env());
    const { error } = await follow(cloud.aws);
    assert(error instanceof AwsError && error.refusal === "not found");
  });
});

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
    const none = { secondaryStatus: undefined, transitions: [] };
    const processing = (status: string) => ({ status, ...none });
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
    const ended = training("Training: Image", "Uploading: Model", "Completed: Done");
    assertEquals(new States().changes(ended), {
      beforeItsLog: ["Training: Image"],
      afterItsLog: ["Uploading: Model", "Completed: Done"],
    });
    assertEquals(new States().changes(training("Training: Image", "Stopping: Asked")), {
      beforeItsLog: ["Training: Image", "Stopping: Asked"],
      afterItsLog: [],
    });
  });
});
