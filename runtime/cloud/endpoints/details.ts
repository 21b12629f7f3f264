import { type AwsError, ifAllowed } from "../../aws/errors.ts";
import type {
  EndpointConfigurationDetails,
  EndpointDescription,
  ModelDetails,
  SageMaker,
} from "../../aws/sagemaker.ts";
import type { Messages } from "../../messages.ts";
import { modelDataOf, modelsOf } from "./parts.ts";

/** A variant of an endpoint. Unknown values are `undefined`. */
export interface VariantDetails {
  readonly name: string;
  readonly instanceType: string | undefined;
  /** The present and the desired number of instances; `undefined` for a serverless variant. */
  readonly instanceCount: number | undefined;
  readonly desiredCount: number | undefined;
  /** Of a serverless variant: memory in MB, and requests at once. */
  readonly memorySize: number | undefined;
  readonly maxConcurrency: number | undefined;
  readonly model: string | undefined;
  /** One for each container. */
  readonly images: readonly string[];
  /** Addresses of the model archives. */
  readonly data: readonly string[];
  readonly role: string | undefined;
  /** Names of the variables. Their values might be secrets. */
  readonly variables: readonly string[];
}

export interface EndpointDetails extends Omit<EndpointDescription, "variants"> {
  readonly kind: "endpoint";
  readonly variants: readonly VariantDetails[];
  /** Where SageMaker stores requests and responses. */
  readonly dataCapture: string | undefined;
}

/**
 * Reads the configuration and the models of an endpoint. Details of a part that no longer exists, or that
 * mlcli has no permission to describe, are `undefined`.
 */
export async function detailsOf(
  sagemaker: Pick<SageMaker, "describeEndpointConfiguration" | "describeModel">,
  endpoint: EndpointDescription,
  messages: Pick<Messages, "note">,
): Promise<EndpointDetails> {
  const tell = (what: string) => ({ message }: AwsError) =>
    messages.note(`Cannot read the details of ${what}: ${message}`);
  const configuration = await ifAllowed(
    sagemaker.describeEndpointConfiguration(endpoint.configuration),
    tell(`configuration ${endpoint.configuration}`),
  );
  const models = new Map<string, ModelDetails>();
  for (const name of modelsOf(configuration)) {
    const model = await ifAllowed(sagemaker.describeModel(name), tell(`model ${name}`));
    if (model) models.set(name, model);
  }
  const capture = configuration?.DataCaptureConfig;
  return {
    ...endpoint,
    kind: "endpoint",
    variants: variantsOf(endpoint, configuration, models),
    dataCapture: capture?.EnableCapture === false ? undefined : capture?.DestinationS3Uri,
  };
}

export function variantsOf(
  { variants }: Pick<EndpointDescription, "variants">,
  configuration: EndpointConfigurationDetails | undefined,
  models: ReadonlyMap<string, ModelDetails> = new Map(),
): readonly VariantDetails[] {
  const configured = configuration?.ProductionVariants ?? [];
  const names = [...variants, ...configured.map(({ VariantName = "" }) => ({ name: VariantName }))]
    .map(({ name }) => name);
  return [...new Set(names)].map((name) => {
    const counts = variants.find((one) => one.name === name);
    const said = configured.find(({ VariantName }) => VariantName === name);
    const serverless = said?.ServerlessConfig;
    const { ModelName: model } = said ?? {};
    return {
      name,
      instanceType: said?.InstanceType,
      instanceCount: serverless ? undefined : counts?.currentCount,
      desiredCount: serverless ? undefined : counts?.desiredCount ?? said?.InitialInstanceCount,
      memorySize: serverless?.MemorySizeInMB,
      maxConcurrency: serverless?.MaxConcurrency,
      model,
      ...modelParts(model === undefined ? undefined : models.get(model)),
    };
  });
}

function modelParts(
  model: ModelDetails | undefined,
): Pick<VariantDetails, "images" | "data" | "role" | "variables"> {
  const primary = model?.PrimaryContainer;
  const containers = primary ? [primary] : model?.Containers ?? [];
  const texts = (all: readonly (string | undefined)[]) => all.filter((one) => one !== undefined);
  return {
    images: texts(containers.map(({ Image }) => Image)),
    data: texts(containers.map(modelDataOf)),
    role: model?.ExecutionRoleArn,
    variables: containers.flatMap(({ Environment = {} }) => Object.keys(Environment)),
  };
}
