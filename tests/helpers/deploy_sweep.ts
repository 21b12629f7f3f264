/**
 * Ending a command line at each call that it makes, by what serves then, what exists then, and what the
 * same command makes of it.
 */

import { assert, assertEquals } from "@std/assert";
import { type Rows, STATUS, sweepCalls, type Swept } from "./call_sweep.ts";
import { LEAST, makeDeployApp, MODEL, SECOND, UPDATE } from "./deploy_app.ts";
import { assertAlone, assertWhole, deployed } from "./deployed.ts";
import { BUCKET, type JobApp } from "./job_app.ts";
import type { EndingSignal, Stopped } from "./stopped_call.ts";

const DELETE = ["delete-endpoint", "-n", "shop", "--delete-config", "--delete-model"];

export interface Scenario {
  readonly args: readonly string[];
  /** Makes what there is before; the platform is empty. */
  readonly begin: (job: JobApp) => Promise<void>;
  /** The models' addresses: what may serve, and what does in the end. Nothing: it is gone. */
  readonly served?: string;
  readonly serves?: string | ((job: JobApp) => string);
  /** What there is that mlcli did not make. */
  readonly others?: readonly string[];
  readonly count?: number;
}

async function ready(job: JobApp, args: readonly string[]): Promise<void> {
  const { code, stderr } = await job.run(args);
  assertEquals(code, 0, stderr);
}

async function created(job: JobApp): Promise<void> {
  await ready(job, LEAST);
}

/** The second configuration is in use. */
async function createdTwice(job: JobApp): Promise<void> {
  await created(job);
  await ready(job, ["deploy", "-n", "shop", "-e", "ml.c5.large", "-m", MODEL]);
}

async function createdByHand({ box: { endpoints }, image }: JobApp): Promise<void> {
  const container = { ModelDataUrl: MODEL };
  endpoints.add("shop", { configuration: "theirs", model: "their-model", image, container });
  await Promise.resolve();
}

async function scaled(job: JobApp): Promise<void> {
  await created(job);
  const [variant] = job.box.endpoints.endpoint("shop").variants;
  variant!.desiredCount = variant!.currentCount = 5;
}

/** What served before is left. */
async function updated(job: JobApp): Promise<void> {
  await created(job);
  await ready(job, [...UPDATE, "--no-wait"]);
  job.box.endpoints.endpoint("shop").settle();
}

/** A directory of this machine, whose archive is where its content says. */
async function trained({ app, box }: JobApp): Promise<void> {
  for (const key of box.s3.keys(BUCKET, SENT)) await box.s3.delete(BUCKET, key);
  await app.write(`${app.directory}/trained/model.txt`, "nine");
}

const SENT = "app/models/";

/** Where that archive lies: it is whole, or not there. */
function sentModel({ box }: JobApp): string {
  const [key, ...others] = box.s3.keys(BUCKET, SENT);
  assertEquals(others, [], "Several archives of one model");
  return `s3://${BUCKET}/${key}`;
}

const FROM_FIRST = { served: MODEL, serves: SECOND };
const BY_HAND = ["theirs", "their-model"];

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "creating an endpoint": { args: LEAST, begin: () => Promise.resolve(), serves: MODEL },
  "creating one with a model of this machine": {
    ...{ args: [...LEAST.slice(0, -1), "trained"], begin: trained, serves: sentModel },
  },
  "updating one": { args: UPDATE, begin: created, ...FROM_FIRST },
  "updating one with the other configuration": { args: UPDATE, begin: createdTwice, ...FROM_FIRST },
  "updating one that somebody else made": {
    ...{ args: UPDATE, begin: createdByHand, ...FROM_FIRST },
    others: BY_HAND,
  },
  "updating one that was scaled": { args: UPDATE, begin: scaled, ...FROM_FIRST, count: 5 },
  "updating one beside what another update has left": {
    ...{ args: [...UPDATE, "-e", "ml.m5.xlarge"], begin: updated },
    ...{ served: SECOND, serves: SECOND },
  },
  "deleting one": { args: DELETE, begin: created, served: MODEL },
  "deleting one, and waiting": { args: [...DELETE, "--wait"], begin: created, served: MODEL },
  "deleting one with what an update has left": { args: DELETE, begin: updated, served: SECOND },
};

async function begin(job: JobApp, scenario: Scenario): Promise<void> {
  const { models, configurations, endpoints } = job.box.endpoints;
  for (const map of [models, configurations, endpoints]) map.clear();
  await scenario.begin(job);
}

