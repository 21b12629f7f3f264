/** A job and an endpoint as `mlcli describe` and the lists show them, as text and as JSON. */

import type { EndpointDetails, VariantDetails } from "../../runtime/cloud/endpoints/details.ts";
import { billWords, machinesText } from "../../runtime/cloud/jobs/end.ts";
import type { ListedEndpoint } from "../../runtime/cloud/endpoints/list_endpoints.ts";
import type { CloudResult, Described } from "../../runtime/cloud/jobs/follow.ts";
import { type Begun, type CloudJob, KIND_NAMES } from "../../runtime/cloud/jobs/job.ts";
import { consoleAddress } from "../../runtime/contract/console.ts";
import type { ListedJob } from "../../runtime/cloud/jobs/list_jobs.ts";
import type { Context } from "../../runtime/context.ts";
import { jsonText, printable } from "../../runtime/text.ts";
import { fieldsText } from "../render/fields.ts";
import type { Column } from "../render/list.ts";
import { localTimestamp } from "../../runtime/time.ts";
import { counted, durationText } from "../../runtime/quantities.ts";

/** Prints a result, or the calls of a dry run as JSON. @throws the `failure` of the result. */
export async function printResult(
  { out, clock }: Pick<Context, "out" | "clock">,
  output: "text" | "json",
  result: CloudResult | { readonly calls: readonly unknown[] },
): Promise<void> {
  if ("calls" in result) return out.print(jsonText(result.calls));
  const { lines, described, failure } = result;
  if (output === "json") out.print(jsonText(describedJson(await described(), clock.date())));
  else if (lines.length > 0) out.print(printable(`${lines.join("\n")}\n`));
  if (failure) throw failure;
}

export function describedText(described: CloudJob | EndpointDetails, now: Date): string {
  return described.kind === "endpoint" ? endpointText(described, now) : jobText(described);
}

/** Unknown values are `null`. */
export function describedJson(described: Described, now: Date): Record<string, unknown> {
  if (!("status" in described)) return begunJson(described);
  return described.kind === "endpoint" ? endpointJson(described, now) : jobJson(described);
}

function begunJson({ kind, name, arn }: Begun): Record<string, unknown> {
  const named = kind === "endpoint" ? { endpoint_name: name } : { name };
  return { ...named, kind, arn: arn ?? null, console: consoleAddress(arn, name) ?? null };
}

/** A field a line; what is not known is left out. */
function jobText(job: CloudJob): string {
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
    ["Model", job.model],
    ["Instances", jobMachines(job)],
    ["Time limit", job.maxRuntime === undefined ? undefined : `${job.maxRuntime} s`],
    ["Time", billWords(job)],
    ...job.inputs.map(({ name, uri }) => ["Input", `${name} ${uri}`] as const),
    ...job.outputs.map(({ name, uri }) => ["Output", `${name} ${uri}`] as const),
    ["Artifact", job.artifact],
    ...Object.entries(job.options).map(([name, value]) => ["Option", `${name}=${value}`] as const),
    ...Object.entries(job.hyperparameters).map(([name, value]) =>
      ["Hyperparameter", `${name}=${value}`] as const
    ),
    ["Variables", job.variables.join(", ") || undefined],
    ["Console", consoleAddress(job.arn, job.name)],
  ];
  return fieldsText(fields);
}

function jobMachines(job: CloudJob): string | undefined {
  if (job.instanceType === undefined && job.groups.length === 0) return undefined;
  return `${machinesText(job)}${job.isSpot ? ", spot" : ""}`;
}

function jobJson(job: CloudJob): Record<string, unknown> {
  return {
    ...begunJson(job),
    status: job.status,
    secondary_status: job.secondaryStatus ?? null,
    transitions: job.transitions.map(({ status, message, startTime }) => ({
      status,
      message,
      started: jsonTime(startTime),
    })),
    reason: job.failureReason ?? null,
    exit_message: job.exitMessage ?? null,
    created: jsonTime(job.creationTime),
    started: jsonTime(job.startTime),
    ended: jsonTime(job.endTime),
    image: job.image ?? null,
    role: job.role ?? null,
    model: job.model ?? null,
    instance_type: job.instanceType ?? null,
    instance_count: job.instanceCount,
    instance_groups: job.groups,
    spot: job.isSpot,
    max_run: job.maxRuntime ?? null,
    training_seconds: job.trainingSeconds ?? null,
    billable_seconds: job.billableSeconds ?? null,
    inputs: job.inputs,
    outputs: job.outputs,
    artifact: job.artifact ?? null,
    options: job.options,
    hyperparameters: job.hyperparameters,
    variables: job.variables,
  };
}

