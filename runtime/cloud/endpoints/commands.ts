/**
 * Command lines about an endpoint and what belongs to it, ready to paste.
 *
 * @module
 */

import { shellWord } from "../../app/typed_path.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { commandFor, optionsOf } from "../jobs/commands.ts";

/** Something that belongs to an endpoint, and stays when that is deleted. */
export interface Belonging {
  readonly kind: "configuration" | "model";
  readonly name: string;
}

/** The kinds, for messages. */
export const BELONGING_WORDS: Readonly<Record<Belonging["kind"], string>> = {
  configuration: "endpoint configuration",
  model: "model",
};

/**
 * The command line that deletes an endpoint and all that mlcli made for it.
 * @param choice the options of the command that says it.
 */
export function removalOf(name: string, choice: Partial<AwsOptions> = {}): string {
  const removal = ["mlcli delete-endpoint -n", name, "--delete-config --delete-model"];
  return [...removal, ...optionsOf(choice)].join(" ");
}

/** The command line of AWS's own program that deletes a configuration or a model. */
export function removalByHand(
  { kind, name }: Belonging,
  { region, profile }: Partial<AwsOptions> = {},
): string {
  const removal = kind === "model"
    ? `aws sagemaker delete-model --model-name ${shellWord(name)}`
    : `aws sagemaker delete-endpoint-config --endpoint-config-name ${shellWord(name)}`;
  return [removal, ...optionsOf({ region, profile })].join(" ");
}

/** What to do about an endpoint that changes, and that nobody follows any more. */
export function endpointGoesOn(name: string, choice: Partial<AwsOptions> = {}): string {
  return `The endpoint goes on changing. How it ends: ${commandFor(name, choice)("wait")}. ` +
    `To delete it then: ${removalOf(name, choice)}.`;
}
