import { isRefusal, orNothing } from "../../aws/errors.ts";
import type {
  EndpointConfigurationDetails,
  EndpointDescription,
  ModelDetails,
  SageMaker,
  Tags,
} from "../../aws/sagemaker.ts";
import { freeSlot, type InUse, type Slot, slotsOf } from "../../contract/names.ts";
import { modelsOf, type Part } from "../endpoints/parts.ts";
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
  /** Names of all its models. */
  readonly models: readonly string[];
  /** Of the configuration; none where they may not be read. */
  readonly tags: Tags;
}

/** A configuration or a model that there is. */
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

type StateApi = Pick<
  SageMaker,
  "describeEndpoint" | "describeEndpointConfiguration" | "describeModel" | "tagsOf"
>;

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

/** Whether an endpoint has a configuration, or is about to. */
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
  const slots = slotsOf(endpoint);
  const [configurations, models] = await Promise.all([
    all(
      [...slots.map(({ configuration }) => configuration), ...inUse ? [inUse] : []],
      (one) => sagemaker.describeEndpointConfiguration(one),
    ),
    all(slots.map(({ model }) => model), (one) => sagemaker.describeModel(one)),
  ]);
  const found = { endpoint, description, configurations, models };
  const tags = new Map(
    await Promise.all([...configurations].map(async ([one, { EndpointConfigArn }]) => {
      const tell: Note = one === inUse ? note : () => {};
      return [one, await tagsIfAllowed(EndpointConfigArn, one, sagemaker, tell)] as const;
    })),
  );
  const base = inUse === undefined ? undefined : await baseOf(found, inUse, tags, sagemaker);
  return { endpoint, description, base, parts: await partsOf(found, base, tags, sagemaker) };
}

/** What was found by its name. */
interface Found extends Pick<State, "endpoint" | "description"> {
  readonly configurations: ReadonlyMap<string, EndpointConfigurationDetails>;
  readonly models: ReadonlyMap<string, ModelDetails>;
}

/** Tags of configurations, by their names; `undefined` where they may not be read. */
type AllTags = ReadonlyMap<string, Tags | undefined>;

/** What there is of these names, in their order. When all have been asked, the first failure is thrown. */
async function all<Details>(
  names: readonly string[],
  describe: (name: string) => Promise<Details>,
): Promise<ReadonlyMap<string, Details>> {
  const found = new Map<string, Details>();
  const once = [...new Set(names)];
  const asked = await Promise.allSettled(once.map((name) => orNothing(describe(name))));
  for (const [index, one] of asked.entries()) {
    if (one.status === "rejected") throw one.reason;
    if (one.value !== undefined) found.set(once[index]!, one.value);
  }
  return found;
}

async function baseOf(
  { configurations, models: known }: Found,
  name: string,
  tags: AllTags,
  sagemaker: StateApi,
): Promise<Base> {
  const configuration = configurations.get(name);
  const models = configuration ? modelsOf(configuration) : [];
  const [first, ...others] = models;
  const model = first === undefined || others.length > 0
    ? undefined
    : known.get(first) ?? await orNothing(sagemaker.describeModel(first));
  return { name, configuration, model, models, tags: tags.get(name) ?? {} };
}

async function partsOf(
  found: Found,
  base: Base | undefined,
  tags: AllTags,
  sagemaker: StateApi,
): Promise<readonly ExistingPart[]> {
  const { endpoint, configurations, models } = found;
  const isTagged = async (arn: string | undefined) =>
    (await tagsIfAllowed(arn, undefined, sagemaker, () => {}))?.[ENDPOINT_TAG] === endpoint;
  const parts: ExistingPart[] = [];
  for (const [name, { CreationTime: created }] of configurations) {
    const its = tags.get(name);
    const isOurs = its?.[ENDPOINT_TAG] === endpoint ||
      Object.keys(its ?? {}).length === 0 && isOursByName(name, found) &&
        (its === undefined || !await isTagged(onlyModelOf(name, found)?.ModelArn));
    parts.push({ kind: "configuration", name, created, isOurs });
  }
  for (const [name, { CreationTime: created }] of models) {
    parts.push({ kind: "model", name, created, isOurs: true });
  }
  const { ModelName: name = "", ModelArn, CreationTime: created } = base?.model ?? {};
  if (name !== "" && !models.has(name)) {
    parts.push({ kind: "model", name, created, isOurs: await isTagged(ModelArn) });
  }
  return parts;
}

/**
 * Whether a configuration without tags is mlcli's nevertheless: tags may not be set or read, or an
 * emulator has none. It is where the endpoint has or had it, and mlcli's names are on it and on its
 * model; a model with mlcli's tag says that tags are set.
 */
function isOursByName(name: string, found: Found): boolean {
  return found.description !== undefined && isGoingTo(found.description, name) &&
    slotsOf(found.endpoint).some((slot) => slot.configuration === name) &&
    onlyModelOf(name, found) !== undefined;
}

/** The one model of a configuration, where it has a name of mlcli's. */
function onlyModelOf(name: string, { configurations, models }: Found): ModelDetails | undefined {
  const [model, ...others] = modelsOf(configurations.get(name)!);
  return model === undefined || others.length > 0 ? undefined : models.get(model);
}

/** `undefined` where they may not be read. */
async function tagsIfAllowed(
  arn: string | undefined,
  name: string | undefined,
  sagemaker: Pick<SageMaker, "tagsOf">,
  note: Note,
): Promise<Tags | undefined> {
  if (arn === undefined) return undefined;
  try {
    return await sagemaker.tagsOf(arn);
  } catch (error) {
    // Deleted since it was described.
    if (isRefusal(error, "not found")) return {};
    if (!isRefusal(error, "denied")) throw error;
    note(`The tags of ${name} are not kept: ${error.message}`);
    return undefined;
  }
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

/** The parts that are not needed beside what is served. */
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
