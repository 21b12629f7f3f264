import { assertEquals, assertStringIncludes } from "@std/assert";
import { Box } from "../helpers/box/box.ts";
import { EXECUTION_ROLE } from "../helpers/box/jobs/job_store.ts";
import { pushBuilt } from "../helpers/box/pushed_image.ts";
import { runCloud } from "../helpers/cloud.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { baseImage, buildImage, removeImage, removeLeftovers } from "../helpers/engine.ts";
import { INFERENCE, inferenceImage } from "../helpers/inference_image.ts";
import { openRoad, ROAD_BUCKET } from "../helpers/road.ts";
import { it, suite } from "../helpers/suite.ts";
import { tarGz } from "../helpers/tar.ts";

const ACCOUNT = "111122223333";

/** What it prints is the same here and there. */
const SCRIPT = `
import argparse, os, pathlib, sys
parser = argparse.ArgumentParser()
parser.add_argument("--words", default="")
args = parser.parse_args()
data = pathlib.Path("/opt/ml/input/data/training")
found = {str(one.relative_to(data)): one.read_text() for one in data.rglob("*") if one.is_file()}
print(sorted(found.items()), args.words, os.environ["SM_HPS"], sys.argv[1:], os.getcwd())
pathlib.Path("/opt/ml/model/model.txt").write_text(args.words)
`;

/** A directory for the app, in which nothing is, and the program there. */
async function place(box: Box) {
  const stack = new AsyncDisposableStack();
  const [directory, state] = [stack.use(await makeDirectory()), stack.use(await makeDirectory())];
  const env = { XDG_STATE_HOME: state.path, DOCKER_HOST: Deno.env.get("DOCKER_HOST") };
  const done = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runCloud(box, args, { cwd: directory.path, env });
    assertEquals(code, 0, `mlcli ${args.join(" ")}: ${stderr}`);
    return { stdout, stderr };
  };
  return { directory, done, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** The words of the commands that `init --from` names in the end. */
function nextOf(stderr: string): readonly (readonly string[])[] {
  const lines = stderr.split("\nNext:\n")[1]!.trim().split(/\n\s*/);
  return lines.map((line) => line.replace(/^mlcli /, "").split(" "));
}

suite("from a job on SageMaker back to this machine", () => {
  it("runs a script's training here as it ran there, and again there", async () => {
    await using box = await Box.open({ registry: true, jobs: true });
    const image = baseImage();
    const pushed = await pushBuilt(box, `account-${ACCOUNT}/team/python`, {
      Dockerfile: "FROM ${BASE}\nRUN true\n",
    });
    const name = `${ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com/team/python`;
    box.ecr.store.of(ACCOUNT, "team/python")!.tags.set("2", pushed.split("@")[1]!);
    box.s3.createBucket("bucket");
    box.roles.add(EXECUTION_ROLE);
    await box.s3.put("bucket", "data/a.csv", "1\n");
    await box.s3.put("bucket", "data/deep/b.csv", "2\n");
    await using before = await place(box);
    await before.directory.write({ "src/train.py": SCRIPT });
    const words = ["--source-dir", "src", "--entry-point", "train.py"];
    await before.done("init", "shop", "--image", `${name}:2`, ...words);
    const trained = await before.done(
      ...["train", "-i", "s3://bucket/data", "-o", "s3://bucket/shop", "-e", "ml.m5.large"],
      ...["--execution-role", EXECUTION_ROLE, "--hyperparameter", "words=a b"],
    );
    const job = box.jobs.only("training");
    const [printed] = box.logs.messages(job.logGroup, job.logStream("algo-1"));

    await using after = await place(box);
    const { stderr } = await after.done(
      "init",
      "--from",
      `training-job/${job.name}`,
      "--data",
      "1MB",
    );
    assertStringIncludes(stderr, "note: training: 2 of 2 objects, 4 bytes of 4 bytes\n");
    try {
      const here = await after.done("local", "train", "--image", image);
      assertEquals(here.stdout, `${printed}\n`);
    } finally {
      await removeLeftovers("shop");
    }
    // It names the image of another account.
    const [, there] = nextOf(stderr);
    const again = await after.done(...there!);
    assertStringIncludes(again.stderr, `${printed}\n`);
    assertStringIncludes(trained.stderr, `${printed}\n`);
  });

  it("runs the code in an image of mlcli's, where the new app has none", async () => {
    await using road = await openRoad({ jobs: true });
    const { app, box } = road;
    const uri = `s3://${ROAD_BUCKET}/numbers`;
    await road.done("train", "-i", uri, "-e", "ml.m5.large");
    const { name } = box.jobs.only("training");
    await using after = await place(box);
    await after.done("init", "--from", `training-job/${name}`, "--data", "1MB");
    const here = await after.done("local", "train", "--image", `${app.name}:latest`);
    assertEquals(here.stdout, "3 numbers on algo-1\n");
    const model = `${app.name}/mlcli_base/local_test/test_dir/model/model.json`;
    assertEquals(await Deno.readTextFile(`${after.directory.path}/${model}`), "3.0");
  });

  it("serves an endpoint's model and code here, with the same answers", async () => {
    await using box = await Box.open({ registry: true, jobs: true, endpoints: true });
    Object.assign(box.hosting.settings, { pingInterval: 20, healthyPings: 2, restart: 100 });
    const there = await pushBuilt(
      box,
      `account-${ACCOUNT}/team/inference`,
      inferenceImage("${BASE}"),
    );
    box.ecr.store.of(ACCOUNT, "team/inference")!.tags.set("2", there.split("@")[1]!);
    const image = `${ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com/team/inference:2`;
    box.s3.createBucket("bucket");
    box.roles.add(EXECUTION_ROLE);
    const name = `shop-${crypto.randomUUID().slice(0, 8)}`;
    await using before = await place(box);
    const configuration = {
      ...{ image, source_dir: "src", s3_prefix: "s3://bucket/shop" },
      execution_role: EXECUTION_ROLE,
    };
    await before.directory.write({
      "src/inference.py": INFERENCE,
      "src/neighbour.py": "NAME = 'beside'\n",
      "rows.csv": "1\n",
      [`${name}.json`]: JSON.stringify(configuration),
    });
    await box.s3.put("bucket", "model.tar.gz", await tarGz([{ name: "weights", content: "42" }]));
    const code = ["--entry-point", "inference.py", "-m", "s3://bucket/model.tar.gz"];
    await before.done("deploy", "-n", name, "-e", "ml.m5.large", "--image", image, ...code);
    const { stdout: answer } = await before.done("invoke-endpoint", "-n", name, "rows.csv");

    await using after = await place(box);
    const { stderr } = await after.done("init", "--from", `endpoint/${name}`);
    const [download, deploy] = nextOf(stderr.replace(/ --image \S+/g, ""));
    const own = `${name}:here`;
    const { Dockerfile, serve } = inferenceImage(baseImage());
    await buildImage(own, { Dockerfile, serve });
    try {
      await after.done(...download!);
      const started = await after.done(...deploy!, "--image", own, "--port", "0");
      const port = started.stdout.trim().split(":").at(-1)!;
      await after.directory.write({ "rows.csv": "1\n" });
      const here = await after.done("local", "invoke", "--port", port, "rows.csv");
      // An app's model/ keeps its place in version control.
      assertEquals(here.stdout.replace("'.gitkeep', ", ""), answer);
      await after.done("local", "stop", "--port", port);
    } finally {
      await removeLeftovers(name);
      await removeImage(own);
    }
  });
});
