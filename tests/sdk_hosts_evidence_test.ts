import { assertEquals, assertStringIncludes } from "@std/assert";
import { trainingFiles } from "../runtime/contract/configuration_files.ts";
import { hostNames } from "../runtime/contract/hosts.ts";
import evidence from "./evidence/sdk_hosts.json" with { type: "json" };
import { readText } from "./helpers/evidence.ts";
import { it, suite } from "./helpers/suite.ts";

const { versions, same, differences } = evidence;

/** What the judge saw of mlcli, by name, where the SDK's hosts see something else. */
const seen: Readonly<Record<string, readonly unknown[]>> = Object.assign(
  {},
  ...differences.map(({ seen }) => seen),
);

/** The judge itself, `tests/judges/sdk_hosts_test.ts`, needs AWS's SDK, and runs by night. */
suite("what a host sees by mlcli and by AWS's SDK", () => {
  it("is of the versions that the judge has", async () => {
    const task = await readText("scripts/tasks/test_toolkits.ts");
    assertStringIncludes(task!, `"sagemaker==${versions.sagemaker}"`);
    const compose = await readText("scripts/engine/compose.ts");
    assertStringIncludes(compose!, `"${versions.compose}"`);
  });

  it("is what mlcli writes into the files of a host", () => {
    const channels = [{ name: "training", isSharded: false }];
    const cluster = { current: "algo-2", hosts: hostNames(2), groupHosts: hostNames(2) };
    const files = trainingFiles({ epochs: "3" }, channels, cluster);
    const written = Object.entries(files).flatMap(([file, content]) =>
      Object.entries(content as object).map(([key, value]) => [`${file}: ${key}`, value] as const)
    );
    const known = [...same, ...Object.keys(seen)].filter((name) => name.includes(".json: "));
    assertEquals(written.map(([name]) => name).sort(), known.sort());
    const differing = written.filter(([name]) => !same.includes(name));
    assertEquals(differing, differing.map(([name]) => [name, seen[name]![0]]));
  });
});
