import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { it, suite } from "../helpers/suite.ts";
import { given } from "./outcomes.ts";

const IMAGE = given("MLCLI_TEST_TORCH");

/** Adds up numbers of all processes by gloo, step by step, and begins where an earlier run was. */
const TRAIN = `import json, os, signal, sys, time
import torch
import torch.distributed as dist

CHECKPOINT = "/opt/ml/checkpoints/step.json"

def train(data, model, hyperparameters):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    began, total = 0, 0.0
    if os.path.exists(CHECKPOINT):
        with open(CHECKPOINT) as file:
            began, total = json.load(file)
    print("BEGAN", began, flush=True)
    dist.barrier()
    for step in range(began, int(hyperparameters["steps"])):
        number = torch.tensor(float(rank + 1))
        dist.all_reduce(number)
        total += number.item()
        if rank == 0 and os.path.isdir("/opt/ml/checkpoints"):
            with open(CHECKPOINT + ".new", "w") as file:
                json.dump([step + 1, total], file)
            os.replace(CHECKPOINT + ".new", CHECKPOINT)
        time.sleep(float(hyperparameters.get("pause", 0)))
    with open(os.path.join(model, "rank-%d.json" % rank), "w") as file:
        json.dump({"began": began, "total": total, "world": world}, file)
`;

/** The same as a script, which is given its hyperparameters as arguments. */
const SCRIPT = `${TRAIN}
if __name__ == "__main__":
    words = sys.argv[1:]
    train(None, os.environ["SM_MODEL_DIR"], dict(zip([word[2:] for word in words[::2]], words[1::2])))
`;

/** Debian's packages have it; the official image gets it by pip. */
const REQUIREMENTS = IMAGE.includes("torch") ? "" : "numpy\ntorch\n";

const DISTRIBUTED = { distribution: "torchrun" };

const APPS: Readonly<Record<string, () => Promise<TestApp>>> = {
  "an app of mlcli build": async () => {
    const app = await makeApp({
      configuration: { base_image: IMAGE, ...DISTRIBUTED },
      files: { "training/training.py": TRAIN, [TRAINING_DATA]: "1\n" },
    });
    await app.write(join(app.directory, "requirements.txt"), REQUIREMENTS);
    for (const args of [["init", app.name], ["build"]]) {
      const { code, stderr } = await app.run(args);
      assertEquals(code, 0, stderr);
    }
    return app;
  },
  "a script by mlcli's start script": async () => {
    const train = { entry_point: "train.py" };
    const app = await makeApp({ configuration: { source_dir: "src", train, ...DISTRIBUTED } });
    await app.write(join(app.directory, "src/train.py"), SCRIPT);
    if (REQUIREMENTS) await app.write(join(app.directory, "src/requirements.txt"), REQUIREMENTS);
    return {
      ...app,
      run: (args, options) => app.run([...args, "--image", IMAGE], options),
    };
  },
};

function train(app: TestApp, steps: number, hosts: number, ...more: readonly string[]) {
  const count = ["--instance-count", String(hosts)];
  return app.run(["local", "train", ...count, "--hyperparameter", `steps=${steps}`, ...more]);
}

/** What each process left in the model. */
function modelsOf(app: TestApp, hosts: number): readonly unknown[] {
  const ranks = Array.from({ length: hosts }, (_, rank) => app.testPath(`model/rank-${rank}.json`));
  return ranks.map((path) => JSON.parse(Deno.readTextFileSync(path)));
}

/** It is the master that is killed: with torch 1.13, torchrun of another host waits 5 minutes for a peer. */
suite("training by torchrun over several hosts, with gloo", () => {
  for (const [what, make] of Object.entries(APPS)) {
    for (const [hosts, ...more] of [[2], [2, "--strict"], [4]] as const) {
      it(`${what}, over ${[hosts, "hosts", ...more].join(" ")}`, async () => {
        await using app = await make();
        const { code, stdout, stderr } = await train(app, 3, hosts, ...more);
        assertEquals(code, 0, stdout + stderr);
        // 1, 2 and so on of all processes, three times.
        const total = 3 * hosts * (hosts + 1) / 2;
        const expected = Array(hosts).fill({ began: 0, total, world: hosts });
        assertEquals(modelsOf(app, hosts), expected);
      });
    }

    it(`${what}, killed in the middle, and resumed from its checkpoint`, async () => {
      await using app = await make();
      const slow = ["--checkpoints", "--hyperparameter", "pause=0.2"];
      const killed = await train(app, 1000, 2, ...slow, "--kill-host", "algo-1@20");
      assert(killed.code !== 0, killed.stderr);
      assertStringIncludes(killed.stderr, "algo-1 was killed");
      const text = await Deno.readTextFile(app.testPath("checkpoints", "step.json"));
      const [done] = JSON.parse(text) as readonly [number, number];
      const { code, stdout, stderr } = await train(app, done + 3, 2, "--checkpoints");
      assertEquals(code, 0, stdout + stderr);
      const expected = { began: done, total: 3 * (done + 3), world: 2 };
      assertEquals(modelsOf(app, 2), [expected, expected]);
    });
  }
});
