import { assertEquals, assertStringIncludes } from "@std/assert";
import { jsonAnswer } from "../../../helpers/box/answers.ts";
import type { Box } from "../../../helpers/box/box.ts";
import {
  changesOf,
  LEAST,
  makeDeployApp,
  makeDeployedApp,
  MODEL,
  thingsOf,
  UPDATE,
} from "../../../helpers/deploy_app.ts";
import { it, suite } from "../../../helpers/suite.ts";

const FIRST_SLOT = ["shop-config", "shop-mlcli"];

/** Takes a member out of the answers of an operation, as emulators do that know no better. */
function without(box: Box, operation: string, member: string): void {
  box.faults.after = async (request, answer) => {
    if (request.operation !== operation) return undefined;
    const { [member]: _, ...rest } = await answer.json();
    return jsonAnswer(rest);
  };
}

suite("deploy, where an emulator leaves members out of its answers", () => {
  it("deletes nothing where the service does not say which configuration serves", async () => {
    await using job = await makeDeployApp();
    without(job.box, "DescribeEndpoint", "EndpointConfigName");
    const { code, stdout, stderr } = await job.run(LEAST);
    assertEquals([code, stdout], [1, ""], stderr);
    assertStringIncludes(
      stderr,
      "error: Endpoint shop is InService, but SageMaker returned no configuration name\n",
    );
    assertEquals(thingsOf(job), { all: FIRST_SLOT, served: FIRST_SLOT });
  });

  it("deletes no model that serves where its configuration names none", async () => {
    await using job = await makeDeployedApp();
    without(job.box, "DescribeEndpointConfig", "ProductionVariants");
    const { code, stderr } = await job.run(UPDATE);
    assertEquals([code, changesOf(job)], [1, []], stderr);
    assertStringIncludes(
      stderr,
      "error: Configuration shop-config of endpoint shop contains no variant\n",
    );
    const named = await job.run([...UPDATE, "-e", "ml.m5.large", "--dry-run"]);
    assertEquals(JSON.parse(named.stdout)[0].input.ModelName, "shop-mlcli-2", named.stderr);
  });

  it("does without creation times, which not every platform tells", async () => {
    await using job = await makeDeployApp();
    for (const args of [LEAST, UPDATE]) {
      without(job.box, "DescribeEndpointConfig", "CreationTime");
      const { code, stdout, stderr } = await job.run(args);
      assertEquals([code, stdout], [0, "shop\n"], stderr);
    }
    const names = ["shop-config-2", "shop-mlcli-2"];
    assertEquals(thingsOf(job), { all: names, served: names });
  });
});

suite("deploy, where what is asked for does not serve", () => {
  for (const status of ["OutOfService", "UpdateRollbackFailed"] as const) {
    it(`has the endpoint serve it again: ${status}`, async () => {
      await using job = await makeDeployApp();
      job.box.endpoints.add("shop", {
        model: "shop-mlcli",
        image: job.image,
        container: { ModelDataUrl: MODEL },
        status,
      });
      const { stderr } = await job.run(["deploy", "-n", "shop", "-m", MODEL]);
      assertStringIncludes(stderr, "Updating endpoint shop in ");
    });
  }

  it("deletes nothing that a mixed endpoint may serve with", async () => {
    await using job = await makeDeployApp();
    job.box.endpoints.addModel("shop-mlcli-2", { PrimaryContainer: { Image: job.image } });
    job.box.endpoints.add("shop", { model: "shop-mlcli", status: "UpdateRollbackFailed" });
    const { code, stderr } = await job.run(UPDATE);
    assertEquals([code, changesOf(job)], [1, []], stderr);
    assertStringIncludes(
      stderr,
      "Cannot replace shop-mlcli-2: after a failed rollback, endpoint shop might still use it\n",
    );
  });
});
