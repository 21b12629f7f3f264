import { AwsError, isRefusal, withHint, withMore } from "../../aws/errors.ts";
import type { EndpointDescription, SageMaker } from "../../aws/sagemaker.ts";
import {
  checkEndpointName,
  configurationOf,
  isPossibleName,
  slotsOf,
} from "../../contract/names.ts";
import type { Messages } from "../../messages.ts";
import { type CloudChoice, connectToAws, type WaitingHost } from "../connection.ts";
import { findOtherUsers, inUseError, type LookHost } from "./other_users.ts";
import {
  deletionByHand,
  findParts,
  type FoundPart,
  type FoundParts,
  hasOurTag,
  modelsOf,
  type Part,
  partWords,
} from "./parts.ts";

/** Settings of `mlcli delete-endpoint`, under the names of their options. */
export interface EndpointDeletion extends CloudChoice {
  readonly endpointName: string;
  /** Whether to delete `{endpointName}-config`, and the second configuration that `deploy` creates. */
  readonly deleteConfig: boolean;
  /** Whether to delete the models that mlcli created for the endpoint. */
  readonly deleteModel: boolean;
  /** Whether to return only when the endpoint is deleted. Requires permission to describe it. */
  readonly wait: boolean;
  /** Maximum time to wait, in s. */
  readonly timeout: number;
  /** Whether to plan the deletion and delete nothing. */
  readonly dryRun: boolean;
}

export interface PlannedPart extends Part {
  /** `undefined` where permissions do not let mlcli find out. */
  readonly isThere: boolean | undefined;
}

/** Resources that a deletion deletes and keeps. */
export interface DeletionPlan {
  readonly endpoint: string;
  /** `undefined` if permissions do not allow describing the endpoint. */
  readonly description: EndpointDescription | undefined;
  readonly isGone?: boolean;
  /** To delete after the endpoint, in this order. */
  readonly parts: readonly PlannedPart[];
  readonly kept: readonly PlannedPart[];
}

/** In these states, SageMaker changes the endpoint and refuses to delete it. */
const UPDATING: ReadonlySet<string> = new Set([
  "Creating",
  "Updating",
  "SystemUpdating",
  "RollingBack",
]);

/**
 * Plans a deletion without changing anything. A check that the permissions do not cover is skipped with a
 * note, because the specification requires only the permissions to delete.
 *
 * @throws UsageError if no endpoint can have that name.
 * @throws AwsError if neither the endpoint nor a part to delete exists (its hint names other parts of that
 * name), if the endpoint is being updated, or if other endpoints use a part to delete.
 */
export async function planDeletion(
  request: EndpointDeletion,
  host: WaitingHost,
): Promise<{ readonly plan: DeletionPlan; readonly sagemaker: SageMaker }> {
  checkEndpointName(request.endpointName);
  const sagemaker = await (await connectToAws(request, host)).sagemaker();
  return { plan: await planOn(sagemaker, request, host), sagemaker };
}

async function planOn(
  sagemaker: SageMaker,
  request: EndpointDeletion,
  host: LookHost,
): Promise<DeletionPlan> {
  const { messages } = host;
  const { endpointName: endpoint, deleteConfig } = request;
  const description = await describeIfAllowed(sagemaker, request, messages);
  if (description instanceof AwsError) {
    const found = await partsOfGoneEndpoint(sagemaker, request, description, messages);
    await requireNoOtherUsers(sagemaker, request, found.parts, host);
    return { endpoint, description: undefined, isGone: true, ...found };
  }
  if (description && UPDATING.has(description.status)) {
    throw updatingError(endpoint, description.status);
  }
  if (deleteConfig && !isPossibleName(configurationOf(endpoint))) {
    messages.note(
      `No configuration to delete: the name ${configurationOf(endpoint)} is too long for SageMaker`,
    );
  }
  const found = await findParts(sagemaker, endpoint, description?.configuration);
  noteDenials(found, request, messages);
  const parts: FoundPart[] = [];
  for (const one of found.configurations) {
    if (await isConfigurationToGo(sagemaker, one, request, description, messages)) parts.push(one);
  }
  for (const one of found.models) {
    if (await isModelToGo(sagemaker, one, request, found, messages)) parts.push(one);
  }
  const kept = [...found.configurations, ...found.models].filter((one) =>
    !parts.includes(one) && (one.isThere ?? one.name === description?.configuration)
  );
  if (description) await requireNoOtherUsers(sagemaker, request, parts, host);
  return { endpoint, description, parts, kept };
}

/**
 * The first configuration is deleted by its name, as the specification says. The second one is deleted only
 * if it is in use or has mlcli's tag, because another user might have chosen that name.
 */
async function isConfigurationToGo(
  sagemaker: SageMaker,
  configuration: FoundPart,
  { endpointName, deleteConfig }: EndpointDeletion,
  description: EndpointDescription | undefined,
  messages: Messages,
): Promise<boolean> {
  const { name, isThere } = configuration;
  const [first, second] = slotsOf(endpointName);
  if (!deleteConfig) return false;
  if (name === first.configuration) return true;
  if (name !== second.configuration) return false;
  if (description?.configuration === name) return true;
  return isThere === true && await hasOurTag(sagemaker, endpointName, configuration, messages);
}

