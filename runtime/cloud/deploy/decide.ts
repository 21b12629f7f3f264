import { basename } from "@std/path/basename";
import { AwsError } from "../../aws/errors.ts";
import type { EndpointConfigurationInput, ModelDetails, ModelInput } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { MlcliError, UsageError } from "../../errors.ts";
import { enumerated, inOneLine, printable } from "../../text.ts";
import { deletionOf, modelDataOf } from "../endpoints/parts.ts";
import { commandFor } from "../jobs/job.ts";
import { requireGiven } from "../start/checks.ts";
import {
  containerOf,
  isServerless,
  keptConfiguration,
  keptContainer,
  keptVariant,
  setsCount,
} from "./kept.ts";
import { type Deployment, roleOf } from "./plan.ts";
import { asksForServerless, type DeployRequest, modelOf, requireServerless } from "./request.ts";
import { type Base, type ExistingPart, isChanging, type State } from "./state.ts";

const UNCHANGED = "Nothing was changed.";

export type Action =
  /** Makes the endpoint. */
  | "create"
  /** Makes it serve something else. */
  | "update"
  /** Waits for a change that has begun already, to what is asked for. */
  | "follow"
  /** It serves what is asked for. */
  | "nothing";

/**
 * What to do.
 *
 * @param changes by `changesOf`.
 * @throws AwsError where it is being changed into something else.
 */
export function actionFor(
  { endpoint, description, base }: State,
  changes: readonly string[],
  choice: AwsOptions,
): Action {
  if (description === undefined) return "create";
  if (!isChanging(description)) {
    // In another status it may have this configuration without serving it.
    return changes.length === 0 && description.status === "InService" ? "nothing" : "update";
  }
  if (changes.length === 0) return "follow";
  const status = base?.configuration
    ? `${description.status} to a version that differs from yours in ${enumerated(changes)}`
    : description.status;
  throw busyError(endpoint, status, choice);
}

/**
 * Requires that the endpoint can be changed, or is changing, perhaps to what is asked for.
 *
 * @throws AwsError where nothing can: it has failed, is going away or changes by itself.
 */
export function requireReady({ endpoint, description }: State, choice: AwsOptions): void {
  if (!description) return;
  const { status, failureReason } = description;
  if (status === "Failed") throw failedError(endpoint, failureReason, choice);
  const isComing = status === "Creating" ||
    status === "Updating" && description.pendingConfiguration !== undefined;
  if (isChanging(description) && !isComing) throw busyError(endpoint, status, choice);
}

/** @throws MlcliError for an endpoint with more than mlcli deploys: one model, on one kind of machine. */
export function requireOneModel({ endpoint, base }: State): void {
  const what = base && unsupportedParts(base);
  if (what === undefined) return;
  throw new MlcliError(`Endpoint ${endpoint} has ${what}, which mlcli deploy does not support`, {
    hint: `${UNCHANGED} Use another --endpoint-name, or update this endpoint with the tool ` +
      "that created it.",
  });
}

function unsupportedParts({ configuration, model }: Base): string | undefined {
  if (configuration === undefined) return undefined;
  const [variant, ...more] = configuration.ProductionVariants ?? [];
  if (more.length > 0) return `${more.length + 1} variants`;
  if ((configuration.ShadowProductionVariants ?? []).length > 0) return "a shadow variant";
  if (variant && !variant.ModelName) return "inference components";
  const containers = model?.Containers ?? [];
  if (containers.length > 1) return `a pipeline of ${containers.length} containers`;
  return containerOf(model)?.Mode === "MultiModel" ? "a multi-model container" : undefined;
}

/**
 * Requires that a model that nobody names is known, so that an update can keep it.
 *
 * @throws MlcliError
 */
