import { assertEquals, assertMatch } from "@std/assert";
import { it, suite } from "../../helpers/suite.ts";
import { ARN, assertFields, configuration, type Fields, Hosting, SERVERLESS } from "./hosting.ts";

const UPDATE = { EndpointName: "shop", EndpointConfigName: "d" };

/** A policy of that traffic. */
function canary(traffic: Fields, alarms: readonly string[] = []): Fields {
  return {
    BlueGreenUpdatePolicy: {
      TrafficRoutingConfiguration: { WaitIntervalInSeconds: 60, ...traffic },
    },
    ...(alarms.length === 0 ? {} : {
      AutoRollbackConfiguration: { Alarms: alarms.map((AlarmName) => ({ AlarmName })) },
    }),
  };
}

const HALF = { Type: "CANARY", CanarySize: { Type: "CAPACITY_PERCENT", Value: 50 } };

suite("the box's endpoints: updates", () => {
  it("serve the old configuration until the new one is there", async () => {
    await using hosting = await Hosting.open("c", "d");
    await hosting.serving("shop", "c");
    assertEquals(await hosting.done("UpdateEndpoint", UPDATE), {
      EndpointArn: `${ARN}:endpoint/shop`,
    });
    const updating = await hosting.done("DescribeEndpoint", { EndpointName: "shop" });
    assertFields(updating, {
      ...{ EndpointStatus: "Updating", EndpointConfigName: "c" },
      PendingDeploymentSummary: { EndpointConfigName: "d" },
    });
    const { PendingDeploymentSummary: { StartTime, ProductionVariants: [variant] } } = updating;
    assertEquals(typeof StartTime, "number");
    assertFields(variant, { VariantName: "AllTraffic", InstanceType: "ml.m5.large" });
    const after = await hosting.done("DescribeEndpoint", { EndpointName: "shop" });
    assertEquals([after.EndpointStatus, after.EndpointConfigName], ["InService", "d"]);
    assertEquals(after.PendingDeploymentSummary, undefined);
    // Nobody minds that, and it serves on.
    await hosting.done("DeleteEndpointConfig", { EndpointConfigName: "d" });
    await hosting.done("DeleteModel", { ModelName: "m" });
    assertEquals(await hosting.statuses("shop", 1), ["InService d"]);
  });

  it("go back without a word, or with one", async () => {
    await using hosting = await Hosting.open("c", "d");
    const { box } = hosting;
    await hosting.serving("shop", "c");
    for (const reason of [undefined, "The primary container did not pass."]) {
      box.endpoints.script("shop", [{ rollback: true, reason }]);
      await hosting.done("UpdateEndpoint", UPDATE);
      assertEquals(await hosting.statuses("shop", 2), ["Updating c", "InService c"]);
      const { FailureReason } = await hosting.done("DescribeEndpoint", { EndpointName: "shop" });
      assertEquals(FailureReason, reason);
    }
    await hosting.done("UpdateEndpoint", UPDATE);
    const { FailureReason } = await hosting.done("DescribeEndpoint", { EndpointName: "shop" });
    assertEquals(FailureReason, undefined);
    assertEquals(await hosting.statuses("shop", 1), ["InService d"]);
  });

  it("keep what autoscaling did, where that is asked for", async () => {
    await using hosting = await Hosting.open("c");
    const { box } = hosting;
    const capture = {
      InitialSamplingPercentage: 5,
      DestinationS3Uri: "s3://data/new",
      CaptureOptions: [{ CaptureMode: "Input" }],
    };
    const later = configuration("d", { InitialInstanceCount: 2, InitialVariantWeight: 3 }, {
      DataCaptureConfig: capture,
    });
    await hosting.done("CreateEndpointConfig", later);
    const rows: [more: Fields, count: number, weight: number, hasCapture: boolean][] = [
      [{}, 2, 3, true],
      [{ RetainAllVariantProperties: true }, 5, 0.5, false],
      [
        {
          RetainAllVariantProperties: true,
          ExcludeRetainedVariantProperties: [
            { VariantPropertyType: "DesiredInstanceCount" },
            { VariantPropertyType: "DataCaptureConfig" },
          ],
        },
        2,
        0.5,
        true,
      ],
    ];
    for (const [index, [more, count, weight, hasCapture]] of rows.entries()) {
      const EndpointName = `shop-${index}`;
      await hosting.serving(EndpointName, "c");
      const variant = box.endpoints.endpoint(EndpointName).variants[0]!;
      variant.desiredCount = 5;
      variant.desiredWeight = 0.5;
      await hosting.done("UpdateEndpoint", { ...UPDATE, EndpointName, ...more });
      await hosting.statuses(EndpointName, 1);
      const { ProductionVariants: [after], DataCaptureConfig } = await hosting.done(
        "DescribeEndpoint",
        { EndpointName },
      );
      assertFields(after, {
        ...{ DesiredInstanceCount: count, CurrentInstanceCount: count, CurrentWeight: weight },
      });
      assertEquals(DataCaptureConfig !== undefined, hasCapture);
    }
  });

  it("go back when an alarm rings that they name", async () => {
    await using hosting = await Hosting.open("c", "d", "e");
    const { box } = hosting;
    await hosting.serving("shop", "c");
    box.endpoints.script("shop", ["Updating", "Updating", { end: "InService" }]);
    const DeploymentConfig = canary(HALF, ["errors"]);
    await hosting.done("UpdateEndpoint", { ...UPDATE, DeploymentConfig });
    assertEquals(await hosting.statuses("shop", 1), ["Updating c"]);
    box.endpoints.alarm("another");
    assertEquals(await hosting.statuses("shop", 1), ["Updating c"]);
    box.endpoints.alarm("errors");
    assertEquals(await hosting.statuses("shop", 2), ["Updating c", "InService c"]);
    const after = await hosting.done("DescribeEndpoint", { EndpointName: "shop" });
    assertMatch(after.FailureReason, /alarm state: \[errors\]/);
    assertEquals(after.LastDeploymentConfig, DeploymentConfig);
  });

  it("are refused where something goes on, and of what is in use", async () => {
    await using hosting = await Hosting.open("c", "d");
    const { box } = hosting;
    const busy = `ValidationException: Cannot update in-progress endpoint "${ARN}:endpoint/shop".`;
    await hosting.done("CreateEndpoint", { EndpointName: "shop", EndpointConfigName: "c" });
    assertEquals(await hosting.refused("UpdateEndpoint", UPDATE), busy);
    assertEquals(await hosting.refused("DeleteEndpoint", { EndpointName: "shop" }), busy);
    await hosting.statuses("shop", 1);
    assertEquals(
      await hosting.refused("UpdateEndpoint", { ...UPDATE, EndpointConfigName: "c" }),
      "ValidationException: Cannot update endpoint with the currently in use endpoint " +
        'configuration "c".',
    );
    const endpoint = box.endpoints.endpoint("shop");
    for (const status of ["Updating", "SystemUpdating", "RollingBack", "Deleting"] as const) {
      endpoint.enter(status);
      assertEquals(await hosting.refused("UpdateEndpoint", UPDATE), busy, status);
      assertEquals(await hosting.refused("DeleteEndpoint", { EndpointName: "shop" }), busy);
    }
    endpoint.fail("no");
    assertMatch(await hosting.refused("UpdateEndpoint", UPDATE), /^ValidationException: .*Failed/);
    endpoint.failRollback("no");
    await hosting.done("UpdateEndpoint", UPDATE);
    assertEquals(await hosting.statuses("shop", 2), ["Updating c", "InService d"]);
  });

  it("lead from serverless to instances, and not back", async () => {
    await using hosting = await Hosting.open("c", "d");
    await hosting.done("CreateEndpointConfig", configuration("s", SERVERLESS));
    await hosting.done("CreateEndpointConfig", configuration("s2", SERVERLESS));
    await hosting.serving("shop", "s");
    await hosting.done("UpdateEndpoint", { ...UPDATE, EndpointConfigName: "s2" });
    assertEquals(await hosting.statuses("shop", 2), ["Updating s", "InService s2"]);
    await hosting.done("UpdateEndpoint", UPDATE);
    assertEquals(await hosting.statuses("shop", 2), ["Updating s2", "InService d"]);
    assertMatch(
      await hosting.refused("UpdateEndpoint", { ...UPDATE, EndpointConfigName: "s" }),
      /^ValidationException: .*serverless/,
    );
  });

  for (
    const [what, more] of [
      ["a canary without a size", { DeploymentConfig: canary({ Type: "CANARY" }) }],
      ["a canary that is larger than half", {
        DeploymentConfig: canary({ ...HALF, CanarySize: { Type: "INSTANCE_COUNT", Value: 2 } }),
      }],
      ["steps that are too small", {
        DeploymentConfig: canary({
          Type: "LINEAR",
          LinearStepSize: { Type: "CAPACITY_PERCENT", Value: 5 },
        }),
      }],
      ["two policies", {
        DeploymentConfig: {
          ...canary(HALF),
          RollingUpdatePolicy: { MaximumBatchSize: HALF.CanarySize, WaitIntervalInSeconds: 0 },
        },
      }],
      ["a variant of another name, with a policy", {
        ...{ EndpointConfigName: "named", DeploymentConfig: canary(HALF) },
      }],
      ["exceptions from nothing", {
        ExcludeRetainedVariantProperties: [{ VariantPropertyType: "DesiredWeight" }],
      }],
    ] as readonly (readonly [what: string, more: Fields])[]
  ) {
    it(`are not of ${what}`, async () => {
      await using hosting = await Hosting.open("c");
      for (const [name, variant] of [["d", {}], ["named", { VariantName: "Other" }]] as const) {
        const input = configuration(name, { InitialInstanceCount: 3, ...variant });
        await hosting.done("CreateEndpointConfig", input);
      }
      await hosting.serving("shop", "c");
      assertMatch(
        await hosting.refused("UpdateEndpoint", { ...UPDATE, ...more }),
        /^ValidationException: /,
      );
      assertEquals(await hosting.statuses("shop", 1), ["InService c"]);
    });
  }
});
