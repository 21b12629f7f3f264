import { assertEquals, assertMatch } from "@std/assert";
import { makeDirectory } from "../../../helpers/directory.ts";
import { completeApp } from "../../../helpers/app.ts";
import { type FakeContainer, fakeContainers } from "../../../helpers/fake_containers.ts";
import { runInProcess } from "../../../helpers/in_process.ts";
import type { ProgramResult } from "../../../helpers/program.ts";
import { keptModels, leaveRun } from "../../../helpers/runs.ts";
import { it, suite } from "../../../helpers/suite.ts";

const TRAIN = ["local", "train"];
const PROCESS = ["local", "process", "--file", "p.py"];
const COMMANDS = [TRAIN, PROCESS];

/** What is left of a training in which mlcli was killed. */
interface Remains {
  /** Files of its model. */
  readonly files?: readonly string[];
  /** Its container's; none where the engine has removed it. */
  readonly state?: string;
  /** How its program ended, as the engine says. */
  readonly status?: number;
  /** Whether the engine refuses to say how its program ended. */
  readonly isRefused?: true;
  /** Whether its record has its end already. */
  readonly isEnded?: boolean;
  /** Whether its mlcli lives. */
  readonly isAlive?: boolean;
  readonly caller?: { readonly uid: number; readonly gid: number };
  /** The mode of its file `new`, which is the caller's then. */
  readonly mode?: number;
  /** Its record, as text. */
  readonly record?: string;
  /** The machine of its mlcli, where that is another. */
  readonly host?: string;
  /** What lies in the place of the model's directory. */
  readonly link?: string;
}

/** What `list-jobs` says of a run. */
interface Listed {
  readonly name: string;
  readonly status: string;
  readonly exit_status: number | null;
}

interface Found extends ProgramResult {
  /** Of its record, after the command. */
  readonly listed: Listed | undefined;
  readonly app: string;
  /** The model, and what is kept beside it. */
  readonly entries: readonly string[];
  readonly removed: readonly (string | undefined)[];
  readonly chowns: readonly FakeContainer["body"][];
}

/** Runs a command where that is left, and a model is there: `model/m` and `model/.gitkeep`. */
async function runBeside(remains: Remains, args: readonly string[]): Promise<Found> {
  await using app = await completeApp();
  const run = `mlcli-${app.name}-train-0badcafe`;
  await app.write(app.testPath("model/.gitkeep"), "");
  const folder = await leaveRun(app, {
    container: run,
    outcome: remains.isEnded ? { status: "Stopped", exit_status: 143, reason: null } : null,
    files: remains.files ?? ["new"],
    ...remains.isAlive ? { owner: Deno.pid } : {},
  });
  const model = `${folder}/model`;
  if (remains.link !== undefined) {
    await Deno.remove(model, { recursive: true });
    await Deno.symlink(remains.link, model);
  }
  if (remains.record !== undefined) await app.write(`${folder}/job.json`, remains.record);
  if (remains.host !== undefined) {
    await app.write(`${folder}/owner`, `1 ${remains.host}`);
    const hourAgo = Date.now() / 1000 - 3600;
    await Deno.utime(folder, hourAgo, hourAgo);
  }
  const { caller } = remains;
  if (caller) await Deno.chown(model, caller.uid, caller.gid);
  if (caller && remains.mode) {
    await Deno.chown(`${model}/new`, caller.uid, caller.gid);
    await Deno.chmod(`${model}/new`, remains.mode);
  }
  const chowns: FakeContainer["body"][] = [];
  await using engine = await fakeContainers({
    containers: remains.state === undefined ? [] : [{
      Id: "old",
      Names: [`/${run}`],
      State: remains.state,
      Labels: { "mlcli.app": app.name, "mlcli.role": "train", "mlcli.port": "" },
    }],
    answers: {
      "POST /containers/old/wait": () =>
        remains.isRefused
          ? Response.json({ message: "no" }, { status: 500 })
          : Response.json({ StatusCode: remains.status ?? 0 }),
    },
    program: ({ name, body, end }) => {
      if (name.startsWith("mlcli-chown-")) chowns.push(body);
      // The model of this run is not what these tests are about.
      end(name.startsWith("mlcli-chown-") ? 0 : 3);
    },
  });
  const result = await runInProcess(args, { cwd: app.directory, engine, caller });
  const listed = await runInProcess(["local", "list-jobs", "--output", "json"], {
    cwd: app.directory,
  });
  return {
    ...result,
    listed: JSON.parse(listed.stdout).find((job: Listed) => job.name === "earlier"),
    app: app.name,
    entries: [
      ...(await entriesOf(app.testPath())).filter((name) => name.startsWith("model")),
      ...(await keptModels(app)).filter((name) => !name.endsWith("/.gitkeep")),
    ],
    removed: [...new Set(engine.callsOf("DELETE /containers/ID").map(({ id }) => id))],
    chowns,
  };
}

