import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { trainingFiles } from "../runtime/contract/configuration_files.ts";
import { clusterOf, hostNames } from "../runtime/contract/hosts.ts";
import { onNetwork } from "../runtime/local/hosts/network.ts";
import evidence from "./evidence/sdk_hosts.json" with { type: "json" };
import { readText } from "./helpers/evidence.ts";
import { it, suite } from "./helpers/suite.ts";

const { versions, same, differences } = evidence;
const HOST = "algo-2";

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

  it("differs for a reason, or is the same", () => {
    for (const { why } of differences) assertMatch(why, /^[A-Za-z].+\.$/);
    const names = [...same, ...differences.flatMap(({ seen }) => Object.keys(seen))];
    assertEquals(names.filter((name, index) => names.indexOf(name) !== index), []);
  });

  it("is what mlcli writes into the files of a host", () => {
    const channels = [{ name: "training", isSharded: false }];
    const files = trainingFiles({ epochs: "3" }, channels, clusterOf(HOST, hostNames(2)));
    const written = Object.entries(files).flatMap(([file, content]) =>
      Object.entries(content as object).map(([key, value]) => [`${file}: ${key}`, value] as const)
    );
    const known = [...same, ...Object.keys(seen)].filter((name) => name.includes(".json: "));
    assertEquals(written.map(([name]) => name).sort(), known.sort());
    const differing = written.filter(([name]) => !same.includes(name));
    assertEquals(differing, differing.map(([name]) => [name, seen[name]![0]]));
  });

  it("is the name that mlcli gives a host", () => {
    const network = { name: "net", addresses: {} };
    const body = { HostConfig: {} } as unknown as Parameters<typeof onNetwork>[0];
    assertEquals(onNetwork(body, HOST, network, undefined).Hostname, seen["host name"]![0]);
  });
});
