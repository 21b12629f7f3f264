import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { jsonAnswer } from "../../helpers/box/answers.ts";
import type { Box } from "../../helpers/box/box.ts";
import { Refused } from "../../helpers/box/service.ts";
import {
  allWordsOf,
  CLOUD_COMMANDS,
  except,
  type Exceptions,
} from "../../helpers/command_lines.ts";
import { LEAST, makeDeployApp, UPDATE } from "../../helpers/deploy_app.ts";
import { assertHarmless, EVIL } from "../../helpers/hostile_text.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { CONFIGURATION, type JobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

/** A value that an update carries over. */
const BEFORE = "of-the-model-before";

/** Every text of the responses, except tokens of further pages, is the hostile one. */
function poison(box: Box, status: string, names: readonly string[] = []): void {
  const keeps = new Set(
    ["EndpointName", "EndpointConfigName", "ModelName", "NextToken"].filter((name) =>
      !names.includes(name)
    ),
  );
  const poisoned = (value: unknown, name: string): unknown => {
    if (name === "EndpointStatus") return status;
    if (typeof value === "string") return keeps.has(name) ? value : EVIL;
    if (Array.isArray(value)) return value.map((one) => poisoned(one, name));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        name === "Environment" ? EVIL : key,
        poisoned(one, key),
      ]),
    );
  };
  box.faults.after = async ({ service, operation }, answer) => {
    if (service !== "sagemaker" || !/^(Describe|List)/.test(operation)) return undefined;
    const body = poisoned(await answer.json(), "") as Record<string, unknown>;
    if (operation === "DescribeEndpoint") body["FailureReason"] = `${EVIL}\n${EVIL}`;
    return jsonAnswer(body);
  };
}

/** An endpoint that has all that one can have, with a log. */
async function endpoint(): Promise<JobApp> {
  const job = await makeDeployApp();
  const { box, app } = job;
  await app.write(`${app.directory}/rows.csv`, "1\n");
  box.endpoints.add("shop", {
    container: { Environment: { A: BEFORE } },
    settings: {
      DataCaptureConfig: {
        EnableCapture: true,
        InitialSamplingPercentage: 100,
        DestinationS3Uri: "s3://job-data/capture",
        CaptureOptions: [{ CaptureMode: "Input" }],
      },
    },
    tags: { team: "x" },
  });
  box.logs.put("/aws/sagemaker/Endpoints/shop", `AllTraffic/i-0123${EVIL}`, [EVIL]);
  return job;
}

/** Commands whose lines about the endpoint are in `ASKING`. */
const EXCEPTIONS: Exceptions = {
  "deploy": "it updates the endpoint",
  "delete-endpoint": "it also deletes the other parts",
};

const ASKING = [
  ...except(CLOUD_COMMANDS, EXCEPTIONS).flatMap(allWordsOf).filter((words) =>
    words.includes("shop")
  ),
  ["describe", "shop", "--output", "json"],
  ["list-endpoints"],
  ["list-endpoints", "--output", "json"],
  UPDATE,
  [...UPDATE, "--dry-run"],
  ["delete-endpoint", "-n", "shop", "--delete-config", "--delete-model", "--wait"],
  ["delete-endpoint", "-n", "shop", "--dry-run"],
];

suite("what SageMaker says of an endpoint", () => {
  for (
    const args of ASKING
  ) {
    it(`is obeyed by no terminal: mlcli ${args.join(" ")}`, async () => {
      for (const status of ["InService", "Failed", EVIL]) {
        await using job = await endpoint();
        poison(job.box, status);
        // Who waits for what never settles waits until then.
        if (args[0] === "wait" && status === EVIL) continue;
        const limit = args[0] === "deploy" ? ["--timeout", "1"] : [];
        assertHarmless(await job.run([...args, ...limit]));
      }
    });
  }

  for (const name of ["EndpointName", "EndpointConfigName", "ModelName"]) {
    it(`is obeyed by no terminal where it gives another name: ${name}`, async () => {
      for (const args of ASKING) {
        await using job = await endpoint();
        poison(job.box, "InService", [name]);
        assertHarmless(await job.run(args));
      }
    });
  }

  it("is obeyed by no terminal where an update fails", async () => {
    await using job = await endpoint();
    const { box } = job;
    box.endpoints.script("shop", [{ log: [EVIL] }, { rollback: true, reason: EVIL }]);
    const result = await job.run(UPDATE);
    assertEquals([result.code, result.stdout], [1, ""]);
    assertHarmless(result);
    assertStringIncludes(result.stderr, "  x?[2J?2J?y\n");
  });

  it("fills no screen where an update fails", async () => {
    await using job = await endpoint();
    const lines = Array(50).fill("a".repeat(200_000));
    job.box.endpoints.script("shop", [{ log: lines }, { rollback: true }]);
    const { code, stderr } = await job.run(UPDATE);
    assertEquals(code, 1);
    assertStringIncludes(stderr, `  ${"a".repeat(2000)}...\n`);
    assert(stderr.length < 150_000, `${stderr.length} characters`);
  });

  for (const operation of ["CreateModel", "CreateEndpointConfig", "UpdateEndpoint", "ListTags"]) {
    it(`is obeyed by no terminal where it refuses: ${operation}`, async () => {
      await using job = await endpoint();
      job.box.faults.refuse(`sagemaker:${operation}`, new Refused("ValidationException", EVIL));
      const result = await job.run(UPDATE, { env: { MLCLI_DEBUG: "1" } });
      assertEquals([result.code, result.stdout], [1, ""]);
      assertHarmless(result);
    });
  }

  it("shows no value of a variable that a refusal quotes", async () => {
    await using job = await endpoint();
    const secret = "a-value-that-nobody-may-see";
    const refusal = new Refused("ValidationException", `'{A=${BEFORE}, TOKEN=${secret}}' is bad`);
    job.box.faults.refuse("sagemaker:CreateModel", refusal);
    const env = { MLCLI_DEBUG: "1" };
    const { code, stderr } = await job.run([...UPDATE, "--env", `TOKEN=${secret}`], { env });
    assertEquals(code, 1);
    assertStringIncludes(stderr, "'{A=***, TOKEN=***}' is bad");
    assertEquals([stderr.includes(secret), stderr.includes(BEFORE)], [false, false]);
  });
});

