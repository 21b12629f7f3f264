import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { dirname } from "@std/path";
import { connectToEngine, knowsPipes } from "../../../runtime/docker/connect.ts";
import { builtAt } from "../../../runtime/docker/images.ts";
import { EngineError, isConflict } from "../../../runtime/docker/errors.ts";
import { wasOutOfMemory } from "../../../runtime/docker/events.ts";
import { openTransport } from "../../../runtime/docker/transport.ts";
import { messageOf, MlcliError } from "../../../runtime/errors.ts";
import { sha256 } from "../../../runtime/text.ts";
import { abortOf, deadlineIn } from "../../../runtime/time.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import {
  clientOf,
  type FakeEngine,
  fakeEngine,
  never,
  pong,
  refusal,
} from "../../helpers/fake_engine.ts";
import { hiding, replaced } from "../../helpers/replaced.ts";
import { it, suite } from "../../helpers/suite.ts";

function environment(variables: Readonly<Record<string, string>>): {
  env: (name: string) => string | undefined;
} {
  return { env: (name) => variables[name] };
}

function at(engine: Pick<FakeEngine, "socket">): ReturnType<typeof environment> {
  return environment({ DOCKER_HOST: `unix://${engine.socket}` });
}

/** A machine where this call says of a path that it is somebody's. (Only root can give it away.) */
function ownedBy(uid: number, call: "statSync" | "lstatSync", owned: string): Disposable {
  const { [call]: look } = Deno;
  return replaced(Deno, {
    [call]: (path: string) => path === owned ? { ...look(path), uid } : look(path),
  });
}

