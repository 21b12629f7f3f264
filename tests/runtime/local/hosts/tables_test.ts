import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { CreateBody, Engine } from "../../../../runtime/docker/engine.ts";
import { MlcliError } from "../../../../runtime/errors.ts";
import { Silence } from "../../../../runtime/local/hosts/cluster.ts";
import { verdictOf } from "../../../../runtime/local/hosts/faults.ts";
import {
  addressesIn,
  onNetwork,
  requireNetworks,
  shortageNotes,
} from "../../../../runtime/local/hosts/network.ts";
import { shardsOf } from "../../../../runtime/local/hosts/places.ts";
import type { HostEnd } from "../../../../runtime/local/hosts/run.ts";
import { hostStreams } from "../../../../runtime/local/hosts/streams.ts";
import { decisive } from "../../../../runtime/local/hosts/ends.ts";
import { type Fault, ONE_HOST } from "../../../../runtime/local/jobs.ts";
import { overlaid } from "../../../../runtime/streams.ts";
import { makeDirectory, namesIn } from "../../../helpers/directory.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** The end of `algo-N` with a status, after so many seconds. */
function ended(number: number, status: number, more: Partial<HostEnd> = {}): HostEnd {
  const words = `exit status ${status}`;
  const how = { status, words, hint: undefined, cause: undefined, stoppedWithin: undefined };
  const seen = { seconds: 10, peakMemory: undefined, endedBy: undefined, isLost: false };
  return { host: `algo-${number}`, ...how, ...seen, ...more };
}

const BY_2 = { endedBy: "algo-2", stoppedWithin: 1 };
const LOST = { isLost: true };
const ASKED = { cause: new Error("Ctrl-C") };

suite("the end that counts as that of all hosts", () => {
  type Row = readonly [of: string, ends: readonly HostEnd[], host: string];
  const rows: readonly Row[] = [
    ["the last host where all went well", [ended(2, 0), ended(1, 0)], "algo-2"],
    ["the first to fail", [ended(1, 0), ended(2, 3), ended(3, 143, BY_2)], "algo-2"],
    ["the first to fail, whatever ended first", [ended(3, 0, BY_2), ended(2, 3)], "algo-2"],
    ["the first of two that failed by themselves", [ended(3, 4), ended(2, 3)], "algo-3"],
    ["one that did not suffer a fault", [ended(1, 137, LOST), ended(2, 3)], "algo-2"],
    ["one that did where no other failed", [ended(1, 137, LOST), ended(2, 0)], "algo-1"],
    [
      "the last of those that were asked to end",
      [ended(2, 1, ASKED), ended(1, 0, ASKED)],
      "algo-1",
    ],
    ["one that was asked, and killed", [ended(2, 137, ASKED), ended(1, 0, ASKED)], "algo-2"],
    ["one whose time was over", [ended(2, 0), ended(1, 143, { stoppedWithin: 1 })], "algo-1"],
    ["one asked to end before one that failed", [ended(2, 3), ended(1, 0, ASKED)], "algo-1"],
  ];
  for (const [of, ends, host] of rows) {
    it(`is of ${of}`, () => {
      const last = ends.map((end) => end.host).sort().at(-1)!;
      assertEquals(decisive(ends, last)?.host, host);
    });
  }

  it("is none where there is none", () => assertEquals(decisive([], "algo-2"), undefined));
});

