/**
 * What SageMaker does not do with an endpoint that is there. The words are the box's own, unless
 * something else is said.
 *
 * @module
 */

import type { Deployment } from "./deployment.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Request } from "./resource.ts";
import { inProgress, invalid } from "./words.ts";

/**
 * What may not be asked of an endpoint as it is.
 * @throws Refused
 */
export function checkUpdate(endpoint: Endpoint, input: Request): void {
  const { current, status, arn } = endpoint;
  if (endpoint.isInProgress) throw inProgress(endpoint);
  // "DeleteEndpoint is the only operation that can be performed on a failed endpoint."
  if (status === "Failed") throw invalid(`Cannot update endpoint "${arn}" in ${status} status.`);
  if (input.EndpointConfigName.toLowerCase() === current.configuration.name.toLowerCase()) {
    // SageMaker's words.
    throw invalid(
      "Cannot update endpoint with the currently in use endpoint configuration " +
        `"${current.configuration.name}".`,
    );
  }
  if (input.ExcludeRetainedVariantProperties?.length > 0 && !input.RetainAllVariantProperties) {
    throw invalid(
      "ExcludeRetainedVariantProperties may only be specified when RetainAllVariantProperties is " +
        "true.",
    );
  }
}

/**
 * What an endpoint cannot become.
 * @throws Refused
 */
export function checkSwitch(from: Deployment, to: Deployment): void {
  const isServerless = ({ variants }: Deployment): boolean =>
    variants.some((variant) => variant.isServerless);
  // "You cannot convert your instance-based, real-time endpoint to a serverless endpoint."
  if (isServerless(to) && !isServerless(from)) {
    throw invalid("Cannot update an instance-based endpoint to a serverless endpoint.");
  }
  const names = ({ variants }: Deployment): string =>
    variants.map(({ name }) => name).sort().join(", ");
  // "your new endpoint configuration must have the same variant name as the old"
  if (to.policy && names(from) !== names(to)) {
    throw invalid(
      "DeploymentConfig is only supported when the variant names of the new endpoint " +
        "configuration are those of the old.",
    );
  }
}
