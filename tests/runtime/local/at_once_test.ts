import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { sourceOf } from "../../helpers/app_on_disk.ts";
import {
  type FakeContainer,
  type FakeContainers,
  fakeContainers,
  FOREIGN_IMAGE,
  HARNESS_IMAGE,
  type Play,
  portOf,
} from "../../helpers/fake_containers.ts";
import { eventually } from "../../helpers/eventually.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { type PingServer, pingServer } from "../../helpers/ping_server.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { keptModels, runsOf } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";

const TRAIN = ["local", "train"];
const PROCESS = ["local", "process", "--file", "p.py"];

/** What the harness does at the end of code that raised. */
async function report(container: FakeContainer, reason: string): Promise<void> {
  const line = JSON.stringify(["reason", reason]) + "\n";
  await Deno.writeTextFile(sourceOf(container, "/opt/mlcli/report"), line, { append: true });
}

/** A container that stands still until the test lets it go on. */
interface Held {
  readonly container: FakeContainer;
  readonly goOn: () => void;
}

/** An app on an engine, whose containers wait. */
interface Scene extends AsyncDisposable {
  readonly app: TestApp;
  readonly engine: FakeContainers;
  /** Starts a command; returns when its container runs. */
  start(
    args: readonly string[],
  ): Promise<{ readonly held: Held; readonly end: Promise<ProgramResult> }>;
  run(args: readonly string[]): Promise<ProgramResult>;
}

