import { assertEquals } from "@std/assert";
import { clusterOf, hostNames, shardOf } from "../../../runtime/contract/hosts.ts";
import { HOST } from "../../../runtime/contract/jobs.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the names of hosts", () => {
  for (
    const [count, expected] of [
      [0, []],
      [1, [HOST]],
      [3, ["algo-1", "algo-2", "algo-3"]],
      [11, ["algo-1", "algo-10", "algo-11", ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `algo-${n}`)]],
    ] as const
  ) {
    it(`of ${count} are sorted as text`, () => assertEquals(hostNames(count), expected));
  }
});

suite("what a host is told of the others", () => {
  it("is its own name alone, or what it is to be told", () => {
    assertEquals(clusterOf("a"), { current: "a", hosts: ["a"], groupHosts: ["a"] });
    assertEquals(clusterOf("b", ["a", "b"]).groupHosts, ["a", "b"]);
    assertEquals(clusterOf("b", ["a", "b"], ["b", "a"]), {
      current: "b",
      hosts: ["a", "b"],
      groupHosts: ["b", "a"],
    });
  });
});

suite("the shards of a channel", () => {
  for (
    const [keys, hosts, expected] of [
      ["", 2, ["", ""]],
      ["a", 1, ["a"]],
      ["abcde", 1, ["abcde"]],
      ["abcde", 2, ["ace", "bd"]],
      ["abcde", 3, ["ad", "be", "c"]],
      ["ab", 4, ["a", "b", "", ""]],
    ] as const
  ) {
    it(`of ${keys.length} keys on ${hosts} hosts are dealt out in turn`, () => {
      const shards = expected.map((_, index) => shardOf([...keys], hosts, index).join(""));
      assertEquals([shards.length, ...shards], [hosts, ...expected]);
    });
  }
});
