import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { changesOf, makeDeployApp, MODEL } from "../../helpers/deploy_app.ts";
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
  it("states instances, region and account, and asks once", async () => {
    await using job = await makeJobApp();
    const { questions, options } = user("y");
    const first = await job.run([...TRAIN, "-c", "2"], options);
    assertEquals(first.code, 0, first.stderr);
    assertMatch(
      first.stderr,
      /^This starts a training job \(2 x ml\.m5\.large\) in eu-west-1 \(AWS_REGION\), account \d{12}\. It costs money\.$/m,
    );
    const second = await job.run(TRAIN, options);
    assertEquals([second.code, questions.length], [0, 1], second.stderr);
    assertEquals(second.stderr.includes("It costs money"), false);
  });

  for (const reply of ["", "n"]) {
    it(`creates nothing if the user answers "${reply}", and asks again`, async () => {
      await using job = await makeJobApp();
      const { questions, options } = user(reply, reply);
      for (const count of [1, 2]) {
        const { code, stdout, stderr } = await job.run(TRAIN, options);
        assertEquals([code, stdout, changesOf(job), questions.length], [1, "", [], count]);
        assertStringIncludes(stderr, "error: Nothing was changed, because you did not agree\n");
      }
    });
  }

  it("is not asked about with --yes, or if nobody can answer", async () => {
    await using job = await makeJobApp();
    const { questions, options } = user();
    for (const [args, canAsk] of [[["--yes"], true], [[], false], [["--dry-run"], true]] as const) {
      const { code, stderr } = await job.run([...TRAIN, ...args], { ...options, canAsk });
      assertEquals([code, questions], [0, []], stderr);
    }
  });

  it("covers batch transform", async () => {
    await using job = await makeDeployApp();
    const { options } = user("n");
    const args = ["transform", "-i", `s3://${BUCKET}/app/data`, "-m", MODEL, "-e", "ml.m5.large"];
    const { code, stderr } = await job.run(args, options);
    assertEquals([code, changesOf(job)], [1, []], stderr);
    assertStringIncludes(stderr, "This starts a transform job (1 x ml.m5.large) in ");
  });

  for (
    const [machines, args] of [
      ["1 x ml.m5.large", ["-e", "ml.m5.large"]],
      ["serverless, 2048 MB", ["--memory-size-in-mb", "2GB"]],
    ] as const
  ) {
    it(`covers endpoints: ${machines}`, async () => {
      await using app = await makeDeployApp();
      const { options } = user("n");
      const { code, stderr } = await app.run(
        ["deploy", "-n", "shop", "-m", MODEL, ...args],
        options,
      );
      assertEquals([code, changesOf(app)], [1, []], stderr);
      assertStringIncludes(stderr, `This creates endpoint shop (${machines}) in `);
    });
  }
});
