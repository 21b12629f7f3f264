import { ifAllowed, orNothing } from "../../aws/errors.ts";
import type {
  EndpointConfigurationDetails,
  EndpointDescription,
  ModelDetails,
  SageMaker,
  Tags,
} from "../../aws/sagemaker.ts";
import { freeSlot, type InUse, type Slot, slotsOf } from "../../contract/names.ts";
import type { Messages } from "../../messages.ts";
import {
  arnOf,
  findParts,
  type FoundPart,
  type FoundParts,
  modelsOf,
  type Part,
  type PartsApi,
} from "../endpoints/parts.ts";
import { ENDPOINT_TAG } from "../tags.ts";

/** Configuration and model that an endpoint serves with or, while it changes, is about to serve with. */
export interface Base {
  /** Name of its configuration. */
  readonly name: string;
  /** `undefined` if another user has deleted it while the endpoint uses it. */
  readonly configuration: EndpointConfigurationDetails | undefined;
  /** Its only model; `undefined` if the model is deleted, or if there are several models or none. */
  readonly model: ModelDetails | undefined;
  readonly models: readonly string[];
  /** Tags of the configuration; none if mlcli has no permission to read them. */
  readonly tags: Tags;
}

export interface ExistingPart extends Part {
  /** When SageMaker made it: a part with another time is another one, and not ours to delete. */
  readonly created: Date | undefined;
  /** Whether mlcli made it for this endpoint. */
  readonly isOurs: boolean;
}

/** What there is of an endpoint before it is deployed. */
export interface State {
  /** The name as SageMaker writes it: it ignores capitals in a request. */
  readonly endpoint: string;
  /** `undefined` where there is no such endpoint. */
  readonly description: EndpointDescription | undefined;
  /** `undefined` where there is no such endpoint. */
  readonly base: Base | undefined;
  /** The parts in use, and those with names that mlcli gives: configurations first. */
  readonly parts: readonly ExistingPart[];
}

type StateApi = PartsApi & Pick<SageMaker, "describeEndpoint">;

/** Whether the service refuses changes of the endpoint now. */
export function isChanging({ status }: EndpointDescription): boolean {
  return CHANGING.has(status);
}

const CHANGING: ReadonlySet<string> = new Set([
  "Creating",
  "Updating",
  "SystemUpdating",
  "RollingBack",
  "Deleting",
]);

export function isGoingTo(
  { configuration, pendingConfiguration }: EndpointDescription,
  name: string,
): boolean {
  return configuration === name || pendingConfiguration === name;
}

/**
 * Describes an endpoint and the parts with mlcli's names for it. Changes nothing.
 *
 * @throws AwsError also if mlcli has no permission to describe a part: an update would lose it.
 */
export async function stateOf(
  name: string,
  sagemaker: StateApi,
  messages: Pick<Messages, "note">,
): Promise<State> {
  const description = await orNothing(sagemaker.describeEndpoint(name));
  const endpoint = description?.name ?? name;
  const inUse = description && (description.pendingConfiguration ?? description.configuration);
  const found = await findParts(sagemaker, endpoint, inUse);
  const used = found.configurations.find((one) => one.name === inUse);
  const usedModel = used && onlyModelOf(used, found);
  const looked = [
    ...found.configurations,
    ...found.models.filter((one) => hasOurName(one, endpoint) || one === usedModel),
  ];
  for (const { denial } of looked) if (denial) throw denial;
  const tagsOf = async (part: FoundPart): Promise<Tags | undefined> => {
    const arn = arnOf(part);
    return arn === undefined ? undefined : await ifAllowed(sagemaker.tagsOf(arn), (denial) => {
      if (part === used) messages.note(`Cannot keep the tags of ${part.name}: ${denial.message}`);
    });
  };
  const isTagged = async (part: FoundPart): Promise<boolean> =>
    (await tagsOf(part))?.[ENDPOINT_TAG] === endpoint;
  const tags = new Map(
    await Promise.all(found.configurations.map(async (one) => [one, await tagsOf(one)] as const)),
  );
  const isOurs = async (part: FoundPart): Promise<boolean> => {
    if (part.kind === "model") return hasOurName(part, endpoint) || await isTagged(part);
    const its = tags.get(part);
    if (its?.[ENDPOINT_TAG] === endpoint) return true;
    // Without tags (no permission, or an emulator), a configuration is mlcli's if the endpoint uses it or is
    // about to use it, and if it and its model have mlcli's names. If the model has mlcli's tag, tags do
    // work.
    const model = onlyModelOf(part, found);
    return Object.keys(its ?? {}).length === 0 && hasOurName(part, endpoint) &&
      description !== undefined && isGoingTo(description, part.name) &&
      model?.isThere === true && hasOurName(model, endpoint) &&
      (its === undefined || !await isTagged(model));
  };
  const parts: ExistingPart[] = [];
  for (const part of looked.filter(({ isThere }) => isThere)) {
    const { kind, name, details } = part;
    parts.push({ kind, name, created: details?.CreationTime, isOurs: await isOurs(part) });
  }
  const base: Base | undefined = inUse === undefined ? undefined : {
    name: inUse,
    configuration: used?.details as EndpointConfigurationDetails | undefined,
    model: usedModel?.details as ModelDetails | undefined,
    models: modelsOf(used?.details),
    tags: (used && tags.get(used)) ?? {},
  };
  return { endpoint, description, base, parts };
}

function hasOurName({ kind, name }: FoundPart, endpoint: string): boolean {
  return slotsOf(endpoint).some((slot) => slot[kind] === name);
}

/** The model of a configuration that has one. */
function onlyModelOf({ details }: FoundPart, { models }: FoundParts): FoundPart | undefined {
  const [first, ...others] = modelsOf(details);
  return others.length > 0 ? undefined : models.find(({ name }) => name === first);
}

/** The names for new parts; those of parts that mlcli did not make only where no others are free. */
export function slotFor(state: State): Slot {
  const theirs = state.parts.filter(({ kind, isOurs }) => kind === "configuration" && !isOurs);
  return freeSlot(state.endpoint, inUse(state), theirs.map(({ name }) => name));
}

/**
 * Names that the endpoint uses, or is about to. Where its configuration is deleted, or names no model,
 * the model is guessed: the one that belongs to that configuration's name, or any that is there.
 */
function inUse({ endpoint, base, parts }: State): InUse {
  if (!base) return { configurations: [], models: [] };
  if (base.models.length > 0) return { configurations: [base.name], models: base.models };
  const slots = slotsOf(endpoint);
  const likely = slots.find(({ configuration }) => configuration === base.name) ??
    slots.find(({ model }) => parts.some(({ kind, name }) => kind === "model" && name === model));
  return { configurations: [base.name], models: likely ? [likely.model] : [] };
}

export function unusedParts(
  served: { readonly configuration: string; readonly model: string },
  { parts }: State,
): { readonly ours: readonly ExistingPart[]; readonly others: readonly ExistingPart[] } {
  const unused = parts.filter(({ kind, name }) => name !== served[kind]);
  return {
    ours: unused.filter(({ isOurs }) => isOurs),
    others: unused.filter(({ isOurs }) => !isOurs),
  };
}
