/**
 * What there is of an endpoint before it is deployed.
 *
 * @module
 */

import { isRefusal, orNothing } from "../../aws/errors.ts";
import type {
  EndpointConfigurationDetails,
  ModelDetails,
  Tags,
} from "../../aws/sagemaker_deployments.ts";
import type { EndpointDescription } from "../../aws/sagemaker_endpoints.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import { slotsOf } from "../../contract/endpoint_slots.ts";
import { modelsOf } from "../endpoints/models.ts";
import type { Note } from "../start/in_order.ts";
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
  /** Whether configuration and model, by their tags, were made by mlcli for this endpoint. */
  readonly isTagged: { readonly configuration: boolean; readonly model: boolean };
}

/** What there is. */
export interface State {
  /** As the platform writes the name: it is found in small letters and in capitals. */
  readonly endpoint: string;
  /** `undefined` where there is no such endpoint. */
  readonly description: EndpointDescription | undefined;
  /** `undefined` where there is no such endpoint. */
  readonly base: Base | undefined;
  /** What there is of the names that mlcli gives: in use, or left by somebody. */
  readonly configurations: ReadonlyMap<string, EndpointConfigurationDetails>;
  readonly models: ReadonlyMap<string, ModelDetails>;
}

/** What is asked of SageMaker. */
export type Describing = Pick<
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

/**
 * Looks at an endpoint, and at what mlcli's names for it lead to. Changes nothing.
 *
 * @param note told what could not be asked, and what is lost.
 * @throws AwsError also where something may not be described: an update would lose it.
 */
export async function stateOf(name: string, sagemaker: Describing, note: Note): Promise<State> {
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
  const base = inUse === undefined
    ? undefined
    : await baseOf({ endpoint, name: inUse, configurations, models }, sagemaker, note);
  const names = new Set(slots.map(({ configuration }) => configuration));
  return {
    endpoint,
    description,
    base,
    configurations: new Map([...configurations].filter(([one]) => names.has(one))),
    models,
  };
}

/** What there is of these names. When all have been asked, the first failure is thrown. */
async function all<Details>(
  names: readonly string[],
  describe: (name: string) => Promise<Details>,
): Promise<ReadonlyMap<string, Details>> {
  const found = new Map<string, Details>();
  const asked = await Promise.allSettled(
    [...new Set(names)].map(async (name) => {
      const details = await orNothing(describe(name));
      if (details !== undefined) found.set(name, details);
    }),
  );
  for (const one of asked) if (one.status === "rejected") throw one.reason;
  return found;
}

async function baseOf(
  { endpoint, name, configurations, models }: {
    readonly endpoint: string;
    readonly name: string;
    readonly configurations: ReadonlyMap<string, EndpointConfigurationDetails>;
    readonly models: ReadonlyMap<string, ModelDetails>;
  },
  sagemaker: Describing,
  note: Note,
): Promise<Base> {
  const configuration = configurations.get(name);
  const names = configuration ? modelsOf(configuration) : [];
  const [first, ...others] = names;
  const model = first === undefined || others.length > 0
    ? undefined
    : models.get(first) ?? await orNothing(sagemaker.describeModel(first));
  const tags = await tagsIfAllowed(configuration?.EndpointConfigArn, name, sagemaker, note);
  const isSlots = first !== undefined && slotsOf(endpoint).some((slot) => slot.model === first);
  const modelTags = isSlots ? {} : await tagsIfAllowed(model?.ModelArn, first, sagemaker, () => {});
  return {
    name,
    configuration,
    model,
    models: names,
    tags,
    isTagged: {
      configuration: tags[ENDPOINT_TAG] === endpoint,
      model: modelTags[ENDPOINT_TAG] === endpoint,
    },
  };
}

async function tagsIfAllowed(
  arn: string | undefined,
  name: string | undefined,
  sagemaker: Pick<SageMaker, "tagsOf">,
  note: Note,
): Promise<Tags> {
  if (arn === undefined) return {};
  try {
    return await sagemaker.tagsOf(arn);
  } catch (error) {
    // Deleted since it was described.
    if (isRefusal(error, "not found")) return {};
    if (!isRefusal(error, "denied")) throw error;
    note(`The tags of ${name} are not carried over: ${error.message}`);
    return {};
  }
}
