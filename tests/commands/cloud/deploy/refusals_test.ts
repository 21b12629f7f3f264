import { assertEquals, assertStringIncludes } from "@std/assert";
import type { EndpointStatus } from "../../../helpers/box/endpoints/endpoint.ts";
import type { AddedEndpoint } from "../../../helpers/box/endpoints/endpoint_store.ts";
import {
  changesOf,
  LEAST,
  makeDeployApp,
  MODEL,
  thingsOf,
  UPDATE,
} from "../../../helpers/deploy_app.ts";
import { BUCKET } from "../../../helpers/job_app.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** What is said of a command line that changes nothing. */
async function refused(
  there: AddedEndpoint | undefined,
  args: readonly string[],
  code = 1,
): Promise<string> {
  await using job = await makeDeployApp();
  if (there) job.box.endpoints.add("shop", there);
  const result = await job.run(args);
  assertEquals([result.code, result.stdout, changesOf(job)], [code, "", []], result.stderr);
  return result.stderr;
}

suite("deploy, where the endpoint is not ready", () => {
  const busy: readonly EndpointStatus[] = ["SystemUpdating", "RollingBack", "Deleting", "Creating"];
  for (const status of busy) {
    it(`says so before anything is made: ${status}`, async () => {
      const stderr = await refused({ status }, UPDATE);
      assertStringIncludes(stderr, `error: Endpoint shop is still changing: ${status}`);
      assertStringIncludes(stderr, "Nothing was changed.");
      assertStringIncludes(stderr, "mlcli wait shop");
    });
  }

  it("says that one which has failed can only be deleted", async () => {
    const stderr = await refused({ status: "Failed", reason: "No capacity." }, [
      ...UPDATE,
      "--region",
      "eu-west-1",
    ]);
    assertStringIncludes(stderr, "error: Endpoint shop has failed and can only be deleted\n");
    assertStringIncludes(stderr, "  No capacity.\n");
    assertStringIncludes(
      stderr,
      "mlcli delete-endpoint -n shop --delete-config --delete-model --region eu-west-1 --wait\n",
    );
  });

  it("waits for a creation that is what is asked for, and for no other", async () => {
    await using job = await makeDeployApp();
    assertEquals((await job.run([...LEAST, "--no-wait"])).code, 0);
    const other = await job.run([...UPDATE, "--env", "A=b"]);
    assertEquals([other.code, other.stdout], [1, ""]);
    assertStringIncludes(
      other.stderr,
      "is still changing: Creating to a version that differs from yours in model data and variables\n",
    );
    const same = await job.run(LEAST);
    assertEquals([same.code, same.stdout], [0, "shop\n"], same.stderr);
    assertEquals(thingsOf(job).all, ["shop-config", "shop-mlcli"]);
  });

  it("deletes what another command began that fails: a new endpoint, an update", async () => {
    await using job = await makeDeployApp();
    const { endpoints } = job.box;
    await job.run([...LEAST, "--no-wait"]);
    // The first step comes with the look at what there is.
    endpoints.script("shop", ["Creating", "Creating", { end: "Failed", reason: "no ping" }]);
    const created = await job.run(LEAST);
    assertEquals([created.code, created.stdout], [1, ""], created.stderr);
    assertStringIncludes(created.stderr, "shop is already changing to this version\n");
    assertStringIncludes(created.stderr, "error: Endpoint shop was not created: it failed\n");
    assertEquals([thingsOf(job).all, endpoints.endpoints.size], [[], 0]);

    await job.run(LEAST);
    const before = thingsOf(job);
    await job.run([...UPDATE, "--no-wait"]);
    endpoints.script("shop", ["Updating", "Updating", { rollback: true, reason: "no ping" }]);
    const updated = await job.run(UPDATE);
    assertEquals([updated.code, updated.stdout], [1, ""], updated.stderr);
    assertStringIncludes(updated.stderr, "Nothing was left behind.\n");
    assertEquals(thingsOf(job), before);
  });

  it("deletes nothing that mlcli did not make, where what another began fails", async () => {
    await using job = await makeDeployApp();
    const { endpoints } = job.box;
    const container = { ModelDataUrl: MODEL };
    const theirs = { configuration: "theirs", model: "their-model", image: job.image, container };
    endpoints.begin(endpoints.add("shop", { ...theirs, status: "Creating" }));
    endpoints.script("shop", ["Creating", "Creating", { end: "Failed" }]);
    const { code, stderr } = await job.run(LEAST);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "error: Endpoint shop was not created: it failed\n");
    assertEquals(thingsOf(job).all, ["theirs", "their-model"]);
  });

  it("waits for no update but one to what is asked for", async () => {
    await using job = await makeDeployApp();
    await job.run(LEAST);
    await job.run([...UPDATE, "--no-wait"]);
    const { code, stdout, stderr } = await job.run(LEAST);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, "Updating to a version that differs from yours in model data\n");
    assertEquals(thingsOf(job).all.length, 4);
  });
});

