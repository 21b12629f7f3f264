import { assertEquals, assertMatch } from "@std/assert";
import { dirname, join } from "@std/path";
import { completeApp, type TestApp } from "../../../helpers/app.ts";
import { sourceOf } from "../../../helpers/app_on_disk.ts";
import { fakeContainers } from "../../../helpers/fake_containers.ts";
import { refusal } from "../../../helpers/fake_engine.ts";
import { runInProcess } from "../../../helpers/in_process.ts";
import { namesIn } from "../../../helpers/directory.ts";
import { lastRun, leaveRun } from "../../../helpers/runs.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** A directory counts as left over after a minute; both are far from that. */
const FRESH = 1_000;
const STALE = 600_000;

/** What an earlier run left, and its container. */
interface Left {
  /** How long ago (ms) somebody wrote there who does not say who; by default, who did is dead. */
  readonly age?: number;
  readonly state?: string;
  readonly role?: string;
  /** The app in the container's labels, where it is another. */
  readonly app?: string;
  /** The app in its name, where it is another. */
  readonly named?: string;
  /** Whether it has no labels of mlcli, or another directory's. */
  readonly isForeign?: boolean;
  readonly isElsewhere?: boolean;
  /** Whether its record was never begun. */
  readonly hasRecord?: boolean;
}

/** Processes where something is left of an earlier run. @returns what of that is there afterwards. */
async function runBeside(
  { age, state, role = "process", app: owner, named, isForeign, isElsewhere, hasRecord = true }:
    Left,
  isListed = true,
): Promise<{ readonly isLeft: boolean; readonly removed: readonly (string | undefined)[] }> {
  await using app: TestApp = await completeApp();
  const name = `mlcli-${named ?? app.name}-${role}-${role === "serve" ? "8080" : "0badcafe"}`;
  const folder = await leaveRun(app, {
    container: name,
    kind: "process",
    ...hasRecord ? { outcome: null } : {},
    ...age === undefined ? {} : { owner: undefined },
  });
  const time = new Date(Date.now() - (age ?? 0));
  await Deno.utime(folder, time, time);
  const labels = {
    "mlcli.app": owner ?? app.name,
    "mlcli.role": role,
    "mlcli.port": "8080",
    ...isElsewhere ? { "mlcli.directory": "another" } : {},
  };
  const container = {
    Id: "old",
    Names: [`/${name}`],
    State: state,
    Labels: isForeign ? {} : labels,
  };
  await using engine = await fakeContainers({
    containers: state === undefined ? [] : [container],
    answers: {
      "POST /containers/old/wait": () => Response.json({ StatusCode: 0 }),
      ...isListed ? {} : { "GET /containers/json": () => refusal(500, "no") },
    },
  });
  const { code, stderr } = await runInProcess(PROCESS, { cwd: app.directory, engine });
  const isAdopted = state === "exited" || state === "dead";
  assertEquals(code, 0);
  assertEquals(stderr === "" || isAdopted, true, stderr);
  return {
    isLeft: await Deno.stat(`${folder}/owner`).then(() => true, () => false),
    removed: engine.callsOf("DELETE /containers/ID").map(({ id }) => id),
  };
}

const PROCESS = ["local", "process", "--file", "p.py"];

suite("what an earlier run left", () => {
  const GONE = { isLeft: false, removed: [] };
  const KEPT = { isLeft: true, removed: [] };
  const REMOVED = { isLeft: false, removed: ["old"] };
  const rows: readonly (readonly [title: string, Left, typeof KEPT | typeof REMOVED])[] = [
    ["is left alone while it may be being made", { age: FRESH }, KEPT],
    ["is left alone with its container while it is fresh", { age: FRESH, state: "exited" }, KEPT],
    ["goes once it is old", { age: STALE }, GONE],
    ["goes where its mlcli is gone", {}, GONE],
    ["goes where it never began", { hasRecord: false }, GONE],
    ...["running", "paused", "restarting", "removing"].map((state) =>
      [`is left alone while its container is ${state}`, { state }, KEPT] as const
    ),
    ...["exited", "dead"].map((state) =>
      [`goes with its container that is ${state}`, { state }, REMOVED] as const
    ),
    ["takes no server along", { state: "exited", role: "serve" }, GONE],
    ["takes nobody else's container along", { state: "exited", isForeign: true }, GONE],
    ["takes no container of another directory along", {
      state: "exited",
      isElsewhere: true,
    }, GONE],
    ["takes no other app's run along", { state: "exited", app: "other", named: "other" }, GONE],
    ["takes nothing along whose name says otherwise than its labels", {
      state: "exited",
      app: "other",
    }, GONE],
  ];
  for (const [title, left, expected] of rows) {
    it(title, async () => assertEquals(await runBeside(left), expected as unknown));
  }

  it("is no reason to fail a run where the engine refuses to list containers", async () => {
    assertEquals(await runBeside({}, false), KEPT);
  });

  it("is not asked about where nothing is left", async () => {
    await using app = await completeApp();
    await using engine = await fakeContainers();
    assertEquals((await runInProcess(PROCESS, { cwd: app.directory, engine })).code, 0);
    assertEquals((await runInProcess(PROCESS, { cwd: app.directory, engine })).code, 0);
    assertEquals(engine.callsOf("GET /containers/json"), []);
  });
});

