import { assertEquals, assertStringIncludes } from "@std/assert";
import { VERSION } from "../../../runtime/version.ts";
import { completeApp, type TestApp, type TestAppOptions } from "../../helpers/app.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { fakeContainers, FOREIGN_IMAGE, type Play } from "../../helpers/fake_containers.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { pingServer } from "../../helpers/ping_server.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What the engine was asked to create, with names of this run replaced. */
async function createdBy(
  args: (port: number) => readonly string[],
  play: Play = {},
  options: TestAppOptions = {},
  own: Readonly<Record<string, string>> = {},
  // deno-lint-ignore no-explicit-any
): Promise<{ readonly body: any; readonly name: string; readonly stderr: string }> {
  await using app = await completeApp(options);
  await using server = pingServer();
  await using engine = await fakeContainers({
    program: ({ body, end }) => {
      if (body.Labels["mlcli.role"] !== "serve") end(0);
    },
    ...play,
  });
  const env = { AWS_REGION: "us-east-2", AWS_DEFAULT_REGION: "us-east-1", ...own };
  const result = await runInProcess(args(server.port), { cwd: app.directory, env, engine });
  assertEquals(result.code, 0, result.stderr);
  const [create, ...more] = engine.callsOf("POST /containers/create");
  assertEquals(more, []);
  return {
    body: JSON.parse(plain(JSON.stringify(create!.body), app, server.port)),
    name: plain(create!.query["name"]!, app, server.port),
    stderr: result.stderr,
  };
}

/** APP for the app's name, BASE for its code, TEST for its test directory, DIR for all of it, ... */
function plain(text: string, app: TestApp, port: number): string {
  return text.replaceAll(app.testPath(), "TEST").replaceAll(app.path(), "BASE")
    .replaceAll(app.directory, "DIR").replaceAll(app.name, "APP").replace(
      /(mlcli-APP-\w+-)[0-9a-f]{8}\b/g,
      "$1RUN",
    )
    .replace(/(APP)-\d{4}(-\d{2}){5}-\d{3}\b/g, "$1-TIME")
    .replaceAll(app.mark, "MARK")
    .replace(/"mlcli.made-of":"\{.*?\}"/, '"mlcli.made-of":"JSON"')
    .replaceAll(String(port), "PORT");
}

const LIMITS = {
  ShmSize: 2 * 1024 ** 3,
  PidsLimit: 32_768,
  CapDrop: ["MKNOD", "SETFCAP"],
  SecurityOpt: ["no-new-privileges"],
};
const MACHINE_NAME = { ExtraHosts: ["host.docker.internal:host-gateway"] };
const RUN = { AutoRemove: true, LogConfig: { Type: "none" }, ...LIMITS, ...MACHINE_NAME };
const ENV = [
  "ML_MODEL_DIR=/opt/ml/model",
  "ML_INPUT_DIR=/opt/ml/input",
  "ML_OUTPUT_DIR=/opt/ml/output",
  "ML_CHANNEL_TRAINING=/opt/ml/input/data/training",
  "AWS_REGION=us-east-2",
];
const labels = (role: string, port = "") => ({
  "mlcli.app": "APP",
  "mlcli.directory": "MARK",
  "mlcli.role": role,
  "mlcli.port": port,
  "mlcli.model": "",
  "mlcli.made-of": "",
  "mlcli.version": VERSION,
  "mlcli.owner": `${Deno.pid} ${Deno.hostname()}`,
});
const mount = (Source: string, Target: string, ReadOnly: boolean) => ({
  Type: "bind",
  Source,
  Target,
  ReadOnly,
});

const REPORT_ENV = "MLCLI_REPORT=/opt/mlcli/report";

