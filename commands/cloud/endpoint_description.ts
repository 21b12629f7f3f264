/**
 * An endpoint as text and as JSON.
 *
 * @module
 */

import type { EndpointDetails, VariantDetails } from "../../runtime/cloud/endpoints/details.ts";
import { durationText } from "../render/duration.ts";
import { localTimestamp } from "../render/timestamp.ts";
import { ageSeconds } from "./endpoint_formats.ts";
import { fieldsText } from "./job_formats.ts";

/** A field a line; what is not known is left out. */
export function endpointText(endpoint: EndpointDetails, now: Date): string {
  const { variants } = endpoint;
  const time = (date: Date | undefined) => date && localTimestamp(date, " ");
  const isOne = variants.length === 1;
  return fieldsText([
    ["Name", endpoint.name],
    ["Kind", "endpoint"],
    ["Status", endpoint.status],
    ["Reason", endpoint.failureReason],
    ["Created", time(endpoint.creationTime)],
    ["Changed", time(endpoint.lastModifiedTime)],
    ["Age", durationText(1000 * ageSeconds(endpoint.creationTime, now))],
    ["Configuration", endpoint.configuration || undefined],
    ["To come", endpoint.pendingConfiguration],
    ...variants.flatMap((variant) => [
      ...isOne ? [] : [["Variant", variant.name] as const],
      ["Machines", machines(variant)] as const,
      ["Model", variant.model] as const,
      ...variant.data.map((address) => ["Data", address] as const),
      ...variant.images.map((image) => ["Image", image] as const),
      ["Role", variant.role] as const,
      ["Variables", variant.variables.join(", ") || undefined] as const,
    ]),
    ["Data capture", endpoint.dataCapture],
  ]);
}

/** `2 ml.m5.large`, `1 of 2 ml.m5.large`, `serverless, 2048 MB, 5 requests at once` */
function machines(variant: VariantDetails): string | undefined {
  const { instanceType = "", instanceCount: count, desiredCount: wanted } = variant;
  if (variant.memorySize !== undefined) {
    const most = variant.maxConcurrency;
    const atOnce = most === undefined ? "" : `, ${most} request${most === 1 ? "" : "s"} at once`;
    return `serverless, ${variant.memorySize} MB${atOnce}`;
  }
  const isChanging = count !== undefined && wanted !== undefined && count !== wanted;
  const number = isChanging ? `${count} of ${wanted}` : count ?? wanted;
  if (number === undefined) return instanceType || undefined;
  return `${number} ${instanceType || "instances"}`;
}

/** What is not known is `null`; an age is in seconds. */
export function endpointJson(endpoint: EndpointDetails, now: Date): Record<string, unknown> {
  const time = (date: Date | undefined) => date ? localTimestamp(date, "T") : null;
  return {
    endpoint_name: endpoint.name,
    kind: "endpoint",
    arn: endpoint.arn ?? null,
    status: endpoint.status,
    failure_reason: endpoint.failureReason ?? null,
    creation_time: time(endpoint.creationTime),
    last_modified_time: time(endpoint.lastModifiedTime),
    age_seconds: ageSeconds(endpoint.creationTime, now),
    configuration: endpoint.configuration || null,
    pending_configuration: endpoint.pendingConfiguration ?? null,
    variants: endpoint.variants.map((variant) => ({
      name: variant.name,
      instance_type: variant.instanceType ?? null,
      instance_count: variant.instanceCount ?? null,
      desired_instance_count: variant.desiredCount ?? null,
      memory_size_in_mb: variant.memorySize ?? null,
      max_concurrency: variant.maxConcurrency ?? null,
      model: variant.model ?? null,
      data: variant.data,
      images: variant.images,
      role: variant.role ?? null,
      variables: variant.variables,
    })),
    data_capture: endpoint.dataCapture ?? null,
  };
}
