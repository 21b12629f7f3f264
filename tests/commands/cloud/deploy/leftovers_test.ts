import { assertEquals, assertStringIncludes } from "@std/assert";
import { changesOf, LEAST, makeDeployApp, thingsOf, UPDATE } from "../../../helpers/deploy_app.ts";
import type { JobApp } from "../../../helpers/job_app.ts";
import { Keys } from "../../../helpers/in_process.ts";
import { jsonAnswer } from "../../../helpers/box/answers.ts";
import { it, suite } from "../../../helpers/suite.ts";

const OURS = { Tags: [{ Key: "mlcli.endpoint", Value: "shop" }] };
const MODEL = { PrimaryContainer: { Image: "i" } };
const FIRST = ["shop-config", "shop-mlcli"];
const SECOND = ["shop-config-2", "shop-mlcli-2"];

/** Deploys, and returns the remaining parts and the messages. */
async function deployed(job: JobApp, args: readonly string[] = UPDATE) {
  const { code, stderr } = await job.run(args);
  assertEquals(code, 0, stderr);
  return { ...thingsOf(job), stderr };
}

/** Returns the warning about a configuration that stays. */
function kept(name: string): string {
  return `warning: Kept endpoint configuration ${name}, which endpoint shop does not use and ` +
    "mlcli did not create\nhint: If nothing uses it, delete it: " +
    "aws sagemaker delete-endpoint-config " +
    `--endpoint-config-name ${name}\n`;
}

/** Tags that cannot be read, that do not exist, or that cannot be set. */
const WITHOUT_TAGS: readonly (readonly [title: string, (job: JobApp) => void])[] = [
  ["nobody may read tags", ({ box }) => box.faults.deny("sagemaker:ListTags")],
  ["nothing may be given tags", ({ box }) => box.faults.deny("sagemaker:AddTags")],
  ["an emulator has no tags", ({ box }) => {
    box.faults.before = ({ operation }) =>
      operation === "ListTags" ? jsonAnswer({ Tags: [] }) : undefined;
  }],
];

suite("deploy: what is not needed", () => {
  it("deploy deletes an unused part that mlcli created, according to its tags or the model's name", async () => {
    for (const args of [LEAST, UPDATE]) {
      await using job = await makeDeployApp();
      const { endpoints } = job.box;
      if (args === UPDATE) endpoints.add("shop", { configuration: "theirs", model: "old" });
      endpoints.addConfiguration("shop-config-2", OURS);
      for (const name of ["shop-mlcli", "shop-mlcli-2"]) endpoints.addModel(name, MODEL);
      const { all, served, stderr } = await deployed(job, args);
      assertEquals(served, FIRST);
      assertEquals(all, args === LEAST ? FIRST : ["theirs", "shop-config", "old", "shop-mlcli"]);
      assertEquals(stderr.includes(kept("theirs")), args === UPDATE);
    }
  });

  it("is named after Ctrl-C during a deletion, also what mlcli did not create", async () => {
    await using job = await makeDeployApp();
    const { endpoints, faults } = job.box;
    endpoints.add("shop", { configuration: "theirs", model: "old" });
    endpoints.addConfiguration("shop-config-2", OURS);
    const keys = new Keys();
    faults.before = ({ operation }) => {
      if (operation === "DeleteEndpointConfig") keys.press();
      return undefined;
    };
    const { code, stderr } = await job.run([...UPDATE, "--quiet"], { keys });
    assertEquals(code, 130);
    assertStringIncludes(stderr, "warning: Left over: endpoint configuration shop-config-2. ");
    assertStringIncludes(stderr, kept("theirs"));
  });

  it("is deleted with a tag of the endpoint, whatever its name", async () => {
    await using job = await makeDeployApp();
    job.box.endpoints.addModel("old", { ...MODEL, ...OURS });
    job.box.endpoints.add("shop", { configuration: "new", model: "old", settings: OURS });
    assertEquals((await deployed(job)).all, FIRST);
  });

  for (const model of ["their-model", "shop-mlcli"]) {
    it(`deploy keeps a part with mlcli's name that mlcli did not create: with ${model}`, async () => {
      await using job = await makeDeployApp();
      job.box.endpoints.addModel(model, { ...MODEL, ...model === "shop-mlcli" ? OURS : {} });
      job.box.endpoints.add("shop", { configuration: "shop-config", model });
      const { all, served, stderr } = await deployed(job);
      assertEquals(served![0], "shop-config-2");
      assertEquals([all[0], stderr.includes(kept("shop-config"))], ["shop-config", true], stderr);
      // The next one has no other name than that.
      job.box.requests.length = 0;
      const next = await job.run(LEAST);
      assertEquals([next.code, changesOf(job)], [1, []]);
      assertStringIncludes(
        next.stderr,
        "error: Cannot replace endpoint configuration shop-config: mlcli did not create it\n" +
          "hint: Use another --endpoint-name. If nothing uses the configuration, " +
          "delete it: aws sagemaker delete-endpoint-config --endpoint-config-name shop-config\n",
      );
      assertEquals((await job.run(UPDATE)).stdout, "shop\n");
    });
  }

  it("deploy keeps a configuration with another name and a model of mlcli", async () => {
    await using job = await makeDeployApp();
    job.box.endpoints.add("shop", { configuration: "theirs", model: "shop-mlcli" });
    assertEquals((await deployed(job)).all, ["theirs", "shop-config", "shop-mlcli-2"]);
  });

  it("deploy keeps a part that another user created, also for a new endpoint", async () => {
    await using job = await makeDeployApp();
    job.box.endpoints.addConfiguration("shop-config");
    const { served, stderr } = await deployed(job, LEAST);
    assertEquals(served, ["shop-config-2", "shop-mlcli"]);
    assertStringIncludes(stderr, kept("shop-config"));
  });

  for (const [title, begin] of WITHOUT_TAGS) {
    it(`is found by what the endpoint had, and by names, where ${title}`, async () => {
      await using job = await makeDeployApp();
      begin(job);
      await deployed(job, LEAST);
      assertEquals((await deployed(job)).all, SECOND);
      // Nothing says whose another one is.
      job.box.endpoints.addConfiguration("shop-config");
      const { all, stderr } = await deployed(job);
      assertEquals(all, ["shop-config-2", "shop-config", "shop-mlcli-2"], stderr);
    });
  }
});
