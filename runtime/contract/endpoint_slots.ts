/**
 * The names of what an endpoint is made of: two configurations and two models, which take turns. An
 * update must have a configuration of another name than the one in use (UpdateEndpoint), and what
 * serves has to stay until the new one does.
 *
 * @module
 */

import { configurationOf } from "./endpoint_names.ts";

/** Names of a configuration and of the model that it serves. */
export interface Slot {
  readonly configuration: string;
  readonly model: string;
}

/**
 * The two slots of an endpoint. A model's name has `mlcli` in it, so that nobody else's is taken for
 * ours; the configuration's is the specification's.
 */
export function slotsOf(endpoint: string): readonly [Slot, Slot] {
  return [
    { configuration: configurationOf(endpoint), model: `${endpoint}-mlcli` },
    { configuration: `${configurationOf(endpoint)}-2`, model: `${endpoint}-mlcli-2` },
  ];
}

/** What an endpoint has, or is about to have. */
export interface InUse {
  readonly configurations: readonly string[];
  readonly models: readonly string[];
}

/**
 * The names that are not in use. Mostly both are of one slot; a configuration that was not made by
 * mlcli may have the model of the other.
 *
 * @param theirs configurations that mlcli did not make: another name comes first.
 */
export function freeSlot(
  endpoint: string,
  { configurations, models }: InUse,
  theirs: readonly string[] = [],
): Slot {
  const [first, second] = slotsOf(endpoint);
  const isTaken = configurations.includes(first.configuration) ||
    theirs.includes(first.configuration) && !configurations.includes(second.configuration);
  return {
    configuration: isTaken ? second.configuration : first.configuration,
    model: models.includes(first.model) ? second.model : first.model,
  };
}
