import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  changesOf,
  makeDeployApp,
  makeDeployedApp,
  MODEL,
  UPDATE,
} from "../../helpers/deploy_app.ts";
import { BUCKET, makeJobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

const TRAIN = ["train", "-i", `s3://${BUCKET}/app/data`, "-e", "ml.m5.large", "--no-wait"];

/** A user at a terminal who gives these replies, and the questions that were asked. */
function user(...replies: readonly string[]) {
  const questions: string[] = [];
  const ask = (question: string): Promise<string> => {
    questions.push(question);
    return Promise.resolve(replies[questions.length - 1] ?? "");
  };
  return { questions, options: { canAsk: true, ask } };
}

suite("the first use of an account", () => {
  it("mlcli states instances, region and account before the first job, and asks once", async () => {
    await using job = await makeJobApp();
    const { questions, options } = user("y");
    const first = await job.run([...TRAIN, "-c", "2"], options);
    assertEquals(first.code, 0, first.stderr);
    assertMatch(
      questions[0]!,
      /^This starts a training job \(2 x ml\.m5\.large\) in eu-west-1 \(AWS_REGION\), account \d{12}\. It costs money\.\nContinue\? /,
    );
    const second = await job.run(TRAIN, options);
    assertEquals([second.code, questions.length], [0, 1], second.stderr);
  });

  for (const reply of ["", "n"]) {
    it(`mlcli creates nothing if the user answers "${reply}", and asks again next time`, async () => {
      await using job = await makeJobApp();
      const { questions, options } = user(reply, reply);
      for (const count of [1, 2]) {
        const { code, stdout, stderr } = await job.run(TRAIN, options);
        assertEquals([code, stdout, changesOf(job), questions.length], [1, "", [], count]);
        assertStringIncludes(stderr, "error: Nothing was changed, because you did not agree\n");
      }
    });
  }

  it("mlcli remembers an agreement for its directory only, and none of --yes", async () => {
    await using job = await makeJobApp();
    await using other = await makeJobApp();
    const { questions, options } = user("y", "n");
    await job.run([...TRAIN, "--yes"], options);
    assertEquals(questions.length, 0);
    await job.run(TRAIN, options);
    assertEquals(questions.length, 1);
    await other.run(TRAIN, { ...options, env: { XDG_STATE_HOME: job.app.state } });
    assertEquals(questions.length, 2);
  });

  it("mlcli does not ask for agreement in a pipe, in CI or with --dry-run", async () => {
    await using job = await makeJobApp();
    const { questions, options } = user();
    for (
      const [args, more] of [
        [[], { canAsk: false }],
        [[], { env: { CI: "true" } }],
        [["--dry-run"], {}],
      ] as const
    ) {
      const { code, stderr } = await job.run([...TRAIN, ...args], { ...options, ...more });
      assertEquals([code, questions], [0, []], stderr);
    }
    await job.run(TRAIN, { ...options, env: { CI: "false" } });
    assertEquals(questions.length, 1);
  });

  it("mlcli states the instances with --quiet, and sends no code before the user agrees", async () => {
    await using job = await makeJobApp();
    await job.app.write(`${job.app.directory}/train.py`, "");
    const code = ["--entry-point", "train.py", "--launcher", "script"];
    const { questions, options } = user("n");
    await job.run([...TRAIN, "-q", ...code], options);
    assertStringIncludes(questions[0]!, "This starts a training job (1 x ml.m5.large) in ");
    assertEquals(changesOf(job), []);
  });

  it("mlcli asks for agreement each time if it cannot write its state", async () => {
    await using job = await makeJobApp();
    const { options } = user("y");
    const { code, stderr } = await job.run(TRAIN, {
      ...options,
      env: { XDG_STATE_HOME: "/dev/null" },
    });
    assertEquals(code, 0, stderr);
    assertStringIncludes(
      stderr,
      "note: Cannot remember that you agreed, so mlcli will ask again: ",
    );
  });

  it("mlcli names each group of instances before it asks for agreement", async () => {
    await using job = await makeJobApp();
    const groups = ["a=ml.c5.large:1", "b=ml.p3.2xlarge:3"].flatMap((
      one,
    ) => ["--instance-group", one]);
    const args = ["train", "-i", `s3://${BUCKET}/app/data`, ...groups];
    const { questions, options } = user("n");
    await job.run(args, options);
    assertStringIncludes(questions[0]!, "(1 x ml.c5.large, 3 x ml.p3.2xlarge) in ");
  });

  it("mlcli asks for agreement before a transform job", async () => {
    await using job = await makeDeployApp();
    const { questions, options } = user("n");
    const args = ["transform", "-i", `s3://${BUCKET}/app/data`, "-m", MODEL, "-e", "ml.m5.large"];
    const { code, stderr } = await job.run(args, options);
    assertEquals([code, changesOf(job)], [1, []], stderr);
    assertStringIncludes(questions[0]!, "This starts a transform job (1 x ml.m5.large) in ");
  });

  for (
    const [machines, args] of [
      ["1 x ml.m5.large", ["-e", "ml.m5.large"]],
      ["serverless, 2048 MB", ["--memory-size-in-mb", "2GB"]],
    ] as const
  ) {
    it(`mlcli asks for agreement before it creates an endpoint: ${machines}`, async () => {
      await using app = await makeDeployApp();
      const { questions, options } = user("n");
      const { code, stderr } = await app.run(
        ["deploy", "-n", "shop", "-m", MODEL, ...args],
        options,
      );
      assertEquals([code, changesOf(app)], [1, []], stderr);
      assertStringIncludes(questions[0]!, `This creates endpoint shop (${machines}) in `);
    });
  }

  it("mlcli asks for agreement before it updates an endpoint", async () => {
    await using app = await makeDeployedApp();
    const { questions, options } = user("n");
    const { code, stderr } = await app.run([...UPDATE, "-c", "2"], options);
    assertEquals([code, changesOf(app)], [1, []], stderr);
    assertStringIncludes(questions[0]!, "This updates endpoint shop (2 x ml.m5.large) in ");
  });
});