suite("deploy, where it would lose what an endpoint has", () => {
  const variants = [{ VariantName: "a", ModelName: "m" }, { VariantName: "b", ModelName: "m" }];
  const rows: readonly (readonly [string, AddedEndpoint])[] = [
    ["2 variants", { settings: { ProductionVariants: variants } }],
    ["a shadow variant", { settings: { ShadowProductionVariants: [variants[0]] } }],
    ["inference components", { variant: { ModelName: undefined } }],
    ["a multi-model container", { container: { Mode: "MultiModel" } }],
  ];
  for (const [what, there] of rows) {
    it(`changes nothing: ${what}`, async () => {
      const stderr = await refused(there, UPDATE);
      assertStringIncludes(
        stderr,
        `error: Endpoint shop has ${what}, which mlcli deploy does not support\n`,
      );
    });
  }

  it("changes nothing: a pipeline of containers", async () => {
    await using job = await makeDeployApp();
    job.box.endpoints.addModel("piped", { Containers: [{ Image: "a" }, { Image: "b" }] });
    job.box.endpoints.add("shop", { model: "piped" });
    const { stderr } = await job.run(UPDATE);
    assertStringIncludes(
      stderr,
      "has a pipeline of 2 containers, which mlcli deploy does not support\n",
    );
    assertEquals(changesOf(job), []);
  });

  it("needs a type where the configuration is deleted, and goes on with one", async () => {
    await using job = await makeDeployApp();
    job.box.endpoints.add("shop", { model: "shop-mlcli" });
    job.box.endpoints.configurations.clear();
    const { code, stderr } = await job.run(UPDATE);
    assertEquals([code, changesOf(job)], [1, []]);
    assertStringIncludes(stderr, "Configuration shop-config of endpoint shop no longer exists\n");
    const named = await job.run([...UPDATE, "-e", "ml.m5.large"]);
    assertEquals(named.code, 0, named.stderr);
    // The model that it serves has a name, too: it goes last.
    const names = ["shop-config-2", "shop-mlcli-2"];
    assertEquals(thingsOf(job), { all: names, served: names });
    assertEquals(changesOf(job).at(-1), "sagemaker:DeleteModel");
  });

  it("says that the variables of a deleted model are not known", async () => {
    await using job = await makeDeployApp();
    job.box.endpoints.add("shop", { model: "gone", container: { Environment: { A: "b" } } });
    job.box.endpoints.models.clear();
    const { code, stderr } = await job.run(UPDATE);
    assertEquals(code, 0, stderr);
    assertStringIncludes(
      stderr,
      "Model gone of endpoint shop no longer exists",
    );
  });
});

suite("deploy, told what does not fit the endpoint", () => {
  const rows: readonly (readonly [string, AddedEndpoint | undefined, readonly string[], string])[] =
    [
      [
        "a new one without a type",
        undefined,
        ["deploy", "-n", "shop", "-m", MODEL],
        "New endpoint shop",
      ],
      [
        "instances to serverless",
        {},
        [...UPDATE, "--max-concurrency", "3"],
        "cannot become serverless",
      ],
      [
        "a count for serverless",
        { variant: serverless() },
        [...UPDATE, "-c", "3"],
        "no instance count",
      ],
      [
        "a canary for serverless",
        { variant: serverless() },
        [...UPDATE, "--canary", "10"],
        'Option "--canary" is not supported for serverless endpoints',
      ],
    ];
  function serverless() {
    return {
      InstanceType: undefined,
      InitialInstanceCount: undefined,
      ServerlessConfig: { MemorySizeInMB: 2048, MaxConcurrency: 5 },
    };
  }
  for (const [what, there, args, words] of rows) {
    it(`changes nothing: ${what}`, async () => {
      const isUsage = what.startsWith("a new") || what.startsWith("a canary");
      assertStringIncludes(await refused(there, args, isUsage ? 2 : 1), words);
    });
  }

  it("changes nothing: an address without an archive, an image that is not pushed", async () => {
    const there = `s3://${BUCKET}/nothing/model.tar.gz`;
    await refused(undefined, [...LEAST.slice(0, -1), there]);
    await refused(undefined, [...LEAST, "-t", "other"]);
  });
});

suite("deploy, where others use what is in its way", () => {
  it("changes nothing where another endpoint has the configuration, or the model", async () => {
    for (
      const [configuration, model, words] of [
        ["shop-config", "m", "Cannot delete endpoint config, still in use: shop-config (by other)"],
        ["c", "shop-mlcli", "Cannot delete model, still in use: shop-mlcli (by other)"],
      ]
    ) {
      await using job = await makeDeployApp();
      const Tags = [{ Key: "mlcli.endpoint", Value: "shop" }];
      job.box.endpoints.add("other", { configuration, model, settings: { Tags } });
      const { code, stdout, stderr } = await job.run(LEAST);
      assertEquals([code, stdout, changesOf(job)], [1, "", []], stderr);
      assertStringIncludes(stderr, `error: ${words}\n`);
    }
  });

  it("keeps what served before where another endpoint has that", async () => {
    await using job = await makeDeployApp();
    await job.run(LEAST);
    job.box.endpoints.add("other", { configuration: "shop-config", model: "shop-mlcli" });
    const { code, stderr } = await job.run(UPDATE);
    assertEquals([code, thingsOf(job).all.length], [0, 4]);
    assertStringIncludes(
      stderr,
      "Kept endpoint configuration shop-config, which is still in use by other\n",
    );
    assertStringIncludes(stderr, "Kept model shop-mlcli, which is still in use by other\n");
  });
});
