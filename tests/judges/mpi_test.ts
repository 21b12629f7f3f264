import { assertEquals, assertMatch } from "@std/assert";
import type { TestApp } from "../helpers/app.ts";
import { EXECUTION_ROLE } from "../helpers/box/jobs/job_store.ts";
import { runCloud } from "../helpers/cloud.ts";
import { it, suite } from "../helpers/suite.ts";
import { judgedApp, platformWith } from "./app.ts";
import { given } from "./outcomes.ts";

const IMAGE = given("MLCLI_TEST_TRAINING");

/** Each process says where it is, and leaves in the model what all of them added up. */
const PROGRAM = `import json, socket, sys
from mpi4py import MPI
world = MPI.COMM_WORLD
if "--fail" in sys.argv and world.rank == 1:
    raise ValueError("no age")
total = world.allreduce(world.rank + 1)
print("RANK", json.dumps([world.rank, world.size, socket.gethostname(), sys.argv[1:]]), flush=True)
with open("/opt/ml/model/rank-%d.json" % world.rank, "w") as file:
    json.dump(total, file)
`;

const BY_MPI = ["--hyperparameter", "sagemaker_mpi_enabled=true"];
const TWO_EACH = ["--hyperparameter", "sagemaker_mpi_num_of_processes_per_host=2"];

function makeApp(): Promise<TestApp> {
  return judgedApp({
    configuration: {
      image: IMAGE,
      execution_role: EXECUTION_ROLE,
      train: { entry_point: "train.py" },
    },
    code: () => ({ "train.py": PROGRAM }),
    data: { "input/data/training/a.csv": "1\n" },
  });
}

function train(app: TestApp, ...more: readonly string[]) {
  const hosts = ["--image", IMAGE, "--instance-count", "2"];
  return app.run(["local", "train", ...hosts, ...BY_MPI, ...more]);
}

/** Where the processes were, by their ranks. */
function hostsIn(log: string, words: readonly string[]): readonly string[] {
  const said = [...log.matchAll(/RANK (.*)/g)].map(([, line]) => JSON.parse(line!)).sort();
  for (const [, size, , heard] of said) assertEquals([size, heard], [said.length, words]);
  return said.map(([, , host]) => host);
}

/** The toolkit's workers wait half a minute after the end of their processes. */
suite("training by MPI over several hosts, as sagemaker-training starts it", () => {
  it("has a process on each host on the platform", async () => {
    await using app = await makeApp();
    const { box, reference } = await platformWith(IMAGE);
    await using _box = box;
    const place = "-i s3://bucket/data -o s3://bucket/out -e ml.m5.large -c 2".split(" ");
    const line = [...place, ...BY_MPI, "--hyperparameter", "epochs=3"];
    const { code, stderr } = await runCloud(box, ["train", "--image", reference, ...line], {
      cwd: app.directory,
      env: { XDG_STATE_HOME: app.state },
    });
    assertEquals(code, 0, stderr);
    assertEquals(hostsIn(stderr, ["--epochs", "3"]).toSorted(), ["algo-1", "algo-2"]);
  });

  it("has several on each, and another host first, under --strict", async () => {
    await using app = await makeApp();
    const { code, stdout, stderr } = await train(app, "--strict", ...TWO_EACH);
    assertEquals(code, 0, stdout + stderr);
    assertEquals(hostsIn(stdout, []), ["algo-2", "algo-2", "algo-1", "algo-1"]);
    for (const rank of [0, 1, 2, 3]) {
      assertEquals(await Deno.readTextFile(app.testPath(`model/rank-${rank}.json`)), "10");
    }
  });

  it("tells the error of the process that failed", async () => {
    await using app = await makeApp();
    const { code, stderr } = await train(app, "--hyperparameter", "fail=1");
    assertEquals(code, 1, stderr);
    const words = /^error: Training failed on algo-1: ValueError: no age \(exit code 1\)$/m;
    assertMatch(stderr, words);
  });
});
