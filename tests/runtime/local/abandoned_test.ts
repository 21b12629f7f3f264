import { assertEquals, assertMatch } from "@std/assert";
import { completeApp } from "../../helpers/app.ts";
import { type FakeContainer, fakeContainers, portOf } from "../../helpers/fake_containers.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { pingServer } from "../../helpers/ping_server.ts";
import { besidesRun, leaveRun } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Below those that systems give to who asks for any: another test may have one of them. */
const PORT = 25_678;

async function endedProcess(): Promise<number> {
  const child = new Deno.Command("true").spawn();
  await child.status;
  return child.pid;
}

const here = (pid: number): string => `${pid} ${Deno.hostname()}`;
const MINUTE = 60;

/** A container of `local deploy` on the port. */
interface Left {
  readonly state?: string;
  /** `mlcli.owner`, where it has one. */
  readonly owner?: string;
  /** In s. */
  readonly age?: number;
  readonly name?: string;
}

function summary(app: string, { state = "created", owner, age = 1, name }: Left) {
  return {
    Id: "old",
    Names: [`/${name ?? `mlcli-${app}-serve-${PORT}`}`],
    Image: `${app}:latest`,
    State: state,
    Status: "Created",
    Created: Math.floor(Date.now() / 1000) - age,
    Labels: {
      "mlcli.app": app,
      "mlcli.role": "serve",
      "mlcli.port": `${PORT}`,
      ...owner === undefined ? {} : { "mlcli.owner": owner },
    },
    Ports: [],
  };
}

suite("a server's container that was created and not started", () => {
  const rows: readonly (readonly [title: string, () => Promise<Left>, isCleared: boolean])[] = [
    ["goes, where its mlcli was killed", async () => ({ owner: here(await endedProcess()) }), true],
    [
      "goes on Podman, too",
      async () => ({ owner: here(await endedProcess()), state: "configured" }),
      true,
    ],
    [
      "stays while its mlcli runs, however long that takes",
      () => Promise.resolve({ owner: here(Deno.pid), age: 600 * MINUTE }),
      false,
    ],
    [
      "stays at first where its mlcli is on another machine",
      () => Promise.resolve({ owner: "1 elsewhere", age: MINUTE }),
      false,
    ],
    [
      "goes after some minutes where its mlcli is on another machine",
      () => Promise.resolve({ owner: "1 elsewhere", age: 11 * MINUTE }),
      true,
    ],
    [
      "goes after some minutes where it does not say who made it",
      () => Promise.resolve({ age: 11 * MINUTE }),
      true,
    ],
    ["stays at first where it does not say who made it", () => Promise.resolve({}), false],
    [
      "is no server that runs",
      async () => ({ owner: here(await endedProcess()), state: "running" }),
      false,
    ],
  ];
  for (const [title, left, isCleared] of rows) {
    // One that runs is replaced: replace_test.ts.
    for (const args of title.includes("runs") && !isCleared ? [[]] : [[], ["--replace"]]) {
      it(`${title}${args.length === 0 ? "" : " (--replace)"}`, async () => {
        await using app = await completeApp();
        await using servers = new AsyncDisposableStack();
        const container = summary(app.name, await left());
        await using engine = await fakeContainers({
          containers: [container],
          program: ({ body }: FakeContainer) => {
            servers.use(pingServer(portOf(body)));
          },
        });
        const line = ["local", "deploy", "--port", `${PORT}`, ...args];
        const { code, stderr } = await runInProcess(line, { cwd: app.directory, engine });
        const removed = engine.callsOf("DELETE /containers/ID").some(({ id }) => id === "old");
        assertEquals([code, removed], isCleared ? [0, true] : [1, false]);
        if (!isCleared) {
          assertMatch(stderr, /^error: Port already in use: 25678 \(by the server of/);
        }
      });
    }
  }

  it("says which mlcli made it", async () => {
    await using app = await completeApp();
    await using engine = await fakeContainers();
    await runInProcess(["local", "train"], { cwd: app.directory, engine });
    assertEquals(engine.created[0].Labels["mlcli.owner"], here(Deno.pid));
  });
});

suite("containers of killed runs that were never started", () => {
  it("go with the app's next run: a training's, a shell's, and what changes owners", async () => {
    await using app = await completeApp();
    const dead = here(await endedProcess());
    const container = `mlcli-${app.name}-train-0badcafe`;
    const of = (name: string, owner: string, state = "created") => ({
      ...summaryOf(app.name, name),
      State: state,
      Labels: {
        "mlcli.app": app.name,
        "mlcli.role": name.includes("-train-") ? "train" : "",
        "mlcli.owner": owner,
      },
    });
    await using engine = await fakeContainers({
      containers: [
        of(container, dead),
        of(`mlcli-${app.name}-shell-0badcafe`, dead),
        of("mlcli-chown-0badcafe", dead),
        of("mlcli-chown-1badcafe", here(Deno.pid)),
        of("mlcli-chown-2badcafe", dead, "running"),
        of("somebodys", dead),
      ],
    });
    const folder = await leaveRun(app, { container, outcome: null });
    const { code, stderr } = besidesRun(
      await runInProcess(["local", "train"], { cwd: app.directory, engine }),
    );
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    const removed = engine.callsOf("DELETE /containers/ID").map(({ id }) => id);
    assertEquals(
      [...new Set(removed)].sort(),
      [
        "mlcli-chown-0badcafe",
        `mlcli-${app.name}-shell-0badcafe`,
        container,
      ],
    );
    assertEquals(await Deno.stat(folder).then(() => true, () => false), false);
  });
});

function summaryOf(app: string, name: string) {
  return {
    Id: name,
    Names: [`/${name}`],
    Image: `${app}:latest`,
    Status: "",
    Created: Math.floor(Date.now() / 1000),
    Ports: [],
  };
}
