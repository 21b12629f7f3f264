import { assert, assertEquals, assertMatch } from "@std/assert";
import { abortOf, type Clock } from "../../../../runtime/time.ts";
import { completeApp, type TestApp } from "../../../helpers/app.ts";
import {
  type FakeContainer,
  type FakeContainers,
  fakeContainers,
  portOf,
} from "../../../helpers/fake_containers.ts";
import { fakeClock } from "../../../helpers/fake_context.ts";
import { Keys, runInProcess } from "../../../helpers/in_process.ts";
import { pingServer } from "../../../helpers/ping_server.ts";
import type { ProgramResult } from "../../../helpers/program.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** A watch, seen from its servers. */
interface Stage {
  readonly app: TestApp;
  readonly keys: Keys;
  /** The address, once it is printed. */
  readonly url: Promise<string>;
  /** Once it is said that an edit is not served. */
  readonly notServed: Promise<void>;
  /** Once the engine's containers were listed so many times more. */
  readonly asked: (times: number) => Promise<void>;
  /** Once there is another edit while a server starts, which then has so many ms to answer. */
  readonly overtaken: Promise<number>;
  /** Lets so many ms pass. */
  readonly pass: (milliseconds: number) => Promise<void>;
  /** Ends that time. */
  readonly giveUp: () => void;
  /** The containers are not in the engine's list any more, as after `local stop`. */
  removeAll(): void;
  /** Another command removes a container. */
  readonly remove: (id: string) => Promise<void>;
  /** Answers /ping from now on. */
  readonly answer: (container: FakeContainer) => void;
}

/** So often it is asked for a container that ended before its end is said, and a few times more. */
const ENOUGH = 30;

/** A start that was overtaken by an edit has at least this, in ms, and less than a stream. */
const PATIENCE = 10_000;
const STREAM = 480_000;

/** What the nth server does when it is started; those behind the last one end the watch. */
type Starts = readonly ((stage: Stage, container: FakeContainer) => Promise<void> | void)[];

async function watch(
  starts: Starts,
  args: readonly string[] = ["--port", "0"],
): Promise<ProgramResult & { readonly left: readonly string[]; readonly names: string[] }> {
  await using app = await completeApp();
  await using servers = new AsyncDisposableStack();
  const keys = new Keys();
  const { promise: url, resolve } = Promise.withResolvers<string>();
  const { promise: notServed, resolve: onNotServed } = Promise.withResolvers<void>();
  const overtaken = Promise.withResolvers<number>();
  const patience = Promise.withResolvers<void>();
  const fake = fakeClock();
  const clock: Clock = {
    ...fake,
    pause: (milliseconds, signal) => {
      if (milliseconds < PATIENCE || milliseconds >= STREAM) {
        return fake.pause(milliseconds, signal);
      }
      overtaken.resolve(milliseconds);
      return Promise.race([patience.promise, abortOf(signal)]);
    },
  };
  let isListed = true;
  let lists = 0;
  let count = 0;
  const stage: Stage = {
    app,
    keys,
    url,
    notServed,
    asked: async (times) => {
      const start = lists;
      while (lists < start + times) await new Promise((resolve) => setTimeout(resolve));
    },
    overtaken: overtaken.promise,
    giveUp: patience.resolve,
    pass: (milliseconds) => fake.pause(milliseconds, new AbortController().signal),
    removeAll: () => void (isListed = false),
    remove: async (id) => {
      using client = Deno.createHttpClient({ proxy: { transport: "unix", path: engine.socket } });
      const answer = await fetch(`http://docker/containers/${id}`, { method: "DELETE", client });
      await answer.body?.cancel();
    },
    answer: ({ body }) =>
      void servers.use(
        pingServer(portOf(body)),
      ),
  };
  const list = (engine: FakeContainers) =>
    engine.created.map(({ Labels }, index) => ({
      Id: `c${index + 1}`,
      Names: [`/${engine.callsOf("POST /containers/create")[index]!.query["name"]}`],
      Image: "x",
      State: "running",
      Ports: [{ PublicPort: 1 }],
      Labels,
    }));
  await using engine: FakeContainers = await fakeContainers({
    program: async (container) => {
      const start = starts[count++];
      if (start === undefined) return keys.press();
      await start(stage, container);
    },
    answers: {
      "GET /containers/json": () => {
        lists++;
        return Response.json(isListed && count > 0 ? list(engine) : []);
      },
    },
  });
  const result = await runInProcess(["local", "deploy", "--watch", ...args], {
    cwd: app.directory,
    engine,
    keys,
    clock,
    onOutput: (text) => resolve(text.trim()),
    onMessage: (text) => text.includes("new server failed") && onNotServed(),
  });
  const names = engine.callsOf("POST /containers/create").map(({ query }) => query["name"]!);
  return { ...result, left: [...engine.left], names };
}