suite("connectToEngine", () => {
  for (const [offered, spoken] of [["1.41", "1.41"], ["1.44", "1.44"], ["1.52", "1.44"]] as const) {
    it(`speaks ${spoken} with an engine of ${offered}`, async () => {
      await using fake = await fakeEngine({
        "GET /_ping": () => pong(offered),
        "GET /info": () => Response.json({ SecurityOptions: ["name=rootless"] }),
      });
      using engine = await clientOf(fake);
      assertEquals(await engine.info(), { SecurityOptions: ["name=rootless"] });
      assertEquals(fake.requests, ["GET /_ping", `GET /v${spoken}/info`]);
    });
  }

  type Offer = readonly [version: string, headers: Readonly<Record<string, string>>];
  const builders: readonly (readonly [builder: string, ...offers: readonly Offer[]])[] = [
    [
      "buildkit",
      ["1.39", {}],
      ["1.41", { "Ostype": "linux" }],
      ["1.52", { "Builder-Version": "2", "Ostype": "linux" }],
      // It can all the same, and the docker command uses it.
      ["1.52", { "Builder-Version": "1", "Ostype": "linux" }],
    ],
    [
      "classic",
      ["1.38", { "Ostype": "linux" }],
      ["1.41", { "Builder-Version": "2", "Libpod-API-Version": "5.4.0" }],
    ],
  ];
  for (const [builder, ...offers] of builders) {
    for (const [version, headers] of offers) {
      it(`builds by ${builder} on ${version} ${JSON.stringify(headers)}`, async () => {
        const answer = pong(version);
        for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
        await using fake = await fakeEngine({ "GET /_ping": () => answer });
        using engine = await clientOf(fake);
        assertEquals(engine.builder, builder);
      });
    }
  }

  it("knows Podman by its header", async () => {
    for (const isPodman of [true, false]) {
      await using fake = await fakeEngine({
        "GET /_ping": () => {
          const answer = pong("1.41");
          if (isPodman) answer.headers.set("Libpod-API-Version", "4.3.1");
          return answer;
        },
      });
      using engine = await clientOf(fake);
      assertEquals([engine.remembersExitStatus, engine.isPodman], [!isPodman, isPodman]);
    }
  });

  for (
    const [told, event, state, answer] of [
      ["an event", "oom", { status: 404 }, true],
      ["the state", "die", { body: { State: { OOMKilled: true } } }, true],
      ["neither", "die", { body: { State: { OOMKilled: false } } }, false],
      ["nothing, as it is gone", "destroy", { status: 404 }, false],
    ] as const
  ) {
    it(`learns from ${told} whether memory ran out`, async () => {
      const { status = 200, body = {} } = state as { status?: number; body?: unknown };
      await using fake = await fakeEngine({
        "GET /_ping": () => pong("1.41"),
        "GET /events": () => new Response(`{"Action":"start"}\n{"Action":"${event}"}\n`),
        "GET /containers/abc/json": () => Response.json(body, { status }),
      });
      using engine = await clientOf(fake);
      assertEquals(await engine.ranOutOfMemory("abc"), answer);
    });
  }

  it("does not wait for ever for the event that it is gone", async () => {
    await using fake = await fakeEngine({ "GET /events": never });
    const { request, close } = await openTransport({ kind: "unix", path: fake.socket });
    await assertRejects(
      () => wasOutOfMemory(request, "abc", 0.01),
      Error,
      "timed out after 0.01 s",
    );
    close();
  });

  it("knows a name that is taken by Docker's status, and by Podman's words", () => {
    const podman =
      'creating container storage: the container name "a" is already in use by 2390. ' +
      "You have to remove that container to be able to reuse that name: that name is already in use";
    assertEquals(isConflict(new EngineError(409, "Conflict.", "POST")), true);
    assertEquals(isConflict(new EngineError(500, podman, "POST")), true);
    assertEquals(isConflict(new EngineError(500, "no space left on device", "POST")), false);
  });

  it("leaves an image the name by which a container needs it", async () => {
    await using fake = await fakeEngine({
      "GET /_ping": () => pong("1.41"),
      "DELETE /images/churn": () => refusal(409, "container 2390 is using its image"),
    });
    const engine = await connectToEngine(at(fake));
    await engine.untagImage("churn");
    engine.close();
  });

  it("takes the first that answers, and asks none behind it", async () => {
    await using first = await fakeEngine({ "GET /_ping": () => refusal(503, "starting") });
    await using second = await fakeEngine({ "GET /_ping": () => pong("1.41") });
    await using third = await fakeEngine({ "GET /_ping": () => pong("1.41") });
    await using home = await makeDirectory();
    // In the order of the search.
    const places = [
      [first, "colima/default/docker.sock"],
      [second, "home/.colima/default/docker.sock"],
      [third, "config/colima/default/docker.sock"],
    ] as const;
    for (const [{ socket }, place] of places) {
      await Deno.mkdir(dirname(`${home.path}/${place}`), { recursive: true });
      await Deno.symlink(socket, `${home.path}/${place}`);
    }
    const variables = {
      HOME: `${home.path}/home`,
      COLIMA_HOME: `${home.path}/colima`,
      XDG_CONFIG_HOME: `${home.path}/config`,
    };
    using _hidden = hiding("/var/run/docker.sock");
    const engine = await connectToEngine(environment(variables));
    assertEquals(engine.address, `unix://${home.path}/home/.colima/default/docker.sock`);
    assertEquals(engine.rule, "Colima");
    engine.close();
    assertEquals([first, second, third].map(({ requests }) => requests.length), [1, 1, 0]);
  });

  for (const strange of ["socket", "link", "directory"] as const) {
    it(`asks no engine by a ${strange} of another user, unless it is named`, async () => {
      await using fake = await fakeEngine({ "GET /_ping": () => pong("1.41") });
      await using runtime = await makeDirectory();
      const link = `${runtime.path}/docker.sock`;
      await Deno.symlink(fake.socket, link);
      const call = strange === "socket" ? "statSync" : "lstatSync";
      using _owned = ownedBy(4321, call, strange === "directory" ? runtime.path : link);
      using _hidden = hiding("/var/run/docker.sock");
      const variables = { HOME: "/nonexistent", XDG_RUNTIME_DIR: runtime.path };
      const { quote } = await assertRejects(
        () => connectToEngine(environment(variables)),
        MlcliError,
      );
      assertStringIncludes(quote ?? "", `unix://${link} (rootless Docker): another user owns it`);
      assertEquals(fake.requests, []);
      (await connectToEngine(environment({ DOCKER_HOST: `unix://${link}` }))).close();
      assertEquals(fake.requests, ["GET /_ping"]);
    });
  }

  it("lets go of an answer whose rest nobody wants", async () => {
    const { promise: ended, resolve: cancel } = Promise.withResolvers<void>();
    const start = (controller: ReadableStreamDefaultController<Uint8Array>): void =>
      controller.enqueue(new TextEncoder().encode('{"status":"Pulling"}\n'));
    await using fake = await fakeEngine({
      "GET /_ping": () => pong("1.41"),
      "POST /images/create": () => new Response(new ReadableStream({ start, cancel })),
    });
    using engine = await clientOf(fake);
    const never = new AbortController();
    using deadline = deadlineIn(20);
    try {
      for await (const { status } of engine.pull("a:1", { signal: never.signal })) {
        assertEquals(status, "Pulling");
        break;
      }
      await Promise.race([ended, abortOf(deadline.signal)]);
    } finally {
      never.abort();
    }
  });

  it("says of each place why it failed", async () => {
    await using folder = await makeDirectory({ "dead.sock": "" });
    await failsWith(`unix://${folder.path}/none.sock`, "no such socket");
    // Linux refuses a connection to a file like one to a socket that nobody listens on.
    await failsWith(`unix://${folder.path}/dead.sock`, "no program listens at this address");
  });

  it("refuses an engine of Windows containers, and says what to do", async () => {
    const answer = pong("1.44");
    answer.headers.set("Ostype", "windows");
    await using fake = await fakeEngine({ "GET /_ping": () => answer });
    await failsWith(
      `unix://${fake.socket}`,
      "it runs Windows containers, but mlcli requires Linux containers (in Docker Desktop's menu: Switch to " +
        "Linux containers)",
    );
    assertEquals(fake.requests, ["GET /_ping"]);
  });

  it("says of a named pipe why it failed, and with which Deno it would be tried", async () => {
    const words = await assertRejects(
      () => connectToEngine(environment({ DOCKER_HOST: "npipe:////./pipe/none" })),
      MlcliError,
      "Cannot connect to a Docker Engine",
    );
    const reason = knowsPipes()
      ? "no such pipe"
      : `named pipes require Deno 2.9 or later (this is ${Deno.version.deno})`;
    assertEquals(words.quote, `npipe:////./pipe/none (DOCKER_HOST): ${reason}`);
    assertEquals(["2.6.8", "2.8.3", "2.9.0", "2.10.1", "3.0.0"].map((deno) => knowsPipes(deno)), [
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  it("says how long it has waited for one that says nothing", async () => {
    await using silent = await fakeEngine({ "GET /_ping": never });
    const { quote } = await assertRejects(
      () => connectToEngine(at(silent), { timeout: 200 }),
      MlcliError,
      "Cannot connect to a Docker Engine",
    );
    assertEquals(quote, `unix://${silent.socket} (DOCKER_HOST): no response within 0.2 s`);
  });

  it("says in words alone that no socket can be found at a path", async () => {
    await using folder = await makeDirectory();
    await Deno.symlink("loop", `${folder.path}/loop`);
    const { quote } = await assertRejects(
      () => connectToEngine(environment({ DOCKER_HOST: `unix://${folder.path}/loop` })),
      MlcliError,
    );
    assertMatch(quote ?? "", /^unix:.*\/loop \(DOCKER_HOST\): Too many [a-z ]+$/);
  });

  // https://github.com/docker/for-mac/issues/3039, https://github.com/docker/for-mac/issues/984
  const choices: readonly (readonly [
    rule: string,
    variables: Readonly<Record<string, string>>,
    command: string,
  ])[] = [
    ["DOCKER_HOST", { DOCKER_HOST: "unix:///nonexistent" }, "unset DOCKER_HOST"],
    ["DOCKER_CONTEXT", { DOCKER_CONTEXT: "vm" }, "unset DOCKER_CONTEXT"],
    ["the current context", { DOCKER_CONFIG: "current" }, "docker context use default"],
  ];
  for (const [rule, variables, command] of choices) {
    it(`names the engine that answers without ${rule}, whose own does not`, async () => {
      await using fake = await fakeEngine({ "GET /_ping": () => pong("1.41") });
      const id = await sha256("vm");
      const meta = { Endpoints: { docker: { Host: "unix:///nonexistent" } } };
      await using home = await makeDirectory({
        [`.docker/contexts/meta/${id}/meta.json`]: JSON.stringify(meta),
        [`current/contexts/meta/${id}/meta.json`]: JSON.stringify(meta),
        "current/config.json": '{"currentContext": "vm"}',
      });
      using _hidden = hiding("/var/run/docker.sock");
      const all = {
        HOME: home.path,
        XDG_RUNTIME_DIR: home.path,
        ...variables,
        ...variables["DOCKER_CONFIG"] && { DOCKER_CONFIG: `${home.path}/current` },
      };
      const hint = async (): Promise<string | undefined> =>
        (await assertRejects(() => connectToEngine(environment(all)), MlcliError)).hint;
      assertEquals(await hint(), "Start Docker, or set DOCKER_HOST to the address of an engine");
      await Deno.symlink(fake.socket, `${home.path}/docker.sock`);
      const address = `unix://${home.path}/docker.sock`;
      assertEquals(await hint(), `Use the engine at ${address}, which responds: ${command}`);
      assertEquals(fake.requests, ["GET /_ping"]);
    });
  }

  const servers: readonly (readonly [title: string, answer: () => Response])[] = [
    ["a page", () => new Response("<html>Not Found</html>", { status: 404 })],
    ["JSON", () => Response.json({ detail: "Not Found" }, { status: 404 })],
    ["a redirect", () => Response.redirect("http://127.0.0.1:1/login")],
  ];
  for (const [title, answer] of servers) {
    it(`says that a server is not an engine if it answers with ${title}`, async () => {
      await using server = await fakeEngine(() => answer);
      await failsWith(
        `unix://${server.socket}`,
        "a server responds, but it is not a Docker Engine",
      );
    });
  }

  it("does not blame an engine for the status of another server", async () => {
    await using proxy = await fakeEngine({ "GET /_ping": () => refusal(502, "no upstream") });
    await failsWith(`unix://${proxy.socket}`, "a server returned HTTP 502: no upstream");
  });

  it("names the reason if Deno's fetch blocks the port of another protocol", async () => {
    // Deno 2.6 does not.
    const blocks = await fetch("http://127.0.0.1:1")
      .then(() => false, (error) => /are blocked/.test(messageOf(error)));
    await failsWith(
      "tcp://127.0.0.1:1",
      blocks ? "this port is reserved for another protocol" : "no program listens at this address",
    );
  });

  it("says that a server closed the connection before it read the request", async () => {
    using server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const closed = server.accept().then((connection) => connection.close());
    const host = `tcp://127.0.0.1:${server.addr.port}`;
    await failsWith(host, "it closed the connection without a response");
    await closed;
  });

  it("says that the name of a host cannot be resolved", async () => {
    // RFC 2606: no host has a name below .invalid.
    await failsWith("tcp://docker.invalid:2375", "the host name cannot be resolved");
  });

  const greetings: readonly (readonly [protocol: string, greeting: string, reason: string])[] = [
    ["SSH", "SSH-2.0-OpenSSH_9.6\r\n", "a server responds, but it is not a Docker Engine"],
    ["no protocol", "", "it closed the connection without a response"],
  ];
  for (const [protocol, greeting, reason] of greetings) {
    it(`says why a server that speaks ${protocol} is not used`, async () => {
      using server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const greeted = server.accept().then(async (connection) => {
        // A connection that is closed with unread bytes would be reset.
        await connection.read(new Uint8Array(1_000));
        await connection.write(new TextEncoder().encode(greeting));
        connection.close();
      });
      await failsWith(`tcp://127.0.0.1:${server.addr.port}`, reason);
      await greeted;
    });
  }

  it("does not take any server for an engine", async () => {
    for (const version of [undefined, "", "latest", "1.41/../.."]) {
      await using server = await fakeEngine({
        "GET /_ping": () =>
          new Response("OK", { headers: version ? { "Api-Version": version } : {} }),
      });
      const { quote } = await assertRejects(() => connectToEngine(at(server)), MlcliError);
      assertStringIncludes(quote ?? "", "a server responds, but it is not a Docker Engine");
    }
  });

  it("takes an image that does not say when it was made", async () => {
    await using fake = await fakeEngine({
      "GET /_ping": () => pong("1.56"),
      "GET /images/a%3Alatest/json": () =>
        Response.json({ Id: "sha256:1", Os: "linux", Architecture: "amd64" }),
    });
    using engine = await clientOf(fake);
    const image = await engine.image("a:latest");
    assertEquals([image?.Created, image && builtAt(image)], ["0001-01-01T00:00:00Z", new Date(0)]);
  });

  it("reports the engine's own words for a status that is not expected", async () => {
    await using fake = await fakeEngine({
      "GET /_ping": () => pong("1.41"),
      "GET /info": () => refusal(500, "no space left on device"),
    });
    using engine = await clientOf(fake);
    const error = await assertRejects(() => engine.info(), EngineError);
    assertEquals(
      error.message,
      "The Docker Engine refused GET /info (500): no space left on device",
    );
  });
});

async function failsWith(host: string, reason: string): Promise<void> {
  const error = await assertRejects(
    () => connectToEngine(environment({ DOCKER_HOST: host })),
    MlcliError,
    "Cannot connect to a Docker Engine",
  );
  assertStringIncludes(error.quote ?? "", `${host} (DOCKER_HOST): ${reason}`);
}
