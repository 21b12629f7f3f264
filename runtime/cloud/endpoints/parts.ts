import { shellWord } from "../../app/typed_path.ts";
import { type AwsError, ifAllowed } from "../../aws/errors.ts";
import type { EndpointConfigurationDetails, ModelDetails, SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { isPossibleName, slotsOf } from "../../contract/names.ts";
import type { Messages } from "../../messages.ts";
import { commandFor, optionsOf } from "../jobs/job.ts";
import { ENDPOINT_TAG } from "../tags.ts";

/** A configuration or a model of an endpoint: it stays when the endpoint is deleted. */
export interface Part {
  readonly kind: "configuration" | "model";
  readonly name: string;
}

/**
 * Returns the command line that deletes an endpoint and all parts that mlcli created for it.
 *
 * @param choice the options of the command that prints it.
 */
export function deletionOf(name: string, choice: Partial<AwsOptions> = {}): string {
  const deletion = ["mlcli delete-endpoint -n", name, "--delete-config --delete-model"];
  return [...deletion, ...optionsOf(choice)].join(" ");
}

/** The command line of AWS's own program that deletes a configuration or a model. */
export function deletionByHand(
  { kind, name }: Part,
  { region, profile }: Partial<AwsOptions> = {},
): string {
  const deletion = kind === "model"
    ? `aws sagemaker delete-model --model-name ${shellWord(name)}`
    : `aws sagemaker delete-endpoint-config --endpoint-config-name ${shellWord(name)}`;
  return [deletion, ...optionsOf({ region, profile })].join(" ");
}

/** `endpoint configuration shop-config` */
export function partWords({ kind, name }: Part): string {
  return `${kind === "model" ? "model" : "endpoint configuration"} ${name}`;
}

export type PartDetails = Partial<ModelDetails & EndpointConfigurationDetails>;

export function describePart(
  sagemaker: Pick<SageMaker, "describeModel" | "describeEndpointConfiguration">,
  { kind, name }: Part,
): Promise<PartDetails> {
  return kind === "model"
    ? sagemaker.describeModel(name)
    : sagemaker.describeEndpointConfiguration(name);
}

export function deletePart(
  sagemaker: Pick<SageMaker, "deleteModel" | "deleteEndpointConfiguration">,
  { kind, name }: Part,
): Promise<unknown> {
  return kind === "model"
    ? sagemaker.deleteModel(name)
    : sagemaker.deleteEndpointConfiguration(name);
}

/** What to do about a changing endpoint that mlcli stops following. */
export function endpointGoesOn(name: string, choice: Partial<AwsOptions> = {}): string {
  return "SageMaker continues a change that has started. To wait for the change: " +
    `${commandFor(name, choice)("wait")}. To delete the endpoint: ${deletionOf(name, choice)}.`;
}

/** The address of a container's model: for an archive, SageMaker fills both members. */
export function modelDataOf(container: ModelDetails["PrimaryContainer"]): string | undefined {
  return container?.ModelDataUrl ?? container?.ModelDataSource?.S3DataSource?.S3Uri;
}

/** Names of the models that a configuration names, each once. */
export function modelsOf(configuration: PartDetails | undefined): readonly string[] {
  const { ProductionVariants, ShadowProductionVariants } = configuration ?? {};
  const all = [...ProductionVariants ?? [], ...ShadowProductionVariants ?? []];
  const names = all.map(({ ModelName }) => ModelName).filter((name) => name !== undefined);
  return [...new Set(names)];
}

export interface FoundPart extends Part {
  /** `undefined` where permissions do not let mlcli find out. */
  readonly isThere: boolean | undefined;
  readonly details: PartDetails | undefined;
  readonly denial: AwsError | undefined;
}

export interface FoundParts {
  /** Those of the names that mlcli gives, and the one in use. */
  readonly configurations: readonly FoundPart[];
  /** Those of the names that mlcli gives, and those that the configurations name. */
  readonly models: readonly FoundPart[];
}

export type PartsApi = Pick<
  SageMaker,
  "describeEndpointConfiguration" | "describeModel" | "tagsOf"
>;

/**
 * Finds the parts of an endpoint by their names, also where the endpoint is gone.
 * @param used name of the configuration in use.
 */
export async function findParts(
  sagemaker: PartsApi,
  endpoint: string,
  used: string | undefined,
): Promise<FoundParts> {
  const slots = slotsOf(endpoint);
  const ofSlots = new Set(slots.map(({ model }) => model).filter(isPossibleName));
  const names = new Set(slots.map(({ configuration }) => configuration).filter(isPossibleName));
  if (used) names.add(used);
  const find = (kind: Part["kind"], names: Iterable<string>): Promise<FoundPart[]> =>
    Promise.all(Array.from(names, (name) => findPart(sagemaker, { kind, name })));
  const [configurations, models] = await Promise.all([
    find("configuration", names),
    find("model", ofSlots),
  ]);
  const others = new Set(configurations.flatMap(({ details }) => modelsOf(details)))
    .difference(ofSlots);
  others.delete("");
  return { configurations, models: [...models, ...await find("model", others)] };
}

async function findPart(sagemaker: PartsApi, part: Part): Promise<FoundPart> {
  let denial: AwsError | undefined;
  const details = await ifAllowed(describePart(sagemaker, part), (error) => denial = error);
  return { ...part, isThere: denial ? undefined : details !== undefined, details, denial };
}

/** @returns `undefined` if SageMaker does not tell. */
export function arnOf({ details }: FoundPart): string | undefined {
  return details?.ModelArn ?? details?.EndpointConfigArn;
}

/** Returns whether mlcli created a part for this endpoint, according to its tag. */
export async function hasOurTag(
  sagemaker: PartsApi,
  endpoint: string,
  part: FoundPart,
  messages: Messages,
): Promise<boolean> {
  const arn = arnOf(part);
  if (arn === undefined) return false;
  const tags = await ifAllowed(sagemaker.tagsOf(arn), ({ message }) => {
    messages.note(`Cannot check whether mlcli created ${part.name} for ${endpoint}: ${message}`);
  });
  return tags?.[ENDPOINT_TAG] === endpoint;
}
