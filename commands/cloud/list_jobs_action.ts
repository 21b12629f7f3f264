import { regionWords } from "../../runtime/aws/settings.ts";
import { type ListedJob, listJobs } from "../../runtime/cloud/jobs/list_jobs.ts";
import { noteText, tell } from "../../runtime/messages.ts";
import type { Context } from "../../runtime/context.ts";
import { printableJson } from "../../runtime/text.ts";
import { columnsText, tableText } from "../render/table.ts";
import { listedJobJson, listRow } from "./descriptions.ts";
import type { ListJobsOptions } from "./list_jobs.ts";

/** Lists jobs, a line each. */
export async function listJobsAction(context: Context, options: ListJobsOptions): Promise<void> {
  const { out, err, clock } = context;
  const { region, jobs } = await listJobs(options, context, (text) => tell(err, noteText(text)));
  const found: ListedJob[] = [];
  const isText = options.output === "text";
  try {
    for await (const job of jobs) {
      // For a program each as it comes.
      if (isText && !out.isTerminal) out.print(tableText([], [listRow(job)], out));
      found.push(job);
    }
  } finally {
    // Also what came before a failure.
    if (isText && out.isTerminal) {
      const rows = found.map((job) => listRow(job, clock.date()));
      const columns = ["NAME", "KIND", "STATUS", "AGE"].map((heading, at) => ({
        heading,
        fields: rows.map((row) => row[at] ?? ""),
        most: at === 0 ? 8 : undefined,
      }));
      out.print(columnsText(columns, out).text);
    }
  }
  if (!isText) out.print(`${printableJson(found.map(listedJobJson), 2)}\n`);
  if (found.length === 0 && err.isTerminal) {
    // The usual cause is a wrong region.
    err.print(`No jobs in ${regionWords(region)}\n`);
  }
}