const TRAIN_BODY = {
  Image: "APP:latest",
  Cmd: ["train"],
  Hostname: "algo-1",
  Env: [
    ...ENV,
    "TRAINING_JOB_NAME=APP-TIME",
    "TRAINING_JOB_ARN=arn:aws:sagemaker:us-east-2:000000000000:training-job/APP-TIME",
    REPORT_ENV,
  ],
  Labels: labels("train"),
  HostConfig: {
    ...RUN,
    Init: true,
    Mounts: [
      mount("BASE/local_test/jobs/APP-TIME/code", "/opt/ml/code", false),
      mount("BASE/local_test/jobs/APP-TIME/report", "/opt/mlcli/report", false),
      mount("BASE/local_test/jobs/APP-TIME/input", "/opt/ml/input", false),
      mount("TEST/input/data/training", "/opt/ml/input/data/training", true),
      mount("TEST/input/data/processing", "/opt/ml/input/data/processing", true),
      mount("BASE/local_test/jobs/APP-TIME/model", "/opt/ml/model", false),
      mount("TEST/output", "/opt/ml/output", false),
    ],
  },
};
const PROCESS_BODY = {
  Image: "APP:latest",
  Cmd: ["process", "p.py"],
  Hostname: "algo-1",
  Env: [...ENV, REPORT_ENV],
  Labels: labels("process"),
  HostConfig: {
    ...RUN,
    Init: true,
    Mounts: [
      mount("BASE/local_test/jobs/APP-TIME/code", "/opt/ml/code", false),
      mount("BASE/local_test/jobs/APP-TIME/report", "/opt/mlcli/report", false),
      mount("BASE/local_test/jobs/APP-TIME/config", "/opt/ml/config", false),
      mount("TEST/input", "/opt/ml/input", true),
      mount("TEST/model", "/opt/ml/model", true),
      mount("TEST/input/data/processing", "/opt/ml/processing/input", true),
      mount("TEST/output", "/opt/ml/processing/output", false),
      mount("TEST/output", "/opt/ml/output", false),
    ],
  },
};
const HOSTS = "host.docker.internal host.containers.internal mlcli-APP-serve-PORT";
const SERVE_BODY = {
  Image: "APP:latest",
  Cmd: ["serve"],
  Env: [...ENV, "MLCLI_MAX_BODY_MB=6", `MLCLI_ALLOWED_HOSTS=${HOSTS}`],
  Labels: { ...labels("serve", "PORT"), "mlcli.model": "", "mlcli.made-of": "JSON" },
  ExposedPorts: { "8080/tcp": {} },
  HostConfig: {
    AutoRemove: false,
    ...LIMITS,
    ...MACHINE_NAME,
    Init: true,
    Mounts: [
      mount("BASE/prediction", "/opt/ml/code", true),
      mount("TEST/model", "/opt/ml/model", true),
    ],
    PortBindings: { "8080/tcp": [{ HostIp: "127.0.0.1", HostPort: "PORT" }] },
  },
};

/** What is mounted with `--strict`, beside the file that the harness reports to. */
const STRICT_MOUNTS = {
  train: [
    "BASE/local_test/jobs/APP-TIME/input:/opt/ml/input",
    "TEST/input/data/training:/opt/ml/input/data/training:ro",
    "BASE/local_test/jobs/APP-TIME/model:/opt/ml/model",
    "TEST/output:/opt/ml/output",
  ],
  process: [
    "BASE/local_test/jobs/APP-TIME/config:/opt/ml/config",
    "TEST/input/data/processing:/opt/ml/processing/input:ro",
    "TEST/output:/opt/ml/processing/output",
    "BASE/local_test/jobs/APP-TIME/output:/opt/ml/output",
  ],
  deploy: ["TEST/model:/opt/ml/model:ro"],
};

const COMMANDS = [
  ["train", [], TRAIN_BODY, "mlcli-APP-train-RUN"],
  ["process", ["--file", "p.py"], PROCESS_BODY, "mlcli-APP-process-RUN"],
  ["deploy", ["--port"], SERVE_BODY, "mlcli-APP-serve-PORT"],
] as const;

