/**
 * What an update carries over from what an endpoint has, as pure functions: whatever no option names.
 *
 * @module
 */

import type { EndpointConfigurationInput, ModelInput } from "../../aws/sagemaker.ts";
import { MlcliError } from "../../errors.ts";
import type { Base } from "./state.ts";

/** A part of an endpoint, as CreateEndpointConfig takes it. */
export type Variant = NonNullable<EndpointConfigurationInput["ProductionVariants"]>[number];

/** A container of a model, as CreateModel takes it. */
export type Container = NonNullable<ModelInput["PrimaryContainer"]>;

/** The name of the one variant of a new endpoint: the SageMaker SDK's, which autoscaling knows. */
export const VARIANT = "AllTraffic";

/** Endpoints that mlcli would break: it deploys one model, on one kind of machine. */
export function requireOneModel(endpoint: string, base: Base): void {
  const what = whatMlcliLoses(base);
  if (what === undefined) return;
  throw new MlcliError(`Endpoint ${endpoint} has ${what}: deploy would lose that`, {
    hint: "Nothing was changed. Deploy under another --endpoint-name, or change this endpoint " +
      "with what made it.",
  });
}

function whatMlcliLoses({ configuration, model }: Base): string | undefined {
  if (configuration === undefined) return undefined;
  const [variant, ...more] = configuration.ProductionVariants ?? [];
  if (more.length > 0) return `${more.length + 1} variants`;
  if ((configuration.ShadowProductionVariants ?? []).length > 0) return "a shadow variant";
  if (variant && !variant.ModelName) return "inference components";
  const containers = model?.Containers ?? [];
  if (containers.length > 1) return `a pipeline of ${containers.length} containers`;
  const container = containerOf(model);
  if (container?.Mode === "MultiModel") return "a multi-model container";
  return undefined;
}

/** The container of a model. */
export function containerOf(
  model: Pick<ModelInput, "PrimaryContainer" | "Containers"> | undefined,
): Container | undefined {
  return model?.PrimaryContainer ?? model?.Containers?.[0];
}

/** Where the data of a container's model lies. SageMaker tells both of them of one archive. */
export function modelDataOf(container: Container | undefined): string | undefined {
  return container?.ModelDataUrl ?? container?.ModelDataSource?.S3DataSource?.S3Uri;
}

/**
 * Of a container what goes on with another image and model: neither where these come from, nor what
 * there is but with several models.
 */
export function carriedContainer(container: Container | undefined): Container {
  const {
    Image: _image,
    ImageConfig: _access,
    ModelDataUrl: _url,
    ModelDataSource: _source,
    ModelPackageName: _package,
    InferenceSpecificationName: _specification,
    Mode: _mode,
    MultiModelConfig: _models,
    ContainerHostname: _hostname,
    ...rest
  } = container ?? {};
  return filled(rest);
}

/** Of a configuration all but its names, times and variants. */
export function carriedConfiguration(
  configuration: Base["configuration"],
): Omit<EndpointConfigurationInput, "EndpointConfigName" | "ProductionVariants"> {
  const {
    EndpointConfigName: _name,
    EndpointConfigArn: _arn,
    CreationTime: _time,
    ProductionVariants: _variants,
    ShadowProductionVariants: _shadows,
    ...rest
  } = configuration ?? {};
  return filled(rest);
}

/** The one variant of a configuration. */
export function carriedVariant(base: Base, otherwise: string | undefined): Variant {
  const [variant] = base.configuration?.ProductionVariants ?? [];
  // Traffic goes over between variants of one name alone (developer guide, "Exclusions").
  return filled(variant ?? { VariantName: otherwise ?? VARIANT });
}

/** Without members that say nothing: the service writes `false` and `null` where nothing was asked. */
function filled<Value extends object>(value: Value): Value {
  return Object.fromEntries(
    Object.entries(value).filter(([, one]) =>
      one !== undefined && one !== null && one !== false && !isEmpty(one)
    ),
  ) as Value;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && !(value instanceof Date) &&
    Object.keys(value).length === 0;
}
