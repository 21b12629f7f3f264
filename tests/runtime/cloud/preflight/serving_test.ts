import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import {
  holderPlan,
  type Trial,
  trialPlan,
  tryServing,
} from "../../../../runtime/cloud/preflight/serving.ts";
import { connectToEngine } from "../../../../runtime/docker/connect.ts";
import type { Engine } from "../../../../runtime/docker/engine.ts";
import { BrokenEngine } from "../../../../runtime/docker/errors.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { HARNESS_IMAGE } from "../../../helpers/fake_containers.ts";
import { type Answers, done, fakeEngine, pong, refusal } from "../../../helpers/fake_engine.ts";
import { Keys } from "../../../helpers/in_process.ts";
import { pingServer } from "../../../helpers/ping_server.ts";
import { it, suite } from "../../../helpers/suite.ts";

const TRIAL: Omit<Trial, "archive"> = {
  app: appObject("/nonexistent", "churn"),
  tag: "v1",
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
      {
        engine: () => Promise.resolve(change(engine)),
        interruption: new Keys().interruption,
      },
      (text) => notes.push(text),
    );
    const calls = fake.calls.map(({ call }) => call).filter((call) => !/^(GET|HEAD)/.test(call));
    return { notes, calls };
  } finally {
    engine.close();
  }
}

suite("the containers of a trial", () => {
  it("the one that holds the model never runs, and has a volume that goes with it", () => {
    const { Labels, ...body } = holderPlan(TRIAL);
    assertEquals(body, {
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
    assertEquals(Labels["mlcli.role"], "try");
  });

  it("the server reads it, may do what one of local deploy may, and has a port of this machine", () => {
    const image = { Config: HARNESS_IMAGE };
    const { Labels, ...body } = trialPlan(TRIAL, image, "mlcli-try-1", "holder", "");
    assertEquals(body, {
      Image: "churn:v1",
      Cmd: ["serve"],
      Env: [
        "AWS_REGION=eu-west-1",
        "MLCLI_MAX_BODY_MB=6",
        "MLCLI_ALLOWED_HOSTS=host.docker.internal host.containers.internal mlcli-try-1",
        "TOKEN=t",
      ],
      ExposedPorts: { "8080/tcp": {} },
      HostConfig: {
        AutoRemove: false,
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
    const { "mlcli.version": _, ...labels } = Labels;
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
        "The model is not tried here: churn:v1 is for linux/arm64, and this machine runs " +
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
          ? "The model is not tried here: this machine has no image churn:v1"
          : `The model is not tried here: the Docker Engine is another machine's (${address})`,
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
    assertEquals(/^The model is not tried here: .*no space left on device$/.test(notes[0]!), true);
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
    assertEquals(notes, [`The model is not tried here: ${message}`]);
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
  /** An engine of Studio's whose image has these labels, and the server that it was told to start. */
  async function triedThere(
    labels: Readonly<Record<string, string>>,
  ): Promise<{ readonly notes: readonly string[]; readonly port: string }> {
    const metadata = JSON.stringify({ AppType: "JupyterLab" });
    await using root = await makeDirectory({ "opt/ml/metadata/resource-metadata.json": metadata });
    await using servers = new AsyncDisposableStack();
    // deno-lint-ignore no-explicit-any
    let server: any;
    const { notes } = await tried(
      {
        "GET /version": () => Response.json({ Version: "20", ApiVersion: "1.41", Arch: "amd64" }),
        "GET /images/churn%3Av1/json": () =>
          Response.json({ ...IMAGE, Architecture: "amd64", Config: { Labels: labels } }),
        "GET /containers/json": () =>
          Response.json(server ? [{ Id: "server", State: "running", Labels: server.Labels }] : []),
        "POST /containers/create": async (request) => {
          const body = await request.json();
          if (!body.HostConfig.VolumesFrom) return Response.json({ Id: "holder" }, { status: 201 });
          server = body;
          return Response.json({ Id: "server" }, { status: 201 });
        },
        "PUT /containers/holder/archive": () => done(200),
        "POST /containers/server/start": () => {
          servers.use(pingServer(Number(server.Labels["mlcli.listens"])));
          return done();
        },
        "POST /containers/server/wait": () => new Response(new ReadableStream()),
        "DELETE /containers/server": () => done(),
        "DELETE /containers/holder": () => done(),
      },
      undefined,
      { root: root.path },
    );
    return {
      notes,
      port: server?.Env.find((one: string) => one.startsWith("SAGEMAKER_BIND_TO_PORT=")) ?? "",
    };
  }

  it("is asked on a port of the space that is free", async () => {
    const label = "com.amazonaws.sagemaker.capabilities.accept-bind-to-port";
    const { notes, port } = await triedThere({ [label]: "true" });
    assertEquals(notes, []);
    assertEquals(/^SAGEMAKER_BIND_TO_PORT=[1-9]\d+$/.test(port), true, port);
  });

  it("is not tried where its image listens on port 8080 alone, and that is taken", async () => {
    using _other = taken(8080);
    assertEquals((await triedThere({})).notes, [
      "The model is not tried here: port 8080 of the space, the only one that churn:v1 listens " +
      "on, is taken",
    ]);
  });
});

/** A machine on which somebody listens on a port. */
function taken(port: number): Disposable {
  const { listen } = Deno;
  const refuses = ((options: Deno.TcpListenOptions & { transport?: "tcp" }) => {
    if (options.port === port) throw new Deno.errors.AddrInUse(`port ${port}`);
    return listen(options);
  }) as typeof Deno.listen;
  Deno.listen = refuses;
  return { [Symbol.dispose]: () => void (Deno.listen = listen) };
}
