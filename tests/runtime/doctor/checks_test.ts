import { assertEquals, assertMatch } from "@std/assert";
import { VERSION } from "../../../runtime/version.ts";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import {
  type FakeContainers,
  fakeContainers,
  FOREIGN_IMAGE,
  HARNESS_IMAGE,
  type Play,
} from "../../helpers/fake_containers.ts";
import { refusal } from "../../helpers/fake_engine.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

interface Check {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly hint: string | null;
}

interface Findings {
  readonly code: number;
  readonly checks: Readonly<Record<string, Check>>;
  readonly engine: FakeContainers;
}

/** Somebody's container on the port that is checked, so that the machine's own does not matter. */
const PORT = { Ports: [{ PublicPort: 8080 }], Id: "other", Names: ["/web"] } as never;

/** Runs the doctor on an engine that plays. */
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
  const checks = (JSON.parse(stdout) as Check[]).map((check) => [check.name, check]);
  return { code, checks: Object.fromEntries(checks), engine };
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
    const [{ Image, ...body }, ...more] = engine.created;
    assertEquals(more, []);
    assertMatch(Image, /^test-\w+:latest$/);
    const labels = { "mlcli.app": "", "mlcli.role": "", "mlcli.port": "", "mlcli.model": "" };
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
});

suite("the doctor's view of the channels", () => {
  const without = async (app: TestApp): Promise<void> => {
    await Deno.remove(app.testPath("input/data/training"), { recursive: true });
  };

  it("takes one of any name", async () => {
    const { checks } = await doctor({}, async (app) => {
      await without(app);
      await app.write(app.testPath("input/data/train/rows.csv"), "1");
    });
    assertEquals([checks["training data"], checks["layout"]?.status], [undefined, "ok"]);
  });

  for (const gone of ["input/data/training", "input"]) {
    it(`names where data belongs where there is no ${gone}`, async () => {
      const { checks } = await doctor(
        {},
        (app) => Deno.remove(app.testPath(gone), { recursive: true }),
      );
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
      assertMatch(checks[name]?.message ?? "", new RegExp(`data.${channel} leads out of `));
      const messages = Object.values(checks).map(({ message }) => message);
      assertEquals(messages.length, new Set(messages).size);
    }
  });
});

suite("the doctor's view of an image", () => {
  const OLD = "2000-01-01T00:00:00Z";

  it("goes by the newest of creation and naming", async () => {
    const fresh = "2100-01-01T00:00:00Z";
    for (
      const [details, status] of [
        [{ Created: OLD }, "warning"],
        [{ Created: OLD, Metadata: { LastTagTime: fresh } }, "ok"],
        [{ Created: fresh, Metadata: { LastTagTime: "0001-01-01T00:00:00Z" } }, "ok"],
        [{ Created: fresh, Metadata: { LastTagTime: "" } }, "ok"],
      ] as const
    ) {
      const { checks } = await doctor({ answers: image(details) });
      assertEquals([details, checks["image"]?.status], [details, status]);
    }
  });

  for (
    const path of [
      ...["training/sub/x.py", "prediction/serve", "processing/p.py", "Dockerfile"],
      "../../requirements.txt",
    ]
  ) {
    it(`is older than ${path} that was changed since`, async () => {
      const built = new Date("2050-01-01T00:00:00Z");
      const { checks } = await doctor(
        { answers: image({ Created: built.toISOString() }) },
        async (app) => {
          await app.write(app.path(path), "");
          const later = new Date("2060-01-01T00:00:00Z");
          await Deno.utime(app.path(path), later, later);
        },
      );
      const name = path.split("/").at(-1)!;
      assertEquals(checks["image"]?.status, "warning");
      assertMatch(checks["image"]!.message, new RegExp(`is older than .*${name}$`));
    });
  }

  for (const path of ["training/__pycache__/x.pyc", "training/.x.py.swp"]) {
    it(`does not mind ${path}`, async () => {
      const { checks } = await doctor(
        { answers: image({ Created: "2050-01-01T00:00:00Z" }) },
        async (app) => {
          await app.write(app.path(path), "");
          const later = new Date("2060-01-01T00:00:00Z");
          await Deno.utime(app.path(path), later, later);
        },
      );
      assertEquals(checks["image"]?.status, "ok");
    });
  }

  it("is of the image with this tag", async () => {
    const { checks, engine } = await doctor({ answers: image({}) }, undefined, ["-t", "v2"]);
    assertMatch(checks["image"]!.message, /^test-\w+:v2 is as new as the code$/);
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
