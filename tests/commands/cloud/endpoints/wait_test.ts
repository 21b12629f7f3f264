import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Box } from "../../../helpers/box/box.ts";
import type { EndpointStep } from "../../../helpers/box/endpoints/endpoint_store.ts";
import { type InProcessOptions, Keys, runCloudInProcess } from "../../../helpers/in_process.ts";
import { addJob, COMPLETED } from "../../../helpers/jobs.ts";
import { it, suite } from "../../../helpers/suite.ts";

const GROUP = "/aws/sagemaker/Endpoints/shop";
const STREAM = "AllTraffic/i-0123456789abcdef0";
const REMOVAL = "mlcli delete-endpoint -n shop --delete-config --delete-model";

function run(box: Box, args: readonly string[] = [], more: Partial<InProcessOptions> = {}) {
  return runCloudInProcess(box, ["wait", "shop", ...args], more);
}

/** An endpoint that is being created. */
function creating(box: Box, steps: readonly EndpointStep[]): void {
  box.endpoints.script("shop", steps);
  const endpoint = box.endpoints.add("shop", { status: "Creating" });
  box.endpoints.begin(endpoint);
}

/** An endpoint that is being updated to `shop-config-2`. */
function updating(box: Box, steps: readonly EndpointStep[]): void {
  const endpoint = box.endpoints.add("shop");
  box.endpoints.script("shop", steps);
  const configuration = box.endpoints.addConfiguration("shop-config-2", {
    ProductionVariants: [{ VariantName: "AllTraffic", ModelName: "shop-model" }],
  });
  endpoint.beginUpdate({ ...endpoint.current, configuration });
  box.endpoints.begin(endpoint);
}