async function entriesOf(directory: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const inner = isDirectory ? await entriesOf(`${directory}/${name}`) : [];
    names.push(...inner.length > 0 ? inner.map((path) => `${name}/${path}`) : [name]);
  }
  return names.sort();
}

const EARLIER = ["model/.gitkeep", "model/m"];

suite("a training that went on when mlcli was killed", () => {
  type Row = readonly [title: string, Remains, after: readonly string[], said: RegExp];
  const killed = /^note: Training continued after mlcli was killed, and exited with /;
  const rows: readonly Row[] = [
    [
      "is adopted where the engine knows that it succeeded",
      { state: "exited" },
      ["model/.gitkeep", "model/new", "KEPT/m"],
      /with 0: its model is in \S+\/model now\n/,
    ],
    [
      "is adopted without its model if the model's directory no longer exists",
      { state: "exited", link: "/nonexistent" },
      EARLIER,
      /with 0: The model directory of this run no longer exists: \S+/,
    ],
    [
      "is adopted as one that wrote no model",
      { state: "exited", files: [] },
      ["model/.gitkeep", "KEPT/m"],
      /with 0: The training run wrote no file to \/opt\/ml\/model.*--run kept-\S+/,
    ],
    [
      "is adopted as one that failed",
      { state: "exited", status: 1 },
      [...EARLIER, "RUN/new"],
      /with 1: The model of this run is in \S+\/jobs\/earlier\/model; \S+\/model is unchanged\n/,
    ],
    [
      "is adopted as one that failed before it wrote a model",
      { state: "dead", status: 137, files: [] },
      EARLIER,
      /with 137: it wrote no model\n/,
    ],
  ];
  for (const args of COMMANDS) {
    for (const [title, remains, after, said] of rows) {
      it(`${title}: ${args[1]}`, async () => {
        const { code, stderr, entries, removed } = await runBeside(remains, args);
        assertMatch(stderr, killed);
        assertMatch(stderr, said);
        // The command has done its own work.
        assertEquals([code, entries.toSorted()], [3, after.toSorted()]);
        assertEquals(removed, ["old"]);
      });
    }

    it(`is left alone while it runs, and while its mlcli lives: ${args[1]}`, async () => {
      for (
        const remains of [
          { state: "running" },
          { state: "paused" },
          { state: "exited", isAlive: true },
          { isAlive: true },
          // Its engine may be another machine's, too.
          { host: "elsewhere" },
        ]
      ) {
        const { stderr, entries, removed } = await runBeside(remains, args);
        assertEquals(/killed|interrupted/.test(stderr), false, stderr);
        assertEquals(entries, [...EARLIER, "RUN/new"]);
        assertEquals(removed, []);
      }
    });

    it(`does not fail the next command if the engine refuses its end: ${args[1]}`, async () => {
      const { code, stderr, entries } = await runBeside(
        { state: "exited", isRefused: true },
        args,
      );
      assertMatch(stderr, /error: \w+ failed: exit code 3\n/);
      assertEquals({ code, entries }, { code: 3, entries: [...EARLIER, "RUN/new"] });
    });

    it(`is named where nobody knows how it ended: ${args[1]}`, async () => {
      // The disk was full, or the power failed: its record is empty.
      for (const remains of [{}, { record: "" }]) {
        const { app, code, stderr, entries } = await runBeside(remains, args);
        const model = `${app}/mlcli_base/local_test/jobs/earlier/model`;
        assertEquals(
          stderr.split("\n").slice(0, 2),
          [
            "warning: mlcli was interrupted, so the result of run earlier is unknown; its " +
            `model is in ${model}`,
            `hint: To serve it: mlcli local deploy --run earlier. To remove it: rm -r ${model}`,
          ],
        );
        assertEquals([code, entries], [3, [...EARLIER, "RUN/new"]]);
      }
    });

    it(`has its end in its record once that is known, and keeps that: ${args[1]}`, async () => {
      for (
        const [remains, status, exitStatus] of [
          [{ state: "exited" }, "Completed", 0],
          [{ state: "exited", status: 3 }, "Failed", 3],
          [{}, "Lost", null],
          [{ isEnded: true }, "Stopped", 143],
        ] as const
      ) {
        const { listed } = await runBeside(remains, args);
        assertEquals([listed?.status, listed?.exit_status], [status, exitStatus]);
      }
    });

    it(`leaves nothing where it wrote nothing: ${args[1]}`, async () => {
      const { code, stderr, entries } = await runBeside({ files: ["deep/.gitkeep"] }, args);
      assertEquals([code, stderr.includes("killed"), entries], [3, false, EARLIER]);
    });
  }

  // Root alone can make what is another caller's.
  if (Deno.uid() === 0) {
    it("is the caller's from then on, whether its end is known or not", async () => {
      const caller = { uid: 54_321, gid: 54_322 };
      for (const state of ["exited", undefined]) {
        const { chowns, stderr } = await runBeside({ state, caller }, PROCESS);
        assertEquals(chowns.length > 0, true, `${state}`);
        // Here, chown does nothing, which is said.
        assertMatch(stderr, /^warning: Cannot change the owner of \S+: chown had no /);
        assertEquals(chowns[0]!.Cmd[1], "54321:54322");
        const [mount] = chowns[0]!.HostConfig.Mounts;
        assertEquals(mount!.Source.endsWith("/jobs/earlier/model"), true, mount!.Source);
      }
    });

    it("keeps no program with setuid unsaid", async () => {
      const caller = { uid: 54_321, gid: 54_322 };
      for (const state of ["exited", undefined]) {
        const { stderr } = await runBeside({ state, caller, mode: 0o4755 }, PROCESS);
        assertMatch(
          stderr,
          /^warning: The run created programs .* \(setuid\): .*\/new\nhint: Remove/,
        );
        assertEquals(/\/jobs\/earlier\/model\/new|\/model\/new/.test(stderr), true, stderr);
      }
    });

    it("is not looked for behind a link", async () => {
      const caller = { uid: 54_321, gid: 54_322 };
      await using target = await makeDirectory({ notes: "" });
      for (const state of ["exited", undefined]) {
        const { chowns, stderr } = await runBeside({ link: target.path, state, caller }, PROCESS);
        assertEquals([chowns.length, stderr.includes(target.path)], [0, false], stderr);
      }
      assertEquals(await entriesOf(target.path), ["notes"]);
    });
  }
});

