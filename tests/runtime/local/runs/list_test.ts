import { assertEquals } from "@std/assert";
import { runDifferences } from "../../../../runtime/local/runs/list.ts";
import {
  runCalled,
  type RunSummary,
  shortNames,
  summaryOf,
} from "../../../../runtime/model/records.ts";
import { it, suite } from "../../../helpers/suite.ts";

const DOCUMENT = {
  kind: "train",
  started: "2026-03-01T09:30:00.000Z",
  ended: "2026-03-01T09:30:12.340Z",
  image: { reference: "churn:latest", id: `sha256:${"a".repeat(64)}` },
  mlcli: "0.1.0",
  python: "3.12.4",
  packages: { pandas: "2.2.0", numpy: "2.0.0" },
  hyperparameters: { epochs: "5", rate: "0.1" },
  channels: { training: "data" },
  options: { strict: true, memory: 1024 },
  variables: ["TOKEN"],
  outcome: { status: "Completed", exit_status: 0, reason: null },
  code: "c".repeat(32),
  commit: "d".repeat(40),
  data: {
    training: { files: 1, bytes: 2, hash: "e".repeat(32), by: "contents" },
    huge: null,
  },
  metrics: { loss: { last: 0.5, min: 0.5, max: 1, count: 2 } },
  hosts: [
    { name: "algo-1", exit_status: 143, seconds: 3, peak_memory: 12, ended_by: "algo-2" },
    { name: "algo-2", exit_status: 1, seconds: 2.5, peak_memory: null, ended_by: null },
  ],
};

function run(more: Readonly<Record<string, unknown>> = {}): RunSummary {
  return summaryOf("churn-1", JSON.stringify({ ...DOCUMENT, ...more }))!;
}

suite("summaryOf", () => {
  it("reads what was written", () => {
    const summary = run();
    assertEquals(summary.status, "Completed");
    assertEquals(summary.options, { strict: "true", memory: "1024" });
    assertEquals([summary.metrics, summary.hosts], [DOCUMENT.metrics, DOCUMENT.hosts]);
    assertEquals(run({ hosts: undefined }).hosts, []);
    assertEquals(run({ outcome: null }).status, "InProgress");
  });

  const others: readonly (readonly [name: string, text: string])[] = [
    ["half a file", JSON.stringify(DOCUMENT).slice(0, 40)],
    ["nothing", ""],
    ["a list", "[]"],
    ["no time", JSON.stringify({ ...DOCUMENT, started: "yesterday" })],
    ["another kind", JSON.stringify({ ...DOCUMENT, kind: "serve" })],
  ];
  for (const [name, text] of others) {
    it(`knows no run in ${name}`, () => assertEquals(summaryOf("x", text), undefined));
  }

  it("reads 1,000 metrics and hyperparameters of a record that holds 70,000", () => {
    const numbered = <T>(value: T): Readonly<Record<string, T>> =>
      Object.fromEntries(Array.from({ length: 70_000 }, (_, at) => [`n${at}`, value]));
    const { metrics, hyperparameters } = run({
      metrics: numbered({ last: 1 }),
      hyperparameters: numbered("1"),
    });
    const counts = [metrics, hyperparameters].map((one) => Object.keys(one).length);
    assertEquals(counts, [1_000, 1_000]);
  });

  it("takes nothing for what it is not", () => {
    const odd = run({
      image: "x",
      packages: 3,
      hyperparameters: [],
      variables: "x",
      data: { training: { files: "1", bytes: 2, hash: "e" }, test: 3 },
      outcome: { status: "\x1b[2J", exit_status: "0" },
      metrics: { loss: { last: "x" }, gain: 3 },
      hosts: [3, null, { ...DOCUMENT.hosts[0], ended_by: 3 }, DOCUMENT.hosts[1]],
    });
    assertEquals(
      [odd.status, odd.exitStatus, odd.image, odd.packages, odd.variables, odd.metrics, odd.data],
      ["InProgress", undefined, "", undefined, [], {}, {}],
    );
    assertEquals(odd.hosts, DOCUMENT.hosts.slice(1) as never);
    assertEquals(run({ hosts: { 0: DOCUMENT.hosts[0] } }).hosts, []);
  });
});

