import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { withTag } from "../../../../runtime/app/app.ts";
import { type Trial, tryServing } from "../../../../runtime/cloud/preflight/serving.ts";
import { connectToEngine } from "../../../../runtime/docker/connect.ts";
import type { Engine } from "../../../../runtime/docker/engine.ts";
import { BrokenEngine } from "../../../../runtime/docker/errors.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { HARNESS_IMAGE } from "../../../helpers/fake_containers.ts";
import { type Answers, done, fakeEngine, pong, refusal } from "../../../helpers/fake_engine.ts";
import { Keys } from "../../../helpers/in_process.ts";
import { pingServer } from "../../../helpers/ping_server.ts";
import { replaced } from "../../../helpers/replaced.ts";
import { it, suite } from "../../../helpers/suite.ts";

const TRIAL: Omit<Trial, "archive"> = {
  app: withTag(appObject("/nonexistent", "churn"), "v1"),
  variables: { TOKEN: "t" },
  region: "eu-west-1",
  seconds: 60,
  instanceType: "ml.m5.large",
};

const IMAGE = { Id: "sha256:1", Created: "2026-03-01T00:00:00Z", Os: "linux" };

/** An engine whose image is for its own processor. */
const ENGINE: Answers = {
  "GET /_ping": () => pong("1.44"),
  "GET /version": () => Response.json({ Version: "28", ApiVersion: "1.44", Arch: "amd64" }),
  "GET /images/churn%3Av1/json": () => Response.json({ ...IMAGE, Architecture: "amd64" }),
};

/** Tries on an engine; returns the notes and the calls that change something. */
async function tried(
  answers: Answers,
  change: (engine: Engine) => Engine = (engine) => engine,
  system: { readonly root: string } = { root: "/nonexistent" },
): Promise<{ readonly notes: readonly string[]; readonly calls: readonly string[] }> {
  await using directory = await makeDirectory({ "model.tar.gz": "" });
  await using fake = await fakeEngine(answers);
  const engine = await connectToEngine({ env: () => `unix://${fake.socket}`, system });
  try {
    const notes: string[] = [];
    await tryServing(
      { ...TRIAL, archive: join(directory.path, "model.tar.gz") },
      { engine: () => Promise.resolve(change(engine)), interruption: new Keys().interruption },
      (text) => notes.push(text),
    );
    const calls = fake.calls.map(({ call }) => call).filter((call) => !/^(GET|HEAD)/.test(call));
    return { notes, calls };
  } finally {
    engine.close();
  }
}

/** A trial to its end, of an image with this configuration; and the containers that it made. */
async function triedToItsEnd(
  Config: Readonly<Record<string, unknown>>,
  system?: { readonly root: string },
  // deno-lint-ignore no-explicit-any
): Promise<{ readonly notes: readonly string[]; readonly created: readonly any[] }> {
  await using servers = new AsyncDisposableStack();
  // deno-lint-ignore no-explicit-any
  const created: any[] = [];
  let listed: unknown[] = [];
  const { notes } = await tried(
    {
      ...ENGINE,
      "GET /version": () => Response.json({ Version: "20", ApiVersion: "1.41", Arch: "amd64" }),
      "GET /images/churn%3Av1/json": () =>
        Response.json({ ...IMAGE, Architecture: "amd64", Config }),
      "GET /info": () => Response.json({ LoggingDriver: "none" }),
      "GET /containers/json": () => Response.json(listed),
      "POST /containers/create": async (request) => {
        const body = await request.json();
        created.push(body);
        const Id = body.HostConfig.VolumesFrom ? "server" : "holder";
        return Response.json({ Id }, { status: 201 });
      },
      "PUT /containers/holder/archive": () => done(200),
      "POST /containers/server/start": () => {
        const { Labels } = created[1];
        const { port } = servers.use(pingServer(Number(Labels["mlcli.listens"] ?? 0)));
        const Ports = [{ PublicPort: port }];
        listed = [{ Id: "server", State: "running", Labels, Ports }];
        return done();
      },
      "POST /containers/server/wait": () => new Response(new ReadableStream()),
      "DELETE /containers/server": () => done(),
      "DELETE /containers/holder": () => done(),
    },
    undefined,
    system,
  );
  return { notes, created };
}

