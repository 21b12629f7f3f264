import { assertEquals, assertMatch } from "@std/assert";
import { dirname, join } from "@std/path";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { sourceOf } from "../../helpers/app_on_disk.ts";
import { fakeContainers } from "../../helpers/fake_containers.ts";
import { refusal } from "../../helpers/fake_engine.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

/** A directory counts as left over after a minute; both are far from that. */
const FRESH = 1_000;
const STALE = 600_000;

/** A directory of an earlier run, and the container of the same name. */
interface Remains {
  readonly age: number;
  readonly state?: string;
  readonly role?: string;
  /** The app in the container's labels, where it is another. */
  readonly app?: string;
  /** The app in its name, where it is another. */
  readonly named?: string;
  /** Whether it has no labels of mlcli. */
  readonly isForeign?: boolean;
}

/** Trains where something is left of an earlier run. @returns what of that is there afterwards. */
async function trainBeside(
  { age, state, role = "train", app: owner, named, isForeign }: Remains,
  isListed = true,
): Promise<{ readonly folder: boolean; readonly removed: readonly (string | undefined)[] }> {
  await using app: TestApp = await completeApp();
  const name = `mlcli-${named ?? app.name}-${role}-${role === "serve" ? "8080" : "0badcafe"}`;
  const folder = app.path("local_test", `.run-${name}`);
  await Deno.mkdir(`${folder}/config`, { recursive: true });
  await Deno.writeTextFile(`${folder}/config/hyperparameters.json`, "{}");
  const time = new Date(Date.now() - age);
  await Deno.utime(folder, time, time);
  const labels = { "mlcli.app": owner ?? app.name, "mlcli.role": role, "mlcli.port": "8080" };
  const container = {
    Id: "old",
    Names: [`/${name}`],
    State: state,
    Labels: isForeign ? {} : labels,
  };
  await using engine = await fakeContainers({
    containers: state === undefined ? [] : [container],
    answers: isListed ? {} : { "GET /containers/json": () => refusal(500, "no") },
  });
  const { code, stderr } = await runInProcess(["local", "train"], { cwd: app.directory, engine });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  return {
    folder: await Deno.stat(folder).then(() => true, () => false),
    removed: engine.callsOf("DELETE /containers/ID").map(({ id }) => id),
  };
}

suite("what an earlier run left", () => {
  const GONE = { folder: false, removed: [] };
  const KEPT = { folder: true, removed: [] };
  const REMOVED = { folder: false, removed: ["old"] };
  const rows: readonly (readonly [title: string, Remains, typeof KEPT | typeof REMOVED])[] = [
    ["is left alone while it may be being made", { age: FRESH }, KEPT],
    ["is left alone with its container while it is fresh", { age: FRESH, state: "created" }, KEPT],
    ["goes once it is old", { age: STALE }, GONE],
    ...["running", "paused", "restarting", "removing"].map((state) =>
      [`is left alone while its container is ${state}`, { age: STALE, state }, KEPT] as const
    ),
    ...["created", "configured", "exited", "dead"].map((state) =>
      [`goes with its container that is ${state}`, { age: STALE, state }, REMOVED] as const
    ),
    ["goes for processing, too", { age: STALE, state: "exited", role: "process" }, REMOVED],
    ["takes no server along", { age: STALE, state: "exited", role: "serve" }, GONE],
    ["takes nobody else's container along", {
      age: STALE,
      state: "exited",
      isForeign: true,
    }, GONE],
    ["takes no other app's run along", {
      age: STALE,
      state: "exited",
      app: "other",
      named: "other",
    }, GONE],
    ["takes nothing along whose name says otherwise than its labels", {
      age: STALE,
      state: "exited",
      app: "other",
    }, GONE],
  ];
  for (const [title, remains, expected] of rows) {
    it(title, async () => assertEquals(await trainBeside(remains), expected as unknown));
  }

  it("is no reason to fail a run where the engine refuses to list containers", async () => {
    assertEquals(await trainBeside({ age: STALE }, false), KEPT);
  });

  it("is not asked about where nothing is old", async () => {
    await using app = await completeApp();
    await using engine = await fakeContainers();
    const args = ["local", "process", "--file", "p.py"];
    assertEquals((await runInProcess(args, { cwd: app.directory, engine })).code, 0);
    assertEquals(engine.callsOf("GET /containers/json"), []);
  });
});

suite("the directory of a run", () => {
  it("holds the contract's files while the code runs, and is gone afterwards", async () => {
    await using app = await completeApp();
    let found: unknown;
    await using engine = await fakeContainers({
      program: async ({ body, end }) => {
        const { Source } = body.HostConfig.Mounts.find(({ Target }) =>
          Target === "/opt/ml/input/config"
        )!;
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
    const left = await Array.fromAsync(Deno.readDir(app.path("local_test")), ({ name }) => name);
    assertEquals(left.sort(), ["jobs", "test_dir"]);
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
        const config = sourceOf({ body }, "/opt/ml/input/config");
        modes.push(modeOf(join(config, "secret.yaml")), modeOf(dirname(config)));
        end(0);
      },
    });
    const { code, stderr } = await runInProcess(["local", "train"], { cwd: app.directory, engine });
    assertEquals([code, modes], [0, [0o644, 0o700]], stderr);
    assertEquals(modeOf(app.path(secret)), 0o600);
  });
});
