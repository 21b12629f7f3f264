/**
 * Command lines about a job, ready to paste.
 *
 * @module
 */

import type { Setting } from "../../aws/settings.ts";

/** Makes the command line of a command about a job: `mlcli wait NAME --region eu-west-1`. */
export type JobCommand = (command: string, ...options: string[]) => string;

/**
 * Command lines about a job.
 * @param region that is asked; it is named where it was an option's.
 */
export function commandFor(name: string, region: Setting): JobCommand {
  const where = region.source === "--region" ? ["--region", region.value] : [];
  return (command, ...options) => ["mlcli", command, name, ...options, ...where].join(" ");
}

/** What to do about a job that nobody follows any more. */
export function goesOn(command: JobCommand, status: string | undefined): string {
  const result = `Its result: ${command("wait")}.`;
  if (status === "Stopping") return `The job is being stopped. ${result}`;
  return `The job goes on. Its log: ${command("logs", "--follow")}. ${result} ` +
    `To stop it: ${command("stop-job")}.`;
}
