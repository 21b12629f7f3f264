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
  const { course, created, callsOf } = engine;
  const hosts = await namesIn(await lastRun(app, "hosts")).catch(() => []);
  return {
    ...besidesRun(result),
    ...{ course, created, callsOf },
    model: await namesIn(await lastRun(app, "model")).catch(() => []),
    left: [...engine.left, ...engine.networks, ...hosts],
  };
}

/** What the second host does; the first goes on until it is stopped. */
function second(program: (container: FakeContainer) => void): Play {
  return { program: (one) => one.body.Hostname === "algo-2" ? program(one) : undefined };
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
    const args = [...TWO, "--network-isolation"];
    const { code, created, left, callsOf } = await run({ isPodman: true }, args);
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

  for (const count of ["1", "2"]) {
    it(`come with ${count === "1" ? "no note" : "a note"} of a machine that is too small for ${count}`, async () => {
      const answers = { "GET /info": () => Response.json({ NCPU: 0, MemTotal: 1e9 }) };
      const args = ["local", "train", "--instance-count", count, "--memory", "1g"];
      const { code, stderr } = await run({ answers }, args);
      assertEquals([code, /hosts (?:share|with)/.test(stderr)], [0, count === "2"], stderr);
    });
  }

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
    assertMatch(stderr, /^error: .*create \(500\): no room\n/);
    assertEquals([code, left, course.includes(START)], [1, [], false]);
    assertEquals(course.at(-1), REMOVE);
  });

  it("leave what one wrote where the other cannot be started, and end it", async () => {
    let starts = 0;
    const { code, stderr, course, left, model } = await run({
      program: (one) => Deno.writeTextFileSync(`${sourceOf(one, "/opt/ml/model")}/m`, ""),
      before: (call) => call === START && ++starts === 2 ? refusal(500, "no room") : undefined,
    });
    assertMatch(stderr, /^error: .*start \(500\): no room\n/m);
    assertEquals([code, left, model, course.at(-1)], [1, [], ["m"], REMOVE]);
  });

  it("make no container where the engine has no more addresses, or they cannot be on a network", async () => {
    const words = "could not find an available, non-overlapping IPv4 address pool among the def";
    const full = await run({ answers: { "POST /networks/create": () => refusal(500, words) } });
    assertEquals([full.code, full.course.includes(CREATE)], [1, false]);
    const said =
      /^error: The Docker Engine has no addresses left [^]*\nhint: Remove the networks that .*: docker network prune\n/;
    assertMatch(full.stderr, said);
    const other = await run({}, [...TWO, "--network", "db"]);
    assertEquals([other.code, other.course], [2, []]);
    assertMatch(
      other.stderr,
      /^error: Several hosts cannot use the network "db"\nhint: Remove --network: /,
    );
  });
});

suite("the model directory of each host", () => {
  for (const count of ["1", "2"]) {
    it(`is open to whom the layout's is, of ${count}, and so is what becomes the model`, async () => {
      await using app = await completeApp({ files: { "local_test/test_dir/model/.keep": "" } });
      await Deno.chmod(app.testPath("model"), 0o777);
      const modes: number[] = [];
      const modeOf = (path: string) => Deno.lstatSync(path).mode! & 0o777;
      const program = (one: FakeContainer): void => {
        const model = sourceOf(one, "/opt/ml/model")!;
        modes.push(modeOf(model));
        Deno.writeTextFileSync(`${model}/${one.body.Hostname}`, "");
        one.end(0);
      };
      await using engine = await fakeContainers({ program });
      const args = ["local", "train", "--instance-count", count];
      const { code } = await runInProcess(args, { cwd: app.directory, engine });
      assertEquals([code, modes.length, new Set(modes)], [0, Number(count), new Set([0o777])]);
      assertEquals(modeOf(app.testPath("model")), 0o777);
    });
  }
});

