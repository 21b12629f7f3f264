/**
 * Command lines about an endpoint and what it is made of, ready to paste.
 *
 * @module
 */

import type { AwsOptions } from "../../aws/settings.ts";
import { commandFor } from "../jobs/commands.ts";

/** Makes the command line of a command about an endpoint. */
export type EndpointCommand = (
  command: "wait" | "describe" | "logs" | "delete-endpoint",
) => string;

/**
 * Command lines about an endpoint.
 * @param choice the options of the command that asks.
 */
export function endpointCommands(name: string, choice: Partial<AwsOptions>): EndpointCommand {
  const command = commandFor(name, choice);
  return (which) =>
    which === "delete-endpoint"
      // `mlcli delete-endpoint -n NAME --delete-config --delete-model --wait`
      ? commandFor(`-n ${name}`, choice)(which, "--delete-config", "--delete-model", "--wait")
      : command(which);
}

/** What a thing is called, and the aws CLI's command that deletes it. */
export const THINGS = {
  model: {
    words: "model",
    deletion: (name: string) => `aws sagemaker delete-model --model-name ${name}`,
  },
  configuration: {
    words: "endpoint configuration",
    deletion: (name: string) =>
      `aws sagemaker delete-endpoint-config --endpoint-config-name ${name}`,
  },
} as const;

/** A thing that an endpoint is made of. */
export type Thing = keyof typeof THINGS;
