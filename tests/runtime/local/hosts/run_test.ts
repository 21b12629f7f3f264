import { assertEquals, assertMatch } from "@std/assert";
import { LABELS } from "../../../../runtime/contract/images.ts";
import { OutputClosed } from "../../../../runtime/errors.ts";
import { ownerText } from "../../../../runtime/owner.ts";
import { completeApp } from "../../../helpers/app.ts";
import { namesIn } from "../../../helpers/directory.ts";
import {
  type FakeContainer,
  type FakeContainers,
  fakeContainers,
  type Play,
} from "../../../helpers/fake_containers.ts";
import { refusal } from "../../../helpers/fake_engine.ts";
import { type InProcessOptions, Keys, runInProcess } from "../../../helpers/in_process.ts";
import type { ProgramResult } from "../../../helpers/program.ts";
import { besidesRun, DEAD_PROCESS, lastRun } from "../../../helpers/runs.ts";
import { it, suite } from "../../../helpers/suite.ts";

const TWO = ["local", "train", "--instance-count", "2"];
const CREATE = "POST /containers/create";
const START = "POST /containers/ID/start";
const REMOVE = "DELETE /networks/NAME";

interface Run extends ProgramResult, Pick<FakeContainers, "course" | "created" | "callsOf"> {
  readonly record: {
    readonly outcome: { readonly exit_status: number };
    readonly hosts: readonly Readonly<Record<string, unknown>>[];
  };
  /** Containers, networks, and directories of hosts. */
  readonly left: readonly string[];
}

async function run(
  play: Play,
  args: readonly string[] = TWO,
  options: Partial<InProcessOptions> = {},
): Promise<Run> {
  await using app = await completeApp();
  await using engine = await fakeContainers(play);
  const result = await runInProcess(args, { cwd: app.directory, engine, ...options });
  const record = await Deno.readTextFile(await lastRun(app, "job.json")).catch(() => "{}");
  const { course, created, callsOf } = engine;
  const hosts = await namesIn(await lastRun(app, "hosts")).catch(() => []);
  return {
    ...besidesRun(result),
    ...{ course, created, callsOf, record: JSON.parse(record) },
    left: [...engine.left, ...engine.networks, ...hosts],
  };
}

/** Runs code by the host that it is on; one that has none goes on until it is stopped. */
function playing(hosts: Readonly<Record<string, (container: FakeContainer) => void>>): Play {
  return { program: (container) => hosts[container.body.Hostname!]?.(container) };
}

suite("the calls of a run of several hosts", () => {
  it("make the network first, then all containers, then start them, and remove it last", async () => {
    const { code, stderr, course, created, left, callsOf } = await run({});
    assertEquals([code, stderr, left], [0, SAME_MODEL, []]);
    const own = course.filter((call) => /create|start|networks/.test(call));
    assertEquals(own, [
      ...["GET /networks", "POST /networks/create", CREATE, CREATE, START, START, REMOVE],
    ]);
    assertEquals(course.at(-1), REMOVE);
    const ATTACH = "POST /containers/ID/attach";
    const started = course.filter((call) => call === ATTACH || call === START);
    assertEquals(started, [ATTACH, START, ATTACH, START], "the first host, then the others");
    const [network] = callsOf("POST /networks/create");
    const { Name, Internal, Labels } = network!.body as Record<string, Record<string, string>>;
    assertMatch(`${Name}`, /^mlcli-test-\w{8}-\d{4}-/);
    assertEquals([Internal, Labels![LABELS.owner]], [false, ownerText()]);
    assertEquals(
      created.map(({ Hostname, HostConfig: { NetworkMode }, NetworkingConfig }) => [
        ...[Hostname, NetworkMode, NetworkingConfig.EndpointsConfig[NetworkMode]],
      ]).sort(),
      ["algo-1", "algo-2"].map((host) => [host, `${Name}`, { Aliases: [host] }]),
    );
  });

  it("make a network that leads nowhere else with --network-isolation", async () => {
    const { code, callsOf, created } = await run({}, [...TWO, "--network-isolation"]);
    const [{ Name, Internal }] = callsOf("POST /networks/create").map(({ body }) => body) as [
      Record<string, unknown>,
    ];
    assertEquals([code, Internal], [0, true]);
    assertEquals(created.map(({ HostConfig }) => HostConfig.NetworkMode), [Name, Name]);
  });

  it("give fixed addresses where the engine is Podman, which may not tell names", async () => {
    const { code, created, left } = await run({ isPodman: true });
    assertEquals([code, left], [0, []]);
    const own = created.map(({ Hostname, HostConfig, NetworkingConfig }) => [
      Hostname,
      NetworkingConfig.EndpointsConfig[HostConfig.NetworkMode].IPAMConfig.IPv4Address,
      HostConfig.ExtraHosts,
    ]).sort();
    const hosts = ["algo-1:10.89.0.2", "algo-2:10.89.0.3"];
    assertEquals(own, [["algo-1", "10.89.0.2", hosts], ["algo-2", "10.89.0.3", hosts]]);
  });

  it("remove networks of mlclis that are gone, and no others", async () => {
    const of = (owner: string) => ({ [LABELS.owner]: owner });
    await using app = await completeApp();
    await using engine = await fakeContainers({
      networks: {
        dead: of(`${DEAD_PROCESS} ${Deno.hostname()}`),
        alive: of(ownerText()),
        elsewhere: of(`${DEAD_PROCESS} elsewhere`),
        odd: of("x"),
      },
    });
    const { code } = await runInProcess(TWO, { cwd: app.directory, engine });
    assertEquals([code, engine.networks], [0, ["alive", "elsewhere", "odd"]]);
  });

  it("are none of networks for one host", async () => {
    const { code, course } = await run({}, ["local", "train"]);
    assertEquals([code, course.filter((call) => call.includes("network"))], [0, []]);
  });
});

