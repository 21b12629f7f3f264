import type { Part } from "../endpoints/parts.ts";
import { withHiddenValues } from "../start/plan.ts";
import type { Checked } from "./check.ts";
import { type Deployment, endpointTags } from "./plan.ts";
import type { DeployContext } from "./request.ts";
import { unusedParts } from "./state.ts";

interface ShownCall {
  readonly action: string;
  readonly input: unknown;
  readonly times?: number;
}

/** The calls that a deployment would make, without the values of variables: they may be secrets. */
export function dryRun(
  { action, model, deployment, inTheWay }: Checked,
  { request, state }: DeployContext,
): readonly ShownCall[] {
  const isMade = action === "create" || action === "update";
  const served = isMade
    ? {
      configuration: deployment.configuration.EndpointConfigName!,
      model: deployment.model.ModelName!,
    }
    : { configuration: state.base!.name, model: state.base!.models[0] ?? "" };
  const unused = request.wait ? unusedParts(served, state).ours : [];
  const arn = state.description?.arn;
  const hasTags = request.wait && (action !== "nothing" || Object.keys(request.tags).length > 0);
  const tagged: ShownCall[] = arn === undefined || !hasTags ? [] : [{
    action: "sagemaker:AddTags",
    input: { ResourceArn: arn, Tags: endpointTags(request, state) },
  }];
  return [
    ...isMade ? [...sending(model), ...inTheWay.map(deletion), ...creations(deployment)] : [],
    ...tagged,
    ...unused.map(deletion),
  ];
}

function sending({ calls, address }: Checked["model"]): ShownCall[] {
  return Object.entries(calls).map(([name, times]) => ({
    action: `s3:${name}`,
    input: { Bucket: address!.bucket, Key: address!.key },
    ...times === 1 ? {} : { times },
  }));
}

function creations({ model, configuration, endpoint }: Deployment): ShownCall[] {
  const hidden = withHiddenValues(model.PrimaryContainer ?? {});
  return [
    { action: "sagemaker:CreateModel", input: { ...model, PrimaryContainer: hidden } },
    { action: "sagemaker:CreateEndpointConfig", input: configuration },
    "creation" in endpoint
      ? { action: "sagemaker:CreateEndpoint", input: endpoint.creation }
      : { action: "sagemaker:UpdateEndpoint", input: endpoint.update },
  ];
}

function deletion({ kind, name }: Part): ShownCall {
  return kind === "model"
    ? { action: "sagemaker:DeleteModel", input: { ModelName: name } }
    : { action: "sagemaker:DeleteEndpointConfig", input: { EndpointConfigName: name } };
}
