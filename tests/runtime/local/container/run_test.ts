import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { runContainer } from "../../../../runtime/local/container/run.ts";
import { EngineError } from "../../../../runtime/docker/errors.ts";
import { MlcliError } from "../../../../runtime/errors.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { type Answers, clientOf, fakeEngine, pong, refusal } from "../../../helpers/fake_engine.ts";
import { inTime } from "../../../helpers/in_time.ts";
import { besidesRun } from "../../../helpers/runs.ts";
import { it, suite } from "../../../helpers/suite.ts";
import type { Input } from "../../../../runtime/streams.ts";
import { completeApp } from "../../../helpers/app.ts";
import { fakeContainers, type Play } from "../../../helpers/fake_containers.ts";
import { fakeInput, fakeKeyboard } from "../../../helpers/fake_keyboard.ts";
import { type InProcessOptions, runInProcess } from "../../../helpers/in_process.ts";

/** Runs a container that is to have an init on an engine, and says with what it was created. */
async function run(answers: Answers, withInit = true): Promise<readonly boolean[]> {
  return (await createdOn(answers, withInit)).map(({ Init }) => Init);
}

const MACHINE = "host.docker.internal:host-gateway";

/** The configurations with which a container is created, until it runs. */
async function createdOn(answers: Answers, Init = true, ExtraHosts: readonly string[] = []) {
  const created: { readonly Init: boolean; readonly ExtraHosts?: readonly string[] }[] = [];
  const create = answers["POST /containers/create"];
  await using fake = await fakeEngine({
    "GET /_ping": () => pong("1.41"),
    "POST /containers/1/attach": () => new Response(),
    "POST /containers/1/wait": () => Response.json({ StatusCode: 0 }),
    "GET /containers/1/json": () => Response.json({ State: { Running: false } }),
    "POST /containers/1/start": () => new Response(null, { status: 204 }),
    "DELETE /containers/1": () => new Response(null, { status: 204 }),
    ...answers,
    "POST /containers/create": async (request, released) => {
      created.push((await request.clone().json()).HostConfig);
      return create ? await create(request, released) : Response.json({ Id: "1" }, { status: 201 });
    },
  });
  using engine = await clientOf(fake);
  const body = {
    Image: "image",
    Cmd: ["train"],
    Labels: {},
    HostConfig: { AutoRemove: true, Init, ExtraHosts, Mounts: [] },
  };
  await inTime(runContainer(engine, "name", body, fakeContext()));
  return created;
}

/** Refuses once what is asked for with an init. */
function refusing(reason: string, status: number, good: () => Response): () => Response {
  let isFirst = true;
  return () => {
    if (!isFirst) return good();
    isFirst = false;
    return refusal(status, reason);
  };
}

const STARTED = (): Response => new Response(null, { status: 204 });
const CREATED = (): Response => Response.json({ Id: "1" }, { status: 201 });

suite("the init of a container", () => {
  it("is there where the engine has one", async () => {
    assertEquals(await run({}), [true]);
  });

  for (
    const [engine, call, answer] of [
      [
        "Docker",
        "POST /containers/1/start",
        refusing(
          'OCI runtime create failed: error mounting "/usr/bin/docker-init" to rootfs at ' +
            '"/sbin/docker-init": stat /usr/bin/docker-init: no such file or directory: unknown',
          400,
          STARTED,
        ),
      ],
      [
        "snap's Docker",
        "POST /containers/1/start",
        refusing('exec: "docker-init": executable file not found in $PATH', 500, STARTED),
      ],
      [
        "Podman",
        "POST /containers/create",
        refusing(
          "container-init binary not found on the host: stat /usr/libexec/podman/catatonit: no " +
            "such file or directory",
          500,
          CREATED,
        ),
      ],
    ] as const
  ) {
    it(`is left out where ${engine} has none`, async () => {
      assertEquals(await run({ [call]: answer }), [true, false]);
    });
  }

  it("stays where the engine refuses for another reason", async () => {
    for (
      const [status, kind] of [[400, MlcliError], [500, EngineError]] as const
    ) {
      const answer = refusing("no space left on device", status, STARTED);
      await assertRejects(() => run({ "POST /containers/1/start": answer }), kind);
    }
    const answer = refusing("docker-init", 500, STARTED);
    await assertRejects(() => run({ "POST /containers/1/start": answer }, false), EngineError);
  });
});

suite("the entry for host.docker.internal", () => {
  for (
    const [engine, call, status, reason] of [
      // https://github.com/docker/cli/issues/2664, https://github.com/cvat-ai/cvat/issues/5488
      [
        "is older than 20.10",
        "POST /containers/create",
        400,
        'invalid IP address in add-host: "host-gateway"',
      ],
      // Docker with `"bridge": "none"`, https://github.com/moby/moby/pull/40007
      [
        "has no default bridge",
        "POST /containers/1/start",
        500,
        "unable to derive the IP value for host-gateway",
      ],
      // https://github.com/hashicorp/nomad/issues/6322
      [
        "uses another container's network",
        "POST /containers/create",
        400,
        "conflicting options: custom host-to-IP mapping and the network mode",
      ],
    ] as const
  ) {
    it(`only host.docker.internal is left out if the engine ${engine}`, async () => {
      const good = call.endsWith("start") ? STARTED : CREATED;
      const created = await createdOn({ [call]: refusing(reason, status, good) }, true, [
        "algo-1:127.0.0.1",
        MACHINE,
      ]);
      assertEquals(
        created.map(({ Init, ExtraHosts = [] }) => [Init, ExtraHosts]),
        [[true, ["algo-1:127.0.0.1", MACHINE]], [true, ["algo-1:127.0.0.1"]]],
      );
    });
  }

  it("host.docker.internal and the init are left out if the engine supports neither", async () => {
    const answers = {
      "POST /containers/create": refusing("add-host: host-gateway", 400, CREATED),
      "POST /containers/1/start": refusing("docker-init", 500, STARTED),
    };
    const created = await createdOn(answers, true, [MACHINE]);
    assertEquals(
      created.map(({ Init, ExtraHosts = [] }) => [Init, ExtraHosts]),
      [[true, [MACHINE]], [true, []], [false, []]],
    );
  });
});

