import { assertEquals, assertThrows } from "@std/assert";
import { requireOneModel } from "../../../../runtime/cloud/deploy/carried.ts";
import {
  actionFor,
  requirePossible,
  requireReady,
  requireUnmixed,
} from "../../../../runtime/cloud/deploy/decide.ts";
import type { DeployRequest } from "../../../../runtime/cloud/deploy/request.ts";
import type { State } from "../../../../runtime/cloud/deploy/state.ts";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import { MlcliError, UsageError } from "../../../../runtime/errors.ts";
import { deployRequest, NOTHING, type Served, served } from "../../../helpers/deploy_state.ts";
import { it, suite } from "../../../helpers/suite.ts";

const CHOICE = { region: undefined, profile: undefined, iamRoleArn: undefined };
const CHANGES = ["image", "variables"];

function state(status: string, pendingConfiguration?: string): State {
  return served({ description: { status, pendingConfiguration } });
}

suite("deploy: the decision", () => {
  // What is done where something changes, and where nothing does; "refused" before that is known.
  const rows: readonly (readonly [string, State, string, string])[] = [
    ["none", NOTHING, "create", "create"],
    ["InService", state("InService"), "update", "nothing"],
    ["OutOfService", state("OutOfService"), "update", "update"],
    ["UpdateRollbackFailed", state("UpdateRollbackFailed"), "update", "update"],
    ["a status of tomorrow", state("Napping"), "update", "update"],
    ["Creating", state("Creating"), "busy", "follow"],
    ["Updating to another", state("Updating", "shop-config-2"), "busy", "follow"],
    ["Updating of counts", state("Updating"), "refused", "refused"],
    ["SystemUpdating", state("SystemUpdating"), "refused", "refused"],
    ["RollingBack", state("RollingBack"), "refused", "refused"],
    ["Deleting", state("Deleting"), "refused", "refused"],
    ["Failed", state("Failed"), "refused", "refused"],
  ];
  for (const [what, there, changed, same] of rows) {
    it(`is made by what there is: ${what}`, () => {
      if (changed === "refused") {
        assertThrows(() => requireReady(there, CHOICE), AwsError);
        return;
      }
      requireReady(there, CHOICE);
      if (changed === "busy") assertThrows(() => actionFor(there, CHANGES, CHOICE), AwsError);
      else assertEquals<string>(actionFor(there, CHANGES, CHOICE), changed);
      assertEquals<string>(actionFor(there, [], CHOICE), same);
    });
  }

  it("says how to wait, and to delete what failed, where it was asked", () => {
    const choice = { ...CHOICE, region: "eu-west-1", profile: "my profile" };
    const hintOf = (status: string): string =>
      assertThrows(() => requireReady(state(status), choice), AwsError).hint ?? "";
    const where = "--region eu-west-1 --profile 'my profile'";
    assertEquals(hintOf("RollingBack").endsWith(`mlcli wait shop ${where}`), true);
    assertEquals(
      hintOf("Failed").endsWith(
        `mlcli delete-endpoint -n shop --delete-config --delete-model ${where} --wait`,
      ),
      true,
    );
  });

  const SERVERLESS: Served = {
    variant: { ServerlessConfig: { MemorySizeInMB: 2048, MaxConcurrency: 5 } },
  };
  const impossible: readonly (readonly [
    string,
    Partial<DeployRequest>,
    State,
    typeof MlcliError,
  ])[] = [
    ["new, on nothing", {}, NOTHING, UsageError],
    ["new, on nothing but a count", { maxConcurrency: 3 }, NOTHING, UsageError],
    ["new, without a role", { memorySize: 1024, actingRole: undefined }, NOTHING, UsageError],
    ["instances, with memory", { memorySize: 1024 }, served(), MlcliError],
    ["instances, with concurrency", { maxConcurrency: 3 }, served(), MlcliError],
    ["serverless, with a count", { instanceCount: 2 }, served(SERVERLESS), MlcliError],
    ["serverless, with subnets", { subnets: ["subnet-1"] }, served(SERVERLESS), UsageError],
    ["no configuration", {}, served({ base: { configuration: undefined } }), MlcliError],
    ["no variant", {}, served({ configuration: { ProductionVariants: [] } }), MlcliError],
  ];
  for (const [what, request, there, kind] of impossible) {
    it(`refuses what cannot be: ${what}`, () => {
      const error = assertThrows(() => requirePossible(deployRequest(request), there), MlcliError);
      assertEquals(error instanceof UsageError, kind === UsageError, error.message);
    });
  }

  const possible: readonly (readonly [string, Partial<DeployRequest>, State])[] = [
    ["new, serverless", { memorySize: 1024 }, NOTHING],
    ["as it is", {}, served()],
    ["as it is, serverless", {}, served(SERVERLESS)],
    ["without a role", { actingRole: undefined }, served()],
    ["serverless to instances in a network", {
      instanceType: "ml.m5.large",
      subnets: ["subnet-1"],
    }, served(SERVERLESS)],
    ["serverless, with more", { memorySize: 4096, maxConcurrency: 9 }, served(SERVERLESS)],
    [
      "no configuration, on a type",
      { instanceType: "ml.m5.large" },
      served({
        base: { configuration: undefined },
      }),
    ],
  ];
  for (const [what, request, there] of possible) {
    it(`takes what can be: ${what}`, () => requirePossible(deployRequest(request), there));
  }

  it("deletes nothing that may serve where a roll-back has failed", () => {
    const things = [{ name: "shop-config-2" }];
    for (const status of ["InService", "OutOfService"]) requireUnmixed(state(status), things);
    requireUnmixed(state("UpdateRollbackFailed"), []);
    requireUnmixed(NOTHING, things);
    assertThrows(
      () => requireUnmixed(state("UpdateRollbackFailed"), things),
      MlcliError,
      "it may serve with shop-config-2, too",
    );
  });

  it("takes one model alone", () => {
    requireOneModel("shop", served().base!);
    const variants = ["a", "b"].map((VariantName) => ({ VariantName, ModelName: "m" }));
    const more: readonly Served[] = [
      { configuration: { ProductionVariants: variants } },
      { configuration: { ShadowProductionVariants: variants } },
      { variant: { ModelName: undefined } },
      { container: { Mode: "MultiModel" } },
      { model: { PrimaryContainer: undefined, Containers: [{}, {}] } },
    ];
    for (const one of more) {
      assertThrows(() => requireOneModel("shop", served(one).base!), MlcliError, "would lose that");
    }
  });
});
