import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { makeApp } from "../helpers/app.ts";
import { Box } from "../helpers/box/box.ts";
import { EXECUTION_ROLE } from "../helpers/box/jobs/job_store.ts";
import { pushBuilt } from "../helpers/box/pushed_image.ts";
import { runCloud } from "../helpers/cloud.ts";
import { INFERENCE, inferenceImage } from "../helpers/inference_image.ts";
import { it, suite } from "../helpers/suite.ts";
import { tarGz } from "../helpers/tar.ts";

/** A team's image, in another account. */
const NAME = "team/inference";
const ACCOUNT = "111122223333";
const IMAGE = `${ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com/${NAME}:2`;
const IN_BOX = `account-${ACCOUNT}/${NAME}`;
const MODEL = "s3://bucket/trained/model.tar.gz";

suite("an inference.py of the user's own, on an endpoint", () => {
  it("answers with a model from a training, from a prefix, and without one", async () => {
    await using box = await Box.open({ registry: true, jobs: true, endpoints: true });
    Object.assign(box.hosting.settings, { pingInterval: 20, healthyPings: 2, restart: 100 });
    const digest = await pushBuilt(box, IN_BOX, inferenceImage("${BASE}"));
    box.ecr.store.of(ACCOUNT, NAME)!.tags.set("2", digest.split("@")[1]!);
    box.s3.createBucket("bucket");
    box.roles.add(EXECUTION_ROLE);
    const old = { name: "code/neighbour.py", content: "NAME = 'old'\n" };
    const archive = await tarGz([{ name: "weights", content: "42" }, old]);
    await box.s3.put("bucket", "trained/model.tar.gz", archive);
    await box.s3.put("bucket", "plain/weights", "43");
    await using app = await makeApp({
      configuration: {
        image: IMAGE,
        cloud_region: "eu-west-1",
        s3_prefix: "s3://bucket/shop",
        execution_role: EXECUTION_ROLE,
        source_dir: "src",
      },
    });
    await app.write(join(app.directory, "src/inference.py"), INFERENCE);
    await app.write(join(app.directory, "src/neighbour.py"), "NAME = 'beside'\n");
    await app.write(join(app.directory, "rows.csv"), "1\n");
    const run = (...args: readonly string[]) =>
      runCloud(box, args, { cwd: app.directory, env: { XDG_STATE_HOME: app.state } });
    const on = ["-n", "shop", "-e", "ml.m5.large", "--image", IMAGE];
    const answer = async () => (await run("invoke-endpoint", "-n", "shop", "rows.csv")).stdout;

    const code = ["--entry-point", "inference.py"];
    const made = await run("deploy", ...on, "-m", MODEL, ...code);
    assertEquals([made.code, made.stdout], [0, "shop\n"], made.stderr);
    assertStringIncludes(made.stderr, `Replacing code/ in ${MODEL} with src\n`);
    assertEquals(await answer(), "beside 42 eu-west-1 ['code', 'weights'] ");
    // The code alone is edited: it goes into what is served.
    await app.write(join(app.directory, "src/neighbour.py"), "NAME = 'edited'\n");
    const edited = await run("deploy", ...on, ...code);
    assertEquals(edited.code, 0, edited.stderr);
    assertEquals(await answer(), "edited 42 eu-west-1 ['code', 'weights'] ");
    await run("delete-endpoint", "-n", "shop", "--delete-config", "--delete-model", "--wait");

    const plain = await run("deploy", ...on, "-m", "s3://bucket/plain/");
    assertEquals(plain.code, 0, plain.stderr);
    assertEquals(await answer(), "no code: weights");
    await run("delete-endpoint", "-n", "shop", "--delete-config", "--delete-model", "--wait");
    const none = await run("deploy", ...on);
    assertEquals(none.code, 0, none.stderr);
    assertEquals(await answer(), "no code: ");
  });
});
