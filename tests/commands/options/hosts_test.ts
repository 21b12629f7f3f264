import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { hostOptions, hostsOf } from "../../../commands/options/hosts.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

const kill = hostOptions["--kill-host"].parse;
const freeze = hostOptions["--freeze-host"].parse;
const count = hostOptions["--instance-count"].parse;

suite("options of several hosts", () => {
  for (
    const [parse, text, expected] of [
      [kill, "algo-10@0.5", { kind: "kill", host: "algo-10", after: 0.5, seconds: undefined }],
      [freeze, "algo-2@0", { kind: "freeze", host: "algo-2", after: 0, seconds: undefined }],
      [freeze, "algo-1@1m+90s", { kind: "freeze", host: "algo-1", after: 60, seconds: 90 }],
      [freeze, "algo-1@1+2.5", { kind: "freeze", host: "algo-1", after: 1, seconds: 2.5 }],
      [count, "64", 64],
    ] as const
  ) {
    it(`take ${text}`, () => assertEquals<unknown>(parse(text, "--x"), expected));
  }

  for (
    const [parse, texts, words] of [
      [kill, ["", "algo-2", "algo-2@", "@1", "algo-2@-1", "algo-2@1e3"], /HOST@TIME, /],
      [kill, ["algo-2@1+2", "algo-2@1\n", "algo-2@12345678"], /HOST@TIME, /],
      [freeze, ["algo-2@1+", "algo-2@+1"], /HOST@TIME\[\+DURATION\], such as algo-2@60s, /],
      [count, ["0", "65"], /1 to 64/],
    ] as const
  ) {
    for (const text of texts) {
      it(`refuse ${JSON.stringify(text)}: ${words.source}`, () => {
        assertMatch(assertThrows(() => parse(text, "--x"), UsageError).message, words);
      });
    }
  }
});

suite("what is asked for of hosts", () => {
  const typed = { killHost: [], freezeHost: [], shard: [] };
  const two = { ...typed, instanceCount: 2 };
  const fault = kill("algo-2@1", "--x");

  it("has the faults of all options, in an order, and the shares", () => {
    const frozen = freeze("algo-1@1", "--x");
    const asked = { ...two, shard: ["a"], killHost: [fault], freezeHost: [frozen] };
    assertEquals(hostsOf(asked), { count: 2, shards: ["a"], faults: [fault, frozen] });
  });

  for (
    const [asked, words] of [
      [{ instanceCount: 1, shard: ["a"] }, /^--shard, .* require several hosts$/],
      [{ instanceCount: 1, freezeHost: [fault] }, /require several hosts$/],
      [
        { killHost: [{ ...fault, host: "algo-02" }] },
        /Host "algo-02" does not exist: the hosts are algo-1 to algo-2/,
      ],
    ] as const
  ) {
    it(`is refused: ${JSON.stringify(asked)}`, () => {
      const { message } = assertThrows(() => hostsOf({ ...two, ...asked }), UsageError);
      assertMatch(message, words);
    });
  }
});
