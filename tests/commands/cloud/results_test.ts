import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ACCOUNT } from "../../helpers/box/account.ts";
import { LEAST as DEPLOY, makeDeployApp, MODEL } from "../../helpers/deploy_app.ts";
import { BUCKET, type JobApp, makeJobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";
import { place, TARGET } from "../../helpers/upload_place.ts";

const TRAIN = ["train", "-i", `s3://${BUCKET}/app/data`, "-e", "ml.m5.large"];
const PROCESS = ["process", "-f", "p.py", "-e", "ml.m5.large"];
const JSON_OUTPUT = ["--output", "json"];

/** The only job of a kind. */
function jobOf({ box }: JobApp, command: string): string {
  return box.jobs.only(command === "train" ? "training" : "processing").name;
}

function consoleOf(page: string): string {
  return `https://eu-west-1.console.aws.amazon.com/sagemaker/home?region=eu-west-1#/${page}`;
}

suite("the result of a job as JSON", () => {
  for (const command of [TRAIN, PROCESS]) {
    const [kind = ""] = command;

    it(`is what describe prints, at its end: ${kind}`, async () => {
      await using job = await makeJobApp();
      const { code, stdout, stderr } = await job.run([...command, ...JSON_OUTPUT]);
      assertEquals(code, 0, stderr);
      const name = jobOf(job, kind);
      assertEquals(stdout, (await job.run(["describe", name, ...JSON_OUTPUT])).stdout);
      assertEquals(JSON.parse(stdout).status, "Completed");
      assertEquals(stdout, (await job.run(["wait", name, ...JSON_OUTPUT])).stdout);
      assertEquals(stdout, (await job.run(["stop-job", name, ...JSON_OUTPUT])).stdout);
    });

    it(`is what is known at once with --no-wait: ${kind}`, async () => {
      await using job = await makeJobApp();
      const { stdout, stderr } = await job.run([...command, ...JSON_OUTPUT, "--no-wait"]);
      const name = jobOf(job, kind);
      const page = `${kind === "train" ? "jobs" : "processing-jobs"}/${name}`;
      const type = kind === "train" ? "training-job" : "processing-job";
      assertEquals(JSON.parse(stdout), {
        name,
        kind,
        arn: `arn:aws:sagemaker:eu-west-1:${ACCOUNT}:${type}/${name}`,
        console: consoleOf(page),
      });
      assertStringIncludes(stderr, `Console: ${consoleOf(page)}\n`);
    });

    it(`is the call of a dry run in either format: ${kind}`, async () => {
      await using job = await makeJobApp();
      const text = JSON.parse((await job.run([...command, "--dry-run"])).stdout);
      const json = JSON.parse((await job.run([...command, "--dry-run", ...JSON_OUTPUT])).stdout);
      assertEquals([json[0].action, json.length], [text[0].action, 1]);
    });
  }

  it("is there for one that failed, too, beside the error", async () => {
    await using job = await makeJobApp();
    job.box.jobs.script("*", [{ end: { status: "Failed", reason: "no memory" } }]);
    const { code, stdout, stderr } = await job.run([...TRAIN, ...JSON_OUTPUT]);
    const { status, reason, name } = JSON.parse(stdout);
    assertEquals([code, status, reason, name], [1, "Failed", "no memory", jobOf(job, "train")]);
    assertMatch(stderr, /^error: Training job \S+ failed$/m);
  });

  it("says that a job is being stopped", async () => {
    await using job = await makeJobApp();
    job.box.jobs.script("*", [{ status: "Training" }, {}, {}, {}]);
    await job.run([...TRAIN, "--no-wait"]);
    const { stdout } = await job.run(["stop-job", jobOf(job, "train"), ...JSON_OUTPUT]);
    assertEquals(JSON.parse(stdout).status, "Stopping");
  });
});

suite("the result of deploy as JSON", () => {
  /** Without what the time changes. */
  function described(stdout: string): Record<string, unknown> {
    const { age_seconds: _, ...rest } = JSON.parse(stdout);
    return rest;
  }

  it("is what describe prints once it serves, also where nothing changes", async () => {
    await using job = await makeDeployApp();
    const { code, stdout, stderr } = await job.run([...DEPLOY, ...JSON_OUTPUT]);
    assertEquals(code, 0, stderr);
    const now = described((await job.run(["describe", "shop", ...JSON_OUTPUT])).stdout);
    assertEquals(described(stdout), now);
    assertEquals([now["endpoint_name"], now["status"]], ["shop", "InService"]);
    for (const command of [["wait", "shop"], DEPLOY]) {
      assertEquals(described((await job.run([...command, ...JSON_OUTPUT])).stdout), now);
    }
  });

  it("is what is known at once with --no-wait", async () => {
    await using job = await makeDeployApp();
    const { stdout } = await job.run([...DEPLOY, ...JSON_OUTPUT, "--no-wait"]);
    assertEquals(JSON.parse(stdout), {
      endpoint_name: "shop",
      kind: "endpoint",
      arn: `arn:aws:sagemaker:eu-west-1:${ACCOUNT}:endpoint/shop`,
      console: consoleOf("endpoints/shop"),
    });
  });

  it("is there where a wait finds that it failed", async () => {
    await using job = await makeDeployApp();
    job.box.endpoints.add("other", { status: "Failed", reason: "no such image" });
    const { code, stdout } = await job.run(["wait", "other", ...JSON_OUTPUT]);
    const { status, reason } = described(stdout);
    assertEquals([code, status, reason], [1, "Failed", "no such image"]);
  });
});

suite("the result of upload-data as JSON", () => {
  it("is where it is, and what was sent", async () => {
    await using at = await place({ "data/a.csv": "1\n", "data/b.csv": "22\n" });
    const upload = ["-i", "data", "--target-dir", TARGET, ...JSON_OUTPUT];
    for (const [files, bytes, unchanged] of [[2, 5, 0], [0, 0, 2]]) {
      const { stdout } = await at.upload(upload);
      const sent = { target: `${TARGET}/`, files, bytes, unchanged, deleted: 0 };
      assertEquals(JSON.parse(stdout), sent);
    }
  });
});

suite("with --quiet", () => {
  it("a job and its log are not told, and the result is", async () => {
    await using job = await makeJobApp();
    const log = ["epoch 1"];
    job.box.jobs.script("*", [{ status: "Training", log }, { end: { status: "Completed" } }]);
    const told = await job.run(TRAIN);
    assertMatch(told.stderr, /^Creating training job [^]*\nepoch 1\n[^]*^Completed: /m);
    const name = jobOf(job, "train");
    for (const [command, result] of [[TRAIN, /^s3:/], [["wait", name], /^s3:/]] as const) {
      const { code, stdout, stderr } = await job.run([...command, "--quiet"], {
        isTerminal: true,
      });
      assertEquals([code, stderr], [0, ""]);
      assertMatch(stdout, result);
    }
    // Here the log is the result.
    const { stdout, stderr } = await job.run(["logs", name, "--follow", "-q"]);
    assertEquals([stdout, stderr], ["epoch 1\n", ""]);
  });

  it("errors are told", async () => {
    await using job = await makeJobApp();
    job.box.jobs.script("*", [{ end: { status: "Failed", reason: "no memory" } }]);
    const { code, stderr } = await job.run([...TRAIN, "-q"]);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: Training job \S+ failed\n {2}no memory\n/);
  });

  it("deploy --quiet prints no states, and a warning about a part that it cannot delete", async () => {
    await using job = await makeDeployApp();
    assertEquals(await job.run([...DEPLOY, "-q"]), { code: 0, stdout: "shop\n", stderr: "" });
    job.box.faults.deny("sagemaker:DeleteModel");
    const again = ["deploy", "-n", "shop", "-m", MODEL, "--env", "A=b", "-q"];
    const { code, stdout, stderr } = await job.run(again);
    assertEquals([code, stdout], [0, "shop\n"]);
    assertEquals(
      stderr,
      "warning: AccessDeniedException: sagemaker:DeleteModel\n" +
        "warning: Left over: model shop-mlcli. The next mlcli deploy deletes unused parts\n" +
        "hint: Delete it: aws sagemaker delete-model --model-name shop-mlcli\n",
    );
  });
});

suite("with --progress plain", () => {
  it("a terminal gets lines as a pipe does", async () => {
    await using job = await makeJobApp();
    const live = await job.run(TRAIN, { isTerminal: true });
    assert(live.stderr.includes("\x1b[K"));
    const plain = await job.run([...TRAIN, "--progress", "plain"], { isTerminal: true });
    assert(!plain.stderr.includes("\x1b") && !plain.stderr.includes("\r"), plain.stderr);
    assertMatch(plain.stderr, /^Completed: Training job completed$/m);
  });
});
