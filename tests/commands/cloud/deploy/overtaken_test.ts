import { assert, assertEquals } from "@std/assert";
import { LEAST, makeDeployApp, MODEL } from "../../../helpers/deploy_app.ts";
import { assertWhole } from "../../../helpers/deployed.ts";
import { BUCKET, type JobApp } from "../../../helpers/job_app.ts";
import type { ProgramResult } from "../../../helpers/program.ts";
import type { Call } from "../../../helpers/stopped_call.ts";
import { it, suite } from "../../../helpers/suite.ts";
import { isInSample } from "../../../helpers/sweep.ts";
import { tarGz } from "../../../helpers/tar.ts";

const ONE_KEY = "app/one/model.tar.gz";
const OTHER_KEY = "app/other/model.tar.gz";
const ONE = `s3://${BUCKET}/${ONE_KEY}`;
const OTHER = `s3://${BUCKET}/${OTHER_KEY}`;

/** The command line that has the endpoint serve a model. */
function serving(model: string): readonly string[] {
  return ["deploy", "-n", "shop", "-e", "ml.m5.large", "-m", model];
}

/** Runs one command line, and another from beginning to end while a call of the first is open. */
async function overtaken(
  { box, run }: JobApp,
  { at, isDone }: Call,
  onEnd: (model: string, result: ProgramResult) => void,
): Promise<readonly ProgramResult[]> {
  const { before, after, afterRefusal } = box.faults;
  let count = 0;
  let held: unknown;
  let other: ProgramResult | undefined;
  async function overtake(): Promise<undefined> {
    other = await run(serving(OTHER));
    onEnd(OTHER, other);
  }
  box.faults.before = (request) => {
    if (count++ !== at) return undefined;
    held = request;
    return isDone ? undefined : overtake();
  };
  box.faults.after = box.faults.afterRefusal = (request) =>
    request === held ? overtake() : undefined;
  try {
    const one = await run(serving(ONE));
    onEnd(ONE, one);
    assert(other !== undefined, "It made fewer calls");
    return [one, other];
  } finally {
    Object.assign(box.faults, { before, after, afterRefusal });
  }
}

async function begin({ box: { endpoints }, run }: JobApp, isThere: boolean): Promise<void> {
  for (const map of [endpoints.models, endpoints.configurations, endpoints.endpoints]) map.clear();
  if (isThere) assertEquals((await run(LEAST)).code, 0);
}

suite("two commands that deploy to one endpoint", () => {
  for (const isThere of [false, true]) {
    it(`never reports a success that is none; ${isThere ? "updating it" : "creating it"}`, async () => {
      await using job = await makeDeployApp();
      const { box: { endpoints, s3 } } = job;
      await s3.put(BUCKET, ONE_KEY, await tarGz([{ name: "model.txt", content: "one" }]));
      await s3.put(BUCKET, OTHER_KEY, await tarGz([{ name: "model.txt", content: "two" }]));
      await begin(job, isThere);
      job.box.requests.length = 0;
      assertEquals((await job.run(serving(ONE))).code, 0);
      const calls = job.box.operations;
      const failures: string[] = [];
      const outcomes: Record<string, number> = {};
      for (const at of calls.keys()) {
        for (const isDone of [false, true]) {
          // What is deleted was looked at by the request before: nothing on SageMaker does both.
          const next = calls[isDone ? at + 1 : at] ?? "";
          if (/:Delete(Model|EndpointConfig)$/.test(next)) continue;
          if (!isInSample(2 * at + Number(isDone) + at)) continue;
          await begin(job, isThere);
          const served = (): string =>
            endpoints.endpoint("shop").variants[0]!.model.container.ModelDataUrl;
          let said = "";
          const haveServed = new Set<string>();
          job.box.faults.losesAnswer = () => {
            if (endpoints.endpoints.get("shop")?.status === "InService") haveServed.add(served());
            return false;
          };
          try {
            const results = await overtaken(
              job,
              { at, isDone },
              (model, { code, stdout, stderr }) => {
                said += `${model}: ${code} ${stdout}${stderr}\n`;
                assertEquals(stdout, code === 0 ? "shop\n" : "");
                assert(!stderr.includes("This is a defect"));
                // It may serve the other's by now.
                if (code === 0) assert(haveServed.has(model), "a false success");
                if (endpoints.endpoints.has("shop")) assertWhole(endpoints, "shop");
              },
            );
            const codes = results.map(({ code }) => code).join();
            outcomes[codes] = (outcomes[codes] ?? 0) + 1;
            const isNone = !endpoints.endpoints.has("shop");
            if (isNone) assert(results.every(({ code }) => code !== 0), "it is gone");
            else assert([MODEL, ONE, OTHER].includes(served()));
            const again = await job.run(serving(ONE));
            assertEquals([again.code, served()], [0, ONE], again.stderr);
            assertWhole(endpoints, "shop");
          } catch (error) {
            failures.push(`call ${at} (${calls[at]}) ${isDone}: ${error}\n${said}`);
          }
        }
      }
      if (failures.length > 0) throw new Error(failures.join("\n\n"));
    });
  }
});
