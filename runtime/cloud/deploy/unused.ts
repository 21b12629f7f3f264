/**
 * What of an endpoint's configurations and models it does not need, as pure functions.
 *
 * @module
 */

import { type InUse, type Slot, slotsOf } from "../../contract/endpoint_slots.ts";
import type { Belonging } from "../endpoints/commands.ts";
import type { State } from "./state.ts";

/** Something that may be deleted. */
export interface Unused extends Belonging {
  /** When the platform made it: another time is another thing of that name, and not ours to delete. */
  readonly created: Date | undefined;
}

/** What there is of an endpoint's names, but for these. Configurations come before models. */
function othersThan(
  { configuration, model }: { readonly configuration: string; readonly model: string },
  { endpoint, configurations, models }: State,
): readonly Unused[] {
  const slots = slotsOf(endpoint);
  const found: Unused[] = [];
  for (const { configuration: name } of slots) {
    const there = name === configuration ? undefined : configurations.get(name);
    if (there) found.push({ kind: "configuration", name, created: there.CreationTime });
  }
  for (const { model: name } of slots) {
    const there = name === model ? undefined : models.get(name);
    if (there) found.push({ kind: "model", name, created: there.CreationTime });
  }
  return found;
}

/**
 * What an endpoint served with before: what is mlcli's, and what is somebody else's.
 */
export function servedBefore(
  { endpoint, base }: State,
): { readonly ours: readonly Unused[]; readonly others: readonly Unused[] } {
  if (!base) return { ours: [], others: [] };
  const slots = slotsOf(endpoint);
  const ours: Unused[] = [];
  const others: Unused[] = [];
  if (base.configuration) {
    const isOurs = base.isTagged.configuration ||
      slots.some(({ configuration }) => configuration === base.name);
    const created = base.configuration.CreationTime;
    (isOurs ? ours : others).push({ kind: "configuration", name: base.name, created });
  }
  const { ModelName: name, CreationTime: created } = base.model ?? {};
  if (name !== undefined) {
    const isOurs = base.isTagged.model || slots.some(({ model }) => model === name);
    (isOurs ? ours : others).push({ kind: "model", name, created });
  }
  return { ours, others };
}

/** What is not needed beside what serves: of mlcli, and of others. */
export function unusedBeside(
  serves: { readonly configuration: string; readonly model: string },
  state: State,
): ReturnType<typeof servedBefore> {
  const isOther = ({ name }: { readonly name: string }): boolean =>
    name !== serves.configuration && name !== serves.model;
  const before = servedBefore(state);
  const left = othersThan(serves, state);
  const all = [...left, ...before.ours.filter(isOther)];
  const names = all.map(({ kind, name }) => `${kind} ${name}`);
  const once = all.filter((_, index) => names.indexOf(names[index]!) === index);
  return {
    ours: [
      ...once.filter(({ kind }) => kind === "configuration"),
      ...once.filter(({ kind }) => kind === "model"),
    ],
    others: before.others.filter(isOther),
  };
}

/** In ms: who makes things for an endpoint has it serve them sooner than that. */
const LONG_AGO = 3_600_000;

/**
 * Of what an endpoint does not need, what somebody may be about to have it serve: it is newer than what
 * serves, and not old.
 */
export function mayBeComing(things: readonly Unused[], { base }: State, now: Date): Unused[] {
  const since = base?.configuration?.CreationTime;
  return things.filter(({ created }) =>
    since !== undefined && created !== undefined && created > since &&
    now.getTime() - created.getTime() < LONG_AGO
  );
}

/**
 * Names that the endpoint has, or is about to have. Where its configuration is deleted, or names none,
 * nobody knows its model: then the one that belongs to that configuration counts, or any that there is.
 */
export function inUse({ endpoint, base, models }: State): InUse {
  if (!base) return { configurations: [], models: [] };
  if (base.models.length > 0) return { configurations: [base.name], models: base.models };
  const slots = slotsOf(endpoint);
  const likely = slots.find(({ configuration }) => configuration === base.name) ??
    slots.find(({ model }) => models.has(model));
  return { configurations: [base.name], models: likely ? [likely.model] : [] };
}

/** Of what there is, what has the names of what is to be made. */
export function inTheWayOf(slot: Slot, state: State): readonly Unused[] {
  return othersThan({ configuration: "", model: "" }, state)
    .filter(({ name }) => name === slot.configuration || name === slot.model);
}
