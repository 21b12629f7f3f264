import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { hostOptions, hostsOf } from "../../../commands/options/hosts.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

type Name = keyof typeof hostOptions & ("--instance-count" | `--${string}-host` | "--partition");

suite("options of several hosts", () => {
  const fault = (kind: string, host: string, after: number, seconds?: number) => ({
    ...{ kind, host, after, seconds },
  });
  const rows: readonly (readonly [Name, text: string, value: unknown])[] = [
    ["--instance-count", "1", 1],
    ["--instance-count", "64", 64],
    ["--kill-host", "algo-2@60", fault("kill", "algo-2", 60)],
    ["--kill-host", "algo-10@0.5", fault("kill", "algo-10", 0.5)],
    ["--freeze-host", "algo-2@0", fault("freeze", "algo-2", 0)],
    ["--freeze-host", "algo-2@1+2.5", fault("freeze", "algo-2", 1, 2.5)],
    ["--partition", "algo-1@60+30", fault("partition", "algo-1", 60, 30)],
    ["--slow-host", "algo-2=0.5", ["algo-2", 0.5]],
  ];
  for (const [name, text, value] of rows) {
    it(`take ${name} ${text}`, () => assertEquals(hostOptions[name].parse(text, name), value));
  }

  const refused: readonly (readonly [Name, words: RegExp, ...texts: readonly string[]])[] = [
    ["--instance-count", /^--x must be a number of hosts from 1 to 64, but got/, "0", "65", "1.5"],
    ["--kill-host", /HOST@SECONDS, /, "", "algo-2", "algo-2@", "x-2@1", "algo-0@1", "algo-02@1"],
    ["--kill-host", /HOST@SECONDS, /, "algo-2@-1", "algo-2@1e3", "algo-2@1+2", "algo-2@1\n"],
    ["--kill-host", /HOST@SECONDS, /, " algo-2@1", "algo-12345@1", "algo-2@12345678"],
    ["--freeze-host", /HOST@SECONDS or HOST@SECONDS\+SECONDS, /, "algo-2@1+", "algo-2@1+2+3"],
    ["--slow-host", /HOST=CPUS, such as algo-2=0\.5/, "", "algo-2", "algo-2@1", "algo-0=1"],
    ["--slow-host", /CPU/i, "algo-2=", "algo-2=0", "algo-2=x"],
  ];
  for (const [name, words, ...texts] of refused) {
    it(`refuse ${name} ${texts.map((text) => JSON.stringify(text)).join(" ")}`, () => {
      for (const text of texts) {
        const parse = () => hostOptions[name].parse(text, "--x");
        assertMatch(assertThrows(parse, UsageError).message, words);
      }
    });
  }
});

suite("what is asked for of hosts", () => {
  const fault = { kind: "kill", host: "algo-2", after: 1, seconds: undefined } as const;
  const none = { killHost: [], freezeHost: [], partition: [], slowHost: [], shard: [] };
  const two = { ...none, instanceCount: 2 };

  it("has the faults of all options, and the shares", () => {
    const frozen = { ...fault, kind: "freeze" } as const;
    const typed = { ...two, shard: ["a"], killHost: [fault], freezeHost: [frozen] };
    assertEquals(hostsOf({ ...typed, slowHost: [["algo-1", 0.5]] }), {
      ...{ count: 2, shards: ["a"], faults: [fault, frozen], cpus: { "algo-1": 0.5 } },
    });
    assertEquals(hostsOf({ ...two, inputSharded: true }).shards, "all");
  });

  const alone = { ...two, instanceCount: 1 };
  for (
    const [typed, words] of [
      [{ ...alone, shard: ["a"] }, /^Option "--shard" is about several hosts/],
      [{ ...alone, inputSharded: true }, /^Option "--input-sharded" is about/],
      [{ ...alone, killHost: [fault] }, /^Option "--kill-host" is about/],
      [{ ...alone, freezeHost: [fault] }, /^Option "--freeze-host" is about/],
      [{ ...alone, partition: [fault] }, /^Option "--partition" is about/],
      [{ ...alone, slowHost: [["algo-1", 1]] }, /^Option "--slow-host" is about/],
      [{ ...two, killHost: [{ ...fault, host: "algo-3" }] }, /^There is no host algo-3: 2 are /],
      [{ ...two, slowHost: [["algo-9", 1]] }, /^There is no host algo-9/],
    ] as readonly (readonly [Parameters<typeof hostsOf>[0], RegExp])[]
  ) {
    it(`is refused: ${words.source}`, () => {
      assertMatch(assertThrows(() => hostsOf(typed), UsageError).message, words);
    });
  }
});
