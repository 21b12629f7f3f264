import { assert, assertEquals } from "@std/assert";
import { LEAST, makeDeployApp, MODEL } from "../../../helpers/deploy_app.ts";
import { assertAlone, assertWhole, deployed } from "../../../helpers/deployed.ts";
import { runCloud } from "../../../helpers/cloud.ts";
import { BUCKET, type JobApp } from "../../../helpers/job_app.ts";
import { runStopped, type Stop, type Stopped } from "../../../helpers/stopped_call.ts";
import { it, suite } from "../../../helpers/suite.ts";
import { isInSample } from "../../../helpers/sweep.ts";
import { tarGz } from "../../../helpers/tar.ts";

const SECOND_KEY = "app/second/model.tar.gz";
const SECOND = `s3://${BUCKET}/${SECOND_KEY}`;
const UPDATE = ["deploy", "-n", "shop", "-m", SECOND];
const DELETE = ["delete-endpoint", "-n", "shop", "--delete-config", "--delete-model"];

/** What is swept. */
interface Scenario {
  readonly args: readonly string[];
  /** Makes what there is before; the platform is empty. */
  readonly begin: (job: JobApp) => Promise<void>;
  /** The models' addresses: what may serve, and what does in the end. Nothing: it is gone. */
  readonly served?: string;
  readonly serves?: string;
  /** What there is that mlcli did not make. */
  readonly others?: readonly string[];
  /** Instances in the end. */
  readonly count?: number;
}

const create = async (job: JobApp): Promise<void> => {
  const { code, stderr } = await job.run(LEAST);
  assertEquals(code, 0, stderr);
};

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "creating an endpoint": { args: LEAST, begin: () => Promise.resolve(), serves: MODEL },
  "updating one": { args: UPDATE, begin: create, served: MODEL, serves: SECOND },
  "updating one with the other configuration": {
    args: [...UPDATE, "-e", "ml.m5.xlarge"],
    async begin(job) {
      await create(job);
      const { code, stderr } = await job.run([...LEAST, "-e", "ml.c5.large"]);
      assertEquals(code, 0, stderr);
    },
    served: MODEL,
    serves: SECOND,
  },
  "updating one that somebody else made": {
    args: UPDATE,
    async begin({ box: { endpoints }, image }) {
      endpoints.add("shop", {
        configuration: "theirs",
        model: "their-model",
        image,
        container: { ModelDataUrl: MODEL },
      });
      await Promise.resolve();
    },
    served: MODEL,
    serves: SECOND,
    others: ["theirs", "their-model"],
  },
  "updating one that was scaled": {
    args: UPDATE,
    async begin(job) {
      await create(job);
      const [variant] = job.box.endpoints.endpoint("shop").variants;
      variant!.desiredCount = variant!.currentCount = 5;
    },
    served: MODEL,
    serves: SECOND,
    count: 5,
  },
  "deleting one": { args: DELETE, begin: create, served: MODEL },
  "deleting one, and waiting": { args: [...DELETE, "--wait"], begin: create, served: MODEL },
  "deleting one with what an update has left": {
    args: DELETE,
    async begin(job) {
      await create(job);
      const { code } = await job.run([...UPDATE, "--no-wait"]);
      assertEquals(code, 0);
      job.box.endpoints.endpoint("shop").settle();
    },
    served: SECOND,
  },
};

const SIGNALS = ["SIGKILL", "SIGINT", "SIGTERM"] as const;
const STATUS = { SIGKILL: 137, SIGINT: 130, SIGTERM: 143 } as const;

/** One row of so many is tested by day: each starts the program. */
const SHARE = 10;

/** Without an engine: the image is in the registry, and asked for there. */
const ENGINE = { DOCKER_HOST: "unix:///nonexistent.sock" };

async function begin(job: JobApp, scenario: Scenario): Promise<void> {
  const { models, configurations, endpoints } = job.box.endpoints;
  for (const map of [models, configurations, endpoints]) map.clear();
  await scenario.begin(job);
  job.box.requests.length = 0;
}

/** What serves, what exists, and what is said of it, right after the program ended. */
function check(job: JobApp, scenario: Scenario, stop: Stop, stopped: Stopped): void {
  const { endpoints } = job.box;
  const { code, stdout, stderr } = stopped;
  const endpoint = endpoints.endpoints.get("shop");
  assertEquals(code, STATUS[stop.signal]);
  const isDeletion = scenario.serves === undefined;
  const isGoing = !endpoint || endpoint.status === "Deleting";
  // The name of what is deleted is printed once it is certain.
  if (isDeletion && isGoing) assert(["", "shop\n"].includes(stdout), stdout);
  else assertEquals(stdout, "");
  if (!(isDeletion && isGoing)) {
    if (scenario.served !== undefined) {
      assert(["InService", "Updating"].includes(endpoint!.status), endpoint!.status);
      const served = endpoint!.variants[0]!.model.container.ModelDataUrl;
      assert([scenario.served, scenario.serves].includes(served), `It serves ${served}`);
    }
    assertWhole(endpoints, "shop");
  }
  const { all, unused } = deployed(endpoints, "shop");
  assert(all.length <= 4 + (scenario.others?.length ?? 0), `There is ${all.join(", ")}`);
  if (stop.signal === "SIGKILL") return;
  const left = isDeletion && isGoing ? all : unused;
  for (const name of left) {
    assert(new RegExp(`-name ${name}\\b(?!-)`).test(stderr), `${name} is left, and not named`);
  }
  if (!isDeletion && scenario.served === undefined && endpoint) {
    assert(stderr.includes("mlcli delete-endpoint -n shop"), "It costs money, and nobody says so");
  }
}

/** The same command once more. */
async function repeat(job: JobApp, { args, serves, others, count }: Scenario): Promise<void> {
  const { endpoints } = job.box;
  const wasThere = endpoints.endpoints.has("shop") || deployed(endpoints, "shop").all.length > 0;
  const { code, stdout, stderr } = await job.run(args);
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

suite("the program, ended at each of its calls", () => {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    it(`leaves what serves, and goes on when it is repeated: ${name}`, async () => {
      await using job = await makeDeployApp();
      const { box } = job;
      const model = await tarGz([{ name: "model.txt", content: "eight" }]);
      await box.s3.put(BUCKET, SECOND_KEY, model);
      const options = { cwd: job.app.directory, env: ENGINE };
      await begin(job, scenario);
      const clean = await runCloud(box, scenario.args, options);
      assertEquals([clean.code, clean.stdout], [0, "shop\n"], clean.stderr);
      const calls = box.operations;
      let row = 0;
      let rows = 0;
      const failures: string[] = [];
      for (const at of calls.keys()) {
        for (const isDone of [false, true]) {
          for (const signal of SIGNALS) {
            if (!isInSample(row++, SHARE)) continue;
            rows++;
            const stop = { at, isDone, signal };
            await begin(job, scenario);
            const stopped = await runStopped(box, scenario.args, stop, options);
            const asked = box.operations.join("\n");
            try {
              assert(stopped.call !== undefined, "It made fewer calls");
              check(job, scenario, stop, stopped);
              await repeat(job, scenario);
            } catch (error) {
              const when = isDone ? "is done" : "comes";
              failures.push(
                `${signal} when call ${at} (${stopped.call}) ${when}: ${error}\n${stopped.stderr}\n${asked}`,
              );
            }
          }
        }
      }
      console.error(`${name}: ${calls.length} calls, ${rows} rows, ${failures.length} failures`);
      if (failures.length > 0) throw new Error(failures.join("\n\n"));
    });
  }
});
