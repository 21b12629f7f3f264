import { assertEquals, assertMatch } from "@std/assert";
import { LABELS } from "../../../../runtime/contract/images.ts";
import { OutputClosed } from "../../../../runtime/errors.ts";
import { ownerText } from "../../../../runtime/owner.ts";
import { completeApp } from "../../../helpers/app.ts";
import { sourceOf } from "../../../helpers/app_on_disk.ts";
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
import { besidesRun, DEAD_PROCESS, lastRun, leaveRun } from "../../../helpers/runs.ts";
import { it, suite } from "../../../helpers/suite.ts";

const TWO = ["local", "train", "--instance-count", "2"];
const CREATE = "POST /containers/create";
const START = "POST /containers/ID/start";
const REMOVE = "DELETE /networks/NAME";
/** The label of what an mlcli made that is gone. */
const DEAD = { [LABELS.owner]: `${DEAD_PROCESS} ${Deno.hostname()}` };

interface Run extends ProgramResult, Pick<FakeContainers, "course" | "created" | "callsOf"> {
  readonly record: {
    readonly outcome: { readonly exit_status: number };
    readonly hosts: readonly Readonly<Record<string, unknown>>[];
  };
  /** What is in the run's model directory. */
  readonly model: readonly string[];
  /** Containers, networks, and directories of hosts. */
  readonly left: readonly string[];
}

async function run(
  play: Play,
  args: readonly string[] = TWO,
  options: Partial<InProcessOptions> = {},
): Promise<Run> {
  const files = { "local_test/test_dir/checkpoints/step": "7" };
  await using app = await completeApp({ files });
  await using engine = await fakeContainers(play);
  const result = await runInProcess(args, { cwd: app.directory, engine, ...options });
  const record = await Deno.readTextFile(await lastRun(app, "job.json")).catch(() => "{}");
  const { course, created, callsOf } = engine;
  const hosts = await namesIn(await lastRun(app, "hosts")).catch(() => []);
  return {
    ...besidesRun(result),
    ...{ course, created, callsOf, record: JSON.parse(record) },
    model: await namesIn(await lastRun(app, "model")).catch(() => []),
    left: [...engine.left, ...engine.networks, ...hosts],
  };
}

/** Runs code by the host that it is on; one that has none goes on until it is stopped. */
function playing(hosts: Readonly<Record<string, (container: FakeContainer) => void>>): Play {
  return { program: (container) => hosts[container.body.Hostname!]?.(container) };
}

suite("the calls of a run of several hosts", () => {
  it("make the network first, then all containers, then start them, and remove it last", async () => {
    const { code, course, created, left, callsOf } = await run({});
    assertEquals([code, left], [0, []]);
    const ATTACH = "POST /containers/ID/attach";
    const own = course.filter((call) => /create|start|attach|networks/.test(call));
    const making = ["GET /networks", "POST /networks/create", CREATE, CREATE];
    // The first host, then the others.
    assertEquals(own, [...making, ATTACH, START, ATTACH, START, REMOVE]);
    assertEquals(course.at(-1), REMOVE);
    const [network] = callsOf("POST /networks/create");
    const { Name, Internal, Labels } = network!.body as Record<string, Record<string, string>>;
    assertMatch(`${Name}`, /^mlcli-test-\w{8}-\d{4}-/);
    assertEquals([Internal, Labels![LABELS.owner]], [false, ownerText()]);
    const places = created.map(({ Hostname, HostConfig: { NetworkMode }, NetworkingConfig }) => [
      ...[Hostname, NetworkMode, NetworkingConfig.EndpointsConfig[NetworkMode]],
    ]);
    const hosts = ["algo-1", "algo-2"].map((host) => [host, `${Name}`, { Aliases: [host] }]);
    assertEquals(places.sort(), hosts);
  });

  it("give fixed addresses on Podman, which may not tell names; an isolated network leads nowhere else", async () => {
    const { code, created, left, callsOf } = await run(
      ...[{ isPodman: true }, [...TWO, "--network-isolation"]] as const,
    );
    assertEquals([code, left], [0, []]);
    const { Internal } = callsOf("POST /networks/create")[0]!.body as Record<string, unknown>;
    assertEquals(Internal, true);
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
    const networks = {
      "mlcli-dead": DEAD,
      "mlcli-alive": of(ownerText()),
      "mlcli-elsewhere": of(`${DEAD_PROCESS} elsewhere`),
      "mlcli-odd": of("x"),
      foreign: DEAD,
    };
    const { code, left } = await run({ networks });
    assertEquals(code, 0);
    assertEquals(left, ["mlcli-alive", "mlcli-elsewhere", "mlcli-odd", "foreign"]);
  });
});

