import { assert, assertEquals, assertMatch } from "@std/assert";
import type { CreateBody } from "../../../runtime/docker/engine.ts";
import { completeApp, makeApp, type TestApp } from "../../helpers/app.ts";
import { contentOf, makeDirectory } from "../../helpers/directory.ts";
import {
  fakeContainers,
  FOREIGN_IMAGE,
  HARNESS_IMAGE,
  type Play,
} from "../../helpers/fake_containers.ts";
import { fakeClock } from "../../helpers/fake_context.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

const START = new Date("2026-03-01T09:30:00.123Z");

/** A dry run, what it asked the engine for, and whether it left the app as it was. */
async function dry(app: TestApp, args: readonly string[], play: Play = {}) {
  await using engine = await fakeContainers(play);
  const options = { cwd: app.directory, engine, clock: fakeClock(START) };
  const before = await contentOf(app.directory);
  const result = await runInProcess(["local", "train", "--dry-run", ...args], options);
  assertEquals(await contentOf(app.directory), before);
  assertEquals(engine.created, []);
  const bodies = async () => {
    const { code, stderr } = await runInProcess(["local", "train", ...args], options);
    assertEquals(code, 0, stderr);
    const sorted = engine.created.toSorted((one, other) => one.Hostname < other.Hostname ? -1 : 1);
    return sorted.map(shownOf);
  };
  return { ...result, bodies: result.code === 0 ? await bodies() : [] };
}

/** A container's body as a dry run shows it: of what may be a secret, the name. */
function shownOf({ Env, Labels: { "mlcli.owner": _, ...Labels }, ...rest }: CreateBody) {
  const named = Env!.map((one) => {
    const name = one.split("=")[0]!;
    return ["TOKEN", "PIP_CACHE_DIR"].includes(name) ? name : one;
  });
  return { ...rest, Env: named, Labels };
}

const SENT = { image: "team/torch:2", source_dir: "src", train: { entry_point: "train.py" } };