suite("the verdict of a rehearsal", () => {
  const LIMITS = " NCCL gives up after 10 min, gloo after 30 min, unless init_process_group gets " +
    "another timeout.";
  const killed = ended(2, 137, { ...LOST, seconds: 4 });
  const failed = (seconds: number) => ended(1, 1, { seconds });
  const whole = [ended(1, 0), ended(2, 0)];
  const asked = [ended(1, 0, { ...ASKED, seconds: 34 }), ended(2, 0, ASKED)];
  const cut = [ended(2, 1, { seconds: 5 }), ended(1, 143, BY_2)];
  const stopped = ended(1, 143, { seconds: 14, stoppedWithin: 1 });
  type Row = readonly [
    kind: Fault["kind"],
    seconds: number | undefined,
    ends: readonly HostEnd[],
    verdict: string,
  ];
  const rows: readonly Row[] = [
    [
      "kill",
      undefined,
      [killed, failed(6.5)],
      "failed fast: algo-1 ended 2.5s later (exit status 1).",
    ],
    [
      "kill",
      undefined,
      [killed, failed(64)],
      "failed fast: algo-1 ended 1m 00s later (exit status 1).",
    ],
    ["kill", undefined, [killed, failed(65)], "hung: algo-1 ended 1m 01s later (exit status 1)."],
    ["kill", undefined, [killed, stopped], "hung: 10s later the others had not ended."],
    ["kill", undefined, [killed, ended(1, 0)], "The others went on, and ended with status 0."],
    ["freeze", 30, whole, "All hosts went on, and ended with status 0."],
    ["partition", undefined, asked, "hung: 30s later the others had not ended."],
    ["partition", undefined, cut, "failed fast: algo-2 ended 1.0s later (exit status 1)."],
  ];
  const words = { kill: "killed", freeze: "frozen", partition: "cut off from the others" };
  for (const [kind, seconds, ends, verdict] of rows) {
    it(`of ${kind}, ${seconds} s: ${verdict}`, () => {
      const text = verdictOf({ fault: { kind, host: "algo-2", after: 4, seconds }, at: 4 }, ends);
      const passed = `algo-2 was ${words[kind]} after 4.0s${seconds ? `, for ${seconds} s` : ""}.`;
      const rest = verdict.endsWith("0.") ? verdict : `The job ${verdict}`;
      assertEquals(text, `${passed} ${rest}${verdict.startsWith("hung") ? LIMITS : ""}`);
    });
  }
});

suite("addresses of hosts", () => {
  const rows: readonly (readonly [subnet: string, count: number, addresses: readonly string[]])[] =
    [
      ["10.89.0.0/24", 2, ["10.89.0.2", "10.89.0.3"]],
      ["10.89.0.248/29", 5, [250, 251, 252, 253, 254].map((last) => `10.89.0.${last}`)],
      ["10.89.0.248/29", 6, []],
      ["10.89.0.254/16", 2, ["10.89.1.0", "10.89.1.1"]],
      ["fd00::/64", 2, []],
      ["", 2, []],
    ];
  for (const [subnet, count, addresses] of rows) {
    it(`${count} of "${subnet}" are ${addresses.join(" ") || "none"}`, () => {
      assertEquals(addressesIn(subnet, count), addresses);
    });
  }
});

suite("the container of a host", () => {
  const alone = { NetworkMode: "none", ExtraHosts: ["algo-1:127.0.0.1"] };
  const HostConfig = { ...alone, AutoRemove: true, Mounts: [] };
  const body = { Image: "x", Hostname: "algo-1", HostConfig } as unknown as CreateBody;
  const endpointOf = (host: string) => ({ Aliases: [host] });

  it("is on the network, under its own name", () => {
    const plain = { name: "net", endpointOf, addresses: [] };
    assertEquals(onNetwork(body, "algo-2", plain, undefined), {
      ...body,
      Hostname: "algo-2",
      NetworkingConfig: { EndpointsConfig: { net: { Aliases: ["algo-2"] } } },
      HostConfig: { ...body.HostConfig, NetworkMode: "net", ExtraHosts: [] },
    });
  });

  it("knows the others by their addresses where nobody tells names, and may be slow", () => {
    const addresses = ["algo-1:10.0.0.2", "algo-2:10.0.0.3"];
    const placed = onNetwork(body, "algo-2", { name: "net", endpointOf, addresses }, 0.5);
    assertEquals([placed.HostConfig.ExtraHosts, placed.HostConfig.NanoCpus], [addresses, 5e8]);
  });
});

