/**
 * A job as text and as JSON.
 *
 * @module
 */

import { billWords } from "../../runtime/cloud/jobs/bill.ts";
import { type CloudJob, KIND_WORDS } from "../../runtime/cloud/jobs/job.ts";
import { inOneLine, printable } from "../../runtime/text.ts";
import { localTimestamp } from "../render/timestamp.ts";

/** A field a line; what is not known is left out. */
export function jobText(job: CloudJob): string {
  const { secondaryStatus, transitions } = job;
  const last = transitions.at(-1);
  // Emulators tell of no step beyond the first.
  const step = last?.status === secondaryStatus ? last?.message : "";
  const status = [job.status, secondaryStatus !== job.status ? secondaryStatus : "", step];
  const time = (date: Date | undefined) => date && localTimestamp(date, " ");
  const fields: readonly (readonly [string, string | undefined])[] = [
    ["Name", job.name],
    ["Kind", KIND_WORDS[job.kind]],
    ["Status", status.filter((part) => part).join(": ")],
    ["Reason", job.failureReason],
    ["Message", job.exitMessage],
    ["Created", time(job.creationTime)],
    ["Started", time(job.startTime)],
    ["Ended", time(job.endTime)],
    ["Image", job.image],
    ["Role", job.role],
    ["Machines", machines(job)],
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

/** A field a line, those that are known. */
export function fieldsText(
  fields: readonly (readonly [name: string, value: string | undefined])[],
): string {
  return fields.filter(([, value]) => value !== undefined).map(([name, value]) =>
    `${`${name}:`.padEnd(16)}${indented(value!)}\n`
  ).join("");
}

function machines({ instanceCount, instanceType, isSpot }: CloudJob): string | undefined {
  if (instanceType === undefined) return undefined;
  return `${instanceCount} ${instanceType}${isSpot ? ", spot" : ""}`;
}

/** A reason has lines. */
function indented(value: string): string {
  return printable(value.trimEnd()).split("\n").map(inOneLine).join(`\n${" ".repeat(16)}`);
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