const SAME_MODEL = "warning: Every host wrote the same files to /opt/ml/model: the model was " +
  "trained 2 times, on each host by itself\n" +
  'hint: "distribution": "torchrun" starts code that trains one model together; code that does so ' +
  "by itself writes the model on one host alone.\n";

suite("hosts that cannot start", () => {
  it("leave nothing where the second cannot be created", async () => {
    let creates = 0;
    const { code, stderr, course, left } = await run({
      before: (call) => call === CREATE && ++creates === 2 ? refusal(500, "no room") : undefined,
    });
    assertMatch(stderr, /^error: .*create: 500\): no room\n/);
    assertEquals([code, left, course.includes(START)], [1, [], false]);
    assertEquals(course.at(-1), REMOVE);
  });

  it("leave nothing where one cannot be started, and end the other", async () => {
    let starts = 0;
    const { code, stderr, course, left } = await run({
      program: () => {},
      before: (call) => call === START && ++starts === 2 ? refusal(500, "no room") : undefined,
    });
    assertMatch(stderr, /^error: .*start: 500\): no room\n/m);
    assertEquals([code, left, course.at(-1)], [1, [], REMOVE]);
  });

  it("make no container where the engine has no more addresses", async () => {
    const words =
      "could not find an available, non-overlapping IPv4 address pool among the defaults";
    const { code, stderr, course } = await run({
      answers: { "POST /networks/create": () => refusal(500, words) },
    });
    assertMatch(stderr, /^error: The Docker Engine has no addresses left for another network\n/);
    assertMatch(stderr, /\nhint: docker network prune removes those that no container uses\.\n/);
    assertEquals([code, course.includes(CREATE)], [1, false]);
  });

  it("are told of any other refusal of a network in the engine's words", async () => {
    const { code, stderr } = await run({
      answers: { "POST /networks/create": () => refusal(403, "not today") },
    });
    assertMatch(stderr, /^error: .*networks\/create: 403\): not today\n/);
    assertEquals(code, 1);
  });

  it("ask nothing of the engine where they cannot be on that network", async () => {
    const { code, stderr, course } = await run({}, [...TWO, "--network", "db"]);
    assertMatch(stderr, /^error: Several hosts cannot be on the network db\nhint: They get one of/);
    assertEquals([code, course], [2, []]);
  });
});

suite("the first host that fails", () => {
  it("ends the others, and its status, name and last lines are the run's", async () => {
    const { code, stderr, stdout, callsOf, left, record } = await run({
      ...playing({
        "algo-2": ({ err, end }) => {
          err("it went wrong\n");
          end(3);
        },
      }),
      onStop: ({ out, end }) => {
        out("saved\n");
        end(0);
      },
    });
    assertEquals([code, left, stdout], [3, [], "algo-1: saved\n"]);
    assertMatch(
      stderr,
      /^algo-2: it went wrong\nalgo-2 failed \(exit status 3\): stopping the others, up to 10 s\n/,
    );
    assertMatch(stderr, /^error: Training failed on algo-2: exit status 3\n/m);
    assertEquals(callsOf("POST /containers/ID/stop").map(({ query }) => query.t), ["10"]);
    assertEquals(record.outcome.exit_status, 3);
    // The engine need not have said how much memory they used.
    const seen = record.hosts.map(({ seconds: _, peak_memory: __, ...rest }) => rest);
    assertEquals(seen, [
      { name: "algo-1", exit_status: 0, ended_by: "algo-2" },
      { name: "algo-2", exit_status: 3, ended_by: null },
    ]);
  });
});

