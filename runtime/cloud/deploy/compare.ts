/**
 * Whether an endpoint serves what is asked for already, as pure functions.
 *
 * @module
 */

import type { EndpointConfigurationInput, ModelInput } from "../../aws/sagemaker.ts";
import {
  carriedConfiguration,
  carriedContainer,
  carriedVariant,
  containerOf,
  modelDataOf,
} from "./carried.ts";
import type { Deployment } from "./plan.ts";
import type { DeployRequest } from "./request.ts";
import { isChanging, type State } from "./state.ts";
import { setsCount } from "./variant.ts";

/**
 * What a deployment would change of what the endpoint has, or is going to have: `model data`, `image`.
 * Nothing where it has all of that. Tags do not count: they are no reason for new machines.
 *
 * @param lastModified when the archive was written; `undefined` where nobody knows.
 */
export function changesOf(
  { model, configuration }: Pick<Deployment, "model" | "configuration">,
  request: DeployRequest,
  state: State,
  lastModified: Date | undefined,
): readonly string[] {
  const { base } = state;
  if (!base?.model || !base.configuration) return ["everything"];
  const parts = [
    ...modelChanges(model, base.model),
    ...configurationChanges(configuration, state),
  ];
  if (isRewritten(lastModified, base.model.CreationTime) && !parts.includes("model data")) {
    parts.unshift("model data");
  }
  if (isOtherCount(request, state) && !parts.includes("instances")) parts.push("instance count");
  return parts;
}

/** Whether the archive was written again since the model was made of it. */
function isRewritten(lastModified: Date | undefined, made: Date | undefined): boolean {
  return lastModified !== undefined && made !== undefined && lastModified > made;
}

function modelChanges(
  planned: ModelInput,
  before: NonNullable<NonNullable<State["base"]>["model"]>,
): string[] {
  const [now, was] = [containerOf(planned), containerOf(before)];
  return differing([
    ["model data", modelDataOf(now), modelDataOf(was)],
    ["image", now?.Image, was?.Image],
    ["variables", now?.Environment ?? {}, was?.Environment ?? {}],
    [
      "container",
      carriedContainer({ ...now, Environment: undefined }),
      carriedContainer({
        ...was,
        Environment: undefined,
      }),
    ],
    ["role", planned.ExecutionRoleArn, before.ExecutionRoleArn],
    ["network", planned.VpcConfig ?? {}, before.VpcConfig ?? {}],
    ["network isolation", !!planned.EnableNetworkIsolation, !!before.EnableNetworkIsolation],
  ]);
}

function configurationChanges(
  planned: EndpointConfigurationInput,
  { base, description }: State,
): string[] {
  const { Tags: _, ...now } = planned;
  const { KmsKeyId: key, DataCaptureConfig: capture, ...others } = carriedConfiguration(
    // Without what only a description has, this is one.
    now as Parameters<typeof carriedConfiguration>[0],
  );
  const was = carriedConfiguration(base!.configuration);
  const { KmsKeyId: keyBefore, DataCaptureConfig: captureBefore, ...othersBefore } = was;
  const [variant] = planned.ProductionVariants ?? [];
  const variantBefore = carriedVariant(base!, description?.variants[0]?.name);
  return differing([
    ["instances", { ...variant, ModelName: "" }, { ...variantBefore, ModelName: "" }],
    ["key", key, keyBefore],
    ["data capture", capture ?? {}, captureBefore ?? {}],
    ["configuration", others, othersBefore],
  ]);
}

/** Whether another count of instances is asked for than there is to be. */
function isOtherCount(request: DeployRequest, state: State): boolean {
  const { description } = state;
  // While it changes there is nothing to compare with but the configuration.
  if (!description || isChanging(description) || !setsCount(request, state)) return false;
  return description.variants[0]?.desiredCount !== request.instanceCount;
}

function differing(pairs: readonly (readonly [string, unknown, unknown])[]): string[] {
  return pairs.filter(([, one, other]) => ordered(one) !== ordered(other)).map(([name]) => name);
}

/** A text that is the same for values that mean the same: members and ids have no order. */
function ordered(value: unknown): string {
  return JSON.stringify(value, (key, one) => {
    if (["Subnets", "SecurityGroupIds"].includes(key)) return [...one].sort();
    if (one === null || typeof one !== "object" || Array.isArray(one)) return one;
    return Object.fromEntries(
      Object.entries(one).filter(([, member]) => member !== undefined)
        .sort(([first], [second]) => first < second ? -1 : 1),
    );
  }) ?? "";
}