for (const [command, own, expected, expectedName] of COMMANDS) {
  const line = (port: number, ...more: readonly string[]): readonly string[] => [
    ...["local", command, ...own, ...(command === "deploy" ? [String(port)] : []), ...more],
  ];

  suite(`the container of local ${command}`, () => {
    it("is what the contract says, and no more", async () => {
      const { body, name } = await createdBy((port) => line(port));
      assertEquals(body, expected);
      assertEquals(name, expectedName);
    });

    it("has an init in an image with mlcli's harness alone", async () => {
      const { body } = await createdBy((port) => line(port), { image: FOREIGN_IMAGE });
      // Nor anything that the harness is told.
      const { Init: _, Mounts, ...without } = expected.HostConfig;
      assertEquals(body, {
        ...expected,
        Env: expected.Env.filter((one) => !/^MLCLI_(REPORT|WATCH|MAX_BODY_MB)=/.test(one)),
        HostConfig: { ...without, Mounts: Mounts.filter((one) => !/report$/.test(one.Target)) },
      });
    });

    it("has the memory of --memory, and no swap beside it; and what else it is to have", async () => {
      const asked = ["--memory", "512m", "--cpus", "0.07", "--shm-size", "4k", "--gpus", "2"];
      const { body } = await createdBy((port) => line(port, ...asked));
      assertEquals(body, {
        ...expected,
        HostConfig: {
          ...expected.HostConfig,
          Memory: 512 * 1024 ** 2,
          MemorySwap: 512 * 1024 ** 2,
          NanoCpus: 70_000_000,
          ShmSize: 4096,
          DeviceRequests: [{ Capabilities: [["gpu"]], Count: 2 }],
        },
      });
    });

    for (const network of command === "deploy" ? ["bridge"] : ["none", "host", "bridge", "db"]) {
      it(`is on the network ${network} when asked, and its name has an address there`, async () => {
        const { body } = await createdBy((port) => line(port, "--network", network));
        // Where the engine gives it none.
        const isAlone = network === "none" || network === "host";
        const HostConfig = {
          ...expected.HostConfig,
          NetworkMode: network,
          ...isAlone ? { ExtraHosts: ["algo-1:127.0.0.1"] } : {},
        };
        assertEquals(body, { ...expected, HostConfig });
      });
    }

    it("has with --strict what SageMaker has, and no more", async () => {
      const { body } = await createdBy((port) => line(port, "--strict"));
      const mounts: ReturnType<typeof mount>[] = body.HostConfig.Mounts;
      assertEquals(
        mounts.filter(({ Target }) => !/report$/.test(Target))
          .map(({ Source, Target, ReadOnly }) => `${Source}:${Target}${ReadOnly ? ":ro" : ""}`),
        STRICT_MOUNTS[command],
      );
      const told = body.Env.filter((one: string) => /^([MS][LM]_|MLCLI_MAX)/.test(one));
      assertEquals(told, command === "deploy" ? ["MLCLI_MAX_BODY_MB=6"] : []);
      assertEquals(body.HostConfig.ExtraHosts, []);
    });

    it("may gain privileges with --allow-privileges alone", async () => {
      const { SecurityOpt: _, ...without } = expected.HostConfig;
      const { body } = await createdBy((port) => line(port, "--allow-privileges"));
      assertEquals(body, { ...expected, HostConfig: without });
    });

    it("is of the image that the configuration names, with the tag of --docker-tag", async () => {
      const configuration = { image_name: "team/other", cloud_region: "eu-west-1" };
      const { body } = await createdBy((port) => line(port, "--docker-tag", "v2"), {}, {
        configuration,
      });
      assertEquals(body.Image, "team/other:v2");
      // Of the configuration, before whoever runs mlcli.
      const regions = body.Env.filter((variable: string) => variable.startsWith("AWS_"));
      assertEquals(regions, ["AWS_REGION=eu-west-1"]);
    });
  });
}

suite("what the engine removes by itself", () => {
  for (const [command, own] of COMMANDS.slice(0, 2)) {
    it(`is local ${command} not on Podman, which forgets how it ended`, async () => {
      const { body } = await createdBy(() => ["local", command, ...own], { isPodman: true });
      assertEquals(body.HostConfig.AutoRemove, false);
    });
  }
});

suite("the entry for host.docker.internal", () => {
  for (const [command, own] of COMMANDS) {
    // Podman adds the name to each container, and refuses Docker's word before 4.7:
    // https://github.com/containers/podman/issues/8466,
    // https://github.com/containers/podman/issues/22186; newer ones refuse it on some networks:
    // https://github.com/containers/podman/issues/22881.
    it(`local ${command} does not add host.docker.internal to a container on Podman`, async () => {
      const { body } = await createdBy(
        (port) => ["local", command, ...own, ...command === "deploy" ? [String(port)] : []],
        { isPodman: true },
      );
      assertEquals(body.HostConfig.ExtraHosts, []);
    });
  }
});

