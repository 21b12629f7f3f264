import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { CreateBody, Engine } from "../../../../runtime/docker/engine.ts";
import { MlcliError } from "../../../../runtime/errors.ts";
import { Silence } from "../../../../runtime/local/hosts/cluster.ts";
import { verdictOf } from "../../../../runtime/local/hosts/faults.ts";
import { addressesIn, onNetwork, shortageNotes } from "../../../../runtime/local/hosts/network.ts";
import { layShards, requireNetworks, shardOn } from "../../../../runtime/local/hosts/places.ts";
import type { HostEnd } from "../../../../runtime/local/hosts/run.ts";
import { hostStreams } from "../../../../runtime/local/hosts/streams.ts";
import { decisive, factsOfHosts } from "../../../../runtime/local/hosts/ends.ts";
import { type Fault, ONE_HOST } from "../../../../runtime/local/jobs.ts";
import { overlaid } from "../../../../runtime/streams.ts";
import { makeDirectory, namesIn } from "../../../helpers/directory.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** The end of `algo-N` with a status, after so many seconds. */
function ended(number: number, status: number, more: Partial<HostEnd> = {}): HostEnd {
  const words = `exit code ${status}`;
  const how = { status, words, hint: undefined, cause: undefined, stoppedWithin: undefined };
  const seen = { seconds: 10, peakMemory: undefined, endedBy: undefined, isLost: false };
  return { host: `algo-${number}`, ...how, ...seen, ...more };
}

const BY_2 = { endedBy: "algo-2", stoppedWithin: 1 };
const LOST = { isLost: true };
const ASKED = { cause: new Error("Ctrl-C") };

suite("the end that counts as that of all hosts", () => {
  const rows: readonly (readonly [of: string, number: number, ...ends: readonly HostEnd[]])[] = [
    ["the last host where all went well", 2, ended(2, 0), ended(1, 0)],
    ["the first to fail, whatever ended first", 2, ended(3, 0, BY_2), ended(2, 3)],
    ["the first of two that failed by themselves", 3, ended(3, 4), ended(2, 3)],
    ["one that did not suffer a fault", 2, ended(1, 137, LOST), ended(2, 3)],
    ["one that did where no other failed", 1, ended(1, 137, LOST), ended(2, 0)],
    ["the last of those that were asked to end", 1, ended(2, 1, ASKED), ended(1, 0, ASKED)],
    ["one that was asked, and killed", 2, ended(2, 137, ASKED), ended(1, 0, ASKED)],
    ["one whose time was over", 1, ended(2, 0), ended(1, 143, { stoppedWithin: 1 })],
    ["one asked to end, before one that failed", 1, ended(2, 3), ended(1, 0, ASKED)],
  ];
  for (const [of, number, ...ends] of rows) {
    it(`is of ${of}`, () => {
      const last = ends.map(({ host }) => host).sort().at(-1)!;
      assertEquals(decisive(ends, last)?.host, `algo-${number}`);
    });
  }

  it("is none where there is none", () => assertEquals(decisive([], "algo-2"), undefined));
});

suite("what is kept of how hosts ended", () => {
  it("says which host's failure ended each, and none for one that was lost before", () => {
    // Its end was heard of after the failure that it caused.
    const ends = [ended(1, 137, { ...BY_2, ...LOST }), ended(3, 0, BY_2), ended(2, 1)];
    assertEquals(
      factsOfHosts(ends).map(({ name, ended_by }) => [name, ended_by]),
      [["algo-1", null], ["algo-2", null], ["algo-3", "algo-2"]],
    );
  });
});

suite("the verdict of a rehearsal", () => {
  const LIMITS = / NCCL times out after 10 min and gloo after 30 min, unless .* another timeout\.$/;
  const killed = ended(2, 137, { ...LOST, seconds: 4 });
  const failed = (seconds: number) => ended(1, 1, { seconds });
  const stopped = ended(1, 143, { seconds: 14, stoppedWithin: 1 });
  const asked = ended(1, 0, { ...ASKED, seconds: 34 });
  const kill: Fault = { kind: "kill", host: "algo-2", after: 4, seconds: undefined };
  const freeze: Fault = { ...kill, kind: "freeze", seconds: 30 };
  const rows: readonly (readonly [Fault, verdict: string, ...ends: readonly HostEnd[]])[] = [
    [kill, "The job failed fast: algo-1 exited 1m 00s later (exit code 1).", killed, failed(64)],
    [kill, "The job hung: algo-1 exited 1m 01s later (exit code 1).", killed, failed(65)],
    [kill, "The job hung: 10s later, the others were still running.", killed, stopped],
    [kill, "The other hosts kept running and exited with 0.", killed, ended(1, 0)],
    [freeze, "All hosts kept running and exited with 0.", ended(1, 0), ended(2, 0)],
    [freeze, "The job hung: 30s later, the others were still running.", asked, ended(2, 0, ASKED)],
    [
      ...[freeze, "The job failed fast: algo-2 exited 1.0s later (exit code 1)."] as const,
      ...[ended(2, 1, { seconds: 5 }), ended(1, 143, BY_2)],
    ],
  ];
  const words = {
    kill: "killed after 4.0s",
    freeze: "frozen after 4.0s for 30 s",
  };
  for (const [fault, verdict, ...ends] of rows) {
    it(`of ${fault.kind}: ${verdict}`, () => {
      const text = verdictOf(fault, 4, ends);
      assertEquals(text.replace(LIMITS, ""), `algo-2 was ${words[fault.kind]}. ${verdict}`);
      assertEquals(LIMITS.test(text), verdict.includes("hung"));
    });
  }
});

