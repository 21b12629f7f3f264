/**
 * The commands that start a job, and those that ask about one or an endpoint, to be cut off.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { JobStep } from "../box/jobs/job_store.ts";
import { BUCKET, type JobApp, makeJobApp } from "../job_app.ts";
import { addJob } from "../jobs.ts";
import type { Stopped } from "../stopped_call.ts";
import type { Cut, Scene } from "./scene.ts";

const TRAIN = ["train", "-i", `s3://${BUCKET}/app/data`, "-e", "ml.m5.large"];
const PROCESS = [
  ...["process", "-f", "p.py", "-e", "ml.m5.large"],
  ...["--input-s3-location", `s3://${BUCKET}/app/data`],
];

/** Command lines that start a job. Whichever kind it is, it is followed in the same way. */
export const STARTS: Readonly<Record<string, readonly string[]>> = {
  "train": TRAIN,
  "train --no-wait": [...TRAIN, "--no-wait"],
  "process --no-wait": [...PROCESS, "--no-wait"],
};

/** A command line that starts a job: one that is there has been named. */
export async function starting(args: readonly string[]): Promise<Scene> {
  const job = await makeJobApp();
  const { box, app } = job;
  return {
    box,
    cwd: app.directory,
    args,
    begin() {
      box.jobs.all.length = 0;
      return Promise.resolve();
    },
    check(_cut: Cut, { code, stdout, stderr }: Stopped) {
      for (const { name } of box.jobs.all) {
        assert(stderr.includes(name), `The job ${name} costs money, and nobody knows of it`);
      }
      if (code !== 0) assertEquals(stdout, "");
      assert(box.jobs.all.length <= 1, "It started several");
      box.jobs.all.length = 0;
    },
    complete({ stdout, stderr }) {
      const [{ name } = { name: "none" }, ...others] = box.jobs.all;
      assertEquals(others, []);
      assert(stdout.includes(name), stdout);
      assert(stderr.includes(name), stderr);
    },
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}

/** A training in the middle. */
const STEPS: readonly JobStep[] = [
  { status: "Training", log: ["one", "two"] },
  { log: ["three"], end: { status: "Completed" } },
];

/** All that it prints. */
const LOG = "one\ntwo\nthree\n";

/** Command lines that ask; what they print in the end. */
export const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  "wait": ["wait", "churn-1"],
  "logs": ["logs", "churn-1"],
  "logs --follow": ["logs", "churn-1", "--follow"],
  "describe": ["describe", "churn-1"],
  "stop-job": ["stop-job", "churn-1"],
  "list-jobs": ["list-jobs", "--output", "json"],
  "list-endpoints": ["list-endpoints"],
  "describe of an endpoint": ["describe", "shop"],
  "wait for an endpoint": ["wait", "shop"],
};

/** A command line that asks: what it prints is what is so, or the beginning of that. */
export async function asking(args: readonly string[]): Promise<Scene> {
  const job: JobApp = await makeJobApp();
  const { box, app } = job;
  return {
    box,
    cwd: app.directory,
    args,
    asksAtOnce: true,
    begin() {
      box.jobs.all.length = 0;
      box.logs.clear();
      box.endpoints.endpoints.clear();
      box.endpoints.configurations.clear();
      box.endpoints.models.clear();
      addJob(box, "churn-1", STEPS);
      box.endpoints.add("shop");
      return Promise.resolve();
    },
    check(_cut: Cut, { code, stdout }: Stopped) {
      if (args[0] === "logs") assert(LOG.startsWith(stdout), stdout);
      else if (code !== 0) assertEquals(stdout, "");
    },
    complete({ stdout }) {
      assert(stdout !== "", "It prints nothing");
      if (args[0] === "logs") assert(LOG.startsWith(stdout), stdout);
      if (args.includes("--follow")) assertEquals(stdout, LOG);
    },
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}
