/** A job and an endpoint as `mlcli describe` shows them, as text and as JSON. */

import type { EndpointDetails, VariantDetails } from "../../runtime/cloud/endpoints/details.ts";
import { billWords } from "../../runtime/cloud/jobs/end.ts";
import { type CloudJob, KIND_NAMES } from "../../runtime/cloud/jobs/job.ts";
import { counted, durationText, localTimestamp } from "../render/format.ts";
import { fieldsText } from "../render/fields.ts";
import { ageSeconds } from "./endpoint_formats.ts";

/** A field a line; what is not known is left out. */
export function jobText(job: CloudJob): string {
  const { secondaryStatus, transitions } = job;
  const last = transitions.at(-1);
  // Emulators report only the first step.
  const step = last?.status === secondaryStatus ? last?.message : "";
  const status = [job.status, secondaryStatus !== job.status ? secondaryStatus : "", step];
  const time = (date: Date | undefined) => date && localTimestamp(date, " ");
  const fields: readonly (readonly [string, string | undefined])[] = [
    ["Name", job.name],
    ["Kind", KIND_NAMES[job.kind]],
    ["Status", status.filter((part) => part).join(": ")],
    ["Reason", job.failureReason],
    ["Message", job.exitMessage],
    ["Created", time(job.creationTime)],
    ["Started", time(job.startTime)],
    ["Ended", time(job.endTime)],
    ["Image", job.image],
    ["Role", job.role],
    ["Machines", jobMachines(job)],
    ["Time limit", job.maxRuntime === undefined ? undefined : `${job.maxRuntime} s`],
    ["Time", billWords(job)],
    ...job.inputs.map(({ name, uri }) => ["Input", `${name} ${uri}`] as const),
    ...job.outputs.map(({ name, uri }) => ["Output", `${name} ${uri}`] as const),
    ["Artifact", job.artifact],
    ...Object.entries(job.hyperparameters).map(([name, value]) =>
      ["Hyperparameter", `${name}=${value}`] as const
    ),
    ["Variables", job.variables.join(", ") || undefined],
  ];
  return fieldsText(fields);
}

function jobMachines({ instanceCount, instanceType, isSpot }: CloudJob): string | undefined {
  if (instanceType === undefined) return undefined;
  return `${instanceCount} ${instanceType}${isSpot ? ", spot" : ""}`;
}

/** What is not known is `null`. */
export function jobJson(job: CloudJob): Record<string, unknown> {
  const time = (date: Date | undefined) => date ? localTimestamp(date, "T") : null;
  return {
    job_name: job.name,
    kind: job.kind,
    arn: job.arn ?? null,
    status: job.status,
    secondary_status: job.secondaryStatus ?? null,
    transitions: job.transitions.map(({ status, message, startTime }) => ({
      status,
      message,
      start_time: time(startTime),
    })),
    failure_reason: job.failureReason ?? null,
    exit_message: job.exitMessage ?? null,
    creation_time: time(job.creationTime),
    start_time: time(job.startTime),
    end_time: time(job.endTime),
    image: job.image ?? null,
    role: job.role ?? null,
    instance_type: job.instanceType ?? null,
    instance_count: job.instanceCount,
    spot: job.isSpot,
    max_run: job.maxRuntime ?? null,
    training_seconds: job.trainingSeconds ?? null,
    billable_seconds: job.billableSeconds ?? null,
    inputs: job.inputs,
    outputs: job.outputs,
    artifact: job.artifact ?? null,
    hyperparameters: job.hyperparameters,
    variables: job.variables,
  };
}

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
      ["Machines", variantMachines(variant)] as const,
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
function variantMachines(variant: VariantDetails): string | undefined {
  const { instanceType = "", instanceCount: count, desiredCount: wanted } = variant;
  if (variant.memorySize !== undefined) {
    const most = variant.maxConcurrency;
    const atOnce = most === undefined ? "" : `, ${counted(most, "request")} at once`;
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