export function requireKnownModel(
  request: DeployRequest,
  { endpoint, base, description }: State,
): void {
  const model = modelOf(request);
  const isKnown = base?.model !== undefined && !containerOf(base.model)?.ModelPackageName;
  if (model !== undefined || description === undefined || isKnown) return;
  throw new MlcliError(`Cannot determine the model of endpoint ${endpoint}`, {
    hint: `${UNCHANGED} ${
      base?.model
        ? "The model comes from a model package"
        : "The model or its configuration was deleted"
    }. Choose the model with --model.`,
  });
}

/**
 * Refuses beforehand what SageMaker would refuse when half of it is made.
 *
 * @throws UsageError for options that are missing, or that this kind of endpoint does not have;
 * MlcliError for a change that SageMaker cannot make.
 */
export function requirePossible(request: DeployRequest, state: State): void {
  const { endpoint, base, description } = state;
  const { ec2Type, memorySizeInMb, instanceCount } = request;
  const isOpen = ec2Type === undefined && memorySizeInMb === undefined;
  if (description === undefined) {
    if (isOpen) throw needsMachinesError(endpoint, request);
  } else if ((base?.configuration?.ProductionVariants ?? []).length === 0) {
    if (isOpen) throw noConfigurationError(endpoint, base);
  } else if (isServerless(state)) {
    if (isOpen && instanceCount !== undefined) {
      throw new MlcliError(`Endpoint ${endpoint} is serverless, so it has no instance count`, {
        hint: `${UNCHANGED} To limit concurrent requests, use --max-concurrency. To change to ` +
          "instances permanently, use --ec2-type.",
      });
    }
  } else if (asksForServerless(request)) {
    throw new MlcliError(`Endpoint ${endpoint} has instances and cannot become serverless`, {
      hint: `${UNCHANGED} Use another --endpoint-name, then delete this endpoint.`,
    });
  }
  if (memorySizeInMb !== undefined || (isServerless(state) && ec2Type === undefined)) {
    requireServerless(request);
  }
  if (roleOf(request, state) === undefined) {
    requireGiven("deploy", request.app, [["--execution-role", undefined]]);
  }
}

function needsMachinesError(endpoint: string, { app }: DeployRequest): UsageError {
  return new UsageError(`New endpoint ${endpoint} requires --ec2-type or --memory-size-in-mb`, {
    hint: "Set --ec2-type TYPE, or --memory-size-in-mb MB for serverless. Or set one of them in " +
      `"deploy" of ${basename(app.configurationPath)}. To serve locally, run mlcli local deploy.`,
  });
}

function noConfigurationError(endpoint: string, base: State["base"]): MlcliError {
  const what = base?.configuration ? "contains no variant" : "no longer exists";
  const name = inOneLine(base?.name ?? "");
  return new MlcliError(`Configuration ${name} of endpoint ${endpoint} ${what}`, {
    hint: `${UNCHANGED} Set --ec2-type and --instance-count: mlcli cannot read the old values.`,
  });
}

/**
 * Requires that nothing is deleted that an endpoint may serve with: where its roll-back has failed, some
 * of its instances have another configuration than the one that it names (API reference,
 * EndpointStatus).
 *
 * @param inTheWay what would be deleted first.
 */
export function requireUnmixed(
  { endpoint, description }: State,
  inTheWay: readonly Pick<ExistingPart, "name">[],
): void {
  const [part] = inTheWay;
  if (description?.status !== "UpdateRollbackFailed" || part === undefined) return;
  throw new MlcliError(
    `Cannot replace ${part.name}: after a failed rollback, endpoint ${endpoint} might still use it`,
    { hint: `${UNCHANGED} Use another --endpoint-name, then delete this endpoint.` },
  );
}

function busyError(endpoint: string, status: string, choice: AwsOptions): AwsError {
  const wait = commandFor(endpoint, choice)("wait");
  return new AwsError("in progress", `Endpoint ${endpoint} is still changing: ${status}`, {
    hint: `${UNCHANGED} Wait for this change (${wait}), then deploy again.`,
  });
}

