import { assert, assertEquals } from "@std/assert";
import type { EndpointStep } from "../../../helpers/box/endpoints/endpoint_store.ts";
import { LEAST, makeDeployApp, MODEL, SECOND, UPDATE } from "../../../helpers/deploy_app.ts";
import { Keys } from "../../../helpers/in_process.ts";
import type { JobApp } from "../../../helpers/job_app.ts";
import { type Fault, lastsAMoment, plant } from "../../../helpers/planted_fault.ts";
import type { ProgramResult } from "../../../helpers/program.ts";
import { it, suite } from "../../../helpers/suite.ts";
import { isInSample } from "../../../helpers/sweep.ts";

/** What goes wrong at one call. */
const FAULTS = [
  "fails for a moment",
  "fails",
  "is denied",
  "loses its request",
  "loses its answer for a moment",
  "loses its answer",
  "is interrupted",
  "is interrupted when done",
] as const satisfies readonly Fault[];

/** What is swept. */
interface Scenario {
  readonly args: readonly string[];
  /** What is deployed before. */
  readonly before: readonly string[] | undefined;
  /** How the endpoint goes on. */
  readonly script?: readonly EndpointStep[];
  readonly code: number;
  /** What it serves in the end. */
  readonly serves: string;
}

const REASON = "The primary container did not pass the ping health check.";
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  create: { args: LEAST, before: undefined, code: 0, serves: MODEL },
  update: { args: UPDATE, before: LEAST, code: 0, serves: SECOND },
  "an update that is rolled back": {
    args: UPDATE,
    before: LEAST,
    script: [{ status: "RollingBack", log: ["no model"] }, { rollback: true, reason: REASON }],
    code: 1,
    serves: SECOND,
  },
  "an endpoint that fails": {
    args: LEAST,
    before: undefined,
    script: [{ log: ["no model"] }, { end: "Failed", reason: REASON }],
    code: 1,
    serves: MODEL,
  },
};

/** Where the SDK asks once, Deno may still send a request again whose connection ended. */
const ATTEMPTS: Partial<Record<Fault, number>> = {
  fails: 1,
  "loses its request": 2,
  "loses its answer": 2,
};

/** Names of what there is, and of what of it the endpoint serves or is about to. */
function things({ box: { endpoints } }: JobApp) {
  const endpoint = endpoints.endpoints.get("shop");
  const used = new Set<string>();
  for (const deployment of [endpoint?.current, endpoint?.pending]) {
    if (!deployment) continue;
    used.add(deployment.configuration.name);
    for (const { model } of deployment.variants) used.add(model.name);
  }
  return { all: [...endpoints.models.keys(), ...endpoints.configurations.keys()], used };
}

function check(job: JobApp, scenario: Scenario, { code, stdout, stderr }: ProgramResult): void {
  const { box: { endpoints } } = job;
  const endpoint = endpoints.endpoints.get("shop");
  const { all, used } = things(job);
  if (scenario.before) {
    // What served still serves, or what was asked for does.
    assert(["InService", "Updating", "RollingBack"].includes(endpoint?.status ?? "gone"));
  }
  // What serves, or is about to, is whole.
  if (endpoint?.status !== "Deleting") {
    for (const name of used) assert(all.includes(name), `${name} is deleted under the endpoint`);
  }
  // What is not needed is named, and not only as something that was created.
  const end = stderr.split("\n").filter((line) => !line.startsWith("Created ")).join("\n");
  for (const name of all) {
    const isNamed = new RegExp(`-name ${name}(?![\\w-])`).test(end);
    const isNeeded = used.has(name) && endpoint?.status !== "Failed";
    assert(isNeeded || isNamed || ALL.test(end), `${name} is left, and not named`);
  }
  // An endpoint costs money: whoever has made it knows how it ends.
  const isThere = endpoint !== undefined && endpoint.status !== "Deleting";
  if (isThere && !scenario.before) assert(ALL.test(end), "not told how to delete the endpoint");
  assertEquals(stdout, code === 0 ? "shop\n" : "");
  assert(!stderr.includes("defect"));
}

/** Deletes all. */
const ALL = /mlcli delete-endpoint -n shop --delete-config --delete-model/;

/** What a user does then: the same command again, and what it says is to be done before. */
async function repeat(job: JobApp, { args, serves, script }: Scenario): Promise<void> {
  let result = await job.run(args);
  // Where the fault came before it went on as written, it only does so now.
  for (let again = 0; script && result.code !== 0 && again < 3; again++) {
    if (result.stderr.includes("can only be deleted")) {
      const command = ALL.exec(result.stderr)![0].split(" ").slice(1);
      assertEquals((await job.run([...command, "--wait"])).code, 0);
    }
    result = await job.run(args);
  }
  assertEquals([result.code, result.stdout], [0, "shop\n"], `repeated: ${result.stderr}`);
  const { all, used } = things(job);
  assertEquals(all.toSorted(), [...used].toSorted(), "repeated, there is more than it serves");
  const endpoint = job.box.endpoints.endpoint("shop");
  assertEquals(endpoint.status, "InService");
  assertEquals(endpoint.current.variants[0]!.model.container.ModelDataUrl, serves);
}

/** Nothing is there but what was before. */
async function begin(job: JobApp, { before, script }: Scenario): Promise<void> {
  const { models, configurations, endpoints } = job.box.endpoints;
  for (const map of [models, configurations, endpoints]) map.clear();
  if (before) assertEquals((await job.run(before)).code, 0);
  if (script) job.box.endpoints.script("shop", script);
}

suite("deploy, where something goes wrong", () => {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    it(`leaves nothing that nobody knows of: each call of ${name}`, async () => {
      await using job = await makeDeployApp();
      await begin(job, scenario);
      job.box.requests.length = 0;
      const clean = await job.run(scenario.args);
      assertEquals(clean.code, scenario.code, clean.stderr);
      check(job, scenario, clean);
      const calls = [...job.box.operations];
      // What comes before is swept where it goes well.
      const first = scenario.script
        ? calls.findIndex((call) => /(Create|Update)Endpoint$/.test(call))
        : 0;
      for (const [at, call] of calls.entries()) {
        if (at < first) continue;
        for (const [kind, fault] of FAULTS.entries()) {
          if (!isInSample(at * FAULTS.length + kind + at)) continue;
          await begin(job, scenario);
          const keys = new Keys();
          job.box.requests.length = 0;
          const heal = plant(job.box, fault, at, keys, ATTEMPTS[fault]);
          const result = await job.run(scenario.args, {
            keys,
            env: lastsAMoment(fault) ? {} : { AWS_MAX_ATTEMPTS: "1" },
          });
          heal();
          const asked = job.box.operations.join("\n");
          try {
            check(job, scenario, result);
            // After a refusal, and after the last answer, nothing is left to interrupt.
            if (keys.interruption.signal.aborted && at < calls.length - 1) {
              assertEquals(result.code, 130);
            }
            await repeat(job, scenario);
          } catch (error) {
            throw new Error(
              `${name}, call ${at} (${call}) ${fault}: ${error}\n${result.stderr}\n${asked}`,
            );
          }
        }
      }
    });
  }
});
