/**
 * From a configuration to what is to be served: its models and images as they are now, and what an
 * update takes over from before.
 *
 * @module
 */

import type { EcrService } from "../ecr.ts";
import { parseImage } from "../jobs/checks.ts";
import { type Deployment, Variant } from "./deployment.ts";
import type { EndpointStore } from "./endpoint_store.ts";
import type { EndpointConfiguration, Request } from "./resource.ts";
import { notFound } from "./words.ts";

/** What `RetainAllVariantProperties` takes from. */
export interface Retained {
  readonly from: Deployment;
  /** `VariantPropertyType`s that the new configuration says. */
  readonly except: readonly string[];
}

/**
 * What is to be served.
 * @throws Refused where a model is gone
 */
export function deploymentOf(
  configuration: EndpointConfiguration,
  policy: Request | undefined,
  store: EndpointStore,
  ecr: EcrService,
  retained?: Retained,
): Deployment {
  const startTime = store.now();
  const keeps = (property: string): boolean =>
    retained !== undefined && !retained.except.includes(property);
  const variants = configuration.variants.map((request) => {
    const model = store.models.get(request.ModelName);
    if (!model) throw notFound("model", request.ModelName);
    const image = resolvedImage(model.container.Image, ecr);
    const variant = new Variant(request, model, image, startTime);
    const before = retained?.from.variants.find(({ name }) => name === variant.name);
    if (before && keeps("DesiredInstanceCount") && !before.isServerless && !variant.isServerless) {
      variant.desiredCount = before.desiredCount;
    }
    if (before && keeps("DesiredWeight")) variant.desiredWeight = before.desiredWeight;
    return variant;
  });
  const dataCapture = keeps("DataCaptureConfig")
    ? retained!.from.dataCapture
    : configuration.request.DataCaptureConfig;
  return { configuration, variants, policy, dataCapture, startTime };
}

/** By its digest; as it was specified where it is not there any more. */
function resolvedImage(reference: string, ecr: EcrService): string {
  const { host, repository, wanted } = parseImage(reference);
  const found = ecr.store.repositories.get(repository);
  const image = found && ecr.store.find(found, wanted);
  return image ? `${host}/${repository}@${image.digest}` : reference;
}

/** A variant whose image is not there. */
export function withoutImage({ variants }: Deployment, ecr: EcrService): Variant | undefined {
  return variants.find(({ image }) => {
    const { repository, wanted } = parseImage(image);
    const found = ecr.store.repositories.get(repository);
    return !(found && ecr.store.find(found, wanted));
  });
}
