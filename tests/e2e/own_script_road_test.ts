import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { makeApp } from "../helpers/app.ts";
import { Box } from "../helpers/box/box.ts";
import { EXECUTION_ROLE } from "../helpers/box/jobs/job_store.ts";
import { pushBuilt } from "../helpers/box/pushed_image.ts";
import { runCloud } from "../helpers/cloud.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { baseImage, engineRequest, removeImage } from "../helpers/engine.ts";
import { engineFront } from "../helpers/engine_front.ts";
import { runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

/** A team's image, in another account. It holds Python and a shell, and no toolkit. */
const NAME = "team/python";
const ACCOUNT = "111122223333";
const IMAGE = `${ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com/${NAME}:2`;
const IN_BOX = `account-${ACCOUNT}/${NAME}`;

const SCRIPT = `
import argparse, os, signal, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="")
args = parser.parse_args()
print(args.mode, os.environ["SM_CHANNELS"], os.getcwd())
if args.mode == "exit": sys.exit(7)
def save(*_):
    with open(os.path.join(os.environ["SM_MODEL_DIR"], "model.txt"), "w") as file: file.write("1")
    sys.exit(0)
if args.mode == "wait":
    signal.signal(signal.SIGTERM, save)
    time.sleep(60)
save()
`;

/** A processing script; what it prints is the same here and there. */
const CLEAN = `
import json, os, sys
root = "/opt/ml/processing/"
if "--fail" in sys.argv: sys.exit(7)
with open("/opt/ml/config/processingjobconfig.json") as file: job = json.load(file)
print(sys.argv[1:], os.getcwd(), sorted(os.listdir(root)), [n for n in os.environ if n[:3] == "SM_"])
print([(one["InputName"], one["S3Input"]["LocalPath"]) for one in job["ProcessingInputs"]])
print([(one["OutputName"], one["S3Output"]["LocalPath"]) for one in job["ProcessingOutputConfig"]["Outputs"]])
print(job["AppSpecification"]["ContainerEntrypoint"], job["AppSpecification"]["ContainerArguments"])
os.makedirs(root + "output/clean/sub")
for source, target in (("input/raw/a.csv", "a.csv"), ("words/deep/b.csv", "sub/b.csv")):
    with open(root + source) as file, open(root + "output/clean/" + target, "w") as out: out.write(file.read().upper())
with open(root + "r/done", "w") as file: file.write("yes")
`;

/** SageMaker, with the image in it, and a directory with a script. */
async function open() {
  await using stack = new AsyncDisposableStack();
  const box = stack.use(await Box.open({ registry: true, jobs: true }));
  const digest = await pushBuilt(box, IN_BOX, { Dockerfile: "FROM ${BASE}\nRUN true\n" });
  const repository = box.ecr.store.of(ACCOUNT, NAME)!;
  repository.tags.set("2", digest.split("@")[1]!);
  box.s3.createBucket("bucket");
  await box.s3.put("bucket", "data/a.csv", "1\n");
  const directory = stack.use(await makeDirectory({ "src/train.py": SCRIPT }));
  const state = stack.use(await makeDirectory());
  const all = stack.move();
  return {
    box,
    directory,
    state,
    digest: digest.split("@")[1]!,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

suite("a script of the user's own, and an image of another account", () => {
  it("three lines lead from a directory to a run here and a job there, of the same code", async () => {
    await using place = await open();
    const { box, directory, state } = place;
    // In the place of the name's own registry, which nobody reaches from here: the engine asks the box's.
    await using front = await engineFront(async ({ call, query }) => {
      const path = `/images/${encodeURIComponent(IMAGE)}/json`;
      const there = `${box.ecr.front.host}/${IN_BOX}@${place.digest}`;
      if (call === "POST /images/create") {
        assertEquals(query.get("fromImage"), IMAGE);
        return { changed: { query: new URLSearchParams({ fromImage: there }) } };
      }
      if (call === `GET ${path}` && front.calls.includes("POST /images/create")) {
        const [repo, tag] = IMAGE.split(/:(?=\w+$)/) as [string, string];
        const parameters = new URLSearchParams({ repo, tag });
        const name = encodeURIComponent(there);
        await engineRequest("POST", `/images/${name}/tag?${parameters}`, [201]);
      }
      return "pass";
    });
    const env = {
      ...box.env(),
      ...front.env,
      XDG_STATE_HOME: state.path,
      PLATFORM_ROLE: EXECUTION_ROLE,
    };
    box.roles.add(EXECUTION_ROLE);
    const run = (...args: readonly string[]) => runProgram(args, { cwd: directory.path, env });
    try {
      const words = ["--source-dir", "src", "--entry-point", "train.py"];
      const init = await run("init", "shop", "--image", IMAGE, ...words);
      assertEquals(init.code, 0, init.stderr);
      const here = await run("local", "train", "--hyperparameter", "mode=here");
      assertEquals([here.code, here.stdout], [0, 'here ["code"] /opt/ml/code\n'], here.stderr);
      assertStringIncludes(here.stderr, `note: Pulling ${IMAGE} (not found locally)\n`);
      const there = await run(
        ...["train", "-i", "s3://bucket/data", "-o", "s3://bucket/shop", "-e", "ml.m5.large"],
        ...["--hyperparameter", "mode=there"],
      );
      assertEquals(there.code, 0, there.stderr);
      assertStringIncludes(there.stderr, 'there ["code","training"] /opt/ml/code\n');
      assertMatch(there.stdout, /^s3:\/\/bucket\/shop\/shop-[\d-]+\/output\/model\.tar\.gz\n$/);
      // The same bytes of code.
      const jobs = join(directory.path, "shop/mlcli_base/local_test/jobs/code");
      const [kept] = await Array.fromAsync(Deno.readDir(jobs), ({ name }) => name);
      const [key] = box.s3.keys("bucket", "shop/code/").filter((one) => one.endsWith(".gz"));
      assertEquals(key, `shop/code/${kept!.replace(".tar.gz", "")}/sourcedir.tar.gz`);
      assertEquals(await Deno.readFile(join(jobs, kept!)), await box.s3.bytes("bucket", key!));
      const { request } = box.jobs.only("training");
      assertEquals(
        request.AlgorithmSpecification.TrainingImage,
        `${IMAGE.replace(/:2$/, "")}@${place.digest}`,
      );
    } finally {
      await removeImage(IMAGE);
      await removeImage(`${box.ecr.front.host}/${IN_BOX}@${place.digest}`);
    }
  });

  it("ends there with the script's own status, and hears SIGTERM", async () => {
    await using place = await open();
    const { box } = place;
    await using app = await makeApp({
      configuration: {
        image: IMAGE,
        source_dir: "src",
        launcher: "script",
        execution_role: EXECUTION_ROLE,
        train: { entry_point: "train.py" },
      },
    });
    await app.write(join(app.directory, "src/train.py"), SCRIPT);
    const train = (...more: readonly string[]) =>
      runCloud(box, [
        ...["train", "--image", IMAGE, "-o", "s3://bucket/shop", "-e", "ml.m5.large", ...more],
      ], { cwd: app.directory, env: { XDG_STATE_HOME: app.state } });
    const failed = await train("--hyperparameter", "mode=exit");
    assertEquals(failed.code, 1);
    assertStringIncludes(failed.stderr, "Exit Code: 7");
    const stopped = await train("--hyperparameter", "mode=wait", "--max-run", "5");
    assertEquals(stopped.code, 1);
    assertMatch(stopped.stdout, /\/output\/model\.tar\.gz\n$/);
  });

  it("processes here and there, with the same words, inputs and outputs", async () => {
    await using place = await open();
    const { box } = place;
    await box.s3.put("bucket", "raw/a.csv", "a\n");
    await box.s3.put("bucket", "words/deep/b.csv", "b\n");
    await using app = await makeApp({
      configuration: {
        image: baseImage(),
        source_dir: "src",
        execution_role: EXECUTION_ROLE,
        process: { entry_point: "clean.py" },
      },
    });
    for (
      const [path, text] of Object.entries({
        "src/clean.py": CLEAN,
        "raw/a.csv": "a\n",
        "words/deep/b.csv": "b\n",
      })
    ) await app.write(join(app.directory, path), text);
    const env = { XDG_STATE_HOME: app.state };
    const other = "words:/opt/ml/processing/words=";
    const outputs = (
      at: string,
    ) => ["-o", `clean=${at}clean`, "-o", `r:/opt/ml/processing/r=${at}r`];
    const words = ["--", "--rows", "1 000"];
    const here = await app.run([
      ...["local", "process", "--image", baseImage(), "-i", "raw=raw", "-i", `${other}words`],
      ...[...outputs("made/"), "--strict", ...words],
    ]);
    assertEquals(here.code, 0, here.stderr);
    const there = await runCloud(box, [
      ...["process", "--image", IMAGE, "-e", "ml.m5.large", "-i", "raw=s3://bucket/raw"],
      ...["-i", `${other}s3://bucket/words`, ...outputs("s3://bucket/made/"), ...words],
    ], { cwd: app.directory, env });
    assertEquals(there.code, 0, there.stderr);
    assertStringIncludes(there.stderr, here.stdout.trimEnd());
    assertEquals(there.stdout, "s3://bucket/made/clean\ns3://bucket/made/r\n");
    for (const path of ["clean/a.csv", "clean/sub/b.csv", "r/done"]) {
      const local = await Deno.readTextFile(join(app.directory, "made", path));
      assertEquals(local, new TextDecoder().decode(await box.s3.bytes("bucket", `made/${path}`)));
    }
    const failed = await runCloud(box, [
      ...["process", "--image", IMAGE, "-e", "ml.m5.large", ...outputs("s3://bucket/none/")],
      ...["--", "--fail"],
    ], { cwd: app.directory, env });
    assertEquals(failed.code, 1);
    assertEquals(box.s3.keys("bucket", "none/r"), []);
  });
});