suite("the first host that fails", () => {
  it("ends the others, and its status, name and last lines are the run's", async () => {
    const { code, stderr, stdout, callsOf, left } = await run({
      ...second(({ err, end }) => {
        err("it went wrong\n");
        end(3);
      }),
      onStop: ({ out, end }) => {
        out("saved\n");
        end(0);
      },
    });
    assertEquals([code, left, stdout], [3, [], "algo-1: saved\n"]);
    assertMatch(
      stderr,
      /^algo-2: it went wrong\nalgo-2 failed \(exit code 3\); stopping the others \(up to 10 s\)\n/,
    );
    assertMatch(stderr, /^error: Training failed on algo-2: exit code 3\n/m);
    assertEquals(callsOf("POST /containers/ID/stop").map(({ query }) => query.t), ["10"]);
  });

  for (
    const [host, hint] of [
      ["algo-1", /\nhint: Retry the lookup for a few minutes: when a host starts, /],
      ["host.docker.internal", /\nhint: Use an IP address of this machine: /],
    ] as const
  ) {
    it(`a run that cannot resolve ${host} gets the hint for that name`, async () => {
      const { code, stderr } = await run({
        ...second(({ err, end }) => {
          err(`Traceback (most recent call last):\n  connect("${host}")\n`);
          err("socket.gaierror: [Errno -2] Name or service not known\n");
          end(1);
        }),
        onStop: ({ end }) => end(0),
      });
      assertEquals(code, 1);
      assertMatch(stderr, hint);
    });
  }

  for (
    const [how, after] of [["did not end in time", 1_050], ["were killed by another", 0]] as const
  ) {
    it(`ends others that ${how}: ${after > 0 ? "said" : "not said to have waited"}`, async () => {
      const play = second(({ end }) => end(3));
      const onStop = ({ end }: FakeContainer) => void setTimeout(() => end(137), after);
      const { code, stderr } = await run({ ...play, onStop }, [...TWO, "--grace", "1"]);
      const words = "algo-1 did not stop within 1 s and was killed\n";
      assertEquals([code, stderr.includes(words)], [3, after > 0], stderr);
    });
  }
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
      assertEquals(
        stderr.match(/Stopping \(up to 10 s; press Ctrl-C again to kill\)\n/g)?.length,
        1,
      );
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
    const onOutput = () => Promise.reject(new OutputClosed());
    const play = second(({ out }) => out("hello\n"));
    const { code, stderr, callsOf, left } = await run(play, TWO, { onOutput });
    assertEquals([code, stderr, left], [141, "", []]);
    assertEquals(callsOf("POST /containers/ID/stop").length, 2);
  });
});

