/**
 * What of an endpoint's configurations and models it does not need, as pure functions.
 *
 * @module
 */

import { freeSlot, type InUse, type Slot, slotsOf } from "../../contract/names.ts";
import type { State, Thing } from "./state.ts";

/** What is not needed beside what serves: of mlcli, and of others. */
export function unusedBeside(
  serves: { readonly configuration: string; readonly model: string },
  { things }: State,
): { readonly ours: readonly Thing[]; readonly others: readonly Thing[] } {
  const unused = things.filter(({ kind, name }) => name !== serves[kind]);
  return {
    ours: unused.filter(({ isOurs }) => isOurs),
    others: unused.filter(({ isOurs }) => !isOurs),
  };
}

/** In ms: who makes things for an endpoint has it serve them sooner than that. */
const LONG_AGO = 3_600_000;

/**
 * Of what an endpoint does not need, what somebody may be about to have it serve: it is newer than what
 * serves, and not old.
 */
export function mayBeComing(things: readonly Thing[], { base }: State, now: Date): Thing[] {
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
export function inUse({ endpoint, base, things }: State): InUse {
  if (!base) return { configurations: [], models: [] };
  if (base.models.length > 0) return { configurations: [base.name], models: base.models };
  const slots = slotsOf(endpoint);
  const likely = slots.find(({ configuration }) => configuration === base.name) ??
    slots.find(({ model }) => things.some(({ kind, name }) => kind === "model" && name === model));
  return { configurations: [base.name], models: likely ? [likely.model] : [] };
}

/** The names of what is made: not of what mlcli did not make, as far as there are others. */
export function slotFor(state: State): Slot {
  const theirs = state.things.filter(({ kind, isOurs }) => kind === "configuration" && !isOurs);
  return freeSlot(state.endpoint, inUse(state), theirs.map(({ name }) => name));
}

/** Of what there is, what has the names of what is to be made. */
export function inTheWayOf(slot: Slot, { things }: State): readonly Thing[] {
  return things.filter(({ kind, name }) => name === slot[kind]);
}
