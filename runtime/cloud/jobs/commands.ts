/**
 * Command lines about a job, ready to paste.
 *
 * @module
 */

import type { AwsOptions, Setting } from "../../aws/settings.ts";

/** Makes the command line of a command about a job: `mlcli wait NAME --region eu-west-1`. */
export type JobCommand = (command: string, ...options: string[]) => string;

/**
 * Command lines about a job.
 *
 * @param region that is asked; it is named where it was an option's.
 * @param choice the options of the command that asks, where they are known.
 */
export function commandFor(name: string, region: Setting, choice?: AwsOptions): JobCommand {
  const known: Partial<AwsOptions> = choice ??
    { region: region.source === "--region" ? region.value : undefined };
  const where = [["--region", known.region], ["--profile", known.profile], [
    "--iam-role-arn",
    known.iamRoleArn,
  ]]
    .flatMap(([option, value]) => value === undefined ? [] : [option, value]);
  return (command, ...options) => ["mlcli", command, name, ...options, ...where].join(" ");
}

/** What to do about a job that nobody follows any more. */
export function goesOn(command: JobCommand, status: string | undefined): string {
  const result = `Its result: ${command("wait")}.`;
  if (status === "Stopping") return `The job is being stopped. ${result}`;
  return `The job goes on. Its log: ${command("logs", "--follow")}. ${result} ` +
    `To stop it: ${command("stop-job")}.`;
}
