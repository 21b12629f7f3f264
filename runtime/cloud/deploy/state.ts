import { ifAllowed, orNothing } from "../../aws/errors.ts";
import type {
  EndpointConfigurationDetails,
  EndpointDescription,
  ModelDetails,
  SageMaker,
  Tags,
} from "../../aws/sagemaker.ts";
import { freeSlot, type InUse, type Slot, slotsOf } from "../../contract/names.ts";
import {
  arnOf,
  findParts,
  type FoundPart,
  type FoundParts,
  modelsOf,
  type Part,
  type PartsApi,
} from "../endpoints/parts.ts";
import type { Note } from "../in_parallel.ts";
import { ENDPOINT_TAG } from "../tags.ts";

/** What an endpoint has: what it serves with or, while that changes, what it is going to. */
export interface Base {
  /** Name of its configuration. */
  readonly name: string;
  /** `undefined` where somebody has deleted it under the endpoint. */
  readonly configuration: EndpointConfigurationDetails | undefined;
  /** Its model; `undefined` where that is deleted, or it has not exactly one. */
  readonly model: ModelDetails | undefined;
  readonly models: readonly string[];
  /** Of the configuration; none where they may not be read. */
  readonly tags: Tags;
}

export interface ExistingPart extends Part {
  /** When the platform made it: another time is another part of that name, and not ours to delete. */
  readonly created: Date | undefined;
  /** Whether mlcli made it for this endpoint. */
  readonly isOurs: boolean;
}

/** What there is of an endpoint before it is deployed. */
export interface State {
  /** As the platform writes the name: it is found in small letters and in capitals. */
  readonly endpoint: string;
  /** `undefined` where there is no such endpoint. */
  readonly description: EndpointDescription | undefined;
  /** `undefined` where there is no such endpoint. */
  readonly base: Base | undefined;
  /** What it has, and what there is of the names that mlcli gives: configurations come first. */
  readonly parts: readonly ExistingPart[];
}

type StateApi = PartsApi & Pick<SageMaker, "describeEndpoint">;

/** Whether nothing may be asked of an endpoint now. */
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
 * Looks at an endpoint, and at what mlcli's names for it lead to. Changes nothing.
 *
 * @param note told what could not be asked, and what is lost.
 * @throws AwsError also where something may not be described: an update would lose it.
 */
export async function stateOf(name: string, sagemaker: StateApi, note: Note): Promise<State> {
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
      if (part === used) note(`The tags of ${part.name} are not kept: ${denial.message}`);
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
    // Tags may not be set or read, or an emulator has none: then it is mlcli's where the endpoint has or
    // had it, and mlcli's names are on it and on its model. A model with mlcli's tag says that tags are
    // set.
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

/** The names of what is made: not of what mlcli did not make, as far as there are others. */
export function slotFor(state: State): Slot {
  const theirs = state.parts.filter(({ kind, isOurs }) => kind === "configuration" && !isOurs);
  return freeSlot(state.endpoint, inUse(state), theirs.map(({ name }) => name));
}

/**
 * Names that the endpoint has, or is about to have. Where its configuration is deleted, or names none,
 * nobody knows its model: then the one that belongs to that configuration counts, or any that there is.
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
