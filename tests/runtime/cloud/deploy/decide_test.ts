import { assertEquals, assertThrows } from "@std/assert";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import {
  actionFor,
  changesOf,
  requireKnownModel,
  requirePossible,
  requireReady,
} from "../../../../runtime/cloud/deploy/decide.ts";
import { deploymentOf } from "../../../../runtime/cloud/deploy/plan.ts";
import type { DeployRequest } from "../../../../runtime/cloud/deploy/request.ts";
import type { State } from "../../../../runtime/cloud/deploy/state.ts";
import { MlcliError, UsageError } from "../../../../runtime/errors.ts";
import {
  ADDRESS,
  deployRequest,
  IMAGE,
  MADE,
  NOTHING,
  ROLE,
  type Served,
  served,
} from "../../../helpers/deploy_state.ts";
import { inFile, typed } from "../../../helpers/settings.ts";
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
    [
      "new, without a role",
      { memorySizeInMb: inFile(1024), iamRoleArn: undefined },
      NOTHING,
      UsageError,
    ],
    ["instances, with memory", { memorySizeInMb: inFile(1024) }, served(), MlcliError],
    ["instances, with concurrency", { maxConcurrency: 3 }, served(), MlcliError],
    ["serverless, with a count", { instanceCount: inFile(2) }, served(SERVERLESS), MlcliError],
    ["serverless, with subnets", { subnet: [inFile("subnet-1")] }, served(SERVERLESS), UsageError],
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
    ["new, serverless", { memorySizeInMb: inFile(1024) }, NOTHING],
    ["as it is", {}, served()],
    ["as it is, serverless", {}, served(SERVERLESS)],
    ["without a role", { iamRoleArn: undefined }, served()],
    ["serverless to instances in a network", {
      ec2Type: "ml.m5.large",
      subnet: [inFile("subnet-1")],
    }, served(SERVERLESS)],
    [
      "serverless, with more",
      { memorySizeInMb: inFile(4096), maxConcurrency: 9 },
      served(SERVERLESS),
    ],
    [
      "no configuration, on a type",
      { ec2Type: "ml.m5.large" },
      served({
        base: { configuration: undefined },
      }),
    ],
  ];
  for (const [what, request, there] of possible) {
    it(`takes what can be: ${what}`, () => requirePossible(deployRequest(request), there));
  }

  const unknown = [
    ["a model package", served({ container: { ModelPackageName: "package" } })],
    ["a deleted model", served({ base: { model: undefined } })],
  ] as const;
  for (const [what, there] of unknown) {
    it(`wants the model to be named: ${what}`, () => {
      const error = assertThrows(
        () => requireKnownModel(deployRequest({ model: undefined }), there),
        MlcliError,
      );
      assertEquals(error.message, "Cannot determine the model of endpoint shop");
      requireKnownModel(deployRequest(), there);
    });
  }
  it("needs no name of a model that is known, or of a new endpoint", () => {
    for (const there of [NOTHING, served()]) {
      requireKnownModel(deployRequest({ model: undefined }), there);
    }
  });
});

interface Asked extends Partial<DeployRequest> {
  readonly image?: string;
  readonly address?: { readonly bucket: string; readonly key: string };
  readonly lastModified?: Date;
}

function changes(
  { image = IMAGE, address = ADDRESS, lastModified, ...values }: Asked,
  state: State,
) {
  const request = deployRequest(values);
  const slot = { configuration: "shop-config-2", model: "shop-mlcli-2" };
  const deployment = deploymentOf({ request, state, slot, image, model: address });
  return changesOf(deployment, request, state, lastModified);
}

const LATER = new Date(MADE.getTime() + 1_000);
const capture = {
  EnableCapture: true,
  InitialSamplingPercentage: 100,
  DestinationS3Uri: "s3://b/captured",
  CaptureOptions: [{ CaptureMode: "Input" as const }],
};