/** Answers, and edits the code once the address was printed. */
const answersAndEdits: Starts[number] = async ({ app, answer, url }, container) => {
  answer(container);
  await url;
  await edit(app);
};

/** In one step, as editors do it: a file that is empty for a moment would be an edit of its own. */
async function edit(app: TestApp): Promise<string> {
  const text = crypto.randomUUID();
  await app.write(app.path("new"), text);
  await Deno.rename(app.path("new"), app.path("prediction/serve"));
  return text;
}

const answers: Starts[number] = async ({ answer, keys, url }, container) => {
  answer(container);
  await url;
  // After the switch, which comes with the third /ping.
  keys.press();
};

suite("local deploy --watch", () => {
  it("starts a new server after an edit, by another name on the same port's label", async () => {
    const { code, stdout, left, names } = await watch([answersAndEdits]);
    assertEquals([code, left, names.length], [130, [], 2]);
    const port = /^http:\/\/localhost:(\d+)\n$/.exec(stdout)?.[1];
    for (const name of names) assertMatch(name, new RegExp(`-serve-${port}-[0-9a-f]{8}$`));
    assertEquals(new Set(names).size, 2);
  });

  it("gives each server a copy of the code, which no later edit reaches", async () => {
    const copies: (string | undefined)[] = [];
    const isMounted: boolean[] = [];
    const look: (start: Starts[number]) => Starts[number] = (start) => (stage, container) => {
      copies.push(container.files.get("opt/ml/code/serve"));
      const { Mounts } = container.body.HostConfig;
      isMounted.push(Mounts.some(({ Target }) => /code|program/.test(Target)));
      return start(stage, container);
    };
    const { code } = await watch([look(answersAndEdits), look(answers)]);
    assertEquals([code, copies.length, isMounted], [130, 2, [false, false]]);
    assertEquals(copies[0], "");
    assertMatch(copies[1]!, /^[0-9a-f-]{36}$/);
  });

  it("ends where the first server does not answer, and leaves nothing", async () => {
    const { code, stdout, stderr, left } = await watch([(_, { err, end }) => {
      err("no such module\n");
      end(3);
    }]);
    assertEquals([code, stdout, left], [1, "", []]);
    // Its log is passed on, and not quoted once more.
    assertMatch(
      stderr,
      /^no such module\nerror: The server exited before it was ready: exit code 3/,
    );
    assertEquals(stderr.match(/no such module/g)?.length, 1);
  });

  it("tells why an edit does not serve, and goes on to the next", async () => {
    const { code, stderr, left, names } = await watch([
      answersAndEdits,
      async ({ app, notServed }, { err, end }) => {
        err("broken\n");
        end(3);
        // Sooner, the edit would take the place of this one, and nothing be said of it.
        await notServed;
        await edit(app);
      },
      answers,
    ]);
    assertEquals([code, left, names.length], [130, [], 3]);
    assertMatch(
      stderr,
      /broken\nerror: The server exited before it was ready: exit code 3\nhint: .*\n\S+ prediction\/serve edited: new server failed; the previous one keeps running\n/,
    );
  });

  it("lets a start finish, however often the code is edited meanwhile, and takes the latest", async () => {
    const served: (string | undefined)[] = [];
    let last = "";
    const { code, stderr, left, names } = await watch([
      answersAndEdits,
      async ({ app, answer, overtaken }, container) => {
        for (let number = 0; number < 7; number++) last = await edit(app);
        overtaken.then(() => answer(container));
      },
      ({ keys }, container) => {
        served.push(container.files.get("opt/ml/code/serve"));
        keys.press();
      },
    ]);
    assertEquals([code, left, names.length, served], [130, [], 3, [last]]);
    const said = [...stderr.matchAll(/ prediction\/serve edited: (starting|new server ready)/g)];
    assertEquals(
      said.map(([, what]) => what),
      ["starting", "new server ready", "starting"],
      stderr,
    );
  });

  it("gives up a start that hangs where there is another edit", async () => {
    const given: number[] = [];
    const { code, stderr, left, names } = await watch([
      async (stage, container) => {
        await stage.pass(3_000);
        await answersAndEdits(stage, container);
      },
      async ({ app, overtaken, giveUp }) => {
        await edit(app);
        overtaken.then((milliseconds) => given.push(milliseconds)).then(giveUp);
      },
      answers,
    ]);
    assertEquals([code, left, names.length], [130, [], 3]);
    // Twice as long as the first one took, at least.
    assert(given[0]! >= PATIENCE + 6_000, `${given}`);
    assertMatch(
      stderr,
      /error: Stopped the new server: its start was slow, and .*\n\S+ prediction\/serve edited: new server failed; .*\n\S+ prediction\/serve edited: starting a new server\n/,
    );
  });

  it("says that a server ended by itself, answers 503, and starts one after an edit", async () => {
    let status = 0;
    const { code, left } = await watch([
      async ({ app, answer, url }, container) => {
        answer(container);
        const address = await url;
        container.end(137);
        // Once that is noticed: until then, its port is there, and answers.
        while (status !== 503) {
          const response = await fetch(`${address}/ping`);
          await response.body?.cancel();
          status = response.status;
        }
        await edit(app);
      },
      answers,
    ]);
    assertEquals([code, left, status], [130, [], 503]);
  });

  it("says once that a server ended, whatever edits do not serve after that", async () => {
    const { code, stderr, left } = await watch([
      async ({ app, answer, url, asked }, container) => {
        answer(container);
        await url;
        container.end(137);
        await asked(ENOUGH);
        await edit(app);
      },
      async ({ app, notServed, asked }, { end }) => {
        end(3);
        await notServed;
        await asked(ENOUGH);
        await edit(app);
      },
      answers,
    ]);
    assertEquals([code, left], [130, []], stderr);
    assertEquals(
      stderr.match(/no server is running; waiting for the next change/g)?.length,
      1,
      stderr,
    );
  });

  it("ends with 0 where its server was stopped by another command", async () => {
    const { code, stderr, left } = await watch([async ({ answer, url, removeAll }, container) => {
      answer(container);
      await url;
      removeAll();
      container.end(0);
    }]);
    assertEquals([code, left], [0, []]);
    assertMatch(stderr, /\nnote: Stopped by mlcli local stop\n$/);
  });

  it("ends with 0 where that happened while an edit was tried", async () => {
    const { code, stderr, left } = await watch([
      answersAndEdits,
      async ({ removeAll, remove }, { end }) => {
        removeAll();
        await remove("c1");
        end(3);
      },
    ]);
    assertEquals([code, left], [0, []], stderr);
    assertMatch(stderr, /new server failed; .*\nnote: Stopped by mlcli local stop\n$/);
  });

  it("refuses a port that somebody listens on", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const { code, stderr, names } = await watch([], ["--port", String(port)]);
    assertEquals([code, names], [1, []]);
    assertMatch(stderr, new RegExp(`^error: Port already in use: ${port}\nhint: Stop the program`));
  });

  it("goes neither with --foreground nor with --replace nor with --strict", async () => {
    for (const other of ["--foreground", "--replace", "--strict"]) {
      const { code, stderr } = await watch([], [other]);
      assertEquals(code, 2);
      assertMatch(
        stderr,
        new RegExp(`^error: Options "--watch" and "${other}" cannot be used together\n`),
      );
    }
  });
});