const ATTACH = "POST /containers/ID/attach (upgraded)";

async function runWith(
  play: Play,
  input: Input,
  options: Partial<InProcessOptions> = {},
  args: readonly string[] = ["local", "train", "--interactive"],
) {
  await using app = await completeApp();
  await using engine = await fakeContainers(play);
  const result = besidesRun(
    await inTime(
      runInProcess(args, { cwd: app.directory, engine, input, ...options }),
    ),
  );
  return {
    ...result,
    course: engine.course,
    created: engine.created,
    sizes: engine.callsOf("POST /containers/ID/resize").map(({ query }) => query),
    left: engine.left,
  };
}

function unreadable(error: Error): Input {
  const read = { next: () => Promise.reject(error) };
  return fakeInput({ [Symbol.asyncIterator]: () => read });
}

/** A program that reads to the end of its input, and says what it was. */
function reader(): Play {
  let read = "";
  return {
    program: ({ out, err }) => {
      out("ready\n");
      err("steady\n");
    },
    onInput: ({ out, end }, text) => {
      if (text !== null) return void (read += text);
      out(`read ${JSON.stringify(read)}\n`);
      end(0);
    },
  };
}

suite("what is typed at a run", () => {
  it("is its standard input where it comes through a pipe, to its end", async () => {
    const { code, stdout, stderr, course, created, sizes, left } = await runWith(
      reader(),
      fakeInput(["p x\n", "c\n"]),
    );
    assertEquals({ code, stdout, stderr }, {
      code: 0,
      stdout: 'ready\nread "p x\\nc\\n"\n',
      stderr: "steady\n",
    });
    const { Tty, OpenStdin, StdinOnce, AttachStdin } = created[0];
    assertEquals([Tty, OpenStdin, StdinOnce, AttachStdin], [undefined, true, true, true]);
    assertEquals([course.includes(ATTACH), sizes, left], [true, [], []]);
  });

  it("goes to a terminal of the container where mlcli has one, key by key", async () => {
    const keyboard = fakeKeyboard();
    const { promise: typed, resolve: type } = Promise.withResolvers<string>();
    const play: Play = {
      program: ({ out }) => out("> \r\n"),
      onInput: ({ out, end }, text) => {
        if (text === "\x03") out("^C, and on\r\n");
        else end(text === "q" ? 0 : 1);
      },
    };
    const keys = async function* () {
      yield "\x03";
      yield await typed;
    };
    const { code, stdout, stderr, created, sizes, left } = await runWith(
      play,
      fakeInput(keys(), keyboard),
      {
        isTerminal: true,
        onOutput: (text) => {
          if (!text.includes("on")) return;
          keyboard.resize(10, 40);
          type("q");
        },
      },
    );
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: "> \r\n^C, and on\r\n", stderr: "" });
    assertEquals([created[0].Tty, created[0].HostConfig.ConsoleSize], [true, [24, 80]]);
    assertEquals(sizes.slice(0, 1), [{ h: "24", w: "80" }]);
    assertEquals(sizes.at(-1), { h: "10", w: "40" });
    assertEquals([keyboard.modes, left], [["raw", "normal"], []]);
  });

  it("goes to no terminal where the output is none", async () => {
    const keyboard = fakeKeyboard();
    const { code, created, sizes } = await runWith(reader(), fakeInput(["x\n"], keyboard));
    assertEquals([code, created[0].Tty, sizes, keyboard.modes], [0, undefined, [], []]);
  });

  it("is nothing without --interactive", async () => {
    const input = unreadable(new Error("is read"));
    const { code, created, course } = await runWith({ onInput: () => {} }, input, {}, [
      "local",
      "train",
    ]);
    assertEquals([code, created[0].OpenStdin], [0, undefined]);
    assertEquals(course.includes(ATTACH), false);
  });

  it("may end before the program, and the program before it", async () => {
    const { promise: never, resolve } = Promise.withResolvers<string>();
    const endless = async function* () {
      yield await never;
    };
    const { code } = await runWith(
      { program: ({ end }) => end(0), onInput: () => {} },
      fakeInput(endless()),
    );
    resolve("");
    assertEquals(code, 0);
    const silent = await runWith({
      program: () => {},
      onInput: ({ end }, text) => text === null ? end(3) : undefined,
    }, fakeInput([]));
    assertEquals(silent.code, 3);
  });

  it("ends the run where it cannot be read", async () => {
    const input = unreadable(new MlcliError("Cannot read standard input: Is a directory"));
    const { code, stderr, left } = await runWith({ program: () => {}, onInput: () => {} }, input);
    assertEquals([code, left], [1, []]);
    assertMatch(stderr, /^error: Cannot read standard input: Is a directory$/m);
  });

  it("needs an engine that takes it", async () => {
    const keyboard = fakeKeyboard();
    const { code, stderr, left } = await runWith(
      {
        onInput: () => {},
        answers: { "POST /containers/ID/attach": () => refusal(500, "no streams today") },
      },
      fakeInput([], keyboard),
      { isTerminal: true },
    );
    assertEquals([code, left, keyboard.modes], [1, [], []]);
    assertMatch(
      stderr,
      /The Docker Engine refused POST \/containers\/c1\/attach \(500\): no stre/,
    );
  });
});
