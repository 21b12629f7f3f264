import { assertEquals } from "@std/assert";
import type { Run } from "../../../runtime/page/api.ts";
import { columnsOf, filterOf, sorted } from "../../../runtime/page/columns.ts";
import { it, suite } from "../../helpers/suite.ts";

function run(name: string, facts: Partial<Run> & { readonly loss?: number } = {}): Run {
  const { loss, ...others } = facts;
  const created = "2026-03-01T12:00:00+00:00";
  return {
    ...{ name, kind: "train", status: "Completed", created, ended: null, reason: null },
    ...{ seconds: 65, exit_status: 0, image: "flats", commit: "c0ffee", code: null },
    hyperparameters: {},
    metrics: loss === undefined ? {} : { loss: { last: loss, min: 0, max: 9, count: 3 } },
    transform: null,
    pinned: false,
    model_bytes: null,
    ...others,
  };
}

const RUNS = [
  run("a", { hyperparameters: { lr: "0.1", epochs: "5" }, loss: 0.25 }),
  run("b", {
    hyperparameters: { lr: "0.05", epochs: "5" },
    loss: 10,
    status: "Failed",
    reason: "Out of memory",
  }),
  run("c", { kind: "transform", seconds: null, commit: null }),
];
const COLUMNS = columnsOf(RUNS);

suite("the columns of the table of runs", () => {
  it("are by default the facts, what differs between trainings, and the last values", () => {
    assertEquals(
      COLUMNS.filter(({ isDefault }) => isDefault).map(({ heading }) => heading),
      ["Run", "Kind", "Status", "Created", "Duration", "lr", "loss"],
    );
  });

  it("have nothing of what every object inherits", () => {
    const runs = [run("a", { hyperparameters: JSON.parse('{"__proto__": "1", "toString": "2"}') })];
    const columns = columnsOf([...runs, run("b")]);
    const valuesOf = (of: Run): readonly unknown[] =>
      columns.filter(({ key }) => key.startsWith("hyperparameter ")).map(({ valueOf }) =>
        valueOf(of)
      );
    assertEquals(valuesOf(runs[0]!), ["1", "2"]);
    assertEquals(valuesOf(run("b")), [null, null]);
  });
});

suite("the filter of the table of runs", () => {
  for (
    const [filter, found] of [
      ["", "abc"],
      ["  FAILED ", "b"],
      ["transform", "c"],
      ["c0ff", "ab"],
      ["lr=0.1", "a"],
      ["lr=0.10", "a"],
      ["lr!=0.1", "bc"],
      ["lr<0.1", "b"],
      ["lr<=0.1 status=completed", "a"],
      ["loss>9", "b"],
      ["loss>=0.25", "ab"],
      ["status!=Failed train", "a"],
      ["epochs=5 lr", "ab"],
      ["loss < 9", "a"],
      ["loss_max=9 lr", "ab"],
      ["memory", "b"],
      ["nothing<1", ""],
      ["=", "ab"],
    ] as const
  ) {
    it(`"${filter}" finds ${found || "none"}`, () => {
      const names = RUNS.filter(filterOf(filter, COLUMNS).isMet).map(({ name }) => name);
      assertEquals(names.join(""), found);
    });
  }
});

suite("the conditions of a filter that are about no column", () => {
  for (
    const [filter, unknown] of [
      ["lr<1 nothing", []],
      ["foo > 3 lr=1 bar=x", ["foo>3", "bar=x"]],
    ] as const
  ) {
    it(`in "${filter}"`, () => assertEquals(filterOf(filter, COLUMNS).unknown, [...unknown]));
  }
});

suite("the order of the table of runs", () => {
  it("by time is that of the clocks, not of their texts", () => {
    const runs = [
      run("late", { created: "2026-10-25T02:10:00+01:00" }),
      run("soon", { created: "2026-10-25T02:30:00+02:00" }),
    ];
    const order = sorted(runs, { key: "created", isDescending: false }, columnsOf(runs));
    assertEquals(order.map(({ name }) => name), ["soon", "late"]);
  });

  for (
    const [key, isDescending, order] of [
      ["hyperparameter lr", false, "bac"],
      ["hyperparameter lr", true, "abc"],
      ["metric loss last", false, "abc"],
      ["metric loss last", true, "bac"],
      ["kind", true, "cab"],
      ["what is gone", true, "abc"],
    ] as const
  ) {
    it(`by ${key}${isDescending ? ", descending" : ""} is ${order}`, () => {
      const names = sorted(RUNS, { key, isDescending }, COLUMNS).map(({ name }) => name);
      assertEquals(names.join(""), order);
    });
  }
});