suite("local train --dry-run", () => {
  const runs: Readonly<
    Record<string, readonly [app: () => Promise<TestApp>, args: readonly string[], play: Play]>
  > = {
    "the app's code": [
      () => completeApp({ files: { "common/features.py": "", "local_test/test_dir/input/x": "" } }),
      ["--env", "TOKEN=s3cret", "--hyperparameter", "epochs=3", "--memory", "1g", "--cpus", "2"],
      { image: HARNESS_IMAGE },
    ],
    "the image's code": [completeApp, ["--strict", "--network-isolation"], {
      image: HARNESS_IMAGE,
    }],
    "copies, on another image": [
      completeApp,
      ["--copy-inputs", "--checkpoints"],
      { image: FOREIGN_IMAGE },
    ],
    "a script that is sent": [
      async () => {
        const app = await makeApp({ configuration: SENT });
        await app.write(`${app.directory}/src/train.py`, "1");
        await app.write(`${app.directory}/src/requirements.txt`, "numpy\n");
        return app;
      },
      ["--image", "team/torch:2"],
      { image: {}, writesNoModel: true },
    ],
  };
  for (const [title, [make, args, play]] of Object.entries(runs)) {
    it(`prints the container that then runs, and changes nothing: ${title}`, async () => {
      await using app = await make();
      const { code, stdout, stderr, bodies } = await dry(app, args, play);
      assertEquals(code, 0, stderr);
      const { name, container } = JSON.parse(stdout);
      assertEquals(name, `${app.name}-2026-03-01-09-30-00-123`);
      assert(!stdout.includes("s3cret"), stdout);
      assertEquals([container], bodies);
    });
  }

  for (
    const [args, isInternal] of [
      [["--shard", "training", "--checkpoints"], false],
      [["--network-isolation", "--env", "TOKEN=s3cret"], true],
    ] as const
  ) {
    it(`prints the containers of several hosts: ${args.join(" ")}`, async () => {
      await using app = await completeApp({ files: { "local_test/test_dir/input/x": "" } });
      const { code, stdout, stderr, bodies } = await dry(app, ["--instance-count", "2", ...args]);
      assertEquals(code, 0, stderr);
      assert(!stdout.includes("s3cret"), stdout);
      const { name, network, containers, container } = JSON.parse(stdout);
      assertEquals(network, { Name: `mlcli-${name}`, Internal: isInternal });
      assertEquals([container, containers], [undefined, {
        "algo-1": bodies[0],
        "algo-2": bodies[1],
      }]);
    });
  }

  it("a dry run and a run's record contain the names of proxies, but not their passwords", async () => {
    await using app = await completeApp();
    await using docker = await makeDirectory();
    const proxies = { default: { httpProxy: "http://me:s3cret@proxy:3128" } };
    await Deno.writeTextFile(`${docker.path}/config.json`, JSON.stringify({ proxies }));
    await using engine = await fakeContainers();
    const run = async (...args: readonly string[]) => {
      const env = { DOCKER_CONFIG: docker.path };
      const result = await runInProcess(["local", ...args], { cwd: app.directory, engine, env });
      assertEquals(result.code, 0, result.stderr);
      return JSON.parse(result.stdout || "null");
    };
    const names = ["HTTP_PROXY", "NO_PROXY", "http_proxy", "no_proxy"];
    const { container } = await run("train", "--dry-run");
    assertEquals(container.Env.filter((one: string) => /proxy/i.test(one)).toSorted(), names);
    await run("train");
    const { variables } = await run("list-jobs", "last", "--output", "json");
    assertEquals(variables, names);
    const kept = await contentOf(app.directory);
    assert(!JSON.stringify(kept).includes("s3cret"));
  });

  it("has the channels and the hyperparameters", async () => {
    await using app = await completeApp();
    const { stdout } = await dry(app, ["--hyperparameter", "epochs=3"]);
    const { channels, hyperparameters } = JSON.parse(stdout);
    const place = `${app.name}/mlcli_base/local_test/test_dir/input/data/training`;
    assertEquals([channels, hyperparameters], [{ training: place }, { epochs: "3" }]);
  });

  it("warns of a typo of a hyperparameter, also for code that is sent, and keeps the value", async () => {
    const hyperparameters = { "local_test/test_dir/input/config/hyperparameters.json": '{"C": 1}' };
    for (const configuration of [{}, SENT]) {
      await using app = await completeApp({ configuration, files: hyperparameters });
      await app.write(`${app.directory}/src/train.py`, "1");
      const { code, stdout, stderr } = await dry(app, [
        ...["--hyperparameter", "c=10"],
        ...configuration === SENT ? ["--image", SENT.image] : [],
      ], { image: HARNESS_IMAGE });
      assertEquals(code, 0, stderr);
      assertEquals(
        stderr.split("\n")[0],
        'warning: Hyperparameter "c" is not in hyperparameters.json; did you mean "C"?',
      );
      assertEquals(JSON.parse(stdout).hyperparameters, { C: "1", c: "10" });
    }
  });

  const refused: readonly (readonly [
    title: string,
    args: readonly string[],
    play: Play,
    code: number,
    said: RegExp,
  ])[] = [
    ["no image", [], { image: null }, 1, /^error: Image not found: \S+\nhint: Run mlcli build/],
    [
      "an image that would be pulled",
      ["--image", "team/x:1"],
      { image: null },
      1,
      /^error: Image not found: team\/x:1\nhint: Pull it: docker pull team\/x:1\n$/,
    ],
    [
      "data elsewhere",
      ["--input", "training=nowhere"],
      {},
      2,
      /^error: Not a directory: nowhere/,
    ],
    [
      "no such shard",
      ["--instance-count", "2", "--shard", "x"],
      {},
      2,
      /^error: Cannot shard "x"/,
    ],
    [
      "GPUs of Podman",
      ["--gpus", "all"],
      { isPodman: true },
      1,
      /^error: Podman does not support GPUs/,
    ],
    ["--watch", ["--watch"], {}, 2, /--dry-run.*--watch/],
    ["--interactive", ["--interactive"], {}, 2, /--dry-run.*--interactive/],
  ];
  for (const [title, args, play, code, said] of refused) {
    it(`ends as the run would: ${title}`, async () => {
      await using app = await completeApp();
      const result = await dry(app, args, play);
      assertEquals([result.code, result.stdout], [code, ""], result.stderr);
      assertMatch(result.stderr, said);
    });
  }
});