suite("the directory of a run", () => {
  it("holds the contract's files while the code runs, and is gone afterwards", async () => {
    await using app = await completeApp();
    let found: unknown;
    await using engine = await fakeContainers({
      program: async ({ body, end }) => {
        const Source = `${sourceOf({ body }, "/opt/ml/input")}/config`;
        const names = await Array.fromAsync(Deno.readDir(Source), ({ name }) => name);
        found = [
          names.sort(),
          JSON.parse(await Deno.readTextFile(`${Source}/hyperparameters.json`)),
        ];
        end(1);
      },
    });
    const args = ["local", "train", "--hyperparameter", "epochs=2"];
    await runInProcess(args, { cwd: app.directory, engine });
    assertEquals(found, [
      ["hyperparameters.json", "inputdataconfig.json", "resourceconfig.json"],
      { epochs: "2" },
    ]);
    assertEquals(await namesIn(app.path("local_test")), ["jobs", "test_dir"]);
    assertEquals(await namesIn(await lastRun(app)), ["job.json"]);
  });

  it("holds those of processing", async () => {
    await using app = await completeApp();
    const found: Record<string, unknown> = {};
    await using engine = await fakeContainers({
      program: async ({ body, end }) => {
        const mount = body.HostConfig.Mounts.find(({ Target }) => Target === "/opt/ml/config")!;
        for await (const { name } of Deno.readDir(mount.Source)) {
          found[name] = JSON.parse(await Deno.readTextFile(`${mount.Source}/${name}`));
        }
        end(0);
      },
    });
    const args = ["local", "process", "--file", "p.py"];
    await runInProcess(args, { cwd: app.directory, engine });
    // deno-lint-ignore no-explicit-any
    const job = found["processingjobconfig.json"] as any;
    assertEquals(Object.keys(found).sort(), ["processingjobconfig.json", "resourceconfig.json"]);
    assertEquals(job.AppSpecification, {
      ImageUri: `${app.name}:latest`,
      ContainerEntrypoint: null,
      ContainerArguments: ["process", "p.py"],
    });
    assertMatch(job.ProcessingJobName, new RegExp(`^${app.name}-\\d{4}(-\\d{2}){5}-\\d{3}$`));
    assertEquals(
      job.ProcessingJobArn,
      `arn:aws:sagemaker:us-east-1:000000000000:processing-job/${job.ProcessingJobName}`,
    );
    assertEquals(job.ProcessingInputs[0].S3Input.LocalPath, "/opt/ml/processing/input");
    assertEquals(found["resourceconfig.json"], { current_host: "algo-1", hosts: ["algo-1"] });
  });
});

suite("a private file of input/config", () => {
  it("can be read in the container, and not by others on this machine", async () => {
    const secret = "local_test/test_dir/input/config/secret.yaml";
    await using app = await completeApp({ files: { [secret]: "a: 1\n" } });
    await Deno.chmod(app.path(secret), 0o600);
    const modes: number[] = [];
    const modeOf = (path: string): number => Deno.statSync(path).mode! & 0o7777;
    await using engine = await fakeContainers({
      program: ({ body, end }) => {
        const input = sourceOf({ body }, "/opt/ml/input");
        modes.push(modeOf(join(input, "config/secret.yaml")), modeOf(dirname(input)));
        end(0);
      },
    });
    const { code, stderr } = await runInProcess(["local", "train"], { cwd: app.directory, engine });
    assertEquals([code, modes], [0, [0o666, 0o700]], stderr);
    assertEquals(modeOf(app.path(secret)), 0o600);
  });
});