/** @param write what its code writes, before it waits and ends with this status. */
async function scene(
  write: (container: FakeContainer) => Promise<void>,
  status: number,
  play: Play = {},
): Promise<Scene> {
  const app = await completeApp();
  const waiting: ((held: Held) => void)[] = [];
  const over = Promise.withResolvers<void>();
  const engine = await fakeContainers({
    ...play,
    program: async (container) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const next = waiting.shift();
      await write(container);
      next?.({ container, goOn: resolve });
      if (next) await Promise.race([promise, over.promise]);
      container.end(status);
    },
  });
  const run = (args: readonly string[]) => runInProcess(args, { cwd: app.directory, engine });
  return {
    app,
    engine,
    run,
    async start(args) {
      const { promise, resolve } = Promise.withResolvers<Held>();
      waiting.push(resolve);
      const end = run(args);
      return { held: await promise, end };
    },
    async [Symbol.asyncDispose](): Promise<void> {
      over.resolve();
      await engine[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

for (const [args, file] of [[TRAIN, "failure"], [PROCESS, "message"]] as const) {
  suite(`two runs of ${args[1]} at once`, () => {
    /** Each says what it is, and writes it to the file that they share. */
    const failing = (isOurs: boolean) => async (container: FakeContainer): Promise<void> => {
      const reason = `Error of ${container.id}`;
      await Deno.writeTextFile(`${sourceOf(container, "/opt/ml/output")}/${file}`, reason);
      if (isOurs) await report(container, reason);
    };

    it(`each says its own reason, in images of mlcli (${file})`, async () => {
      await using at = await scene(failing(true), 1, { image: HARNESS_IMAGE });
      const [first, second] = [await at.start(args), await at.start(args)];
      // The later one's file is what the earlier one finds.
      for (const { held, end } of [second, first]) {
        held.goOn();
        const { code, stderr } = await end;
        assertEquals(code, 1);
        assertStringIncludes(stderr, `exit code 1\n  Error of ${held.container.id}\n`);
      }
    });

    it(`neither reports the other's reason, in other images (${file})`, async () => {
      await using at = await scene(failing(false), 1, { image: FOREIGN_IMAGE });
      const [first, second] = [await at.start(args), await at.start(args)];
      for (const { held, end } of [second, first]) {
        held.goOn();
        const { code, stderr } = await end;
        assertEquals(code, 1);
        assertMatch(
          stderr,
          /failed: exit code 1\nhint: Check .*: another run of the app was active/,
        );
        assertStringIncludes(
          stderr,
          `${at.app.name}/mlcli_base/local_test/test_dir/output/${file}`,
        );
      }
      // Alone, it is quoted again.
      assertMatch((await at.run(args)).stderr, /exit code 1\n {2}Error of c3\n$/);
    });

    it(`a short run within a long one is noticed (${file})`, async () => {
      await using at = await scene(failing(false), 1, { image: FOREIGN_IMAGE });
      const long = await at.start(args);
      await at.run(args);
      long.held.goOn();
      assertMatch((await long.end).stderr, /exit code 1\nhint: Check .*: another run/);
    });
  });
}

suite("a reason", () => {
  for (const kind of ["a pipe", "a link to one", "a link out", "a directory"] as const) {
    it(`is not read from ${kind}`, async () => {
      await using app = await completeApp();
      const program = async ({ end }: FakeContainer): Promise<void> => {
        const path = app.testPath("output/failure");
        if (kind === "a directory") await Deno.mkdir(path);
        else if (kind === "a link out") await Deno.symlink("/etc/hostname", path);
        else {await new Deno.Command("mkfifo", { args: [`${path}${kind === "a pipe" ? "" : "x"}`] })
            .output();}
        if (kind === "a link to one") await Deno.symlink("failurex", path);
        end(1);
      };
      await using engine = await fakeContainers({ program, image: FOREIGN_IMAGE });
      const { stderr } = await runInProcess(TRAIN, { cwd: app.directory, engine });
      assertMatch(stderr, /(^|\n)error: Training failed: exit code 1\n$/);
    });
  }
});

suite("what two trainings leave in output/", () => {
  it("is not held against either, also under --strict", async () => {
    await using at = await scene(
      (container) =>
        Deno.writeTextFile(`${sourceOf(container, "/opt/ml/output")}/${container.id}`, ""),
      0,
    );
    const [first, second] = [await at.start([...TRAIN, "--strict"]), await at.start(TRAIN)];
    for (const { held, end } of [second, first]) {
      held.goOn();
      const { code, stderr } = await end;
      assertEquals(code, 0);
      assertMatch(
        stderr,
        /^note: SageMaker .*, so (c\d, )?c\d in .*, unless another active run of the app wrote it$/m,
      );
    }
    // Alone, it is.
    assertMatch(
      (await at.run([...TRAIN, "--strict"])).stderr,
      /error: --strict found 1 difference from SageMaker/,
    );
  });
});

suite("a deploy while a training puts its model in place", () => {
  const answering = ({ body }: FakeContainer): PingServer => pingServer(portOf(body));

  const DEPLOY = ["local", "deploy", "--port", "0"];

  it("mounts one version, which its label names, before that is moved", async () => {
    await using app = await completeApp({ files: { "local_test/test_dir/model/m": "old" } });
    await using servers = new AsyncDisposableStack();
    let trained: Promise<ProgramResult> | undefined;
    await using engine = await fakeContainers({
      program: (container) => {
        if (container.body.Cmd[0] !== "train") return void servers.use(answering(container));
        Deno.writeTextFileSync(`${sourceOf(container, "/opt/ml/model")}/m`, "new");
        container.end(0);
      },
      // The engine is about to mount the model. A training comes to its end, and waits.
      before: async (call) => {
        if (call !== "POST /containers/ID/start" || trained !== undefined) return;
        trained = runInProcess(TRAIN, { cwd: app.directory, engine });
        await eventually(async () => (await keptModels(app)).includes("RUN/m"));
        await new Promise((resolve) => setTimeout(resolve, 100));
        assertEquals(await Deno.readTextFile(app.testPath("model/m")), "old");
      },
    });
    const first = await runInProcess(DEPLOY, { cwd: app.directory, engine });
    assertEquals([first.code, first.stderr], [0, ""]);
    assertEquals((await trained!).code, 0);
    assertEquals(await Deno.readTextFile(app.testPath("model/m")), "new");
    assertEquals((await runInProcess(DEPLOY, { cwd: app.directory, engine })).code, 0);
    const [run] = await runsOf(app);
    const labels = engine.created.filter(({ Labels }) => Labels["mlcli.role"] === "serve")
      .map(({ Labels }) => Labels["mlcli.model"]);
    assertEquals(labels, ["", run]);
  });
});
