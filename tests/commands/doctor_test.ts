import { assert, assertEquals, assertMatch } from "@std/assert";
import { ok } from "../../runtime/doctor/check.ts";
import { roomCheck } from "../../runtime/doctor/engine_checks.ts";
import { completeApp, makeApp, type TestApp } from "../helpers/app.ts";
import { type Answers, fakeEngine, pong, refusal } from "../helpers/fake_engine.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { runCloud } from "../helpers/cloud.ts";
import { runInProcess } from "../helpers/in_process.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { NO_FILES, withFilesLabel } from "../helpers/files_label.ts";
import { Box } from "../helpers/box/box.ts";
import { Refused } from "../helpers/box/service.ts";
import { it, suite } from "../helpers/suite.ts";

/** What the fake engine says; the rest is as it should be. */
interface Says {
  readonly version?: Readonly<Record<string, unknown>>;
  readonly info?: Readonly<Record<string, unknown>>;
  /** Undefined: there is no image. */
  readonly image?: Readonly<Record<string, unknown>>;
  readonly containers?: readonly unknown[];
  /** Why a container with an init does not start; undefined: it does. */
  readonly noInit?: string;
  /** Whose the engine's socket is; undefined: of who runs the tests. */
  readonly owner?: number;
}

/** Of a Dockerfile of the user's own, built by mlcli: an engine's init does not matter to it. */
const LABELS = {
  // Nobody's: apps of any name use it.
  "mlcli.app": "",
  "com.amazonaws.sagemaker.capabilities.accept-bind-to-port": "true",
};
const IMAGE = {
  Os: "linux",
  Architecture: "amd64",
  Config: { Entrypoint: ["/start.sh"], Labels: LABELS },
};

/** With mlcli's harness. */
const OURS = { ...IMAGE, Config: { Entrypoint: ["/opt/mlcli/entrypoint"], Labels: LABELS } };

const FOREIGN = { ...IMAGE, Config: { Entrypoint: ["/bin/sh", "-c", "python /x.py"] } };

function ownApp(configuration: Readonly<Record<string, unknown>> = {}): Promise<TestApp> {
  return completeApp({ configuration: { requirements: "requirements.txt", ...configuration } });
}

async function doctor(
  app: TestApp,
  says: Says,
  ...args: readonly string[]
): Promise<ProgramResult> {
  const answers: Answers = {
    "GET /_ping": () => pong("1.41"),
    "GET /version": () =>
      Response.json({ Version: "20.10.24", ApiVersion: "1.41", Arch: "amd64", ...says.version }),
    "GET /info": () => Response.json(says.info ?? { Name: "elsewhere", DockerRootDir: "/x" }),
    // As newer Podman does, which does not know the filter `publish`.
    "GET /containers/json": ({ url }) =>
      new URL(url).searchParams.has("filters")
        ? refusal(500, 'unknown filter "publish"')
        : Response.json(says.containers ?? []),
    [`GET /images/${app.name}%3Alatest/json`]: () =>
      says.image ? Response.json(says.image) : refusal(404, "No such image"),
    "POST /containers/create": () => Response.json({ Id: "1" }, { status: 201 }),
    "POST /containers/1/start": () =>
      says.noInit ? refusal(400, says.noInit) : new Response(null, { status: 204 }),
    "DELETE /containers/1": () => new Response(null, { status: 204 }),
    // So no container looks a name up.
    "GET /networks": () => refusal(403, "not here"),
  };
  await using engine = await fakeEngine(answers);
  if (says.owner !== undefined) await Deno.chown(engine.socket, says.owner, says.owner);
  return await runInProcess(["doctor", ...args], { cwd: app.directory, engine });
}

/** A container that has the port: whatever the machine of the tests has there does not matter. */
const SERVER = {
  Id: "1",
  Names: ["/mlcli-demo-serve-8080"],
  Labels: { "mlcli.role": "serve", "mlcli.app": "demo", "mlcli.port": "8080" },
  Ports: [{ PrivatePort: 8080, Type: "tcp" }, { IP: "127.0.0.1", PublicPort: 8080 }],
};