/**
 * Returns the columns of a list of jobs or endpoints.
 *
 * @param kindOf returns the kind of a job, which only a terminal shows.
 */
export function listColumns<Listed extends ListedJob | ListedEndpoint>(
  now: Date,
  kindOf?: (listed: Listed) => string,
): readonly Column<Listed>[] {
  return [
    // A narrow terminal cuts names to 8 cells before it leaves out a column.
    { heading: "NAME", field: ({ name }) => name, most: 8 },
    ...kindOf ? [{ heading: "KIND", field: kindOf, plain: () => "" }] : [],
    { heading: "STATUS", field: ({ status }) => status },
    {
      heading: "AGE",
      field: ({ creationTime }) => durationText(now.getTime() - creationTime.getTime()),
      plain: ({ creationTime }) => localTimestamp(creationTime, " "),
    },
  ];
}

/** The names are those of a local run. */
export function listedJobJson(job: ListedJob): Record<string, string | null> {
  return {
    name: job.name,
    kind: job.kind,
    status: job.status,
    created: jsonTime(job.creationTime),
    ended: jsonTime(job.endTime),
    reason: job.failureReason ?? null,
  };
}

function jsonTime(time: Date | undefined): string | null {
  return time ? localTimestamp(time, "T") : null;
}

function endpointText(endpoint: EndpointDetails, now: Date): string {
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
    ["Pending", endpoint.pendingConfiguration],
    ...variants.flatMap((variant) => [
      ...isOne ? [] : [["Variant", variant.name] as const],
      ["Instances", variantMachines(variant)] as const,
      ["Model", variant.model] as const,
      ...variant.data.map((address) => ["Data", address] as const),
      ...variant.images.map((image) => ["Image", image] as const),
      ["Role", variant.role] as const,
      ["Variables", variant.variables.join(", ") || undefined] as const,
    ]),
    ["Data capture", endpoint.dataCapture],
    ["Console", consoleAddress(endpoint.arn, endpoint.name)],
  ]);
}

/** `2 ml.m5.large`, `1 of 2 ml.m5.large`, `serverless, 2048 MB, 5 concurrent requests` */
function variantMachines(variant: VariantDetails): string | undefined {
  const { instanceType = "", instanceCount: count, desiredCount: wanted } = variant;
  if (variant.memorySize !== undefined) {
    const most = variant.maxConcurrency;
    const atOnce = most === undefined ? "" : `, ${counted(most, "concurrent request")}`;
    return `serverless, ${variant.memorySize} MB${atOnce}`;
  }
  const isChanging = count !== undefined && wanted !== undefined && count !== wanted;
  const number = isChanging ? `${count} of ${wanted}` : count ?? wanted;
  if (number === undefined) return instanceType || undefined;
  return `${number} ${instanceType || "instances"}`;
}

/** An age is in seconds. */
function endpointJson(endpoint: EndpointDetails, now: Date): Record<string, unknown> {
  return {
    ...begunJson(endpoint),
    status: endpoint.status,
    reason: endpoint.failureReason ?? null,
    creation_time: jsonTime(endpoint.creationTime),
    last_modified_time: jsonTime(endpoint.lastModifiedTime),
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

/** What is not known is `null`. */
export function listedEndpointJson(
  { name, status, creationTime, machines }: ListedEndpoint,
  now: Date,
): Record<string, string | number | null> {
  return {
    endpoint_name: name,
    status,
    creation_time: jsonTime(creationTime),
    age_seconds: ageSeconds(creationTime, now),
    instance_type: machines?.instanceType ?? null,
    instance_count: machines?.instanceCount ?? null,
    memory_size_in_mb: machines?.memorySize ?? null,
  };
}

/** 0 where clocks disagree. */
function ageSeconds(creationTime: Date, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - creationTime.getTime()) / 1000));
}
