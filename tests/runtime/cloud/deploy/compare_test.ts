import { assertEquals } from "@std/assert";
import { changesOf } from "../../../../runtime/cloud/deploy/compare.ts";
import { deploymentOf } from "../../../../runtime/cloud/deploy/plan.ts";
import type { DeployRequest } from "../../../../runtime/cloud/deploy/request.ts";
import type { State } from "../../../../runtime/cloud/deploy/state.ts";
import {
  ADDRESS,
  deployRequest,
  IMAGE,
  MADE,
  NOTHING,
  ROLE,
  served,
} from "../../../helpers/deploy_state.ts";
import { it, suite } from "../../../helpers/suite.ts";

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
const typed = new Set(["--instance-count"]);
const capture = {
  EnableCapture: true,
  InitialSamplingPercentage: 100,
  DestinationS3Uri: "s3://b/captured",
  CaptureOptions: [{ CaptureMode: "Input" as const }],
};

suite("deploy: what changes", () => {
  const nothing: readonly (readonly [string, Asked, State])[] = [
    ["the same", {}, served()],
    ["the same, named", { instanceType: "ml.m5.large", instanceCount: 1 }, served()],
    ["tags", { tags: { team: "a" } }, served()],
    ["an archive as old as the model", { lastModified: MADE }, served()],
    ["a role that mlcli acts in, beside the model's", { actingRole: `${ROLE}-other` }, served()],
    [
      "the same variable",
      { variables: { A: "b" } },
      served({ container: { Environment: { A: "b" } } }),
    ],
    [
      "the order of ids",
      { subnets: ["subnet-1", "subnet-2"], securityGroups: ["sg-1"] },
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
    ["a canary alone", { canary: { percent: 10, alarms: [] } }, served()],
    [
      "a count while it is being created",
      { instanceCount: 1, typed },
      served({ description: { status: "Creating", variants: [] } }),
    ],
    ["the count of a file, whatever autoscaling has made of it", { instanceCount: 1 }, scaled(5)],
    ["the count that is there", { instanceCount: 1, typed }, scaled(1)],
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
      { instanceType: "ml.m5.large" },
      served({ base: { configuration: undefined } }),
    ],
    [["model data"], { address: { bucket: "b", key: "other.tar.gz" } }, served()],
    [["model data"], { lastModified: LATER }, served()],
    [["image"], { image: IMAGE.replaceAll("0a", "0b") }, served()],
    [["image"], {}, served({ container: { Image: IMAGE.replace(/@.*/, ":latest") } })],
    [["variables"], { variables: { A: "c" } }, served({ container: { Environment: { A: "b" } } })],
    [["role"], { executionRole: `${ROLE}-other` }, served()],
    [["network"], { subnets: ["subnet-1"], securityGroups: ["sg-1"] }, served()],
    [["instances"], { instanceType: "ml.c5.large" }, served()],
    [["instances"], { instanceCount: 2 }, served()],
    [["instances"], { healthCheckTimeout: 600 }, served()],
    [["instance count"], { instanceCount: 1, typed }, scaled(5)],
    [["key"], { kmsKey: "alias/k" }, served()],
    [["data capture"], { dataCapture: { bucket: "b", key: "captured" } }, served()],
    [
      ["data capture"],
      { dataCapture: { bucket: "b", key: "other" } },
      served({ configuration: { DataCaptureConfig: capture } }),
    ],
  ];
  for (const [index, [names, asked, state]] of something.entries()) {
    it(`finds ${names}: ${index}`, () => assertEquals(changes(asked, state), names));
  }
});
