import { assertEquals, assertMatch } from "@std/assert";
import { errorAnswer, jsonAnswer } from "../../helpers/box/answers.ts";
import { Box } from "../../helpers/box/box.ts";
import { allWordsOf, CLOUD_COMMANDS } from "../../helpers/command_lines.ts";
import { fakePushes } from "../../helpers/fake_pushes.ts";
import { assertHarmless, EVIL } from "../../helpers/hostile_text.ts";
import { runCloudInProcess } from "../../helpers/in_process.ts";
import { makeJobApp } from "../../helpers/job_app.ts";
import { addJob } from "../../helpers/jobs.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Answers an operation in the place of the box. */
function answer(box: Box, operation: string, change: (body: Record<string, unknown>) => void) {
  box.faults.after = () => undefined;
  box.faults.before = (request) => {
    if (request.operation !== operation) return undefined;
    const body: Record<string, unknown> = {
      TrainingJobName: "churn",
      TrainingJobStatus: "Failed",
      CreationTime: 1_750_000_000,
      TrainingEndTime: 1_750_000_100,
    };
    change(body);
    return jsonAnswer(body);
  };
}

suite("texts of a job's author", () => {
  for (
    const args of [
      ...CLOUD_COMMANDS.flatMap(allWordsOf).filter((words) =>
        words.includes("churn") || words.includes("late")
      ),
      ["describe", "churn", "--output", "json"],
    ]
  ) {
    it(`a terminal does not execute texts of a job's author: mlcli ${args.join(" ")}`, async () => {
      await using box = await Box.open();
      for (const name of ["churn", "late"]) addJob(box, name, []);
      box.logs.put("/aws/sagemaker/TrainingJobs", `churn/${EVIL}-1-1750000000`, [EVIL]);
      answer(box, "DescribeTrainingJob", (body) => {
        body["SecondaryStatus"] = EVIL;
        body["SecondaryStatusTransitions"] = [
          { Status: EVIL, StatusMessage: EVIL, StartTime: 1_750_000_000 },
        ];
        body["FailureReason"] = `${EVIL}\n${EVIL}`;
        body["RoleArn"] = EVIL;
        body["AlgorithmSpecification"] = { TrainingImage: EVIL };
        body["HyperParameters"] = { [EVIL]: EVIL };
        body["Environment"] = { [EVIL]: EVIL };
        body["ResourceConfig"] = { InstanceType: EVIL, InstanceCount: 2 };
        body["OutputDataConfig"] = { S3OutputPath: EVIL };
        body["ModelArtifacts"] = { S3ModelArtifacts: EVIL };
        body["BillableTimeInSeconds"] = 7;
      });
      const result = await runCloudInProcess(box, args);
      assertHarmless(result);
      if (args.includes("json")) assertEquals(JSON.parse(result.stdout).role, EVIL);
    });
  }

  it("is obeyed by no terminal where a request is refused", async () => {
    await using box = await Box.open();
    box.faults.before = () => errorAnswer({ code: "AccessDeniedException", message: EVIL });
    for (const debug of ["", "1"]) {
      const env = { MLCLI_DEBUG: debug };
      const result = await runCloudInProcess(box, ["describe", "churn"], { env });
      assertEquals(result.code, 1);
      assertMatch(result.stderr, /x\?\[2J/);
      assertHarmless(result);
      assertEquals(result.stderr.includes(box.env()["AWS_SECRET_ACCESS_KEY"]!), false);
    }
  });

  for (
    const address of [`s3://bucket/${EVIL}`, "s3://bucket/../other/model.tar.gz", "/etc/passwd"]
  ) {
    it(`names no address of a model that can be another: ${JSON.stringify(address)}`, async () => {
      await using box = await Box.open();
      answer(box, "DescribeTrainingJob", (body) => {
        body["TrainingJobStatus"] = "Completed";
        body["ModelArtifacts"] = { S3ModelArtifacts: address };
      });
      await using job = await makeJobApp();
      const result = await job.run(["download-model", "churn"], { cloud: box.env() });
      assertEquals(result.code, 1);
      assertMatch(result.stderr, /^error: The S3 URI of the job's model is not supported: /);
      assertHarmless(result);
    });
  }
});

suite("push", () => {
  it("hands AWS's login to no other registry", async () => {
    await using job = await makeJobApp();
    const { app, box } = job;
    await using engine = await fakePushes(box, { reference: `${app.name}:latest` });
    box.faults.before = ({ operation }) => {
      if (operation !== "GetAuthorizationToken") return undefined;
      const authorizationData = [{
        authorizationToken: btoa("AWS:token"),
        proxyEndpoint: "https://123456789012.dkr.ecr.eu-west-1.amazonaws.com",
      }];
      return jsonAnswer({ authorizationData });
    };
    const { code, stdout, stderr } = await job.run(["push"], { engine });
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^error: ECR returned a login for 123456789012\.dkr\.\S+, but the repository is in l/m,
    );
    assertEquals(engine.pushes, []);
  });

  it("shows what engine and registry say so that no terminal obeys it", async () => {
    await using job = await makeJobApp();
    const { app, box } = job;
    await using engine = await fakePushes(box, {
      reference: `${app.name}:latest`,
      messages: [{ id: EVIL, status: EVIL }, { error: EVIL, errorDetail: { message: EVIL } }],
    });
    const result = await job.run(["push"], { engine });
    assertEquals([result.code, result.stdout], [1, ""]);
    assertMatch(result.stderr, /^x\?\[2J\?2J\?y: x\?\[2J\?2J\?y\n(.|\n)*\n {2}x\?\[2J/m);
    assertHarmless(result);
  });
});

suite("a registry that is not the account's", () => {
  for (
    const uri of [
      `evil.example/${EVIL}`,
      "evil.example/other",
      "evil.example/x/NAME",
      "user:password@evil.example/NAME",
      "https://evil.example/NAME",
    ]
  ) {
    it(`is no repository's: ${JSON.stringify(uri)}`, async () => {
      await using job = await makeJobApp();
      job.box.faults.before = ({ operation }) => {
        if (operation !== "DescribeRepositories") return undefined;
        const repositoryUri = uri.replace("NAME", job.app.name);
        return jsonAnswer({ repositories: [{ repositoryUri }] });
      };
      const args = ["train", "-i", "s3://job-data/app/data", "-e", "ml.m5.large", "--dry-run"];
      const { code, stdout, stderr } = await job.run(args);
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /^error: The response did not come from AWS/m);
    });
  }

  it("gives no digest that is none", async () => {
    await using job = await makeJobApp();
    job.box.faults.before = ({ operation }) => {
      if (operation !== "BatchGetImage") return undefined;
      const image = { imageId: { imageDigest: EVIL }, imageManifest: "{}" };
      return jsonAnswer({ images: [image] });
    };
    const args = ["train", "-i", "s3://job-data/app/data", "-e", "ml.m5.large", "--dry-run"];
    const { code, stderr } = await job.run(args);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: The response did not come from AWS/m);
  });
});