suite("hosts that cannot start", () => {
  it("leave nothing where the second cannot be created", async () => {
    let creates = 0;
    const { code, stderr, course, left } = await run({
      before: async (call) => {
        if (call !== CREATE || ++creates < 2) return;
        // Long enough for the first to start, were it not to wait.
        await new Promise((resolve) => setTimeout(resolve, 50));
        return refusal(500, "no room");
      },
    }, [...TWO, "--checkpoints"]);
    assertMatch(stderr, /^error: .*create: 500\): no room\n/);
    assertEquals([code, left, course.includes(START)], [1, [], false]);
    assertEquals(course.at(-1), REMOVE);
  });

  it("leave what one wrote where the other cannot be started, and end it", async () => {
    let starts = 0;
    const { code, stderr, course, left, model } = await run({
      program: (one) => Deno.writeTextFileSync(`${sourceOf(one, "/opt/ml/model")}/m`, ""),
      before: (call) => call === START && ++starts === 2 ? refusal(500, "no room") : undefined,
    });
    assertMatch(stderr, /^error: .*start: 500\): no room\n/m);
    assertEquals([code, left, model, course.at(-1)], [1, [], ["m"], REMOVE]);
  });

  it("make no container where the engine has no more addresses, or they cannot be on a network", async () => {
    const words =
      "could not find an available, non-overlapping IPv4 address pool among the defaults";
    const full = await run({ answers: { "POST /networks/create": () => refusal(500, words) } });
    assertEquals([full.code, full.course.includes(CREATE)], [1, false]);
    assertMatch(
      full.stderr,
      /^error: The Docker Engine has no addresses left for another network\n/,
    );
    assertMatch(
      full.stderr,
      /\nhint: docker network prune removes those that no container uses\.\n/,
    );
    const other = await run({}, [...TWO, "--network", "db"]);
    assertEquals([other.code, other.course], [2, []]);
    assertMatch(other.stderr, /^error: Several hosts cannot be on the network db\nhint: They get/);
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

  for (const presses of [1, 2]) {
    it(`ends all of them, and is said once; pressed ${presses} times`, async () => {
      let count = 0;
      const { code, stderr, callsOf, left } = await pressing((keys) => ({
        program: () => ++count === 2 ? keys.press() : undefined,
        onStop: ({ end }) => presses === 1 ? end(0) : keys.press(),
      }));
      const calls = callsOf(`POST /containers/ID/${presses === 1 ? "stop" : "kill"}`);
      assertEquals([code, calls.length, left], [130, 2, []]);
      assertEquals(stderr.match(/Stopping, up to 10 s; Ctrl-C again kills it\.\n/g)?.length, 1);
    });
  }

  for (const when of ["GET /networks", "POST /networks/create", CREATE, START, REMOVE]) {
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
  const STOP = "POST /containers/ID/stop";
  const REHEARSED = /\nhint: That was rehearsed \(--kill-host, --freeze-host\)\. /;

  /** Ends the hosts with these statuses once mlcli says this, or asks the engine for it so often. */
  async function suffering(
    option: string,
    statuses: Readonly<Record<string, number>>,
    until: RegExp | readonly [call: string, times: number],
    play: Play = {},
  ): Promise<Run> {
    const begun = Promise.withResolvers<void>();
    let count = 0;
    return await run(
      {
        ...play,
        program: async ({ body, end }) => {
          await begun.promise;
          const status = statuses[body.Hostname!];
          if (status !== undefined) end(status);
        },
        before: (call) => {
          if (!(until instanceof RegExp) && call === until[0] && ++count === until[1]) {
            begun.resolve();
          }
          return undefined;
        },
      },
      [...TWO, ...option.split(" ")],
      {
        onMessage: (text) =>
          until instanceof RegExp && until.test(text) ? begun.resolve() : undefined,
      },
    );
  }

  it("that is killed ends no other, which is the first to fail", async () => {
    // The third waits until the killed one is removed.
    const ended = ["POST /containers/ID/wait", 3] as const;
    const { code, stderr, callsOf, left } = await suffering(
      ...["--kill-host algo-2@0", { "algo-1": 3 }, ended] as const,
    );
    assertEquals([code, left, callsOf(STOP)], [3, [], []]);
    assertMatch(stderr, /^note: algo-2 is killed now\n/);
    assertMatch(stderr, /^algo-2 was killed after 0\.\ds\. The job failed fast: algo-1 ended 0\./m);
    assertMatch(stderr, /^error: Training failed on algo-1: exit status 3\n/m);
    assertEquals(REHEARSED.test(stderr), false);
  });

  it("that is cut off ends the others when it fails by itself", async () => {
    const { code, stderr, callsOf } = await suffering(
      ...["--partition algo-2@0", { "algo-2": 3 }, /algo-2 is cut off/] as const,
    );
    assertEquals([code, callsOf(STOP).length], [3, 1]);
    assertMatch(stderr, /^algo-2 was cut off .* The job failed fast: algo-2 ended 0\./m);
  });

  it("that is frozen for good ends with the last of the others, and the job has failed", async () => {
    const { code, stderr, left } = await suffering(
      ...["--freeze-host algo-2@0", { "algo-1": 0 }, /algo-2 is frozen/] as const,
    );
    assertEquals([code, left], [137, []]);
    assertMatch(stderr, /^algo-2 was frozen after 0\.\ds\. The others went on, and ended with st/m);
    assertMatch(stderr, /^error: Training failed on algo-2: exit status 137 /m);
    assertMatch(stderr, REHEARSED);
  });

  for (
    const [option, words] of [
      ["--freeze-host", "frozen"],
      ["--partition", "cut off from the others"],
    ] as const
  ) {
    it(`ends after its time: ${option}`, async () => {
      const { code, stderr, callsOf } = await suffering(
        ...[`${option} algo-2@0+0.05`, { "algo-1": 0, "algo-2": 0 }, /is back/] as const,
      );
      assertEquals(code, 0);
      assertMatch(stderr, new RegExp(`^note: algo-2 is ${words} now\nnote: algo-2 is back\n`));
      const all = ", for 0\\.05 s\\. All hosts went on, and ended with status 0\\.";
      assertMatch(stderr, new RegExp(`^algo-2 was ${words} after 0\\.\\ds${all}$`, "m"));
      const isFrozen = option === "--freeze-host";
      const calls = isFrozen ? ["pause", "unpause"].map((call) => `POST /containers/ID/${call}`) : [
        ...["disconnect", "connect"].map((call) => `POST /networks/NAME/${call}`),
      ];
      const [now, back] = calls.map((call) => callsOf(call));
      assertEquals([now!.length, back!.length], [1, 1]);
      // It is found by its name again.
      if (!isFrozen) assertMatch(JSON.stringify(back![0]!.body), /"Aliases":\["algo-2"\]/);
    });
  }

  it("that the engine refuses is said, and is no loss of the host", async () => {
    const answers = { "POST /containers/ID/pause": () => refusal(500, "unable to freeze") };
    const { code, stderr } = await suffering(
      ...["--freeze-host algo-2@0", { "algo-1": 0, "algo-2": 3 }, /unable to/, {
        answers,
      }] as const,
    );
    assertEquals(code, 3);
    assertMatch(
      stderr,
      /^note: algo-2 is frozen now\nnote: algo-2 is not frozen: .*unable to free/,
    );
    for (const words of [/was frozen/, /Nothing was rehearsed/, REHEARSED]) {
      assertEquals(words.test(stderr), false, stderr);
    }
  });

  it("that does not come is said, and the host's own end counts", async () => {
    const failed = await suffering("--kill-host algo-2@60", { "algo-2": 4 }, [START, 2]);
    assertEquals([failed.code, failed.left, failed.callsOf(STOP).length], [4, [], 1]);
    assertMatch(failed.stderr, /^Nothing was rehearsed on algo-2: it had ended before 60 s\.$/m);
    assertMatch(failed.stderr, /^error: Training failed on algo-2: exit status 4\n/m);
    assertEquals(REHEARSED.test(failed.stderr), false);
  });

  it("that does not come since the host has ended is said where others run", async () => {
    const over = Promise.withResolvers<void>();
    let looks = 0;
    const { code, stderr, callsOf } = await run({
      program: async ({ body, end }) => {
        if (body.Hostname === "algo-1") await over.promise;
        end(0);
      },
      // At its end, and then whether it runs.
      before: (call) => call.endsWith("ID/json") && ++looks === 2 ? over.resolve() : undefined,
    }, [...TWO, "--kill-host", "algo-2@0.3"]);
    assertEquals([code, callsOf("POST /containers/ID/kill")], [0, []]);
    assertMatch(stderr, /^Nothing was rehearsed on algo-2: it had ended before 0\.3 s\.$/m);
  });
});

suite("a run of several hosts whose mlcli was killed", () => {
  for (const file of ["weights", undefined]) {
    it(`is ended by the next command, and ${file ? "keeps what" : "leaves nothing where"} it wrote`, async () => {
      await using app = await completeApp();
      const container = `mlcli-${app.name}-train-0badcafe`;
      const folder = await leaveRun(app, { container, outcome: null });
      await app.write(`${folder}/hosts/algo-1/config/x`, "");
      await Deno.mkdir(`${folder}/hosts/algo-1/written/model`, { recursive: true });
      if (file) await app.write(`${folder}/hosts/algo-1/written/model/${file}`, "");
      const own = { "mlcli.app": app.name, "mlcli.role": "train", "mlcli.port": "" };
      const labels = { ...own, [LABELS.directory]: app.mark };
      const listed = (name: string, State: string, owner: Record<string, string>) => {
        const Id = `mlcli-${app.name}-train-${name}`;
        return { Id, Names: [`/${Id}`], State, Labels: { ...labels, ...owner } };
      };
      await using engine = await fakeContainers({
        containers: [
          listed("0badcafe-algo-1", "running", DEAD),
          listed("0badcafe-algo-2", "paused", DEAD),
          listed("0badcaff-algo-1", "running", { [LABELS.owner]: ownerText() }),
        ],
        networks: { "mlcli-earlier": DEAD },
      });
      const args = ["local", "process", "--file", "p.py"];
      const { code, stderr } = await runInProcess(args, { cwd: app.directory, engine });
      assertEquals([code, engine.networks], [0, []]);
      const removed = engine.callsOf("DELETE /containers/ID").map(({ id }) => id);
      assertEquals(removed, [`${container}-algo-1`, `${container}-algo-2`]);
      assertMatch(stderr, /^(warning|note): A run on several hosts did not come to its end, /);
      assertEquals(/what its hosts wrote is in \S+\/hosts\n/.test(stderr), file !== undefined);
      const left = await namesIn(`${folder}/hosts/algo-1`).catch(() => []);
      assertEquals(left, file ? ["written"] : []);
      const { outcome } = JSON.parse(await Deno.readTextFile(`${folder}/job.json`));
      assertEquals(outcome.status, "Lost");
    });
  }
});