/** Models are deleted that have mlcli's names or its tag. */
async function isModelToGo(
  sagemaker: SageMaker,
  model: FoundPart,
  { endpointName, deleteModel }: EndpointDeletion,
  { configurations }: FoundParts,
  messages: Messages,
): Promise<boolean> {
  if (!deleteModel || model.isThere === false) return false;
  if (slotsOf(endpointName).some((slot) => slot.model === model.name)) {
    // If permissions hide the model, it counts as existing when a configuration names it.
    const isNamed = configurations.some(({ details }) => modelsOf(details).includes(model.name));
    return model.isThere === true || isNamed || configurations.some(({ denial }) => denial);
  }
  return await hasOurTag(sagemaker, endpointName, model, messages);
}

/**
 * Returns the parts that mlcli created for a deleted endpoint, such as after a killed deletion. Without the
 * endpoint, the name of a configuration does not prove its owner: the name of its model or its tag must.
 *
 * @throws the refusal if there is no part to delete; its hint names other parts of that name.
 */
async function partsOfGoneEndpoint(
  sagemaker: SageMaker,
  request: EndpointDeletion,
  refusal: AwsError,
  messages: Messages,
): Promise<{ readonly parts: readonly FoundPart[]; readonly kept: readonly FoundPart[] }> {
  const { endpointName, deleteConfig, deleteModel } = request;
  const { configurations, models } = await findParts(sagemaker, endpointName, undefined)
    .catch((cause): FoundParts => {
      if (cause instanceof AwsError) return { configurations: [], models: [] };
      throw cause;
    });
  const ourModels = slotsOf(endpointName).map(({ model }) => model);
  const parts: FoundPart[] = [];
  for (const one of [...deleteConfig ? configurations : [], ...deleteModel ? models : []]) {
    if (!one.isThere) continue;
    const isOurs = [one.name, ...modelsOf(one.details)].some((name) => ourModels.includes(name)) ||
      await hasOurTag(sagemaker, endpointName, one, messages);
    if (isOurs) parts.push(one);
  }
  const there = [...configurations, ...models].filter(({ isThere }) => isThere);
  if (parts.length > 0) return { parts, kept: there.filter((one) => !parts.includes(one)) };
  if (there.length === 0) throw refusal;
  const names = there.map(partWords).join(", ");
  const byHand = there.map((one) => deletionByHand(one, request)).join("; ");
  throw withMore(refusal, `Parts with its name still exist: ${names}. To delete them: ${byHand}`);
}

/** @throws AwsError if another endpoint uses a part to delete. */
async function requireNoOtherUsers(
  sagemaker: SageMaker,
  { endpointName }: EndpointDeletion,
  parts: readonly FoundPart[],
  host: LookHost,
): Promise<void> {
  const there = parts.filter(({ isThere }) => isThere !== false);
  if (there.length === 0) return;
  const usersOf = await findOtherUsers(there, endpointName, host, sagemaker);
  for (const part of there) {
    const option = part.kind === "model" ? "--delete-model" : "--delete-config";
    const remedy = `Delete the endpoints that use it first, or omit ${option}.`;
    if (usersOf(part).length > 0) throw inUseError(part, usersOf(part), remedy);
  }
}

function noteDenials(
  { configurations, models }: FoundParts,
  { endpointName }: EndpointDeletion,
  messages: Messages,
): void {
  const denied = [...configurations, ...models].flatMap(({ denial }) => denial ? [denial] : []);
  if (denied.length === 0) return;
  const reasons = [...new Set(denied.map(({ message }) => message))].join("; ");
  messages.note(
    `Cannot check all configurations and models of endpoint ${endpointName}, so some might remain: ` +
      reasons,
  );
}

/**
 * Returns the description; the refusal if the endpoint does not exist; `undefined` if mlcli has no permission
 * to describe it.
 */
async function describeIfAllowed(
  sagemaker: SageMaker,
  { endpointName, deleteConfig, deleteModel, wait }: EndpointDeletion,
  messages: Messages,
): Promise<EndpointDescription | AwsError | undefined> {
  try {
    return await sagemaker.describeEndpoint(endpointName);
  } catch (error) {
    if (isRefusal(error, "not found")) return error;
    if (!isRefusal(error, "denied")) throw error;
    if (wait) {
      throw withHint(
        error,
        "Nothing was deleted. Add the permission, which --wait requires, or omit --wait.",
      );
    }
    const parts = [
      deleteConfig ? configurationOf(endpointName) : "",
      deleteModel ? "its models" : "",
    ].filter((part) => part).join(" or ");
    const others = parts === "" ? "" : ` or whether another endpoint uses ${parts}`;
    messages.note(`Cannot check the status of endpoint ${endpointName}${others}: ${error.message}`);
    return undefined;
  }
}

export function updatingError(endpoint: string, status: string): AwsError {
  return new AwsError(
    "in progress",
    `Endpoint is updating, cannot delete: ${endpoint} (${status})`,
    { hint: "Wait until mlcli list-endpoints shows InService or Failed, then delete it" },
  );
}
