import { assertEquals } from "@std/assert";
import { addressOf, hashOf } from "../../../runtime/page/address.ts";
import type { Event, ListedRun } from "../../../runtime/page/api.ts";
import { blocksOf } from "../../../runtime/page/log.tsx";
import { NOTHING_YET, withEvent } from "../../../runtime/page/state.ts";
import { joined } from "../../../runtime/page/use_curves.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the address of the page", () => {
  for (
    const [hash, token, view, again = hash] of [
      ["", "", ["runs"], "#/runs"],
      ["#T", "T", ["runs"], "#T/runs"],
      ["#T/", "T", ["runs"], "#T/runs"],
      ["#T/runs/a%2Fb%20%3Cb%3E", "T", ["runs", "a/b <b>"]],
      ["#/comparison/a/b", "", ["comparison", "a", "b"]],
      ["#T/servers", "T", ["servers"]],
      ["#T/runs/100%", "T", ["runs", "100%"], "#T/runs/100%25"],
    ] as const
  ) {
    it(`${hash || "without a fragment"} is ${view.join(" ")}`, () => {
      assertEquals(addressOf(hash), { token, view: [...view] });
      assertEquals(hashOf(addressOf(hash)), again);
    });
  }
});

suite("the state of the page", () => {
  const run = (name: string, day: number, log_bytes = 0) =>
    ({ name, created: `2026-03-0${day}T12:00:00Z`, log_bytes }) as ListedRun;
  const events = (runs: readonly ListedRun[], gone: readonly string[] = []): Event => {
    return { kind: "runs", runs, gone, problem: null };
  };
  const first = withEvent(NOTHING_YET, events([run("a", 1), run("b", 2)]), true);
  const namesOf = ({ runs }: typeof first): string =>
    runs!.map(({ name, log_bytes }) => `${name}${log_bytes}`).join();

  it("has the newest run first", () => assertEquals(namesOf(first), "b0,a0"));

  it("takes in new runs, changed ones, and loses those that are gone", () => {
    const next = withEvent(first, events([run("c", 3), run("a", 1, 7)], ["b"]), false);
    assertEquals(namesOf(next), "c0,a7");
  });

  it("begins anew with the first event of a stream", () => {
    assertEquals(namesOf(withEvent(first, events([run("c", 3)]), true)), "c0");
  });

  it("keeps its runs while the engine says nothing", () => {
    const away: Event = { kind: "servers", servers: [], problem: "No engine" };
    const { runs, servers, serversProblem: problem } = withEvent(first, away, true);
    assertEquals([runs, servers, problem], [first.runs, [], "No engine"]);
  });
});

suite("the curves of a run", () => {
  it("go on with what has come", () => {
    const before = { loss: { time: [1, 2], value: [9, 8] } };
    const more = JSON.parse(
      '{"loss": {"time": [3], "value": [7]}, "__proto__": {"time": [1], "value": [2]}}',
    );
    assertEquals(
      Object.entries(joined(before, more)).map(([name, { time, value }]) => [name, time, value]),
      [["loss", [1, 2, 3], [9, 8, 7]], ["__proto__", [1], [2]]],
    );
  });
});

suite("the blocks of a log", () => {
  for (
    const [log, blocks, rest = ""] of [
      ["", []],
      ["out a\nout b\n", ["a\nb"]],
      ["out a\nerr b\nerr c\nout d\n", ["a", "!b\nc", "d"]],
      ["out a\nerr b", ["a"], "err b"],
      ["out \x1b[31mred\x1b[0m\n", ["red"]],
      ["err 10%\r20%\r\n", ["!20%"]],
      ["out a\u202eb\n", ["a?b"]],
      ["... 5 bytes are left out here ...\n", ["... 5 bytes are left out here ..."]],
    ] as const
  ) {
    it(`of ${JSON.stringify(log)}`, () => {
      const found = blocksOf(log);
      assertEquals(found.blocks.map(({ isError, text }) => (isError ? "!" : "") + text), [
        ...blocks,
      ]);
      assertEquals(found.rest, rest);
    });
  }
});