suite("what the configuration file says of an endpoint", () => {
  for (
    const [key, value] of [
      ["endpoint_name", EVIL],
      ["model", `s3://job-data/${EVIL}/model.tar.gz`],
      ["model", EVIL],
      ["data_capture", `s3://job-data/${EVIL}`],
      ["ec2_type", EVIL],
      ["instance_count", EVIL],
      ["memory_size_in_mb", EVIL],
      ["max_concurrency", EVIL],
      ["health_check_timeout", EVIL],
      ["kms_key", EVIL],
      ["subnet", EVIL],
      ["security_group", EVIL],
      ["canary", EVIL],
      ["alarm", EVIL],
      ["tag", { [EVIL]: EVIL }],
      ["env", { [EVIL]: "1" }],
      ["env", { A: EVIL }],
      ["repository", EVIL],
      ["docker_tag", EVIL],
      ["execution_role", EVIL],
      ["timeout", EVIL],
      [EVIL, EVIL],
    ] as const
  ) {
    it(`is obeyed by no terminal: ${JSON.stringify({ [key]: value })}`, async () => {
      await using job = await makeDeployApp({
        configuration: {
          ...CONFIGURATION,
          ...key === "execution_role" ? { [key]: value } : {},
          deploy: { endpoint_name: "shop", ec2_type: "ml.m5.large", [key]: value },
        },
      });
      const args = ["deploy", "--dry-run", ...key === "model" ? [] : LEAST.slice(-2)];
      assertHarmless(await job.run(args));
    });
  }
});

suite("an endpoint that never settles", () => {
  it("is waited for no longer than was said, and what serves stays", async () => {
    await using job = await endpoint();
    job.box.endpoints.script("shop", Array(1000).fill("Updating"));
    const { code, stdout, stderr } = await job.run([...UPDATE, "--timeout", "1"]);
    assertEquals([code, stdout], [1, ""], stderr);
    assertStringIncludes(
      stderr,
      "error: Timed out after 1 s: the status of shop is Updating\n",
    );
    assert(job.box.endpoints.configurations.has("shop-config"));
  });
});

suite("pages without end", () => {
  const UPLOAD = ["upload-data", "-i", ".", "--target-dir", "s3://my-bucket/x"];
  for (
    const [operation, action, member, args] of [
      ["ListEndpoints", "sagemaker", "Endpoints", ["list-endpoints"]],
      ["ListTrainingJobs", "sagemaker", "TrainingJobSummaries", ["list-jobs"]],
      ["ListTags", "sagemaker", "Tags", UPDATE],
      ["DescribeLogStreams", "logs", "logStreams", ["logs", "shop"]],
      ["GetLogEvents", "logs", "events", ["logs", "shop", "--tail", "all"]],
      ["ListObjectsV2", "s3", "", UPLOAD],
    ] as const
  ) {
    for (const circle of [["A"], ["A", "B"], ["A", "B", "C"], ["A", "B", "C", "B", "C"]]) {
      it(`are not asked for for ever: ${operation}, ${circle.join(", ")}`, async () => {
        await using job = await endpoint();
        job.box.s3.createBucket("my-bucket");
        let asked = 0;
        job.box.faults.before = (request) => {
          if (request.service !== action || request.operation !== operation) return undefined;
          const token = circle[asked++ % circle.length];
          if (asked > 1_000) return new Response(null, { status: 501 });
          return operation === "ListObjectsV2"
            ? new Response(
              `<ListBucketResult><Name>my-bucket</Name><IsTruncated>true</IsTruncated>` +
                `<NextContinuationToken>${token}</NextContinuationToken></ListBucketResult>`,
            )
            : jsonAnswer({
              [member]: operation === "GetLogEvents" ? [{ timestamp: 1, message: "a" }] : [],
              [action === "logs" ? "nextToken" : "NextToken"]: token,
              nextForwardToken: token,
            });
        };
        const result = await runInProcess(args, { cwd: job.app.directory, cloud: job.box.env() });
        assert(asked > 1 && asked < 20, `${asked} times\n${result.stderr}`);
        assertHarmless(result);
      });
    }
  }
});