suite("the containers of a trial", () => {
  it("are one that holds the model and never runs, and a server that may do what local deploy's may", async () => {
    const { notes, created: [holder, server] } = await triedToItsEnd(HARNESS_IMAGE);
    assertEquals(notes, []);
    const { Labels: { "mlcli.version": _, ...labels }, ...held } = holder;
    assertEquals(held, {
      Image: "churn:v1",
      Cmd: ["true"],
      HostConfig: {
        AutoRemove: false,
        NetworkMode: "none",
        Mounts: [
          { Type: "volume", Target: "/opt/ml/model", VolumeOptions: { NoCopy: true } },
        ],
      },
    });
    const { Labels, Env, ...body } = server;
    assertEquals(Labels, holder.Labels);
    assertEquals(Env.join("\n").replace(/mlcli-try-[0-9a-f]{8}/, "NAME").split("\n"), [
      "AWS_REGION=eu-west-1",
      "MLCLI_MAX_BODY_MB=6",
      "MLCLI_ALLOWED_HOSTS=host.docker.internal host.containers.internal NAME",
      "TOKEN=t",
    ]);
    assertEquals(body, {
      Image: "churn:v1",
      Cmd: ["serve"],
      ExposedPorts: { "8080/tcp": {} },
      HostConfig: {
        AutoRemove: false,
        LogConfig: { Type: "json-file", Config: { "max-size": "20m", "max-file": "5" } },
        ShmSize: 2 * 1024 ** 3,
        PidsLimit: 32_768,
        CapDrop: ["MKNOD", "SETFCAP"],
        SecurityOpt: ["no-new-privileges"],
        Mounts: [],
        VolumesFrom: ["holder:ro"],
        PortBindings: { "8080/tcp": [{ HostIp: "127.0.0.1", HostPort: "" }] },
      },
    });
    // Not one of `local deploy`, whatever the image says.
    assertEquals(labels, {
      ...{
        "mlcli.app": "churn",
        "mlcli.directory": "",
        "mlcli.role": "try",
        "mlcli.port": "",
        "mlcli.model": "",
      },
      ...{ "mlcli.made-of": "", "mlcli.owner": "" },
    });
  });
});

