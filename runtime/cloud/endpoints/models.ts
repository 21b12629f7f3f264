/**
 * The models of an endpoint's configuration.
 *
 * @module
 */

import type { EndpointConfigurationDetails } from "../../aws/sagemaker_deployments.ts";

/** Names of the models that a configuration names, each once. */
export function modelsOf(
  { ProductionVariants, ShadowProductionVariants }: Pick<
    EndpointConfigurationDetails,
    "ProductionVariants" | "ShadowProductionVariants"
  >,
): readonly string[] {
  const all = [...ProductionVariants ?? [], ...ShadowProductionVariants ?? []];
  const names = all.map(({ ModelName }) => ModelName).filter((name) => name !== undefined);
  return [...new Set(names)];
}
