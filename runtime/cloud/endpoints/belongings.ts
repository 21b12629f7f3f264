/**
 * What belongs to an endpoint: its configurations and models, which stay when it is deleted.
 *
 * @module
 */

import { type AwsError, isRefusal } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import { isPossibleName, slotsOf } from "../../contract/names.ts";
import { ENDPOINT_TAG } from "../tags.ts";
import type { Belonging } from "./commands.ts";
import { modelsOf } from "./models.ts";

/** Something that belongs to an endpoint, or may. */
export interface Known extends Belonging {
  /** `undefined` where nobody may ask. */
  readonly isThere: boolean | undefined;
  readonly arn: string | undefined;
  /** Of a configuration: the names of its models. */
  readonly models: readonly string[];
  /** Why nobody may ask. */
  readonly denial: AwsError | undefined;
}

/** All of an endpoint. */
export interface Belongings {
  /** Those of the names that mlcli gives, and the one in use. */
  readonly configurations: readonly Known[];
  /** Those of the names that mlcli gives, and those that the configurations name. */
  readonly models: readonly Known[];
}

/** What is asked of SageMaker. */
export type Asked = Pick<SageMaker, "describeEndpointConfiguration" | "describeModel" | "tagsOf">;

/**
 * Looks for what belongs to an endpoint. Whether it is there or not, its names are known.
 * @param used name of the configuration in use.
 */
export async function belongingsOf(
  sagemaker: Asked,
  endpoint: string,
  used: string | undefined,
): Promise<Belongings> {
  const slots = slotsOf(endpoint);
  const names = (own: readonly string[], others: readonly string[]): readonly string[] => [
    ...new Set([...own.filter(isPossibleName), ...others.filter((name) => name !== "")]),
  ];
  const ofSlots = names(slots.map(({ model }) => model), []);
  const model = (name: string) =>
    look({ kind: "model", name }, async () => ({
      arn: (await sagemaker.describeModel(name)).ModelArn,
      models: [],
    }));
  const [configurations, models] = await Promise.all([
    Promise.all(
      names(slots.map(({ configuration }) => configuration), used ? [used] : []).map((name) =>
        look({ kind: "configuration", name }, async () => {
          const details = await sagemaker.describeEndpointConfiguration(name);
          return { arn: details.EndpointConfigArn, models: modelsOf(details) };
        })
      ),
    ),
    Promise.all(ofSlots.map(model)),
  ]);
  const named = names([], configurations.flatMap((one) => one.models));
  const others = await Promise.all(named.filter((name) => !ofSlots.includes(name)).map(model));
  return { configurations, models: [...models, ...others] };
}

async function look(
  belonging: Belonging,
  ask: () => Promise<Pick<Known, "arn" | "models">>,
): Promise<Known> {
  const unknown = { ...belonging, arn: undefined, models: [], denial: undefined };
  try {
    return { ...unknown, isThere: true, ...await ask() };
  } catch (error) {
    if (isRefusal(error, "not found")) return { ...unknown, isThere: false };
    if (isRefusal(error, "denied")) return { ...unknown, isThere: undefined, denial: error };
    throw error;
  }
}

/**
 * Whether mlcli made it for this endpoint, as its tag says.
 * @param note tells where nobody may ask.
 */
export async function hasOurTag(
  sagemaker: Asked,
  endpoint: string,
  { arn, name }: Known,
  note: (text: string) => void,
): Promise<boolean> {
  if (arn === undefined) return false;
  try {
    return (await sagemaker.tagsOf(arn))[ENDPOINT_TAG] === endpoint;
  } catch (error) {
    if (isRefusal(error, "not found")) return false;
    if (!isRefusal(error, "denied")) throw error;
    note(`Not checked whether mlcli made ${name} for ${endpoint}: ${error.message}`);
    return false;
  }
}