suite("mlcli wait of an endpoint", () => {
  it("waits until one is in service, and prints its name", async () => {
    await using box = await Box.open();
    creating(box, ["Creating", "Creating", { end: "InService" }]);
    assertEquals(await run(box), {
      code: 0,
      stdout: "shop\n",
      stderr: "Creating\nInService\n",
    });
  });

  it("prints the name of one in which nothing goes on", async () => {
    await using box = await Box.open();
    box.endpoints.add("shop");
    assertEquals(await run(box), { code: 0, stdout: "shop\n", stderr: "InService\n" });
  });

  for (const reason of [undefined, "Model did not pass the ping health check\x1b[2J"]) {
    it(`takes an update that is taken back for none, ${reason ? "with" : "without"} a reason`, async () => {
      await using box = await Box.open();
      box.logs.put(GROUP, `${STREAM}-old`, ["of the old one"]);
      await new Promise((next) => setTimeout(next, 2));
      updating(box, [
        { status: "Updating", log: ["loading", "Traceback (most recent call last):"] },
        "RollingBack",
        { rollback: true, reason },
      ]);
      const { code, stdout, stderr } = await run(box);
      assertEquals([code, stdout], [1, ""]);
      assertEquals(
        stderr,
        "Updating\nRollingBack\nInService\n" +
          "error: Endpoint shop was rolled back and serves the previous version (shop-config)\n" +
          `  ${
            reason ? "Model did not pass the ping health check?[2J" : "SageMaker gave no reason."
          }\n  \n  Last log lines:\n  loading\n  Traceback (most recent call last):\n` +
          "hint: The code itself failed. To reproduce it locally, run mlcli local deploy. " +
          "Fix the cause, then deploy again. " +
          "See the whole log: mlcli logs shop\n",
      );
    });
  }

  it("finds out that an update was taken back before anybody waited", async () => {
    await using box = await Box.open();
    updating(box, [{ rollback: true }]);
    await runCloudInProcess(box, ["describe", "shop"]);
    const { code, stdout, stderr } = await run(box);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^InService\nerror: Endpoint shop was rolled back and .*\(shop-config\)\n/);
    assertMatch(stderr, /The new instances wrote no log\n$/);
    // What was made and never asked for is no update.
    box.endpoints.configurations.delete("shop-config-2");
    assertEquals((await run(box)).code, 0);
    box.endpoints.addConfiguration("shop-config-2");
    assertEquals((await run(box)).code, 0);
    box.faults.deny("sagemaker:DescribeEndpointConfig");
    assertEquals((await run(box)).code, 0);
  });

  it("says why one failed, the likely cause, and how to delete it", async () => {
    await using box = await Box.open();
    const reason = "Unable to provision requested ML compute capacity due to " +
      "InsufficientInstanceCapacity error.";
    creating(box, ["Creating", { end: "Failed", reason }]);
    const { code, stdout, stderr } = await run(box, ["--region", "eu-west-1"]);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(
      stderr,
      `Failed\nerror: Endpoint shop failed\n  ${reason}\nhint: AWS has no`,
    );
    assertStringIncludes(
      stderr,
      `Delete the endpoint: ${REMOVAL} --region eu-west-1. The new instances wrote no log\n`,
    );
  });

  it("shows the last 50 lines, and of several instances whose they are", async () => {
    await using box = await Box.open();
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
    const log = { "AllTraffic/i-1": lines, "AllTraffic/i-2": [] };
    creating(box, [{ log }, { end: "Failed", reason: "ping" }]);
    const { stderr } = await run(box);
    assertStringIncludes(stderr, "  line 11\n");
    assertStringIncludes(stderr, "  line 60\n");
    assert(!stderr.includes("line 10\n"));
    box.logs.put(GROUP, "AllTraffic/i-2", ["other"]);
    assertStringIncludes((await run(box)).stderr, "  AllTraffic/i-2: other\n");
  });

  it("says so where the log may not be read, and where no reason is given", async () => {
    await using box = await Box.open();
    box.endpoints.add("shop", { status: "UpdateRollbackFailed" });
    box.faults.deny("logs:*");
    const { code, stderr } = await run(box);
    assertEquals(code, 1);
    assertStringIncludes(
      stderr,
      "error: Endpoint shop is UpdateRollbackFailed\n  SageMaker gave no reason.\n" +
        "hint: Cannot read the log: AccessDeniedException: logs:DescribeLogStreams\n",
    );
  });

  it("says that one is gone", async () => {
    await using box = await Box.open();
    const endpoint = box.endpoints.add("shop");
    box.endpoints.script("shop", ["Deleting", { end: "gone" }]);
    endpoint.beginDelete();
    box.endpoints.begin(endpoint);
    assertEquals(await run(box), {
      code: 1,
      stdout: "",
      stderr: "Deleting\nerror: Endpoint shop was deleted\n" +
        "hint: To create it again, run mlcli deploy\n",
    });
  });

  it("keeps asking a platform that does not answer for a while", async () => {
    await using box = await Box.open();
    creating(box, ["Creating", { end: "InService" }]);
    let count = 0;
    box.faults.before = ({ operation }) =>
      operation === "DescribeEndpoint" && ++count > 1 && count < 4
        ? new Response("{}", { status: 503 })
        : undefined;
    const cloud = { ...box.env(), AWS_MAX_ATTEMPTS: "1" };
    const { code, stdout, stderr } = await run(box, [], { cloud });
    assertEquals([code, stdout], [0, "shop\n"]);
    assertStringIncludes(stderr, "The endpoint is unaffected; mlcli retries.\n");
    assertStringIncludes(stderr, "AWS is responding again\n");
  });

  it("wait exits at Ctrl-C without a result, and the endpoint keeps changing", async () => {
    await using box = await Box.open();
    creating(box, Array.from({ length: 50 }, () => "Creating"));
    const keys = new Keys();
    let count = 0;
    box.faults.after = ({ operation }) => {
      if (operation === "DescribeEndpoint" && ++count === 3) keys.press();
      return undefined;
    };
    assertEquals(await run(box, ["--region", "eu-west-1"], { keys }), {
      code: 130,
      stdout: "",
      stderr: "Creating\nwarning: Interrupted: stopped waiting for endpoint shop\n" +
        "hint: SageMaker continues a change that has started. " +
        "To wait for the change: mlcli wait shop --region eu-west-1. " +
        `To delete the endpoint: ${REMOVAL} --region eu-west-1.\n`,
    });
    assertEquals(box.endpoints.endpoint("shop").status, "Creating");
  });

  it("asks which one is meant where a job has the same name", async () => {
    await using box = await Box.open();
    box.endpoints.add("shop");
    addJob(box, "shop", COMPLETED);
    assertEquals(await run(box), {
      code: 1,
      stdout: "",
      stderr: 'error: Several resources are named "shop"\n  training job: InProgress\n' +
        "  endpoint: InService\nhint: Choose one with --kind train or --kind endpoint\n",
    });
    assertEquals((await run(box, ["--kind", "endpoint"])).stdout, "shop\n");
    assertMatch((await run(box, ["--kind", "train"])).stdout, /^s3:/);
    const { stderr } = await runCloudInProcess(box, ["wait", "other", "--kind", "endpoint"]);
    assertMatch(stderr, /^error: ResourceNotFound: endpoint other\n/);
  });
});