suite("Ctrl-C in a run of several hosts", () => {
  async function pressing(play: (keys: Keys) => Play): Promise<Run> {
    const keys = new Keys();
    return await run(play(keys), TWO, { keys });
  }

  it("ends all of them, and is said once", async () => {
    let count = 0;
    const { code, stderr, callsOf, left } = await pressing((keys) => ({
      program: () => ++count === 2 ? keys.press() : undefined,
      onStop: ({ end }) => end(0),
    }));
    assertEquals([code, callsOf("POST /containers/ID/stop").length, left], [130, 2, []]);
    assertEquals(stderr.match(/Stopping, up to 10 s; Ctrl-C again kills it\.\n/g)?.length, 1);
  });

  it("for the second time kills those that do not end", async () => {
    let count = 0;
    const { code, callsOf, left } = await pressing((keys) => ({
      program: () => ++count === 2 ? keys.press() : undefined,
      onStop: () => keys.press(),
    }));
    assertEquals([code, callsOf("POST /containers/ID/kill").length, left], [130, 2, []]);
  });

  for (
    const when of ["GET /networks", "POST /networks/create", CREATE, START, "DELETE /networks/NAME"]
  ) {
    it(`at ${when} leaves nothing`, async () => {
      const { code, course, left } = await pressing((keys) => ({
        before: (call) => call === when ? keys.press() : undefined,
      }));
      assertEquals([code, left], [when === REMOVE ? 0 : 130, []]);
      assertEquals(course.includes(START), when === START || when === REMOVE);
    });
  }

  it("is not needed where nobody reads any more: all end", async () => {
    const { code, stderr, callsOf, left } = await run(
      playing({ "algo-2": ({ out }) => out("hello\n") }),
      TWO,
      { onOutput: () => Promise.reject(new OutputClosed()) },
    );
    assertEquals([code, stderr, left], [141, "", []]);
    assertEquals(callsOf("POST /containers/ID/stop").length, 2);
  });
});

suite("a fault of a host", () => {
  /** Runs where algo-1 ends with a status once the engine is asked for this, and the other goes on. */
  async function suffering(option: string, when: string, status: number): Promise<Run> {
    const asked = Promise.withResolvers<void>();
    return await run({
      program: async ({ body, end }) => {
        await asked.promise;
        if (body.Hostname === "algo-1") end(status);
        else if (option.includes("+")) end(0);
      },
      before: (call) => call === when ? asked.resolve() : undefined,
    }, [...TWO, ...option.split(" ")]);
  }
  const KILL = "POST /containers/ID/kill";
  const REHEARSED = /\nhint: That was rehearsed \(--kill-host, --freeze-host\)\. /;

  it("that is killed ends no other, which is the first to fail", async () => {
    const { code, stderr, callsOf, left } = await suffering("--kill-host algo-2@0", KILL, 3);
    assertEquals([code, left, callsOf("POST /containers/ID/stop")], [3, [], []]);
    assertMatch(stderr, /^note: algo-2 is killed now\n/);
    assertMatch(stderr, /^algo-2 was killed after 0\.\ds\. The job failed fast: algo-1 ended 0\./m);
    assertMatch(stderr, /^error: Training failed on algo-1: exit status 3\n/m);
    assertEquals(REHEARSED.test(stderr), false);
  });

  it("that is frozen for good ends with the last of the others, and the job has failed", async () => {
    const pause = "POST /containers/ID/pause";
    const { code, stderr, left } = await suffering("--freeze-host algo-2@0", pause, 0);
    assertEquals([code, left], [137, []]);
    assertMatch(
      stderr,
      /^algo-2 was frozen after 0\.\ds\. The others went on, and ended with status 0/m,
    );
    assertMatch(
      stderr,
      /^error: Training failed on algo-2: exit status 137 [^]*hint: That was rehear/m,
    );
    assertMatch(stderr, REHEARSED);
  });

  for (
    const [option, now, back, words] of [
      ["--freeze-host", "pause", "POST /containers/ID/unpause", "frozen"],
      ["--partition", "disconnect", "POST /networks/NAME/connect", "cut off from the others"],
    ] as const
  ) {
    it(`ends after its time: ${option}`, async () => {
      const { code, stderr, course, callsOf } = await suffering(`${option} algo-2@0+0.05`, back, 0);
      assertEquals([code, course.some((call) => call.endsWith(now))], [0, true]);
      assertMatch(stderr, new RegExp(`^note: algo-2 is ${words} now\nnote: algo-2 is back\n`));
      const all = ", for 0\\.05 s\\. All hosts went on, and ended with status 0\\.";
      assertMatch(stderr, new RegExp(`^algo-2 was ${words} after 0\\.\\ds${all}$`, "m"));
      const places = callsOf("POST /networks/NAME/connect").map(({ body }) => body);
      const isBack = (place: unknown) => /"Aliases":\["algo-2"\]/.test(JSON.stringify(place));
      assertEquals(places.map(isBack), option === "--partition" ? [true] : []);
    });
  }

  it("that does not come is said, and the host's own end counts", async () => {
    const { code, stderr, left, callsOf } = await run(
      playing({ "algo-2": ({ end }) => end(4) }),
      [...TWO, "--kill-host", "algo-2@60"],
    );
    assertEquals([code, left, callsOf("POST /containers/ID/stop").length], [4, [], 1]);
    assertMatch(stderr, /^Nothing was rehearsed on algo-2: it had ended before 60 s\.$/m);
    assertMatch(stderr, /^error: Training failed on algo-2: exit status 4\n/m);
    assertEquals(REHEARSED.test(stderr), false);
  });
});