suite("deploy: what changes", () => {
  const nothing: readonly (readonly [string, Asked, State])[] = [
    ["the same", {}, served()],
    ["the same, named", { ec2Type: "ml.m5.large", instanceCount: inFile(1) }, served()],
    ["tags", { tags: { team: "a" } }, served()],
    ["an archive as old as the model", { lastModified: MADE }, served()],
    [
      "a role that mlcli acts in, beside the model's",
      { iamRoleArn: typed(`${ROLE}-other`, "--iam-role-arn") },
      served(),
    ],
    [
      "the same variable",
      { variables: { A: "b" } },
      served({ container: { Environment: { A: "b" } } }),
    ],
    [
      "the order of ids",
      { subnet: [inFile("subnet-1"), inFile("subnet-2")], securityGroup: ["sg-1"] },
      served({
        model: { VpcConfig: { Subnets: ["subnet-2", "subnet-1"], SecurityGroupIds: ["sg-1"] } },
      }),
    ],
    [
      "what nobody has an option for",
      {},
      served({
        configuration: {
          DataCaptureConfig: capture,
          KmsKeyId: "alias/k",
          AsyncInferenceConfig: { OutputConfig: { S3OutputPath: "s3://b/async" } },
        },
        variant: { ContainerStartupHealthCheckTimeoutInSeconds: 300 },
      }),
    ],
    ["a canary alone", { canary: inFile(10), alarm: [] }, served()],
    [
      "a count while it is being created",
      { instanceCount: typed(1, "--instance-count") },
      served({ description: { status: "Creating", variants: [] } }),
    ],
    [
      "the count of a file, whatever autoscaling has made of it",
      { instanceCount: inFile(1) },
      scaled(5),
    ],
    ["the count that is there", { instanceCount: typed(1, "--instance-count") }, scaled(1)],
  ];
  function scaled(desiredCount: number): State {
    const variants = [{ name: "AllTraffic", currentCount: desiredCount, desiredCount }];
    return served({ description: { variants } });
  }
  for (const [what, asked, state] of nothing) {
    it(`finds nothing: ${what}`, () => assertEquals(changes(asked, state), []));
  }

  const something: readonly (readonly [readonly string[], Asked, State])[] = [
    [["everything"], {}, NOTHING],
    [["everything"], {}, served({ base: { model: undefined } })],
    [
      ["everything"],
      { ec2Type: "ml.m5.large" },
      served({ base: { configuration: undefined } }),
    ],
    [["model data"], { address: { bucket: "b", key: "other.tar.gz" } }, served()],
    [["model data"], { lastModified: LATER }, served()],
    [["image"], { image: IMAGE.replaceAll("0a", "0b") }, served()],
    [["image"], {}, served({ container: { Image: IMAGE.replace(/@.*/, ":latest") } })],
    [["variables"], { variables: { A: "c" } }, served({ container: { Environment: { A: "b" } } })],
    [["role"], { executionRole: `${ROLE}-other` }, served()],
    [["network"], { subnet: [inFile("subnet-1")], securityGroup: ["sg-1"] }, served()],
    [["instances"], { ec2Type: "ml.c5.large" }, served()],
    [["instances"], { instanceCount: inFile(2) }, served()],
    [["instances"], { healthCheckTimeout: inFile(600) }, served()],
    [["instance count"], { instanceCount: typed(1, "--instance-count") }, scaled(5)],
    [["KMS key"], { kmsKey: inFile("alias/k") }, served()],
    [["data capture"], { dataCapture: inFile({ bucket: "b", key: "captured" }) }, served()],
    [
      ["data capture"],
      { dataCapture: inFile({ bucket: "b", key: "other" }) },
      served({ configuration: { DataCaptureConfig: capture } }),
    ],
  ];
  for (const [index, [names, asked, state]] of something.entries()) {
    it(`finds ${names}: ${index}`, () => assertEquals(changes(asked, state), names));
  }
});