/** Others whose ports have nothing to do with this machine's 8080; null is Podman's way. */
const OTHERS = [
  { Id: "2", Names: null, Labels: null, Ports: null },
  { Id: "3", Names: ["/inside"], Labels: {}, Ports: [{ PrivatePort: 8080, Type: "tcp" }] },
  { Id: "4", Names: ["/elsewhere"], Labels: {}, Ports: [{ IP: "192.0.2.7", PublicPort: 8080 }] },
  { Id: "5", Names: ["/other"], Labels: {}, Ports: [{ IP: "0.0.0.0", PublicPort: 8081 }] },
];

const GOOD: Says = { image: IMAGE, containers: [...OTHERS, SERVER] };

suite("mlcli doctor", () => {
  it("says in a line each that all is well", async () => {
    await using app = await ownApp();
    const Config = { ...IMAGE.Config, Labels: await withFilesLabel(app, LABELS) };
    const { code, stdout, stderr } = await doctor(app, { ...GOOD, image: { ...IMAGE, Config } });
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertMatch(stdout, /^ok {7}Engine 20\.10\.24 \(API 1\.41\) at unix:\/\/\S+ \(DOCKER_HOST\)\n/);
    assertMatch(
      stdout,
      /^unknown {2}Free disk space cannot be determined: the engine runs on another machine or in a VM\n {9}hint: /m,
    );
    assertMatch(
      stdout,
      new RegExp(`^ok {7}Image ${app.name}:latest is up to date with the app's files$`, "m"),
    );
    assertMatch(stdout, /^ok {7}Port 8080 is in use by the server of app demo$/m);
    assertMatch(stdout, /\nok {7}Found no differences from SageMaker\n$/);
    assertEquals(stdout.includes("warning"), false);
  });

  it("says in one block at the end what would differ on SageMaker", async () => {
    await using app = await ownApp();
    await app.write(app.testPath("input/data/my data/x.csv"), "1\n");
    const { code, stdout, stderr } = await doctor(app, {
      ...GOOD,
      image: {
        ...OURS,
        Architecture: "arm64",
        Config: { ...OURS.Config, Labels: { ...LABELS, ...NO_FILES } },
      },
      noInit: 'exec: "docker-init": executable file not found in $PATH',
    });
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    const [before, block, ...more] = stdout.split("\nDifferences from SageMaker:\n");
    assertEquals(more, []);
    assertEquals(before!.includes("warning"), false, before);
    const findings = block!.split("\n").filter((line) => /^\w/.test(line));
    const expected = [
      /^warning {2}Files changed since \S+:latest was built: mlcli's harness, \S+, \S+ and 3 more$/,
      /^warning {2}Containers have no init process/,
      /^warning {2}\S+:latest is for linux\/arm64, /,
      /^warning {2}SageMaker rejects these channel names: "my data"$/,
    ];
    assertEquals(findings.length, expected.length, block);
    for (const [index, pattern] of expected.entries()) assertMatch(findings[index]!, pattern);
    assertEquals(block!.match(/^ {9}hint: /gm)?.length, expected.length, block);
  });

  it("does not tell to build over an image that mlcli did not build", async () => {
    await using app = await ownApp();
    // Nor does it miss what such an image has no use for, and what would hide the code in it.
    for (const path of ["training", "prediction", "Dockerfile"]) {
      await Deno.remove(app.path(path), { recursive: true });
    }
    const { code, stdout, stderr } = await doctor(app, {
      ...GOOD,
      image: { ...FOREIGN, Created: "2020-01-01T00:00:00Z", Architecture: "s390x" },
    });
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertMatch(stdout, /^ok {7}Image \S+:latest exists \(not built by mlcli\)$/m);
    assertEquals(stdout.includes("File not found"), false, stdout);
    const [, block] = stdout.split("\nDifferences from SageMaker:\n");
    const heads = block!.split("\n").filter((line) => /^\w/.test(line));
    const expected = [
      /which SageMaker does not support$/,
      /is a shell/,
      /: label com\.amazonaws/,
    ];
    assertEquals(heads.length, expected.length, block);
    for (const [index, pattern] of expected.entries()) assertMatch(heads[index]!, pattern);
    assertEquals(/mlcli build/.test(stdout.replace("mlcli did not build it", "")), false, stdout);
  });

  const findings: readonly (readonly [title: string, says: Says, code: number, line: RegExp])[] = [
    [
      "an engine that is too old",
      { ...GOOD, version: { Version: "19.03.1", ApiVersion: "1.40" } },
      1,
      /^problem {2}Engine 19\.03\.1 \(API 1\.40\) .* is too old\n {9}hint: .*20\.10/,
    ],
    [
      "an engine without an init",
      { ...GOOD, image: OURS, noInit: 'exec: "docker-init": executable file not found in $PATH' },
      0,
      /^warning {2}Containers have no init process.*\n {9}hint: .*tini.*catatonit/m,
    ],
    [
      "a container on the port that has its image's labels",
      { ...GOOD, containers: [{ ...SERVER, Names: ["/somebodys"] }] },
      0,
      /^warning {2}Port 8080 is in use by container somebodys$/m,
    ],
    [
      "a rootless engine",
      { ...GOOD, info: { SecurityOptions: ["name=seccomp,profile=default", "name=rootless"] } },
      0,
      /^ok {7}The engine is rootless/m,
    ],
    // Only root gives something away.
    ...(Deno.uid() !== 0 ? [] : [
      [
        "a rootless engine of another user",
        { ...GOOD, owner: 54_321, info: { SecurityOptions: ["name=rootless"] } },
        0,
        /^warning {2}The engine is rootless and belongs to user 54321, .*\n {9}hint: /m,
      ] as const,
    ]),
    [
      "a user namespace",
      { ...GOOD, info: { SecurityOptions: ["name=userns"] } },
      0,
      /^ok {7}The engine remaps user IDs .* --userns=host for containers that mount your files$/m,
    ],
    [
      "SELinux",
      { ...GOOD, info: { SecurityOptions: ["name=selinux"] } },
      0,
      /^ok {7}The engine uses SELinux; .* label=disable for containers that mount your files$/m,
    ],
    [
      "an engine that cannot limit memory",
      { ...GOOD, info: { SecurityOptions: ["name=rootless"], MemoryLimit: false } },
      0,
      /^warning {2}The engine cannot limit memory, .*\n {9}hint: .*cgroup v2/m,
    ],
    [
      "rootless Podman that limits nothing",
      { ...GOOD, info: { Rootless: true, CgroupVersion: "1" } },
      0,
      /^ok {7}The engine is rootless.*\n(?:.*\n)*?warning {2}The engine cannot limit memory, CPUs, processes, so /m,
    ],
    [
      "no image",
      { ...GOOD, image: undefined },
      1,
      /^problem {2}Image not found: .*:latest\n.*build/m,
    ],
    [
      "another app's image",
      {
        ...GOOD,
        image: { ...IMAGE, Config: { ...IMAGE.Config, Labels: { "mlcli.app": "payments" } } },
      },
      1,
      /^problem {2}\S+:latest belongs to another app: payments\n {9}hint: Set another image_name/m,
    ],
    [
      "a port that another container has",
      { ...GOOD, containers: [{ ...SERVER, Labels: {} }] },
      0,
      /^warning {2}Port 8080 is in use by container mlcli-demo-serve-8080\n {9}hint: Run docker stop mlcli-demo-serve-8080/m,
    ],
  ];
  for (const IP of ["0.0.0.0", "::", "::1", "", undefined]) {
    it(`finds a container that has the port on ${IP || "all addresses, by no word"}`, async () => {
      await using app = await ownApp();
      const container = { ...SERVER, Labels: null, Ports: [{ IP, PublicPort: 8080 }] };
      const { stdout } = await doctor(app, { ...GOOD, containers: [...OTHERS, container] });
      assertMatch(stdout, /^warning {2}Port 8080 is in use by container mlcli-demo-serve-8080$/m);
    });
  }

  it("reports an answer that no engine gives", async () => {
    await using app = await ownApp();
    const { code, stdout, stderr } = await doctor(app, {
      ...GOOD,
      version: { ApiVersion: undefined },
    });
    assertEquals({ code, stderr }, { code: 1, stderr: "error: 1 of 6 checks failed\n" });
    assertMatch(
      stdout,
      /^problem {2}Unexpected response from the Docker Engine \(GET \/version\)$/m,
    );
  });

  for (const [title, says, status, line] of findings) {
    it(`finds ${title}`, async () => {
      await using app = await ownApp();
      const { code, stdout } = await doctor(app, says);
      assertMatch(stdout, line);
      assertEquals(code, status);
    });
  }

  it("finds what the app lacks: the test directory is in the way, the rest may be wanted later", async () => {
    await using app = await makeApp();
    const incomplete = await doctor(app, GOOD);
    assertEquals(incomplete.code, 0);
    for (const missing of ["Dockerfile", "requirements.txt", "training.py", "serve"]) {
      assertMatch(
        incomplete.stdout,
        new RegExp(`^warning {2}File not found: \\S*${missing}\\n`, "m"),
      );
    }
    assertMatch(incomplete.stdout, /^warning {2}Model not found: /m);
    await Deno.remove(app.testPath(), { recursive: true });
    const { code, stdout, stderr } = await doctor(app, GOOD);
    assertEquals(code, 1);
    assertMatch(stdout, /^problem {2}Not a valid mlcli directory: /m);
    assertMatch(stderr, /^error: 1 of \d+ checks failed\n$/);
  });

  it("says what stands in the way where there is neither an engine nor an app", async () => {
    await using app = await makeApp();
    await Deno.remove(`${app.directory}/${app.name}.json`);
    await Deno.remove(`${app.directory}/${app.name}`, { recursive: true });
    const { code, stdout, stderr } = await app.run(["doctor"], {
      env: { DOCKER_HOST: "unix:///nonexistent.sock" },
    });
    assertEquals({ code, stderr }, { code: 1, stderr: "error: 1 of 2 checks failed\n" });
    assertMatch(
      stdout,
      /^problem {2}Cannot connect to a Docker Engine\n {9}unix:\/\/\/nonexistent\.sock/,
    );
    // Whoever has made none yet misses nothing.
    assertMatch(stdout, /^warning {2}Not a valid mlcli directory/m);
  });

  it("prints the same as JSON", async () => {
    await using app = await ownApp();
    const { code, stdout } = await doctor(app, { ...GOOD, image: undefined }, "--output", "json");
    assertEquals(code, 1);
    const checks: { name: string; status: string }[] = JSON.parse(stdout);
    assertEquals(
      checks.map(({ name, status }) => `${name} ${status}`),
      [
        "engine ok",
        "rootless ok",
        "disk unknown",
        "app ok",
        "layout ok",
        "image problem",
        "port ok",
      ],
    );
    assert(checks.every((check) => Object.keys(check).join() === "name,status,message,hint"));
  });

  it("asks the service with --cloud alone", async () => {
    await using app = await ownApp();
    await using aws = await Box.open();
    const cwd = app.directory;
    const env = { DOCKER_HOST: "unix:///nonexistent.sock" };
    const without = await runCloud(aws, ["doctor"], { cwd, env });
    assertEquals(without.stdout.includes("credentials"), false);

    const withCloud = await runCloud(aws, ["doctor", "--cloud"], { cwd, env });
    assertMatch(
      withCloud.stdout,
      /^ok {7}The credentials from AWS_ACCESS_KEY_ID belong to arn:aws:iam::\d+:user\//m,
    );
    assertMatch(withCloud.stdout, /^ok {7}Connected to SageMaker in \S+ \(.+\)$/m);
    assertMatch(
      withCloud.stdout,
      /^warning {2}No execution role is set, .*\n {9}hint: /m,
    );
    aws.faults.deny("sagemaker:ListEndpoints");
    const denied = await runCloud(aws, ["doctor", "--cloud"], { cwd, env });
    assertMatch(denied.stdout, /^ok {7}The credentials from AWS_ACCESS_KEY_ID /m);
    assertMatch(denied.stdout, /^problem {2}AccessDeniedException: sagemaker:ListEndpoints/m);
    const noRegion = { ...env, AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined };
    const nowhere = await runCloud(aws, ["doctor", "--cloud"], { cwd, env: noRegion });
    assertEquals(nowhere.code, 1);
    assertMatch(nowhere.stdout, /^problem {2}No AWS region is set\n {9}hint: /m);
  });

  it("needs neither an app nor an engine for the way to SageMaker", async () => {
    await using aws = await Box.open();
    await using directory = await makeDirectory();
    const cwd = directory.path;
    const role = "arn:aws:iam::123456789012:role/SageMakerRole";
    const env = { DOCKER_HOST: "unix:///nonexistent.sock", MLCLI_EXECUTION_ROLE: role };
    const { code, stdout, stderr } = await runCloud(aws, ["doctor", "--cloud"], { cwd, env });
    assertEquals([code, stderr], [0, ""], stdout);
    assertMatch(stdout, /^warning {2}Cannot connect to a Docker Engine\n/);
    assertMatch(stdout, /^warning {2}Not a valid mlcli directory: /m);
    assertMatch(stdout, /^ok {7}The credentials from AWS_ACCESS_KEY_ID belong to /m);
    assertMatch(stdout, /^ok {7}Connected to SageMaker in /m);
    assertEquals(
      stdout.includes(`ok       Jobs and endpoints run as ${role} (MLCLI_EXECUTION_ROLE)\n`),
      true,
      stdout,
    );
    // An app that is named has to be there.
    const named = await runCloud(aws, ["doctor", "--cloud", "-a", "churn"], { cwd, env });
    assertEquals(named.code, 1);
  });

  it("says who names the role that jobs would run as", async () => {
    const role = (name: string) => `arn:aws:iam::123456789012:role/${name}`;
    await using app = await ownApp({ execution_role: role("File") });
    await using other = await ownApp();
    await using aws = await Box.open();
    aws.roles.add(role("Option"));
    aws.roles.add(role("Acting"));
    const option = ["--iam-role-arn", role("Option")];
    const all = { MLCLI_EXECUTION_ROLE: role("Variable"), PLATFORM_ROLE: role("Acting") };
    for (
      const [cwd, args, env, expected] of [
        [app.directory, option, {}, `${role("File")} (execution_role in ${app.name}.json)`],
        [app.directory, option, all, `${role("Variable")} (MLCLI_EXECUTION_ROLE)`],
        [other.directory, option, all, `${role("Variable")} (MLCLI_EXECUTION_ROLE)`],
        [other.directory, option, {}, `${role("Option")} (--iam-role-arn)`],
        [
          other.directory,
          [],
          { PLATFORM_ROLE: role("Acting") },
          `${role("Acting")} (PLATFORM_ROLE)`,
        ],
      ] as const
    ) {
      const { stdout } = await runCloud(aws, ["doctor", "--cloud", ...args], {
        cwd,
        env: { DOCKER_HOST: "unix:///nonexistent.sock", ...env },
      });
      assert(stdout.includes(`ok       Jobs and endpoints run as ${expected}\n`), stdout);
    }
  });

  it("looks at another port, and knows serve.py", async () => {
    await using app = await ownApp();
    await Deno.rename(app.path("prediction/serve"), app.path("prediction/serve.py"));
    const container = { ...SERVER, Labels: {}, Ports: [{ IP: "127.0.0.1", PublicPort: 8099 }] };
    const says = { ...GOOD, containers: [container] };
    const { code, stdout } = await doctor(app, says, "--port", "8099");
    assertEquals([code, stdout.includes("File not found")], [0, false], stdout);
    assertMatch(stdout, /^warning {2}Port 8099 is in use by container mlcli-demo-serve-8080$/m);
    assertEquals(stdout.includes("8080 is"), false);
  });

  it("says how an image of the user's own gets here, where there is no Dockerfile", async () => {
    await using app = await ownApp();
    await Deno.remove(app.path("Dockerfile"));
    const { stdout } = await doctor(app, { ...GOOD, image: undefined });
    const hint = `hint: Run mlcli init ${app.name}, then mlcli build, or pull it: docker pull ` +
      `${app.name}:latest`;
    assert(
      stdout.includes(`problem  Image not found: ${app.name}:latest\n         ${hint}\n`),
      stdout,
    );
  });

  it("prints nothing secret, though the service repeats it", async () => {
    await using app = await ownApp();
    await using aws = await Box.open();
    const secret = aws.env()["AWS_SECRET_ACCESS_KEY"]!;
    aws.faults.refuse(
      "sagemaker:ListEndpoints",
      new Refused("ValidationException", `Denied to ${secret}, as it is`),
    );
    for (const format of [[], ["--output", "json"]]) {
      const { code, stdout, stderr } = await runCloud(aws, ["doctor", "--cloud", ...format], {
        cwd: app.directory,
        env: { DOCKER_HOST: "unix:///nonexistent.sock", MLCLI_DEBUG: "1" },
      });
      assertEquals(code, 1);
      assertMatch(stdout, /Denied to .*, as it is/);
      assertEquals(`${stdout}${stderr}`.includes(secret), false);
    }
  });

  it("doctor reports a disk with little free space", () => {
    const gigabyte = 1e9;
    assertEquals(roomCheck("/x", 5 * gigabyte), ok("5.0 GB of disk space free in /x"));
    assertEquals(roomCheck("/x", gigabyte).level, "warning");
    assertEquals(roomCheck("/x", gigabyte / 4).level, "error");
  });
});

