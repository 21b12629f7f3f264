/** Under which heading of a help an option stands: the same in the help of all commands. */

import type { NamedOption } from "../options/option.ts";

/** In this order. What is not here is about the command's own work. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "Records and requests": [
    ...["--split", "--strategy", "--assemble", "--max-payload", "--max-concurrency"],
    ...["--compression", "--input-filter", "--output-filter", "--join"],
    ...["--invocation-timeout", "--invocation-retries"],
  ],
  "Resources": [
    ...["--ec2-type", "--instance-count", "--volume-size", "--max-run", "--spot", "--max-wait"],
    ...["--memory-size-in-mb", "--inference-ami-version"],
    ...["--memory", "--cpus", "--shm-size", "--gpus"],
  ],
  "AWS": [
    ...["--iam-role-arn", "--region", "--profile", "--execution-role", "--repository"],
    ...["--tag", "--subnet", "--security-group", "--kms-key"],
  ],
  "This machine": [
    ...["--app-name", "--network", "--allow-privileges", "--no-network-settings"],
    ...["--output", "--quiet", "--progress"],
  ],
  "Global": ["--help", "--version", "--directory", "--no-color", "--debug"],
};

export interface OptionGroup {
  /** `Options`, `AWS` */
  readonly heading: string;
  readonly options: readonly NamedOption[];
}

/** Options under their headings; those that have to be given come first. */
export function optionGroups(options: readonly NamedOption[]): readonly OptionGroup[] {
  const byHeading = new Map<string, NamedOption[]>(
    ["Required", "Options", ...Object.keys(GROUPS)].map((heading) => [heading, []]),
  );
  for (const named of options) byHeading.get(headingOf(named))!.push(named);
  return [...byHeading].filter(([, { length }]) => length > 0)
    .map(([heading, options]) => ({ heading, options }));
}

function headingOf([flag, option]: NamedOption): string {
  if (option.value !== undefined && (option.required || option.needed)) return "Required";
  return Object.keys(GROUPS).find((heading) => GROUPS[heading]!.includes(flag)) ?? "Options";
}