suite("addresses of hosts", () => {
  const rows: readonly (readonly [subnet: string, count: number, addresses: string])[] = [
    ["10.89.0.248/29", 5, "10.89.0.250 10.89.0.251 10.89.0.252 10.89.0.253 10.89.0.254"],
    ["10.89.0.248/29", 6, ""],
    ["10.89.0.254/16", 2, "10.89.1.0 10.89.1.1"],
    ["fd00::/64", 2, ""],
    ["", 2, ""],
  ];
  for (const [subnet, count, addresses] of rows) {
    it(`${count} of "${subnet}" are ${addresses || "none"}`, () => {
      assertEquals(addressesIn(subnet, count).join(" "), addresses);
    });
  }
});

suite("what several hosts need", () => {
  const job = (network?: string, count = 2) => ({
    ...{ network, hosts: { ...ONE_HOST, count }, publish: [] },
  });
  const rows: readonly (readonly [string, inStudio: boolean, ReturnType<typeof job>, RegExp?])[] = [
    ["one host on any network", true, job("db", 1)],
    ["no network of one's own", false, job()],
    ["the default network", false, job("bridge")],
    ["an isolated one", false, job("none")],
    ["that of the machine", false, job("host"), /^Several hosts cannot use the network "host"$/],
    ["Studio", true, job(), /^Several hosts are not supported in SageMaker Studio$/],
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
    const [count, memory, gpus, info, ...notes] of [
      [2, GB, undefined, { NCPU: 2, MemTotal: 2 * GB }],
      [2, GB, undefined, {}],
      [
        ...[
          2,
          2 * GB,
          "all",
          { NCPU: 1, MemTotal: 3 * GB },
          "2 hosts share this machine's 1 CPU",
        ] as const,
        "2 hosts with 2.0 GB each exceed this machine's memory (3.0 GB)",
        "2 hosts share this machine's GPUs",
      ],
    ] as const
  ) {
    it(`falls short, for ${count} hosts here: ${notes.join("; ") || "no"}`, async () => {
      const engine = { info: () => Promise.resolve(info) } as unknown as Engine;
      const asked = { hosts: { ...ONE_HOST, count }, memory, gpus };
      const found = await shortageNotes(engine, asked as Parameters<typeof shortageNotes>[1]);
      assertEquals<readonly string[]>(found, notes);
    });
  }
});

suite("on several hosts", () => {
  it("the container of a host is on the network, under its own name", () => {
    const machine = "host.docker.internal:host-gateway";
    const ExtraHosts = ["algo-1:127.0.0.1", machine];
    const HostConfig = { NetworkMode: "none", ExtraHosts, Mounts: [] };
    const body = { Image: "x", Hostname: "algo-1", HostConfig } as unknown as CreateBody;
    assertEquals(onNetwork(body, "algo-2", { name: "net", addresses: {} }), {
      ...body,
      Hostname: "algo-2",
      NetworkingConfig: { EndpointsConfig: { net: { Aliases: ["algo-2"] } } },
      HostConfig: { ...body.HostConfig, NetworkMode: "net", ExtraHosts: [machine] },
    });
  });

  it("each host gets a part of the sharded data and all other data, and a note counts hosts without files", async () => {
    await using place = await makeDirectory({ "a/1": "", "a/2": "", "b/1": "" });
    const data = ["a", "b"].map((name) => ({ name, source: `${place.path}/${name}` }));
    const places = ["algo-1", "algo-2", "algo-3"].map((host) => ({
      ...{ host, container: "", directory: `${place.path}/${host}` },
    }));
    const { messages, err } = fakeContext();
    const hosts = { ...ONE_HOST, count: 3, shards: ["a"] };
    await layShards(hosts, places, data, messages);
    const parts = places.map((place) => namesIn(shardOn(hosts, place, "a")!));
    assertEquals(await Promise.all(parts), [["1"], ["2"], []]);
    assertEquals(shardOn(hosts, places[0]!, "b"), undefined);
    assertEquals(
      err.text,
      "note: 1 of 3 hosts receive no files of a, which has fewer files than there are hosts\n",
    );
  });

  for (const colour of [false, true]) {
    it(`the output of a host has its name before each line, ${colour ? "in colour" : "plain"}, and plain in what is kept`, async () => {
      const { out, err } = fakeContext({ colour });
      let kept = "";
      const streams = hostStreams("algo-2", ({ out, err }) => {
        const write = (bytes: Uint8Array): Promise<void> => {
          kept += new TextDecoder().decode(bytes);
          return out.write(bytes);
        };
        return { out: overlaid(out, { write }), err };
      }, { out, err });
      await streams.out.write(new TextEncoder().encode("one\ntw"));
      await streams.err.write(new TextEncoder().encode("wrong"));
      await streams.end();
      const name = colour ? "\x1b[33malgo-2\x1b[39m" : "algo-2";
      assertEquals([out.text, err.text], [`${name}: one\n${name}: tw\n`, `${name}: wrong\n`]);
      assertEquals(kept, "algo-2: one\nalgo-2: tw\n");
    });
  }

  it("a note says that silent hosts might wait for the first host that is gone", async () => {
    const said = Promise.withResolvers<string>();
    using silence = new Silence({ note: said.resolve }, 0.01);
    silence.watch("algo-2");
    silence.watch("algo-1");
    await silence.hear(fakeContext()).out.write(new Uint8Array(1));
    assertMatch(
      await said.promise,
      /^No host has .* might be waiting for algo-2\. NCCL times out /,
    );
  });
});
