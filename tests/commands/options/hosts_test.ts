import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { hostOptions, hostsOf, parseHostCount } from "../../../commands/options/hosts.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What the options give where nobody types them, but for the number. */
const FAULTS = { killHost: [], freezeHost: [], partition: [], slowHost: [] };
const NONE = { ...FAULTS, instanceCount: 2, shard: [] };

suite("options of several hosts", () => {
  for (const [text, is] of [["1", true], ["64", true], ["0", false], ["65", false]] as const) {
    it(`take ${text} as a number of hosts: ${is}`, () => {
      if (is) assertEquals(parseHostCount(text, "-c"), Number(text));
      else assertThrows(() => parseHostCount(text, "-c"), UsageError, `but got "${text}"`);
    });
  }

  const kill = hostOptions["--kill-host"].parse;
  const freeze = hostOptions["--freeze-host"].parse;
  const cut = hostOptions["--partition"].parse;
  const slow = hostOptions["--slow-host"].parse;
  for (
    const [title, parse, text, value] of [
      ["a host to kill", kill, "algo-2@60", ["kill", "algo-2", 60, undefined]],
      ["a fraction of a second", kill, "algo-10@0.5", ["kill", "algo-10", 0.5, undefined]],
      ["a host to freeze", freeze, "algo-2@0", ["freeze", "algo-2", 0, undefined]],
      ["one to freeze for a time", freeze, "algo-2@1+2.5", ["freeze", "algo-2", 1, 2.5]],
      ["one to cut off", cut, "algo-1@60+30", ["partition", "algo-1", 60, 30]],
    ] as const
  ) {
    it(`take ${title}: ${text}`, () => {
      const [kind, host, after, seconds] = value;
      assertEquals(parse(text, "--x"), { kind, host, after, seconds });
    });
  }

  it("take a slow host", () => assertEquals(slow("algo-2=0.5", "--x"), ["algo-2", 0.5]));

  for (
    const [parse, texts, words] of [
      [
        kill,
        ["", "algo-2", "algo-2@", "algo-0@1", "algo-02@1", "x-2@1", "algo-2@-1", "algo-2@1e3"],
        /HOST@SECONDS, /,
      ],
      [
        kill,
        ["algo-2@1+2", "algo-2@1\n", " algo-2@1", "algo-12345@1", "algo-2@12345678"],
        /HOST@SECONDS, /,
      ],
      [
        freeze,
        ["algo-2@1+", "algo-2@+1", "algo-2@1+2+3"],
        /HOST@SECONDS or HOST@SECONDS\+SECONDS, /,
      ],
      [slow, ["", "algo-2", "algo-2@1", "algo-0=1"], /HOST=CPUS, such as algo-2=0\.5/],
      [slow, ["algo-2=", "algo-2=0", "algo-2=x"], /CPU/i],
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
  const fault = { kind: "kill", host: "algo-2", after: 1, seconds: undefined } as const;

  it("has the faults of all options, in an order, and the shares", () => {
    const frozen = { ...fault, kind: "freeze" } as const;
    const typed = { ...NONE, shard: ["a"], killHost: [fault], freezeHost: [frozen] };
    const slowHost = [["algo-1", 0.5]] as const;
    assertEquals(hostsOf({ ...typed, slowHost }), {
      ...{ count: 2, shards: ["a"], faults: [fault, frozen], cpus: { "algo-1": 0.5 } },
    });
    assertEquals(hostsOf({ ...NONE, inputSharded: true }).shards, "all");
  });

  const alone = { ...NONE, instanceCount: 1 };
  const third = { ...fault, host: "algo-3" };
  const slowHost = [["algo-9", 1]] as const;
  for (
    const [typed, words] of [
      [{ ...alone, shard: ["a"] }, /^Option "--shard" is about several hosts/],
      [{ ...alone, inputSharded: true }, /^Option "--input-sharded" is about/],
      [{ ...alone, killHost: [fault] }, /^Option "--kill-host" is about/],
      [{ ...alone, freezeHost: [fault] }, /^Option "--freeze-host" is about/],
      [{ ...alone, partition: [fault] }, /^Option "--partition" is about/],
      [{ ...alone, slowHost }, /^Option "--slow-host" is about/],
      [{ ...NONE, killHost: [third] }, /^There is no host algo-3: the hosts are algo-1 to algo-2/],
      [{ ...NONE, slowHost }, /^There is no host algo-9/],
    ] as const
  ) {
    it(`is refused: ${words.source}`, () => {
      assertMatch(assertThrows(() => hostsOf(typed), UsageError).message, words);
    });
  }
});
