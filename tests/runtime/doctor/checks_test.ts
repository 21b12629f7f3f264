import { assertEquals, assertMatch } from "@std/assert";
import { VERSION } from "../../../runtime/version.ts";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import {
  type FakeContainer,
  type FakeContainers,
  fakeContainers,
  FOREIGN_IMAGE,
  HARNESS_IMAGE,
  type Play,
} from "../../helpers/fake_containers.ts";
import { done, never, refusal } from "../../helpers/fake_engine.ts";
import { withFilesLabel } from "../../helpers/files_label.ts";
import { Keys, runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

interface Check {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly hint: string | null;
}

interface Findings {
  readonly code: number;
  readonly all: readonly Check[];
  readonly checks: Readonly<Record<string, Check>>;
  readonly engine: FakeContainers;
}

/** Somebody's container on the port that is checked, so that the machine's own does not matter. */
const PORT = { Ports: [{ PublicPort: 8080 }], Id: "other", Names: ["/web"] } as never;

async function doctor(
  { answers, ...play }: Play,
  prepare: (app: TestApp) => Promise<void> = () => Promise.resolve(),
  more: readonly string[] = [],
): Promise<Findings> {
  await using app = await completeApp({ configuration: { requirements: "requirements.txt" } });
  await prepare(app);
  await using engine = await fakeContainers({
    containers: [PORT],
    answers: {
      "GET /version": () =>
        Response.json({ Version: "20.10.24", ApiVersion: "1.41", Arch: "amd64" }),
      ...answers,
    },
    ...play,
  });
  const args = ["doctor", "--output", "json", ...more];
  const { code, stdout } = await runInProcess(args, { cwd: app.directory, engine });
  const all = JSON.parse(stdout) as Check[];
  return { code, all, checks: Object.fromEntries(all.map((one) => [one.name, one])), engine };
}

const image = (details: Readonly<Record<string, unknown>>) => ({
  "GET /images/NAME/json": () =>
    Response.json({
      Created: "2100-01-01T00:00:00Z",
      Os: "linux",
      Architecture: "amd64",
      Config: HARNESS_IMAGE,
      ...details,
    }),
});

suite("the doctor's container with an init", () => {
  it("does nothing, may do nothing, and is removed", async () => {
    const { checks, engine } = await doctor({ answers: image({}) });
    assertEquals(checks["init"]?.status, "ok");
    const [{ Image, ...body }, ...more] = engine.created.filter(({ Entrypoint }) =>
      Entrypoint[0] === "true"
    );
    assertEquals(more, []);
    assertMatch(Image, /^test-\w+:latest$/);
    const labels = {
      "mlcli.app": "",
      "mlcli.directory": "",
      "mlcli.role": "",
      "mlcli.port": "",
      "mlcli.model": "",
      "mlcli.made-of": "",
      "mlcli.owner": `${Deno.pid} ${Deno.hostname()}`,
    };
    assertEquals(body, {
      Entrypoint: ["true"],
      Cmd: [],
      Labels: { ...labels, "mlcli.version": VERSION },
      HostConfig: {
        AutoRemove: false,
        LogConfig: { Type: "none" },
        NetworkMode: "none",
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
        Init: true,
        Mounts: [],
      },
    });
    assertEquals(engine.callsOf("DELETE /containers/ID").map(({ query }) => query), [
      { force: "1", v: "1" },
    ]);
    assertEquals(engine.left, []);
  });

  it("is not made for an image of somebody else's", async () => {
    const { checks, engine } = await doctor({ answers: image({ Config: FOREIGN_IMAGE }) });
    assertEquals([checks["init"], engine.created], [undefined, []]);
  });

  for (
    const [title, status, reason, found] of [
      ["has no init", 400, 'exec: "docker-init": executable file not found in $PATH', "warning"],
      ["refuses for another reason", 500, "no space left on device", "problem"],
    ] as const
  ) {
    it(`is removed where the engine ${title}`, async () => {
      const answers = {
        ...image({}),
        "POST /containers/ID/start": () => refusal(status, reason),
      };
      const { code, checks, engine } = await doctor({ answers });
      assertEquals([checks["init"]?.status, engine.left], [found, []]);
      assertEquals(code, found === "problem" ? 1 : 0);
    });
  }

  it("removes its container when Ctrl-C ends another check", async () => {
    const keys = new Keys();
    const start = () => (keys.press(), done());
    const answers = { ...image({}), "GET /version": never, "POST /containers/ID/start": start };
    await using app = await completeApp();
    await using engine = await fakeContainers({ answers });
    const { code } = await runInProcess(["doctor"], { cwd: app.directory, engine, keys });
    assertEquals([code, engine.created.length, engine.left], [130, 1, []]);
  });
});

suite("the doctor's check of the default log driver", () => {
  for (const [driver, status] of [["none", "warning"], ["json-file", undefined]] as const) {
    it(`doctor reports ${status ?? "nothing"} if the default log driver is ${driver}`, async () => {
      const answers = { "GET /info": () => Response.json({ LoggingDriver: driver }) };
      const { checks } = await doctor({ answers });
      assertEquals(checks["log driver"]?.status, status);
    });
  }
});

suite("the doctor's lookup of a name", () => {
  for (
    const [status, isPodman, found, message] of [
      [0, false, "ok", /^Containers find each other by name$/],
      [
        2,
        false,
        "warning",
        /^Containers cannot find each other by name, so runs on several hosts fail$/,
      ],
      [2, true, "ok", /fixed addresses/],
    ] as const
  ) {
    it(`that ends with ${status} ${isPodman ? "on Podman" : "on Docker"}: ${found}`, async () => {
      const program = ({ body, end }: FakeContainer) =>
        end(body.Entrypoint![0] === "getent" ? status : 0);
      const { checks, engine } = await doctor({ isPodman, answers: image({}), program });
      assertEquals(checks["hosts"]?.status, found);
      assertMatch(checks["hosts"]!.message, message);
      const body = engine.created.find(({ Entrypoint }) => Entrypoint[0] === "getent");
      const network = body.HostConfig.NetworkMode;
      const { Aliases } = body.NetworkingConfig.EndpointsConfig[network];
      // Its own host name is in /etc/hosts: the network alone knows this one.
      const named = { Cmd: ["hosts", "algo-1"], Aliases: ["algo-1"], Hostname: undefined };
      assertEquals({ Cmd: body.Cmd, Aliases, Hostname: body.Hostname }, named);
      assertEquals([engine.left, engine.networks], [[], []]);
    });
  }

  it("is not known where the engine makes no network", async () => {
    const answers = { ...image({}), "POST /networks/create": () => refusal(403, "not here") };
    const { checks } = await doctor({ answers });
    assertEquals([checks["hosts"]?.status, checks["init"]?.status], ["unknown", "ok"]);
  });
});

suite("the doctor's view of the channels", () => {
  const without = (app: TestApp, path = "input/data/training"): Promise<void> =>
    Deno.remove(app.testPath(path), { recursive: true });

  it("takes one of any name", async () => {
    const { checks } = await doctor({}, async (app) => {
      await without(app);
      await app.write(app.testPath("input/data/train/rows.csv"), "1");
    });
    assertEquals([checks["training data"], checks["layout"]?.status], [undefined, "ok"]);
  });

  for (const gone of ["input/data/training", "input"]) {
    it(`names where data belongs where there is no ${gone}`, async () => {
      const { checks } = await doctor({}, (app) => without(app, gone));
      const { status, message } = checks["training data"]!;
      assertEquals(status, "warning");
      assertMatch(message, /^No such file or directory: .*data.training \(training data\)$/);
    });
  }

  it("finds one that leads out of the repository, once", async () => {
    for (const [channel, name] of [["training", "links"], ["eval", "training data"]] as const) {
      const { checks } = await doctor({}, async (app) => {
        await without(app);
        await Deno.symlink("/usr", app.testPath("input/data", channel));
      });
      assertMatch(checks[name]?.message ?? "", new RegExp(`data.${channel} points outside `));
      const messages = Object.values(checks).map(({ message }) => message);
      assertEquals(messages.length, new Set(messages).size);
    }
  });
});

suite("the doctor's view of an image", () => {
  /** Checks an image of the app's files, after a file of the app was changed. */
  async function afterChangeOf(
    path: string,
    labels: "all" | "none" = "all",
    args: readonly string[] = [],
  ): Promise<Check> {
    let Labels: Readonly<Record<string, string>> = {};
    const answers = {
      "GET /images/NAME/json": () =>
        Response.json({ Os: "linux", Architecture: "amd64", Config: { ...HARNESS_IMAGE, Labels } }),
    };
    const { checks } = await doctor({ answers }, async (app) => {
      if (labels === "all") Labels = await withFilesLabel(app);
      await app.write(app.path(path), "changed");
    }, args);
    return checks["image"]!;
  }

  for (
    const path of [
      ...["training/sub/x.py", "prediction/serve", "processing/p.py", "common/f.py", "Dockerfile"],
      ...["training/pycache/a.py", "training/.hidden", "training/__pycache__.py"],
      "../../requirements.txt",
    ]
  ) {
    it(`doctor names ${path} if it was changed since the build`, async () => {
      const { status, message } = await afterChangeOf(path);
      assertEquals(status, "warning");
      assertMatch(message, new RegExp(`was built: [^,]*${path.split("/").at(-1)}$`));
    });
  }

  it("doctor gives the build command with the tag of an image that differs", async () => {
    const { hint } = await afterChangeOf("Dockerfile", "all", ["-t", "v2"]);
    assertMatch(hint ?? "", /^Run mlcli build --docker-tag v2 before you push the image/);
  });

  it("doctor reports unknown, and no warning, for an image without the label of its files", async () => {
    const { status, message } = await afterChangeOf("Dockerfile", "none");
    assertEquals(status, "unknown");
    assertMatch(
      message,
      /^Cannot tell whether test-\w+:latest is up to date: its source files are unknown$/,
    );
  });

  it("cannot be built where the requirements refer to what is missing", async () => {
    const { code, checks } = await doctor({ answers: image({}) }, async (app) => {
      await app.write(app.path("../../requirements.txt"), "six\n-r none.txt\n");
    });
    assertEquals(code, 1);
    assertEquals(checks["requirements"], {
      name: "requirements",
      status: "problem",
      message: "requirements.txt, line 2: none.txt does not exist",
      hint: "Create it, or fix its path, which is relative to the app's directory",
    });
  });

  for (
    const path of [
      ...["training/__pycache__/x.pyc", "processing/steps/__pycache__/deep/clean.pyc"],
      ...["training/.x.py.swp", "prediction/.ipynb_checkpoints/serve.py", "training/a.pyc"],
      ...["local_test/test_dir/input/data/training/b.csv", "notes.txt"],
    ]
  ) {
    it(`does not mind ${path}`, async () => {
      assertEquals((await afterChangeOf(path)).status, "ok");
    });
  }

  it("is of the image with this tag", async () => {
    const { checks, engine } = await doctor({ answers: image({}) }, undefined, ["-t", "v2"]);
    assertMatch(checks["image"]!.message, / test-\w+:v2 /);
    const asked = engine.calls.map(({ call }) => call).filter((call) => call.includes("/images/"));
    assertEquals(asked.map((call) => call.replace(/test-\w+/, "APP")), [
      "GET /images/APP%3Av2/json",
    ]);
  });

  it("is of no use where there is none", async () => {
    const { code, checks } = await doctor({ image: null });
    assertEquals([code, checks["image"]?.status], [1, "problem"]);
  });
});

suite("what the doctor says would differ on SageMaker", () => {
  const LABEL = "com.amazonaws.sagemaker.capabilities.accept-bind-to-port";
  const GOOD = {
    "mlcli.app": "",
    "mlcli.version": VERSION,
    "mlcli.harness": "1",
    [LABEL]: "true",
  };
  const ours = (labels: Readonly<Record<string, string>> = GOOD) =>
    image({ Config: { ...HARNESS_IMAGE, Labels: labels } });
  const { [LABEL]: _, ...UNLABELLED } = GOOD;

  /** Messages and hints of the findings, in one line each, with APP for the app's name. */
  const platform = async (
    answers: Play["answers"],
    prepare?: (app: TestApp) => Promise<void>,
  ): Promise<readonly string[]> => {
    const { code, all } = await doctor({ answers }, prepare);
    assertEquals(code, 0);
    const found = all.filter(({ name }) => name === "platform");
    // At the end of the list.
    assertEquals(all.slice(-found.length), found);
    return found.map(({ status, message, hint }) =>
      `${status}: ${message} // ${hint}`.replaceAll(/test-\w+/g, "APP")
    );
  };

  it("is nothing: one line says so", async () => {
    assertEquals(await platform(ours()), [
      "ok: Found no differences from SageMaker // null",
    ]);
  });

  const hyperparameters = (count: number) => async (app: TestApp): Promise<void> => {
    const all = Array.from({ length: count }, (_, index) => [`h${index}`, index]);
    await app.write(
      app.testPath("input/config/hyperparameters.json"),
      JSON.stringify(Object.fromEntries(all)),
    );
  };
  const having = (...paths: readonly string[]) => async (app: TestApp): Promise<void> => {
    for (const path of paths) await app.write(app.path(path), "");
  };
  const OUTPUT = "local_test/test_dir/output";
  const rows: readonly (readonly [
    title: string,
    answers: Play["answers"],
    prepare: ((app: TestApp) => Promise<void>) | undefined,
    expected: RegExp,
  ])[] = [
    [
      "a label that is missing, with the line to add",
      ours(UNLABELLED),
      undefined,
      new RegExp(
        `^warning: APP:latest cannot be used in .*pipeline.*: label ${LABEL} is missing // ` +
          `Add LABEL ${LABEL}="true" to the Dockerfile, then run mlcli build$`,
      ),
    ],
    [
      "a label that says no",
      ours({ ...GOOD, [LABEL]: "false" }),
      undefined,
      /^warning: APP:latest cannot be used in .*: label /,
    ],
    [
      "another processor",
      image({ Architecture: "arm64", Config: { ...HARNESS_IMAGE, Labels: GOOD } }),
      undefined,
      /^warning: APP:latest is for linux\/arm64, .*Graviton/,
    ],
    [
      "a shell that keeps SIGTERM",
      image({ Config: { Entrypoint: ["/bin/sh", "-c", "python x.py"], Labels: GOOD } }),
      undefined,
      /^warning: The ENTRYPOINT of APP:latest is a shell/,
    ],
    ...(["training", "prediction", "processing", "common"] as const).map((code) =>
      [
        `what a build leaves out of ${code}/`,
        ours(),
        having(`${code}/.env`),
        new RegExp(`^warning: mlcli build excludes APP/mlcli_base/${code}/\\.env from the image`),
      ] as const
    ),
    [
      "rules that cannot be read, once",
      ours(),
      (app) => app.write(app.path("../../.dockerignore"), "["),
      /^warning: Not a valid pattern in \.dockerignore: "\["/,
    ],
    [
      "more hyperparameters than SageMaker takes",
      ours(),
      hyperparameters(101),
      /^warning: SageMaker rejects more than 100 hyperparameters \(found 101\) \/\/ /,
    ],
    [
      "hyperparameters that are none",
      ours(),
      (app) => app.write(app.testPath("input/config/hyperparameters.json"), "["),
      /^warning: .*hyperparameters\.json is not valid JSON/,
    ],
    [
      "a channel that SageMaker does not take",
      ours(),
      having("local_test/test_dir/input/data/my data/x.csv"),
      /^warning: SageMaker rejects these channel names: "my data" \/\/ /,
    ],
  ];
  for (const [title, answers, prepare, expected] of rows) {
    it(`is ${title}`, async () => {
      const found = await platform(answers, prepare);
      assertEquals(found.length, 1, found.join("\n"));
      assertMatch(found[0]!, expected);
    });
  }

  it("is a Dockerfile that leaves out what the roles share, with the line to add", async () => {
    let name = "";
    const details = () => ({
      Config: { ...HARNESS_IMAGE, Labels: { ...GOOD, "mlcli.app": name } },
    });
    const answers = {
      "GET /images/NAME/json": () => image(details())["GET /images/NAME/json"](),
    };
    const [found, ...more] = await platform(answers, async (app) => {
      name = app.name;
      await app.write(app.path("common/features.py"), "");
    });
    assertEquals(more, []);
    assertEquals(
      found,
      "warning: APP/mlcli_base/Dockerfile does not copy APP/mlcli_base/common/ into the image // " +
        "Add this line to the Dockerfile, next to the other COPY lines, then run mlcli build: COPY ${APP}/mlcli_base/common/ /opt/program/common/",
    );
  });

  for (
    const [title, prepare] of [
      [
        "what is in output/, which processing may have made",
        having(`${OUTPUT}/clean.csv`, `${OUTPUT}/data/x.json`),
      ],
      ["100 hyperparameters", hyperparameters(100)],
      ["a file beside the channels", having("local_test/test_dir/input/data/my file")],
      ["links out of the repository", async (app: TestApp) => {
        await Deno.symlink("/etc", app.path("common"));
        await Deno.remove(app.path("processing"), { recursive: true });
        for (const path of ["processing", OUTPUT]) await Deno.symlink("/etc", app.path(path));
      }],
    ] as const
  ) {
    it(`is not ${title}`, async () => {
      const { all } = await doctor({ answers: ours() }, prepare);
      const found = all.filter(({ name }) => name === "platform");
      assertEquals(found.map(({ status }) => status), ["ok"], JSON.stringify(found));
    });
  }

  it("is of the app alone where there is no image, and then nobody says that nothing is", async () => {
    const found = async (prepare?: (app: TestApp) => Promise<void>) =>
      (await doctor({ image: null }, prepare)).all.filter(({ name }) => name === "platform");
    assertEquals(await found(), []);
    assertEquals((await found(hyperparameters(101))).length, 1);
  });
});