suite("the hosts of a server", () => {
  it("are those of --allow-host, too", async () => {
    const { body } = await createdBy((port) => [
      ...["local", "deploy", "--port", String(port), "--allow-host", "A.example"],
      ...["--allow-host", "b.example"],
    ]);
    assertEquals(body.Env.at(-1), `MLCLI_ALLOWED_HOSTS=${HOSTS} a.example b.example`);
  });
});

suite("data that the user names", () => {
  const inputOf = ({ body }: Awaited<ReturnType<typeof createdBy>>) => {
    const mounts: readonly ReturnType<typeof mount>[] = body.HostConfig.Mounts;
    const { ReadOnly, Source } = mounts.find(({ Target }) => /processing.input$/.test(Target))!;
    return [ReadOnly, Source];
  };

  it("is mounted read-only in the place of the layout's", async () => {
    const train = await createdBy(() => ["local", "train", "--input", "training=."]);
    const inputs = train.body.HostConfig.Mounts.filter(({ Target }: { Target: string }) =>
      Target.startsWith("/opt/ml/input")
    );
    const run = "BASE/local_test/jobs/APP-TIME";
    assertEquals(inputs.map(({ ReadOnly }: { ReadOnly: boolean }) => ReadOnly), [
      false,
      true,
      true,
    ]);
    assertEquals(inputs[0].Source, `${run}/input`);
    assertEquals([inputs[1].Target, inputs[1].Source], ["/opt/ml/input/data/training", "DIR"]);
    const process = await createdBy(() => ["local", "process", "-f", "p.py", "--input", "."]);
    assertEquals(inputOf(process), [true, "DIR"]);
  });

  it("is a copy with --copy-inputs, which the code may write to", async () => {
    const process = await createdBy(() => ["local", "process", "-f", "p.py", "--copy-inputs"]);
    assertEquals(inputOf(process), [false, "BASE/local_test/jobs/APP-TIME/input/input"]);
  });
});

/** Runs mlcli with these proxies in docker's configuration file, and returns those of the container. */
async function withProxies(
  proxies: unknown,
  args: (port: number) => readonly string[],
  play: Play = {},
): Promise<{ readonly proxies: readonly string[]; readonly stderr: string }> {
  await using directory = await makeDirectory();
  await Deno.writeTextFile(`${directory.path}/config.json`, JSON.stringify({ proxies }));
  const env = { DOCKER_CONFIG: directory.path };
  const { body, stderr } = await createdBy(args, play, {}, env);
  return {
    proxies: body.Env.filter((one: string) => /_proxy=/i.test(one)),
    stderr: stderr.replaceAll(directory.path, "DOCKER"),
  };
}