suite("what several hosts need", () => {
  const job = (network?: string, count = 2) => ({ network, hosts: { ...ONE_HOST, count } });
  type Row = readonly [string, isStudio: boolean, ReturnType<typeof job>, refusal?: RegExp];
  const rows: readonly Row[] = [
    ["one host on any network", true, job("db", 1)],
    ["no network of one's own", false, job()],
    ["the default network", false, job("bridge")],
    ["an isolated one", false, job("none")],
    ["another one", false, job("db"), /^Several hosts cannot be on the network db$/],
    ["that of the machine", false, job("host"), /^Several hosts cannot be on the network host$/],
    ["Studio", true, job(), /^SageMaker Studio gives containers no network of their own$/],
  ];
  for (const [what, inStudio, asked, refusal] of rows) {
    it(`${what}: ${refusal === undefined ? "is there" : "is not there"}`, () => {
      const check = () => requireNetworks({ inStudio }, asked);
      if (refusal === undefined) return check();
      assertMatch(assertThrows(check, MlcliError).message, refusal);
    });
  }

  const GB = 1e9;
  for (
    const [count, memory, gpus, info, notes] of [
      [1, 9 * GB, "all", { NCPU: 1, MemTotal: GB }, []],
      [2, undefined, undefined, { NCPU: 2, MemTotal: GB }, []],
      [2, GB, undefined, { NCPU: 2, MemTotal: 2 * GB }, []],
      [2, GB, undefined, {}, []],
      [3, undefined, undefined, { NCPU: 2 }, ["3 hosts share 2 CPUs here"]],
      [2, 2 * GB, "all", { NCPU: 1, MemTotal: 3 * GB }, [
        "2 hosts share 1 CPU here",
        "2 hosts with 2.0 GB each have more than this machine's memory (3.0 GB)",
        "2 hosts share the same GPUs here",
      ]],
    ] as const
  ) {
    it(`falls short, for ${count} hosts here: ${notes.join("; ") || "no"}`, async () => {
      const engine = { info: () => Promise.resolve(info) } as unknown as Engine;
      const asked = { hosts: { ...ONE_HOST, count }, memory, gpus };
      assertEquals(
        await shortageNotes(engine, asked as Parameters<typeof shortageNotes>[1]),
        notes,
      );
    });
  }
});

suite("the data of hosts", () => {
  it("is a part of what is shared out, and all of the rest; a host without a file is said", async () => {
    await using place = await makeDirectory({ "a/1": "", "a/2": "", "b/1": "" });
    const data = ["a", "b"].map((name) => ({ name, source: `${place.path}/${name}` }));
    const places = ["algo-1", "algo-2", "algo-3"].map((host) => ({
      ...{ host, container: "", report: "" },
      directory: `${place.path}/${host}`,
    }));
    const notes: string[] = [];
    const note = (text: string): void => void notes.push(text);
    const parts = await shardsOf({ ...ONE_HOST, shards: ["a"] }, places, data, note);
    const names = parts.map(([a, b]) => [b?.source, Deno.readDirSync(a!.source)] as const);
    assertEquals(
      names.map(([b, files]) => [b, Array.from(files, ({ name }) => name)]),
      [["1"], ["2"], []].map((files) => [data[1]!.source, files]),
    );
    assertEquals(notes, [
      "1 of 3 hosts get no file of a: it has fewer files than there are hosts",
    ]);
    const alone = await shardsOf({ ...ONE_HOST, shards: "all" }, places.slice(0, 1), data, note);
    assertEquals([alone, await namesIn(`${place.path}/a`)], [[data], ["1", "2"]]);
  });
});

suite("the output of a host", () => {
  it("has its name before each line, on a terminal in its colour, and in what is kept in none", async () => {
    for (const colour of [false, true]) {
      const { out, err } = fakeContext({ colour });
      let kept = "";
      const streams = hostStreams("algo-2", ({ out, err }) => {
        const write = (bytes: Uint8Array): Promise<void> => {
          kept += new TextDecoder().decode(bytes);
          return out.write(bytes);
        };
        return { out: overlaid(out, { write }), err };
      }, { out, err });
      const write = (to: typeof streams.out, text: string) =>
        to.write(new TextEncoder().encode(text));
      await write(streams.out, "one\ntw");
      await write(streams.err, "wrong");
      await streams.end();
      const name = colour ? "\x1b[33malgo-2\x1b[39m" : "algo-2";
      assertEquals(out.text, `${name}: one\n${name}: tw\n`);
      assertEquals(err.text, `${name}: wrong\n`);
      assertEquals(kept, "algo-2: one\nalgo-2: tw\n");
    }
  });
});

suite("hosts that write nothing any more", () => {
  it("are said to wait for the first that is gone", async () => {
    const said = Promise.withResolvers<string>();
    using silence = new Silence(said.resolve, 0.01);
    silence.watch("algo-2");
    silence.watch("algo-1");
    await silence.hear(fakeContext()).out.write(new Uint8Array(1));
    assertMatch(
      await said.promise,
      /^No host has .* the others may be waiting for algo-2\. NCCL gives up /,
    );
  });
});
