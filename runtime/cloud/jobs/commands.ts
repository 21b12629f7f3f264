/**
 * Command lines about a job, ready to paste.
 *
 * @module
 */

import { shellWord } from "../../app/typed_path.ts";
import type { AwsOptions } from "../../aws/settings.ts";

/** Makes the command line of a command about a job: `mlcli wait NAME --region eu-west-1`. */
export type JobCommand = (command: string, ...options: string[]) => string;

/**
 * Command lines about a job.
 * @param choice the options of the command that asks.
 */
export function commandFor(name: string, choice: Partial<AwsOptions> = {}): JobCommand {
  return (command, ...options) =>
    ["mlcli", command, name, ...options, ...optionsOf(choice)].join(" ");
}

/** Where a command asked, as options of a command line. */
export function optionsOf({ region, profile, iamRoleArn }: Partial<AwsOptions>): readonly string[] {
  return [["--region", region], ["--profile", profile], ["--iam-role-arn", iamRoleArn]]
    .flatMap(([option, value]) => value === undefined ? [] : [option!, shellWord(value)]);
}

/** What to do about a job that nobody follows any more. */
export function goesOn(command: JobCommand, status: string | undefined): string {
  const result = `Its result: ${command("wait")}.`;
  if (status === "Stopping") return `The job is being stopped. ${result}`;
  return `The job goes on. Its log: ${command("logs", "--follow")}. ${result} ` +
    `To stop it: ${command("stop-job")}.`;
}
