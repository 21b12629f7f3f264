import { assert, assertEquals, assertMatch } from "@std/assert";
import { Box } from "../../../helpers/box/box.ts";
import { fakeClock } from "../../../helpers/fake_context.ts";
import { type InProcessOptions, runInProcess } from "../../../helpers/in_process.ts";
import { it, suite } from "../../../helpers/suite.ts";

function run(box: Box, args: readonly string[] = [], more: Partial<InProcessOptions> = {}) {
  const line = ["list-endpoints", "--output", "json", ...args];
  return runInProcess(line, { cwd: "/", cloud: box.env(), ...more });
}

/** What a list says an endpoint runs on, by its name. */
async function machines(box: Box): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run(box);
  assertEquals([code, stderr], [0, ""]);
  return Object.fromEntries(
    JSON.parse(stdout).map((one: Record<string, unknown>) => [
      one.endpoint_name,
      [one.instance_type, one.instance_count, one.memory_size_in_mb],
    ]),
  );
}

suite("mlcli list-endpoints --output json: what costs money", () => {
  it("has type and number of instances, of a serverless one the memory", async () => {
    await using box = await Box.open();
    const large = box.endpoints.add("large", {
      variant: { InstanceType: "ml.c5.xlarge", InitialInstanceCount: 2 },
    });
    // While it scales, those that there are cost money.
    Object.assign(large.variants[0]!, { desiredCount: 7, currentCount: 5 });
    box.endpoints.add("serverless", {
      variant: { ServerlessConfig: { MemorySizeInMB: 2048, MaxConcurrency: 5 } },
    });
    box.endpoints.script("new", ["Creating", "Creating"]);
    box.endpoints.begin(box.endpoints.add("new", { status: "Creating" }));
    box.endpoints.addConfiguration("two", {
      ProductionVariants: [
        { VariantName: "A", ModelName: "m", InstanceType: "ml.m5.large", InitialInstanceCount: 1 },
        { VariantName: "B", ModelName: "m", InstanceType: "ml.c5.large", InitialInstanceCount: 2 },
      ],
    });
    box.endpoints.add("two", { configuration: "two" });
    assertEquals(await machines(box), {
      large: ["ml.c5.xlarge", 5, null],
      serverless: [null, null, 2048],
      new: ["ml.m5.large", 1, null],
      two: ["ml.m5.large, ml.c5.large", 3, null],
    });
  });

  it("has the age in seconds", async () => {
    await using box = await Box.open();
    const { creationTime } = box.endpoints.add("shop");
    const clock = fakeClock(new Date(creationTime * 1000 + 90_061_500));
    const [{ age_seconds }] = JSON.parse((await run(box, [], { clock })).stdout);
    assertEquals(age_seconds, 90_061);
    const early = fakeClock(new Date(0));
    assertEquals(JSON.parse((await run(box, [], { clock: early })).stdout)[0].age_seconds, 0);
  });

  it("keeps the order, and asks for a configuration that several have once, eight at once", async () => {
    await using box = await Box.open();
    const names = Array.from({ length: 30 }, (_, index) => `e${index}`);
    for (const name of names) box.endpoints.add(name, { configuration: "shared" });
    let [open, most] = [0, 0];
    box.faults.before = async ({ operation }) => {
      if (operation !== "DescribeEndpoint") return undefined;
      most = Math.max(most, ++open);
      // The earlier ones take longer.
      for (let turn = 0; turn < 20 - open; turn++) await new Promise((next) => setTimeout(next));
      open--;
      return undefined;
    };
    const { stdout } = await run(box);
    assertEquals(
      JSON.parse(stdout).map((one: { endpoint_name: string }) => one.endpoint_name),
      names.toReversed(),
    );
    assertEquals(
      box.operations.filter((name) => name.endsWith("DescribeEndpointConfig")).length,
      1,
    );
    assert(most > 1 && most <= 8, `${most} at once`);
  });

  it("is null where nobody may ask, which is said once", async () => {
    await using box = await Box.open();
    for (const name of ["one", "two"]) box.endpoints.add(name);
    box.faults.deny("sagemaker:DescribeEndpointConfig");
    const half = await run(box);
    assertEquals(
      half.stderr,
      "The instances of some endpoints are not known: AccessDeniedException: " +
        "sagemaker:DescribeEndpointConfig\n",
    );
    const [first] = JSON.parse(half.stdout);
    assertEquals([first.instance_type, first.instance_count], [null, 1]);
    box.faults.deny("sagemaker:DescribeEndpoint");
    const nothing = await run(box);
    assertEquals(nothing.code, 0);
    assertMatch(
      nothing.stderr,
      /^The instances of some endpoints are not known: .*: sagemaker:DescribeEndpoint\n$/,
    );
    const [last] = JSON.parse(nothing.stdout);
    assertEquals([last.instance_type, last.instance_count], [null, null]);
  });

  it("does not mind one that is gone before it is asked", async () => {
    await using box = await Box.open();
    box.endpoints.add("fleeting");
    box.endpoints.add("shop");
    box.faults.before = ({ operation }) => {
      if (operation === "DescribeEndpoint") box.endpoints.endpoints.delete("fleeting");
      return undefined;
    };
    const { code, stdout, stderr } = await run(box);
    assertEquals([code, stderr, JSON.parse(stdout).length], [0, "", 2]);
  });

  it("asks for the list alone where it is text", async () => {
    await using box = await Box.open();
    box.endpoints.add("shop");
    await runInProcess(["list-endpoints"], { cwd: "/", cloud: box.env() });
    assertEquals(box.operations, ["sagemaker:ListEndpoints"]);
  });

  it("breaks off where the platform fails", async () => {
    await using box = await Box.open();
    box.endpoints.add("shop");
    box.faults.fail("sagemaker:DescribeEndpointConfig");
    const cloud = { ...box.env(), AWS_MAX_ATTEMPTS: "1" };
    const { code, stdout, stderr } = await run(box, [], { cloud });
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^error: The platform failed at sagemaker:DescribeEndpointConfig/);
  });
});
