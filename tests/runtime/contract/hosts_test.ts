import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { hostNames, isSharded, requireShards, shardOf } from "../../../runtime/contract/hosts.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the names of hosts", () => {
  it("are sorted as text", () => {
    assertEquals(hostNames(1), ["algo-1"]);
    assertEquals(hostNames(11).slice(0, 4), ["algo-1", "algo-10", "algo-11", "algo-2"]);
  });
});

suite("the shards of a channel", () => {
  for (
    const [keys, hosts, expected] of [
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

suite("the data that is shared out", () => {
  it("is what the job reads", () => {
    requireShards(["a"], ["a", "b"]);
    requireShards(["all"], ["a"]);
    assertEquals([isSharded(["a", "all"], "b"), isSharded(["a"], "b")], [true, false]);
    assertThrows(() => requireShards(["all"], []), UsageError, "the job has no input");
    const check = () => requireShards(["a", "x\n"], ["a", "b"]);
    assertMatch(
      assertThrows(check, UsageError).message,
      /^Cannot shard "x\S+": the job has no input of that name$/,
    );
  });
});