function failedError(endpoint: string, reason: string | undefined, choice: AwsOptions): AwsError {
  return new AwsError("failed", `Endpoint ${endpoint} has failed and can only be deleted`, {
    quote: reason && printable(reason),
    hint: `${UNCHANGED} Before you deploy again, delete it: ${deletionOf(endpoint, choice)} --wait`,
  });
}

/**
 * What a deployment would change of what the endpoint has, or is going to have: `model data`, `image`.
 * Tags do not count: they are no reason for new machines.
 *
 * @param lastModified when the archive was written; `undefined` where that is not known.
 */
export function changesOf(
  { model, configuration }: Pick<Deployment, "model" | "configuration">,
  request: DeployRequest,
  state: State,
  lastModified: Date | undefined,
): readonly string[] {
  const { base } = state;
  if (!base?.model || !base.configuration) return ["everything"];
  const changes = [
    ...modelChanges(model, base.model),
    ...configurationChanges(configuration, state),
  ];
  const made = base.model.CreationTime;
  const isRewritten = lastModified !== undefined && made !== undefined && lastModified > made;
  if (isRewritten && !changes.includes("model data")) changes.unshift("model data");
  if (isOtherCount(request, state) && !changes.includes("instances")) {
    changes.push("instance count");
  }
  return changes;
}

function modelChanges(planned: ModelInput, before: ModelDetails): string[] {
  const [now, was] = [containerOf(planned), containerOf(before)];
  return differing([
    ["model data", modelDataOf(now), modelDataOf(was)],
    ["image", now?.Image, was?.Image],
    ["variables", now?.Environment ?? {}, was?.Environment ?? {}],
    [
      "container",
      keptContainer({ ...now, Environment: undefined }),
      keptContainer({ ...was, Environment: undefined }),
    ],
    ["role", planned.ExecutionRoleArn, before.ExecutionRoleArn],
    ["network", planned.VpcConfig ?? {}, before.VpcConfig ?? {}],
    ["network isolation", !!planned.EnableNetworkIsolation, !!before.EnableNetworkIsolation],
  ]);
}

function configurationChanges(planned: EndpointConfigurationInput, state: State): string[] {
  const { Tags: _, ...now } = planned;
  const { KmsKeyId: key, DataCaptureConfig: capture, ...others } = keptConfiguration(
    // The members that only a description has are not read.
    now as Parameters<typeof keptConfiguration>[0],
  );
  const was = keptConfiguration(state.base!.configuration);
  const { KmsKeyId: keyBefore, DataCaptureConfig: captureBefore, ...othersBefore } = was;
  const [variant] = planned.ProductionVariants ?? [];
  return differing([
    ["instances", { ...variant, ModelName: "" }, { ...keptVariant(state), ModelName: "" }],
    ["KMS key", key, keyBefore],
    ["data capture", capture ?? {}, captureBefore ?? {}],
    ["configuration", others, othersBefore],
  ]);
}

/** Whether the request names another count of instances than the desired one. */
function isOtherCount(request: DeployRequest, state: State): boolean {
  const { description } = state;
  // While it changes, only the configuration can be compared.
  if (!description || isChanging(description) || !setsCount(request, state)) return false;
  return description.variants[0]?.desiredCount !== request.instanceCount?.value;
}

function differing(pairs: readonly (readonly [string, unknown, unknown])[]): string[] {
  return pairs.filter(([, one, other]) => comparable(one) !== comparable(other)).map(([name]) =>
    name
  );
}

/** JSON that is equal for values that mean the same: the order of members and ids does not count. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (key, one) => {
    if (["Subnets", "SecurityGroupIds"].includes(key)) return [...one].sort();
    if (one === null || typeof one !== "object" || Array.isArray(one)) return one;
    return Object.fromEntries(
      Object.entries(one).filter(([, member]) => member !== undefined)
        .sort(([first], [second]) => first < second ? -1 : 1),
    );
  }) ?? "";
}
