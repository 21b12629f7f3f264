import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { makeApp } from "../helpers/app.ts";
import { Box } from "../helpers/box/box.ts";
import { EXECUTION_ROLE } from "../helpers/box/jobs/job_store.ts";
import { runCloud } from "../helpers/cloud.ts";
import { it, suite } from "../helpers/suite.ts";
import { given, outcomesIn } from "./outcomes.ts";

const JUDGE = "your Dockerfile: nginx, gunicorn and Flask";
const CONTEXT = fromFileUrl(new URL("own_image/", import.meta.url));

/** An app of that Dockerfile, built, and SageMaker. */
async function open() {
  await using stack = new AsyncDisposableStack();
  const configuration = { execution_role: EXECUTION_ROLE, s3_prefix: "s3://bucket/app" };
  const app = stack.use(await makeApp({ configuration }));
  const box = stack.use(await Box.open({ registry: true, jobs: true, endpoints: true }));
  box.roles.add(EXECUTION_ROLE);
  box.s3.createBucket("bucket");
  await box.s3.put("bucket", "data/a.csv", "1\n2\n3\n");
  const env = { DOCKER_HOST: Deno.env.get("DOCKER_HOST"), XDG_STATE_HOME: app.state };
  const run = (...args: readonly string[]) => runCloud(box, args, { cwd: app.directory, env });
  const done = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    assertEquals(code, 0, `mlcli ${args.join(" ")}: ${stderr}`);
    return stdout.trimEnd();
  };
  const context = join(app.directory, "container");
  for (const name of ["Dockerfile", ...PROGRAMS]) await copy(name, context);
  await app.write(join(app.directory, "rows.csv"), "1\n2\n");
  const base = ["--build-arg", `BASE=${given("MLCLI_TEST_FLASK")}`];
  assertEquals(await done("build", "--context", "container", ...base), `${app.name}:latest`);
  const all = stack.move();
  return { app, box, run, done, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const PROGRAMS = ["train", "serve", "predictor.py", "nginx.conf"].map((name) => `program/${name}`);

async function copy(name: string, context: string): Promise<void> {
  await Deno.mkdir(join(context, "program"), { recursive: true });
  await Deno.copyFile(join(CONTEXT, name), join(context, name));
}

suite("an image of the user's own Dockerfile, with train and serve on PATH", () => {
  it("trains, serves and stops here, as the documentation says", async () => {
    for (const [command, word] of [["train", "trains"], ["serve", "serves"]] as const) {
      assertEquals(await outcomesIn(JUDGE, `\`${command}\``), { here: word, there: word });
    }
    await using place = await open();
    const { app, run, done } = place;
    await app.write(app.testPath("input/data/training/a.csv"), "1\n2\n3\n");
    for (const strict of [[], ["--strict"]]) await done("local", "train", ...strict);
    const model = await Deno.readTextFile(app.testPath("model/model.json"));
    assertEquals(JSON.parse(model), { rows: 3 });
    const failed = await run("local", "train", "--hyperparameter", "limit=2");
    assertEquals(failed.code, 255, failed.stderr);
    assertMatch(failed.stderr, /^error: Training failed: ValueError: too many rows/m);
    const address = await done("local", "deploy", "--port", "0");
    const port = ["--port", new URL(address).port];
    assertEquals(await done("local", "invoke", "rows.csv", ...port), "3\n3");
    const refused = await run("local", "invoke", app.name + ".json", ...port);
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.stdout + refused.stderr, "This takes text/csv");
    await done("local", "stop", ...port);
  });

  it("trains and serves there", async () => {
    await using place = await open();
    const { app, box, done } = place;
    Object.assign(box.hosting.settings, { pingInterval: 50, healthyPings: 2 });
    assertMatch(await done("push"), new RegExp(`/${app.name}@sha256:[0-9a-f]{64}$`));
    const type = ["-e", "ml.m5.large"];
    const artifact = await done("train", "-i", "s3://bucket/data/", ...type);
    await done("deploy", "-n", "judge", ...type, "-m", artifact);
    assertEquals(await done("invoke-endpoint", "-n", "judge", "rows.csv"), "3\n3");
    await done("delete-endpoint", "-n", "judge", "--delete-config", "--delete-model", "--wait");
  });
});
