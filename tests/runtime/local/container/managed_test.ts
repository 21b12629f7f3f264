import { assertEquals } from "@std/assert";
import { managed } from "../../../../runtime/local/container/managed.ts";
import type { ContainerSummary } from "../../../../runtime/docker/engine.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** Names, app, role and port by the labels, and what it is. */
const CASES: readonly (readonly [
  names: readonly string[],
  labels: readonly [app?: string, role?: string, port?: string],
  expected: readonly [name: string, role: string, port?: number] | undefined,
])[] = [
  [["/mlcli-a-serve-80"], ["a", "serve", "80"], ["mlcli-a-serve-80", "serve", 80]],
  [["/web/b", "/mlcli-a-serve-80"], ["a", "serve", "80"], ["mlcli-a-serve-80", "serve", 80]],
  [["mlcli-a-serve-1-serve-80"], ["a-serve-1", "serve", "80"], [
    "mlcli-a-serve-1-serve-80",
    "serve",
    80,
  ]],
  [["/mlcli-a-serve-80-0badcafe"], ["a", "serve", "80"], [
    "mlcli-a-serve-80-0badcafe",
    "serve",
    80,
  ]],
  [["/mlcli-a-train-0badcafe"], ["a", "train", ""], ["mlcli-a-train-0badcafe", "train"]],
  [["/mlcli-a-process-0badcafe"], ["a", "process"], ["mlcli-a-process-0badcafe", "process"]],
  // A port that the image chose.
  [["/mlcli-a-train-0badcafe"], ["a", "train", "22"], ["mlcli-a-train-0badcafe", "train"]],
  // Names of somebody else's.
  [["/web"], ["a", "serve", "80"], undefined],
  [[], ["a", "serve", "80"], undefined],
  [["/mlcli-a-serve-80"], ["b", "serve", "80"], undefined],
  [["/mlcli-a-serve-80-0badcaf"], ["a", "serve", "80"], undefined],
  [["/mlcli-a-serve-80-0badcafe-0badcafe"], ["a", "serve", "80"], undefined],
  [["/mlcli-a-serve-80"], ["a", "serve", "81"], undefined],
  [["/mlcli-a-serve-80"], ["a", "train", "80"], undefined],
  [["/mlcli-a-train-0badcafe"], ["a", "process"], undefined],
  [["/mlcli-a-train-0badcafe0"], ["a", "train"], undefined],
  [["/mlcli-a-train-0BADCAFE"], ["a", "train"], undefined],
  [["/x-mlcli-a-train-0badcafe"], ["a", "train"], undefined],
  // Labels of nobody's.
  [["/mlcli--serve-80"], ["", "serve", "80"], undefined],
  [["/mlcli-a-serve-80"], [], undefined],
  [["/mlcli-a-shell-0badcafe"], ["a", "shell"], undefined],
  ...["", "0", "080", "70000", "8e1", "80.0", "NaN", " 80"].map((port) =>
    [[`/mlcli-a-serve-${port}`], ["a", "serve", port], undefined] as const
  ),
];

function summary(names: readonly string[], [app, role, port]: readonly (string | undefined)[]) {
  const labels = { "mlcli.app": app, "mlcli.role": role, "mlcli.port": port };
  const given = Object.entries(labels).filter(([, value]) => value !== undefined);
  return {
    Id: "1",
    Names: names,
    Labels: Object.fromEntries(given),
  } as unknown as ContainerSummary;
}

suite("managed", () => {
  for (const [names, labels, expected] of CASES) {
    it(`${names} labelled ${labels} is ${expected ? `a ${expected[1]}` : "none"}`, () => {
      const found = managed(summary(names, labels));
      const [name, role, port] = expected ?? [];
      const facts = found && [found.name, found.appName, found.role, found.port];
      assertEquals(facts, expected && [name, labels[0], role, port]);
    });
  }
});