suite("a model that is not tried here", () => {
  it("is for another kind of processor", async () => {
    const arm: Answers = {
      ...ENGINE,
      "GET /images/churn%3Av1/json": () => Response.json({ ...IMAGE, Architecture: "arm64" }),
    };
    assertEquals(await tried(arm), {
      notes: [
        "The model was not tested locally: churn:v1 is for linux/arm64, but this machine runs " +
        "linux/amd64",
      ],
      calls: [],
    });
  });

  for (
    const [address, isTried] of [
      ["tcp://build.example.com:2376", false],
      ["tcp://docker:2375", false],
      ["tcp://localhost.example.com:2375", false],
      ["tcp://127.0.0.1:2375", true],
      ["tcp://localhost:2375", true],
      ["tcp://[::1]:2375", true],
      ["unix:///run/docker.sock", true],
    ] as const
  ) {
    it(`has ${isTried ? "an" : "no"} engine whose ports are this machine's: ${address}`, async () => {
      const answers: Answers = {
        "GET /_ping": () => pong("1.44"),
        ...isTried ? { "GET /images/churn%3Av1/json": () => refusal(404, "no such image") } : {},
      };
      const { notes } = await tried(answers, (engine) => ({ ...engine, address }));
      assertEquals(notes, [
        isTried
          ? "The model was not tested locally: churn:v1 does not exist locally"
          : `The model was not tested locally: the Docker Engine runs on another machine (${address})`,
      ]);
    });
  }

  it("meets an engine that cannot: what it made is removed", async () => {
    const full: Answers = {
      ...ENGINE,
      "GET /containers/json": () => Response.json([]),
      "POST /containers/create": () => Response.json({ Id: "holder" }, { status: 201 }),
      "PUT /containers/holder/archive": () => refusal(500, "no space left on device"),
      "DELETE /containers/holder": () => done(),
    };
    const { notes, calls } = await tried(full);
    assertEquals(notes.length, 1);
    assertMatch(notes[0]!, /^The model was not tested locally: .*no space left on device$/);
    assertEquals(calls, [
      "POST /containers/create",
      "PUT /containers/holder/archive",
      "DELETE /containers/holder",
    ]);
  });

  it("meets an engine that goes away", async () => {
    const message = "The Docker Engine does not answer: Broken pipe (os error 32)";
    const { notes } = await tried({
      ...ENGINE,
      "GET /containers/json": () => Response.json([]),
      "POST /containers/create": () => Response.json({ Id: "holder" }, { status: 201 }),
      "DELETE /containers/holder": () => done(),
    }, (engine) => ({
      ...engine,
      async unpackInContainer(_id, _directory, archive): Promise<void> {
        await archive.cancel();
        throw new BrokenEngine(message);
      },
    }));
    assertEquals(notes, [`The model was not tested locally: ${message}`]);
  });

  it("finds what a trial left in which mlcli was killed, and leaves those that go on, and others", async () => {
    const hours = (count: number): number => Math.floor(Date.now() / 1000) - count * 3600;
    const answers: Answers = {
      ...ENGINE,
      "GET /containers/json": () =>
        Response.json([
          { Id: "old", Created: hours(3), Names: ["/mlcli-try-1-model"] },
          { Id: "new", Created: hours(1), Names: ["/mlcli-try-2"] },
          // Its image has the label.
          { Id: "theirs", Created: hours(3), Names: ["/database"] },
        ]),
      "DELETE /containers/old": () => done(),
      "POST /containers/create": () => refusal(500, "busy"),
    };
    const { calls } = await tried(answers);
    assertEquals(calls, ["DELETE /containers/old", "POST /containers/create"]);
  });
});

suite("a model that is tried in SageMaker Studio", () => {
  async function triedThere(Labels: Readonly<Record<string, string>>) {
    const metadata = JSON.stringify({ AppType: "JupyterLab" });
    await using root = await makeDirectory({ "opt/ml/metadata/resource-metadata.json": metadata });
    return await triedToItsEnd({ Labels }, { root: root.path });
  }

  it("is asked on a port of the space that is free", async () => {
    const label = "com.amazonaws.sagemaker.capabilities.accept-bind-to-port";
    const { notes, created: [holder, server] } = await triedThere({ [label]: "true" });
    assertEquals(notes, []);
    assertMatch(server.Env.join("\n"), /^SAGEMAKER_BIND_TO_PORT=[1-9]\d+$/m);
    for (const { HostConfig } of [holder, server]) {
      assertEquals([HostConfig.NetworkMode, HostConfig.PortBindings], ["sagemaker", undefined]);
    }
  });

  it("is not tried where its image listens on port 8080 alone, and that is taken", async () => {
    using _other = taken(8080);
    assertEquals((await triedThere({})).notes, [
      "The model was not tested locally: churn:v1 supports only port 8080, which is already in " +
      "use in this Studio space",
    ]);
  });
});

/** A machine on which somebody listens on a port. */
function taken(port: number): Disposable {
  const { listen } = Deno;
  const refuses = (options: Deno.TcpListenOptions & { transport?: "tcp" }) => {
    if (options.port === port) throw new Deno.errors.AddrInUse(`port ${port}`);
    return listen(options);
  };
  return replaced(Deno, { listen: refuses });
}
