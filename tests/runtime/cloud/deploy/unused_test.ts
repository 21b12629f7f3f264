import { assertEquals } from "@std/assert";
import type { State } from "../../../../runtime/cloud/deploy/state.ts";
import {
  inTheWayOf,
  inUse,
  mayBeComing,
  unusedBeside,
} from "../../../../runtime/cloud/deploy/unused.ts";
import { MADE, NOTHING, served } from "../../../helpers/deploy_state.ts";
import { it, suite } from "../../../helpers/suite.ts";

const BEFORE = new Date(MADE.getTime() - 60_000);
const AFTER = new Date(MADE.getTime() + 60_000);

/** The state, with what else there is of mlcli's names. */
function beside(state: State, names: readonly string[], created = BEFORE): State {
  const configurations = new Map(state.configurations);
  const models = new Map(state.models);
  for (const name of names) {
    if (name.includes("config")) {
      configurations.set(name, {
        EndpointConfigName: name,
        EndpointConfigArn: "",
        ProductionVariants: [],
        CreationTime: created,
      });
    } else models.set(name, { ModelName: name, ModelArn: "", CreationTime: created });
  }
  return { ...state, configurations, models };
}

function names(things: readonly { readonly name: string }[]): string[] {
  return things.map(({ name }) => name);
}

const FIRST = { configuration: "shop-config", model: "shop-mlcli" };
const SECOND = { configuration: "shop-config-2", model: "shop-mlcli-2" };
const ALL = [...Object.values(FIRST), ...Object.values(SECOND)];

suite("deploy: what is not needed", () => {
  const rows: readonly (readonly [string, typeof FIRST, State, string[], string[]])[] = [
    ["a new one", FIRST, NOTHING, [], []],
    ["a new one beside leftovers", FIRST, beside(NOTHING, ALL), Object.values(SECOND), []],
    ["an update", SECOND, served(), Object.values(FIRST), []],
    ["nothing changes", FIRST, served(), [], []],
    [
      "nothing changes, beside leftovers",
      FIRST,
      beside(served(), Object.values(SECOND)),
      Object.values(SECOND),
      [],
    ],
    [
      "somebody else's before",
      FIRST,
      theirs({}),
      [],
      ["their-config", "their-model"],
    ],
    [
      "before, by its tags",
      FIRST,
      theirs({ isTagged: { configuration: true, model: false } }),
      ["their-config"],
      ["their-model"],
    ],
  ];
  function theirs(more: Partial<NonNullable<State["base"]>>): State {
    const state = served({
      model: { ModelName: "their-model" },
      configuration: { EndpointConfigName: "their-config" },
    });
    const base = { ...state.base!, name: "their-config", ...more };
    return { ...state, base, configurations: new Map(), models: new Map() };
  }
  for (const [what, serves, state, ours, others] of rows) {
    it(`is told by what serves: ${what}`, () => {
      const unused = unusedBeside(serves, state);
      assertEquals([names(unused.ours), names(unused.others)], [ours, others]);
    });
  }

  it("is in the way where it has the names of what is made", () => {
    assertEquals(names(inTheWayOf(SECOND, beside(served(), ALL))), Object.values(SECOND));
    assertEquals(inTheWayOf(SECOND, served()), []);
    const mixed = { configuration: "shop-config-2", model: "shop-mlcli" };
    assertEquals(names(inTheWayOf(mixed, beside(served(), ["shop-mlcli-2"]))), ["shop-mlcli"]);
  });

  it("may be coming where it is newer than what serves, and not old", () => {
    const soon = new Date(AFTER.getTime() + 1_000);
    const later = new Date(AFTER.getTime() + 3_700_000);
    const found = (created: Date, now: Date): string[] => {
      const state = beside(served(), ["shop-mlcli-2"], created);
      return names(mayBeComing(unusedBeside(FIRST, state).ours, state, now));
    };
    assertEquals(found(AFTER, soon), ["shop-mlcli-2"]);
    assertEquals([found(BEFORE, soon), found(AFTER, later)], [[], []]);
  });

  it("leaves the names that an endpoint has, as far as they are known", () => {
    const gone = { configuration: undefined, models: [], model: undefined };
    const rows: readonly (readonly [State, string[], string[]])[] = [
      [NOTHING, [], []],
      [served(), ["shop-config"], ["shop-mlcli"]],
      [served({ base: gone }), ["shop-config"], ["shop-mlcli"]],
      [served({ base: { ...gone, name: "theirs" } }), ["theirs"], ["shop-mlcli"]],
    ];
    for (const [state, configurations, models] of rows) {
      assertEquals(inUse(state), { configurations, models });
    }
  });
});