/** Listens on a port of this machine, as another program would. */
function otherProgram(): Deno.TcpListener {
  return Deno.listen({ hostname: "127.0.0.1", port: 0 });
}

suite("mlcli doctor: this machine's engine and another's", () => {
  // The name can be the same, such as the name of a container in which mlcli uses the engine.
  const info = { Name: Deno.hostname(), DockerRootDir: Deno.cwd() };
  const here = { ...GOOD, containers: [], info };

  it("looks neither at the disk nor at the port for an engine on the network", async () => {
    await using app = await ownApp();
    using taken = otherProgram();
    const answers: Readonly<Record<string, unknown>> = {
      "GET /version": { Version: "20.10.24", ApiVersion: "1.41", Arch: "amd64" },
      "GET /info": here.info,
      "GET /containers/json": [],
      [`GET /images/${app.name}%3Alatest/json`]: IMAGE,
    };
    const listen = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    await using far = Deno.serve(listen, ({ method, url }) => {
      const call = `${method} ${new URL(url).pathname.replace(/^\/v[\d.]+/, "")}`;
      if (call === "GET /_ping") return pong("1.41");
      return call in answers ? Response.json(answers[call]) : new Response(call, { status: 599 });
    });
    const env = { DOCKER_HOST: `tcp://127.0.0.1:${far.addr.port}` };
    const port = String(taken.addr.port);
    const { code, stdout, stderr } = await app.run(["doctor", "--port", port], { env });
    assertEquals([code, stderr], [0, ""]);
    assertMatch(stdout, /^ok {7}Engine 20\.10\.24 \(API 1\.41\) at tcp:\/\/\S+ \(DOCKER_HOST\)\n/);
    assertMatch(
      stdout,
      /^unknown {2}Free disk space cannot be determined: the engine runs on another machine or in a VM\n {9}hint: See how much disk space images use: docker system df/m,
    );
    assertMatch(stdout, new RegExp(`^ok {7}Port ${port} is free$`, "m"));
    assertEquals(stdout.includes("warning"), false);
  });

  it("looks at both for the one on this machine", async () => {
    await using app = await ownApp();
    using taken = otherProgram();
    const port = String(taken.addr.port);
    const { stdout } = await doctor(app, here, "--port", port);
    assertMatch(
      stdout,
      /^(ok {7}|warning {2}|problem {2})(Only )?\d+\.\d GB of disk space (is )?free in \//m,
    );
    assertMatch(
      stdout,
      new RegExp(
        `^warning {2}Port ${port} is in use by another program\\n {9}hint: .* free port: mlcli local deploy --port 0`,
        "m",
      ),
    );
  });

  it("says which directory of the engine cannot be looked at", async () => {
    await using app = await ownApp();
    const { stdout } = await doctor(app, {
      ...here,
      info: { ...info, DockerRootDir: "/nonexistent/x" },
    });
    assertMatch(
      stdout,
      /^unknown {2}Free disk space in \/nonexistent\/x cannot be determined: .*\n {9}hint: Check it: df -h \/nonexistent\/x/m,
    );
  });

  for (const told of [{ ...info, Name: "elsewhere" }, { Name: info.Name }, {}]) {
    it(`knows of no disk by ${Object.keys(told).join(" and ") || "nothing"}`, async () => {
      await using app = await ownApp();
      const { stdout } = await doctor(app, { ...here, info: told });
      assertMatch(
        stdout,
        /^unknown {2}Free disk space cannot be determined: the engine runs on another machine or in a VM$/m,
      );
    });
  }
});