suite("a fault of a host", () => {
  /** Runs until mlcli says this, or asks the engine for it (`CALL N`); then the hosts end, one before. */
  async function suffering(
    option: string,
    until: RegExp,
    statuses: Readonly<Record<string, number>>,
    play: Play = {},
    early = "",
  ): Promise<Run> {
    const over = Promise.withResolvers<void>();
    const hear = (text: string): void => until.test(text) ? over.resolve() : undefined;
    const calls: string[] = [];
    const program = async ({ body, end }: FakeContainer): Promise<void> => {
      if (body.Hostname !== early) await over.promise;
      const status = statuses[body.Hostname!];
      if (status !== undefined) end(status);
    };
    const before = (call: string): void => {
      calls.push(call);
      hear(`${call} ${calls.filter((one) => one === call).length}`);
    };
    const args = [...TWO, ...option.split(" ")];
    return await run({ program, before, ...play }, args, { onMessage: hear });
  }

  /** @param calls what is done to containers, and in which order. */
  function require(
    { code, stderr, course, left }: Run,
    expected: number,
    calls: string,
    ...says: readonly RegExp[]
  ): void {
    const done = course.map((call) => /\/(kill|stop|(?:un)?pause)$/.exec(call)?.[1]);
    const isRehearsed = /\nhint: Remove --kill-host or --freeze-host /.test(stderr);
    assertEquals([...new Set(done.filter(Boolean))].join(" "), calls);
    assertEquals([code, isRehearsed, left], [expected, expected === 137, []], stderr);
    for (const words of says) assertMatch(stderr, words);
  }

  it("that is killed ends no other, which is the first to fail", async () => {
    // The third waits until the killed one is removed.
    const killed = await suffering("--kill-host algo-2@0", /ID\/wait 3$/, { "algo-1": 3 });
    const said = /^algo-2 was killed after 0\.\ds\. The job failed fast: algo-1 exited 0\./m;
    const error = /^error: Training failed on algo-1: exit code 3\n/m;
    require(
      killed,
      3,
      "kill",
      /^note: Injecting a fault into algo-2 \(--kill-host\)\n/,
      said,
      error,
    );
  });

  it("a host that is back after a fault ends the others when it fails", async () => {
    const back = await suffering("--freeze-host algo-2@0+0.05", /Resumed/, { "algo-2": 3 });
    const said = /^algo-2 was frozen .* The job failed fast: algo-2 exited 0\./m;
    require(back, 3, "pause unpause stop", said);
  });

  it("that is frozen for good ends with the last of the others, and the job has failed", async () => {
    const frozen = await suffering("--freeze-host algo-2@0", /Injecting/, { "algo-1": 0 });
    const said =
      /^algo-2 was frozen after 0\.\ds\. The other hosts kept running and exited with 0/m;
    require(
      frozen,
      137,
      "pause kill",
      said,
      /^error: Training failed on algo-2: exit code 137 /m,
    );
  });

  it("ends after its time", async () => {
    const both = { "algo-1": 0, "algo-2": 0 };
    const back = await suffering("--freeze-host algo-2@0+0.05", /Resumed/, both);
    const said =
      /^algo-2 was frozen after 0\.\ds for 0\.05 s\. All hosts kept running and exited with 0\.$/m;
    const notes = /^note: Injecting a fault into algo-2 \(--freeze-host\)\nnote: Resumed algo-2\n/;
    require(back, 0, "pause unpause", notes, said);
  });

  it("that the engine refuses is said, and is no loss of the host", async () => {
    const play = { answers: { "POST /containers/ID/pause": () => refusal(500, "not here") } };
    const failed = { "algo-2": 3 };
    const refused = await suffering("--freeze-host algo-2@0", /Cannot freeze/, failed, play);
    const said =
      /^note: Injecting a fault into algo-2 \(--freeze-host\)\nnote: Cannot freeze algo-2: .*not here\n/;
    require(refused, 3, "pause stop", said);
    assertEquals(/was frozen|No fault was injected/.test(refused.stderr), false);
  });

  it("that does not come is said, and the host's own end counts", async () => {
    const failed = await suffering("--kill-host algo-2@60", /ID\/start 2$/, { "algo-2": 4 });
    const said = /^No fault was injected into algo-2: it exited in less than 60 s$/m;
    require(failed, 4, "stop", said, /^error: Training failed on algo-2: exit code 4\n/m);
  });

  it("that does not come since the host has ended is said where others run", async () => {
    // Whether it runs is asked at its end, and then for the fault.
    const both = { "algo-1": 0, "algo-2": 0 };
    const last = await suffering("--kill-host algo-2@0.3", /ID\/json 2$/, both, {}, "algo-2");
    require(last, 0, "", /^No fault was injected into algo-2: it exited in less than 0\.3 s$/m);
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
      assertMatch(stderr, /^(warning|note): mlcli was killed during a run on several hosts/);
      assertEquals(/; the hosts' files are in \S+\/hosts\n/.test(stderr), file !== undefined);
      const left = await namesIn(`${folder}/hosts/algo-1`).catch(() => []);
      assertEquals(left, file ? ["written"] : []);
      const { outcome } = JSON.parse(await Deno.readTextFile(`${folder}/job.json`));
      assertEquals(outcome.status, "Lost");
    });
  }
});