suite("the proxies of docker's configuration file", () => {
  const PROXY = "http://me:secret@proxy:3128";
  const DEFAULT = { default: { httpProxy: PROXY, noProxy: "corp" } };
  const LOCAL = "corp,localhost,127.0.0.1,host.docker.internal";

  // https://github.com/docker/compose/issues/6640, https://github.com/docker/for-linux/issues/369
  for (const [command, own] of COMMANDS) {
    const line = (port: number, ...more: readonly string[]) => [
      ...["local", command, ...own, ...(command === "deploy" ? [String(port)] : []), ...more],
    ];
    const exceptions = command === "deploy" ? LOCAL : `${LOCAL},algo-1`;

    it(`local ${command} passes proxies to the container, and prints no password`, async () => {
      const { proxies, stderr } = await withProxies(DEFAULT, (port) => line(port));
      assertEquals(proxies.toSorted(), [
        `HTTP_PROXY=${PROXY}`,
        `NO_PROXY=${exceptions}`,
        `http_proxy=${PROXY}`,
        `no_proxy=${exceptions}`,
      ]);
      assertEquals(stderr.includes("secret"), false);
    });

    it(`local ${command} --strict passes no proxies to the container`, async () => {
      const { proxies } = await withProxies(DEFAULT, (port) => line(port, "--strict"));
      assertEquals(proxies, []);
    });
  }

  // https://github.com/docker/compose/issues/5903
  for (
    const option of [["--network", "none"], ["--network-isolation"], ["--no-network-settings"]]
  ) {
    it(`local train ${option.join(" ")} passes no proxies to the container`, async () => {
      const { proxies } = await withProxies(DEFAULT, () => ["local", "train", ...option]);
      assertEquals(proxies, []);
    });
  }

  // https://github.com/docker/docs/issues/10213
  it("--env replaces a proxy in both spellings", async () => {
    const { proxies } = await withProxies(
      DEFAULT,
      () => ["local", "train", "--env", "http_proxy=http://mine", "--env", "NO_PROXY=x"],
    );
    assertEquals(proxies, ["http_proxy=http://mine", "NO_PROXY=x"]);
  });

  it("local train warns of a proxy that containers cannot reach, and passes it on", async () => {
    const local = { default: { httpsProxy: "http://127.0.0.1:3128" } };
    const run = (...more: readonly string[]) =>
      withProxies(local, () => ["local", "train", ...more]);
    const { proxies, stderr } = await run();
    assertEquals(proxies.includes("HTTPS_PROXY=http://127.0.0.1:3128"), true);
    assertStringIncludes(
      stderr,
      "warning: DOCKER/config.json sets a proxy on this machine (127.0.0.1), which containers " +
        "cannot reach\nhint: Configure the proxy to listen on an address that containers can reach",
    );
    for (const more of [["--network", "host"], ["--env", "https_proxy="]]) {
      const { stderr } = await run(...more);
      assertEquals(stderr.includes("names a proxy"), false, stderr);
    }
  });

  // https://github.com/docker/cli/issues/507
  it("local train ignores proxies outside of an engine's object, with a warning", async () => {
    const { proxies, stderr } = await withProxies(
      { httpProxy: PROXY },
      () => ["local", "train"],
    );
    assertEquals(proxies, []);
    assertStringIncludes(
      stderr,
      'warning: Ignored the proxy addresses outside "default" in DOCKER/config.json\nhint: Move them ' +
        'into "default"',
    );
  });

  it("local shell passes proxies to the container of each role", async () => {
    for (const role of ["train", "process", "serve"]) {
      const args = () => ["local", "shell", role, "--", "true"];
      const { proxies } = await withProxies(DEFAULT, args, {
        onInput: () => {},
        program: ({ end }) => end(0),
      });
      assertEquals(proxies.includes(`HTTP_PROXY=${PROXY}`), true, role);
    }
  });

  // https://github.com/docker/compose/issues/11433
  it("local train passes proxies to each host, with the other hosts in no_proxy", async () => {
    await using directory = await makeDirectory({
      "config.json": JSON.stringify({ proxies: DEFAULT }),
    });
    await using app = await completeApp();
    await using engine = await fakeContainers({ program: ({ end }) => end(0) });
    const env = { DOCKER_CONFIG: directory.path };
    const args = ["local", "train", "--instance-count", "2"];
    const result = await runInProcess(args, { cwd: app.directory, env, engine });
    assertEquals(result.code, 0, result.stderr);
    for (const { Env } of engine.created) {
      assertEquals(Env!.includes(`no_proxy=${LOCAL},algo-1,algo-2`), true);
    }
    assertEquals(engine.created.length, 2);
  });

  it("local train uses the proxies of the engine's address", async () => {
    await using directory = await makeDirectory();
    await using app = await completeApp();
    await using engine = await fakeContainers({ program: ({ end }) => end(0) });
    const proxies = { [`unix://${engine.socket}`]: { allProxy: "socks5://near:1080" }, ...DEFAULT };
    await Deno.writeTextFile(`${directory.path}/config.json`, JSON.stringify({ proxies }));
    const env = { DOCKER_CONFIG: directory.path };
    const result = await runInProcess(["local", "train"], { cwd: app.directory, env, engine });
    assertEquals(result.code, 0, result.stderr);
    const given = engine.created[0]!.Env!.filter((one: string) => /^[A-Z]+_PROXY=/.test(one));
    assertEquals(given.toSorted(), [
      "ALL_PROXY=socks5://near:1080",
      "NO_PROXY=localhost,127.0.0.1,host.docker.internal,algo-1",
    ]);
  });
});
