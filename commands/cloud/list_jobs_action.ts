import { regionWords } from "../../runtime/aws/settings.ts";
import { type ListedJob, listJobs } from "../../runtime/cloud/jobs/list_jobs.ts";
import { noteText, tell } from "../../runtime/messages.ts";
import type { Context } from "../../runtime/context.ts";
import { inOneLine, printableJson } from "../../runtime/text.ts";
import { warnOfKeys } from "../chosen_app.ts";
import { localTimestamp } from "../render/format.ts";
import type { ListJobsOptions } from "./list_jobs.ts";

/** Lists jobs, a line each. */
export async function listJobsAction(context: Context, options: ListJobsOptions): Promise<void> {
  await warnOfKeys(context, options);
  const { kind, status, nameContains, limit } = options;
  const listing = { choice: options, kind, filter: { status, nameContains }, limit };
  const { out, err } = context;
  const { region, jobs } = await listJobs(listing, context, (text) => tell(err, noteText(text)));
  const found: ListedJob[] = [];
  for await (const job of jobs) {
    if (options.output === "text") out.print(textLine(job));
    found.push(job);
  }
  if (options.output === "json") {
    out.print(`${printableJson(found.map(jsonJob), 2)}\n`);
  }
  if (found.length === 0 && err.isTerminal) {
    // The usual cause is a wrong region.
    err.print(`0 jobs in ${regionWords(region)}\n`);
  }
}

/** `{name}  {status}  {creation_time}` */
function textLine({ name, status, creationTime }: ListedJob): string {
  return `${inOneLine(name)}  ${inOneLine(status)}  ${localTimestamp(creationTime, " ")}\n`;
}

function jsonJob({ name, kind, status, creationTime }: ListedJob): Record<string, string> {
  return { job_name: name, kind, status, creation_time: localTimestamp(creationTime, "T") };
}