suite("runDifferences", () => {
  it("runDifferences finds none between a run and itself", () =>
    assertEquals(runDifferences([run(), run()]), []));

  it("are all that is not the same, the results last", () => {
    const other = run({
      image: { reference: "churn:latest", id: `sha256:${"b".repeat(64)}` },
      ended: "2026-03-01T09:30:10.000Z",
      packages: { pandas: "2.3.0", numpy: "2.0.0", torch: "2.3.0" },
      hyperparameters: { epochs: "20", rate: "0.1", __proto__: "x" },
      options: { strict: true },
      variables: [],
      code: "f".repeat(32),
      commit: null,
      data: {
        training: { files: 1, bytes: 3, hash: "f".repeat(32), by: "times" },
        huge: { files: 1, bytes: 1, hash: "0", by: "contents" },
      },
      metrics: { loss: { last: 0.25 }, auc: { last: 0.9 } },
    });
    assertEquals(
      runDifferences([run(), other]).map(({ what, name, values }) => [what, name, ...values]),
      [
        ["image id", "", "aaaaaaaaaaaa", "bbbbbbbbbbbb"],
        ["hyperparameter", "epochs", "5", "20"],
        ["option", "memory", "1024", undefined],
        ["variable", "TOKEN", "given", undefined],
        ["code", "", "cccccccccccc", "ffffffffffff"],
        ["commit", "", "dddddddddddd", undefined],
        [
          "data",
          "training",
          "files 1, bytes 2, hash eeeeeeeeeeee, by contents",
          "files 1, bytes 3, hash ffffffffffff, by times",
        ],
        ["package", "pandas", "2.2.0", "2.3.0"],
        ["package", "torch", undefined, "2.3.0"],
        ["seconds", "", "12.3", "10"],
        ["metric", "auc", undefined, "0.9"],
        ["metric", "loss", "0.5", "0.25"],
      ],
    );
  });

  it("runDifferences has a value for each of three runs if only one of them differs", () => {
    const others = [run({ hyperparameters: { epochs: "5" } }), run({ code: null, data: {} })];
    assertEquals(runDifferences([run(), ...others]), [
      { what: "hyperparameter", name: "rate", values: ["0.1", undefined, "0.1"] },
      { what: "code", name: "", values: ["cccccccccccc", "cccccccccccc", undefined] },
    ]);
  });

  // https://github.com/treeverse/dvc/issues/5989
  it("runDifferences finds none between a number and its text", () => {
    const typed = run({ hyperparameters: { epochs: 5, rate: 0.1 } });
    assertEquals(runDifferences([run(), typed]), []);
  });

  it("do not call packages missing whose list is not known", () => {
    assertEquals(runDifferences([run(), run({ packages: null })]), []);
  });
});

suite("the short name of a run", () => {
  const runsCalled = (...names: readonly string[]): readonly RunSummary[] =>
    names.map((name) => summaryOf(name, JSON.stringify({ ...DOCUMENT, app: "churn" }))!);

  // https://github.com/moby/moby/issues/8069, https://github.com/moby/moby/issues/12628
  const rows: readonly (readonly [why: string, name: string, short: string, others: string[]])[] = [
    ["leaves out the app", "churn-2026-03-01", "2026-03-01", ["other-1"]],
    ["is whole in a name that begins otherwise", "churner-1a", "churner-1a", []],
    ["is whole if it would be a place in the list", "churn-2", "churn-2", []],
    ["is whole if it would be last", "churn-last", "churn-last", []],
    ["is whole if it would be another run's name", "churn-a", "churn-a", ["a"]],
  ];
  for (const [why, name, short, others] of rows) {
    it(why, () => {
      const runs = runsCalled(name, ...others);
      assertEquals(shortNames(runs).get(name), short);
      assertEquals(runCalled(runs, short)?.name, name);
    });
  }

  it("two runs that would share a short name keep their whole names, and the shared name finds no run", () => {
    const [one] = runsCalled("churn-x");
    const other = { ...one!, app: "sales", name: "sales-x" };
    assertEquals([...shortNames([one!, other]).values()], ["churn-x", "sales-x"]);
    assertEquals(runCalled([one!, other], "x"), undefined);
  });

  it("a short name does not hide a run's number in the list or its own name", () => {
    const runs = runsCalled("churn-b", "churn-churn-b", "churn-c");
    assertEquals(runCalled(runs, "churn-b"), runs[0]);
    assertEquals(runCalled(runs, "3"), runs[2]);
    assertEquals(runCalled(runs, "last"), undefined);
  });
});