suite("a move that was cut off", () => {
  it("is finished by the next command, whichever that is", async () => {
    for (const args of [...COMMANDS, ["local", "deploy", "--docker-tag", "none"]]) {
      await using app = await completeApp();
      const model = app.testPath("model");
      const folder = await leaveRun(app, {
        container: `mlcli-${app.name}-train-0badcafe`,
        outcome: null,
        files: ["new"],
      });
      await Deno.rename(model, `${folder}/../kept`);
      const current = JSON.stringify({ of: "kept", id: "", next: "earlier", nextId: "" });
      await app.write(app.path("local_test/jobs/.current.json"), current);
      await using engine = await fakeContainers({
        program: ({ end }) => end(3),
        ...(args[1] === "deploy" ? { image: null } : {}),
      });
      const { stderr } = await runInProcess(args, { cwd: app.directory, engine });
      assertEquals(stderr.includes("killed"), false, stderr);
      // It found a model: what it says is the next thing in its way.
      if (args[1] === "deploy") assertMatch(stderr, /^error: Image not found/);
      assertEquals(await entriesOf(model), ["new"]);
      // It had a good end, or nothing would have been moved.
      const { outcome } = JSON.parse(await Deno.readTextFile(`${folder}/job.json`));
      assertEquals(outcome.status, "Completed");
    }
  });
});