/** What serves, what exists, and what is said of it, right after the program ended. */
function check(
  job: JobApp,
  scenario: Scenario,
  signal: EndingSignal,
  stopped: Stopped,
  unusedBefore: readonly string[],
): void {
  const { endpoints } = job.box;
  const { code, stdout, stderr } = stopped;
  const endpoint = endpoints.endpoints.get("shop");
  assertEquals(code, STATUS[signal]);
  const isDeletion = scenario.serves === undefined;
  const isGoing = !endpoint || endpoint.status === "Deleting";
  // The name of what is deleted is printed once it is certain.
  if (isDeletion && isGoing) assert(["", "shop\n"].includes(stdout), stdout);
  else assertEquals(stdout, "");
  if (!(isDeletion && isGoing)) {
    if (scenario.served !== undefined) {
      assert(["InService", "Updating"].includes(endpoint!.status), endpoint!.status);
      const served = endpoint!.variants[0]!.model.container.ModelDataUrl;
      assert([scenario.served, wanted(job, scenario)].includes(served), `It serves ${served}`);
    }
    assertWhole(endpoints, "shop");
  }
  const { all, unused } = deployed(endpoints, "shop");
  assert(all.length <= 4 + (scenario.others?.length ?? 0), `There is ${all.join(", ")}`);
  if (signal === "SIGKILL") return;
  const left = isDeletion && isGoing ? all : unused.filter((one) => !unusedBefore.includes(one));
  for (const name of left) assert(isNamed(name, stderr), `${name} is left, and not named`);
  if (!isDeletion && scenario.served === undefined && endpoint) {
    assert(stderr.includes("mlcli delete-endpoint -n shop"), "It costs money, and nobody says so");
  }
}

/** The address of the model that is to serve. */
function wanted(job: JobApp, { serves }: Scenario): string | undefined {
  return typeof serves === "function" ? serves(job) : serves;
}

/** Returns whether a message or its hint says what to do about a part. */
function isNamed(name: string, text: string): boolean {
  const word = new RegExp(`(?<![\\w-])${name}(?![\\w-])`);
  return text.replaceAll("\nhint: ", " ").split("\n").some((line) =>
    word.test(line) && /aws sagemaker delete-|rerun the command|next mlcli deploy/.test(line)
  );
}

async function repeat(
  job: JobApp,
  scenario: Scenario,
  isOver: boolean,
): Promise<void> {
  const { args, others, count } = scenario;
  const { endpoints } = job.box;
  // If the deletion continues, it might have ended, or not.
  const endpoint = endpoints.endpoints.get("shop");
  if (endpoint?.status === "Deleting" && isOver) endpoint.settle();
  const wasThere = endpoints.endpoints.has("shop") || deployed(endpoints, "shop").all.length > 0;
  const { code, stdout, stderr } = await job.run(args);
  const serves = wanted(job, scenario);
  if (serves === undefined) {
    // Nothing is there to delete any more: that is said.
    assertEquals(code, wasThere ? 0 : 1, `repeated: ${stderr}`);
    assertEquals(stdout, wasThere ? "shop\n" : "");
    assertEquals(deployed(endpoints, "shop").all, []);
    assert([undefined, "Deleting"].includes(endpoints.endpoints.get("shop")?.status));
    return;
  }
  assertEquals([code, stdout], [0, "shop\n"], `repeated: ${stderr}`);
  assertAlone(endpoints, "shop", { serves, others });
  const [variant] = endpoints.endpoint("shop").variants;
  assertEquals(variant!.desiredCount, count ?? 1);
}

/** Ends the scenario's command line at each of its calls; `rows` says how. */
export async function sweep(
  scenario: Scenario,
  rows: (job: JobApp) => Rows,
): Promise<void> {
  await using job = await makeDeployApp();
  const { box } = job;
  let unusedBefore: readonly string[] = [];
  const swept: Swept = {
    box,
    async begin() {
      await begin(job, scenario);
      unusedBefore = deployed(box.endpoints, "shop").unused;
    },
    async whole() {
      const { code, stdout, stderr } = await job.run(scenario.args);
      assertEquals([code, stdout], [0, "shop\n"], stderr);
    },
    check: (signal, stopped) => check(job, scenario, signal, stopped, unusedBefore),
    repeat: (count) => repeat(job, scenario, count % 2 === 0),
  };
  await sweepCalls(swept, rows(job));
}
