/** The draft of an app: what SageMaker's answers say, before anything is fetched. */

import { shellWord } from "../../app/typed_path.ts";
import { parseS3Uri, type S3Address } from "../../contract/addresses.ts";
import { PATHS } from "../../contract/jobs.ts";
import type { Origin } from "../../origin/origin.ts";
import { isObject } from "../../text.ts";

/** What a small file beside the code says of it: which file of it runs, and which has the requirements. */
export interface AboutCode {
  readonly entryPoint?: string | undefined;
  readonly requirements?: string | undefined;
  readonly left?: readonly string[];
}

/** Of an archive, a file or a directory of code; and of that small file. */
export interface CodePlace {
  readonly address: S3Address;
  readonly about?: { readonly address: S3Address; readonly read: (text: string) => AboutCode };
}

/** Data in S3, and the directory for a sample of it, relative to that of `NAME.json`, with slashes. */
export interface DataPlace {
  readonly name: string;
  readonly address: S3Address;
  readonly to: string;
}

/** What a job runs: with texts in the place of members of the answer, and words: ` -- --rows 10`. */
export interface Program {
  readonly members?: Readonly<Record<string, unknown>>;
  readonly code?: CodePlace | undefined;
  readonly words?: string;
  readonly left?: readonly string[];
}

export interface Draft extends Omit<Origin, "name" | "what"> {
  readonly section: "train" | "process" | "deploy";
  readonly code: CodePlace | undefined;
  readonly data: readonly DataPlace[];
}

/**
 * Takes over the members of an answer by a table of words: `MEMBER=KEY`, or `MEMBER` alone where mlcli has
 * no key for it. Of several members with one key, the last that says something counts.
 *
 * @param table members as in the API reference (`ResourceConfig.InstanceType`), keys of `NAME.json`
 * (`train.ec2_type`).
 */
export function takeOver(
  answer: unknown,
  table: string,
): Pick<Draft, "configuration" | "taken" | "left"> {
  const rows = table.trim().split(/\s+/).map((row) => row.split("=") as [string, string?])
    .filter(([member]) => memberOf(answer, member) !== undefined);
  const configuration: Record<string, Record<string, unknown> | unknown> = {};
  for (const [member, key = ""] of rows) {
    const [first = "", second] = key.split(".");
    const value = memberOf(answer, member);
    if (second === undefined) configuration[first] = value;
    else configuration[first] = { ...configuration[first] as object, [second]: value };
  }
  delete configuration[""];
  const without = rows.filter(([, key]) => key === undefined).map(([member]) => member);
  return {
    configuration,
    taken: rows.flatMap(([member, key]) => key ? [[`\`${member}\``, `\`${key}\``]] : []),
    left: without.length === 0 ? [] : [`mlcli has no setting for ${without.join(", ")}`],
  };
}

/** What nobody has to ask for. */
const NOTHING: readonly unknown[] = [null, false, "", "None", "SingleModel", PATHS.checkpoints];

/** `undefined` where a member says nothing. */
function memberOf(answer: unknown, path: string): unknown {
  let value = answer;
  for (const name of path.split(".")) value = isObject(value) ? value[name] : undefined;
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  const says = !isEmpty && !NOTHING.includes(value);
  return says ? value : undefined;
}

/** @param command the one that runs the app here. */
export function variablesLeft(names: readonly string[], command: string): readonly string[] {
  if (names.length === 0) return [];
  const words = names.map((name) => ` --env ${shellWord(name)}`).join("");
  return [`Variable values were not copied. To pass those of your shell: ${command}${words}`];
}

/** Where a job reads by a prefix in S3; `undefined` where it does not. */
export function prefixOf(
  source: { readonly S3DataType?: string | undefined; readonly S3Uri?: string | undefined } = {},
): S3Address | undefined {
  return source.S3DataType === "S3Prefix" ? parseS3Uri(source.S3Uri ?? "") : undefined;
}

export function wordsOf(words: readonly string[]): string {
  return words.length === 0 ? "" : ` -- ${words.map(shellWord).join(" ")}`;
}
