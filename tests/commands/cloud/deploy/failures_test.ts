import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Refused } from "../../../helpers/box/service.ts";
import {
  changesOf,
  LEAST,
  makeDeployApp,
  makeDeployedApp,
  thingsOf,
  UPDATE,
} from "../../../helpers/deploy_app.ts";
import { Keys, openCloud } from "../../../helpers/in_process.ts";
import { it, suite } from "../../../helpers/suite.ts";

const FIRST_SLOT = ["shop-config", "shop-mlcli"];
const PING =
  "The primary container for production variant AllTraffic did not pass the ping health " +
  "check. Please check CloudWatch logs for this endpoint.";

suite("deploy, where an update is taken back", () => {
  it("fails, with the reason, the likely cause and the end of the new log", async () => {
    await using job = await makeDeployedApp();
    const { box } = job;
    const group = "/aws/sagemaker/Endpoints/shop";
    box.logs.put(group, "AllTraffic/i-0before", ["of the old instance"]);
    const lines = Array.from({ length: 60 }, (_, number) => `line ${number}`);
    box.endpoints.script("shop", [
      { log: { "AllTraffic/i-0after": lines } },
      "RollingBack",
      { rollback: true, reason: PING },
    ]);
    const { code, stdout, stderr } = await job.run(UPDATE);
    assertEquals([code, stdout], [1, ""], stderr);
    assertStringIncludes(
      stderr,
      "error: Endpoint shop was not updated: SageMaker rolled it back\n",
    );
    assertStringIncludes(stderr, `  ${PING}\n`);
    assertStringIncludes(stderr, "Last log lines:\n  line 10\n");
    assertStringIncludes(stderr, "  line 59\n");
    assert(!/of the old instance|line 9\n/.test(stderr), stderr);
    assertStringIncludes(stderr, "GET /ping on port 8080");
    assertStringIncludes(stderr, "The endpoint still serves the previous version.");
    assertStringIncludes(stderr, "Nothing was left behind.\n");
    assertEquals(thingsOf(job), { all: FIRST_SLOT, served: FIRST_SLOT });
  });

  it("shows once what a server writes that is started over and over", async () => {
    await using job = await makeDeployedApp();
    const trace = ["Traceback (most recent call last):", "  load()", "KeyError: 'price'"];
    const log = { "AllTraffic/i-0after": Array(9).fill(trace).flat() };
    job.box.endpoints.script("shop", [{ log }, { rollback: true, reason: PING }]);
    const { stderr } = await job.run(UPDATE);
    const quoted = ["Last log lines:", "[earlier repeats omitted]", ...trace];
    assertStringIncludes(stderr, quoted.map((line) => `  ${line}\n`).join(""));
    assertEquals(stderr.split("KeyError: 'price'").length, 2);
  });

  it("fails where nobody gives a reason, and the log may not be read", async () => {
    await using job = await makeDeployedApp();
    job.box.faults.deny("logs:*");
    job.box.endpoints.script("shop", [{ rollback: true }]);
    const { code, stdout, stderr } = await job.run(UPDATE);
    assertEquals([code, stdout], [1, ""], stderr);
    assertStringIncludes(stderr, "  SageMaker gave no reason.\n");
    assertStringIncludes(stderr, "Cannot read the log: AccessDeniedException: logs:");
    assertEquals(thingsOf(job), { all: FIRST_SLOT, served: FIRST_SLOT });
  });

  it("fails where an alarm rang", async () => {
    await using job = await makeDeployedApp();
    job.box.endpoints.alarm("errors");
    const { code, stderr } = await job.run([...UPDATE, "--canary", "10", "--alarm", "errors"]);
    assertEquals(code, 1, stderr);
    assertStringIncludes(stderr, "alarm");
    assertEquals(thingsOf(job), { all: FIRST_SLOT, served: FIRST_SLOT });
  });

  it("deploy names the parts that it has no permission to delete", async () => {
    await using job = await makeDeployedApp();
    job.box.faults.deny("sagemaker:Delete*");
    job.box.endpoints.script("shop", [{ rollback: true }]);
    const { code, stderr } = await job.run(UPDATE);
    assertEquals([code, thingsOf(job).all.length], [1, 4]);
    assertStringIncludes(
      stderr,
      "warning: Left over: endpoint configuration shop-config-2 and model shop-mlcli-2. " +
        "The next mlcli deploy deletes unused parts\n" +
        "hint: Delete them: aws sagemaker delete-endpoint-config " +
        "--endpoint-config-name shop-config-2; " +
        "aws sagemaker delete-model --model-name shop-mlcli-2\n",
    );
  });

  it("changes nothing where the rollback failed, too", async () => {
    await using job = await makeDeployedApp();
    job.box.endpoints.script("shop", [{ end: "UpdateRollbackFailed", reason: "No capacity." }]);
    const { code, stderr } = await job.run(UPDATE);
    assertEquals(code, 1);
    assertStringIncludes(
      stderr,
      "Endpoint shop was not updated: its status is UpdateRollbackFailed\n",
    );
    assert(job.box.endpoints.endpoints.has("shop"), stderr);
    for (const name of FIRST_SLOT) assert(thingsOf(job).all.includes(name), stderr);
  });
});

suite("deploy, where a new endpoint fails", () => {
  it("deletes it and what was made for it: the same command begins anew", async () => {
    await using job = await makeDeployApp();
    job.box.endpoints.script("shop", [{ log: ["no such file"] }, { end: "Failed", reason: PING }]);
    const { code, stdout, stderr } = await job.run(LEAST);
    assertEquals([code, stdout], [1, ""], stderr);
    assertStringIncludes(stderr, "error: Endpoint shop was not created: it failed\n");
    assertStringIncludes(stderr, "  no such file\n");
    assertStringIncludes(stderr, "Nothing was left behind.\n");
    assertEquals([thingsOf(job).all, job.box.endpoints.endpoints.size], [[], 0]);
    assertEquals((await job.run(LEAST)).stdout, "shop\n");
  });

  it("says so where there is no machine, and what to do", async () => {
    await using job = await makeDeployApp();
    job.box.faults.outOfCapacity();
    const { code, stderr } = await job.run(LEAST);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "InsufficientInstanceCapacity");
    assertStringIncludes(stderr, "another --ec2-type");
    assertEquals([thingsOf(job).all, job.box.endpoints.endpoints.size], [[], 0]);
  });

  it("deploy prints the command that deletes a failed endpoint if it has no permission to delete it", async () => {
    await using job = await makeDeployApp();
    job.box.faults.deny("sagemaker:DeleteEndpoint");
    job.box.endpoints.script("shop", [{ end: "Failed" }]);
    const { code, stderr } = await job.run(LEAST);
    assertEquals(code, 1);
    assertStringIncludes(
      stderr,
      "hint: Delete the endpoint: mlcli delete-endpoint -n shop --delete-config --delete-model\n",
    );
  });
});

suite("deploy, where a call is refused", () => {
  it("leaves nothing: the quota", async () => {
    await using job = await makeDeployedApp();
    job.box.faults.quota("ml.p3.2xlarge");
    const { code, stderr } = await job.run([...UPDATE, "-e", "ml.p3.2xlarge"]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "Service Quotas");
    assertStringIncludes(
      stderr,
      "Nothing was left behind. Endpoint shop still serves the previous version.\n",
    );
    assertEquals(thingsOf(job), { all: FIRST_SLOT, served: FIRST_SLOT });
  });

  it("goes on without its own tags, and not without the user's", async () => {
    await using job = await makeDeployApp();
    job.box.faults.deny("sagemaker:AddTags");
    const tagged = await job.run([...LEAST, "--tag", "team=a"]);
    assertEquals([tagged.code, thingsOf(job).all], [1, []]);
    assertStringIncludes(tagged.stderr, "AccessDeniedException: sagemaker:AddTags\n");
    const { code, stdout, stderr } = await job.run(LEAST);
    assertEquals([code, stdout], [0, "shop\n"], stderr);
    assertEquals(stderr.split("without mlcli tags").length, 2);
    assertEquals(job.box.endpoints.endpoint("shop").tags.size, 0);
    // Neither does an update ask for what it may not: once is enough.
    const update = await job.run(UPDATE);
    assertEquals([update.code, update.stderr.includes("Cannot update the tags")], [0, false]);
  });

  it("finds out what became of an update whose answer was lost", async () => {
    await using job = await makeDeployedApp();
    job.box.faults.loseAnswer("sagemaker:UpdateEndpoint", 9);
    const { code, stdout, stderr } = await job.run(UPDATE);
    assertEquals([code, stdout], [0, "shop\n"], stderr);
    assertEquals(thingsOf(job).served, ["shop-config-2", "shop-mlcli-2"]);
  });

  it("deletes nothing where nobody knows whether an update has begun", async () => {
    await using job = await makeDeployedApp();
    const { faults } = job.box;
    faults.before = ({ operation }) => {
      if (operation !== "UpdateEndpoint") return undefined;
      faults.deny("sagemaker:DescribeEndpoint");
      throw new Refused("InternalFailure", "", 500);
    };
    const { code, stderr } = await job.run(UPDATE);
    assertEquals([code, thingsOf(job).all.length], [1, 4], stderr);
    assertStringIncludes(
      stderr,
      "mlcli deleted nothing, because endpoint shop might have started to change.",
    );
  });

  it("deploy deletes nothing if it has no permission to read what the endpoint uses", async () => {
    await using job = await makeDeployedApp();
    const { faults } = job.box;
    faults.quota("ml.p3.2xlarge");
    faults.before = ({ operation }) => {
      if (operation === "UpdateEndpoint") faults.deny("sagemaker:DescribeEndpoint");
      return undefined;
    };
    const { code, stderr } = await job.run([...UPDATE, "-e", "ml.p3.2xlarge"]);
    assertEquals([code, thingsOf(job).all.length], [1, 4], stderr);
    assertStringIncludes(stderr, "mlcli cannot tell whether shop uses them\n");
  });

  const must = [
    "sagemaker:DescribeEndpoint",
    "sagemaker:DescribeEndpointConfig",
    "sagemaker:DescribeModel",
    "sagemaker:CreateModel",
    "sagemaker:CreateEndpointConfig",
    "sagemaker:UpdateEndpoint",
    "iam:PassRole",
  ];
  for (const action of must) {
    it(`says which permission is missing, and leaves nothing: ${action}`, async () => {
      await using job = await makeDeployedApp();
      job.box.faults.deny(action);
      const { code, stdout, stderr } = await job.run(UPDATE);
      assertEquals([code, stdout], [1, ""], stderr);
      assertStringIncludes(stderr, `error: AccessDeniedException: ${action}\n`);
      assertEquals(thingsOf(job), { all: FIRST_SLOT, served: FIRST_SLOT });
    });
  }

  const may = ["ListTags", "ListEndpoints", "AddTags", "DeleteModel", "DeleteEndpointConfig"];
  for (const operation of may) {
    it(`goes on with a note: sagemaker:${operation}`, async () => {
      await using job = await makeDeployedApp();
      job.box.faults.deny(`sagemaker:${operation}`);
      const { code, stdout, stderr } = await job.run(UPDATE);
      assertEquals([code, stdout], [0, "shop\n"], stderr);
      assertStringIncludes(stderr, `AccessDeniedException: sagemaker:${operation}`);
      assertEquals(thingsOf(job).served, ["shop-config-2", "shop-mlcli-2"]);
    });
  }

  it("waits for what was just written to be found, and for a name that was just freed", async () => {
    await using job = await makeDeployedApp();
    const arn = "arn:aws:sagemaker:eu-west-1:123456789012:endpoint-config/shop-config-2";
    job.box.faults.refuse(
      "sagemaker:CreateModel",
      new Refused("ValidationException", 'Cannot create already existing model "shop-mlcli-2".'),
      3,
    );
    job.box.faults.refuse(
      "sagemaker:UpdateEndpoint",
      new Refused("ValidationException", `Could not find endpoint configuration "${arn}".`),
      3,
    );
    const { code, stdout, stderr } = await job.run(UPDATE);
    assertEquals([code, stdout], [0, "shop\n"], stderr);
  });

  it("keeps the endpoint and removes what it made if the caller may not remove the autoscaling", async () => {
    await using job = await makeDeployedApp();
    const before = thingsOf(job);
    const words =
      "An Application AutoScaling scalable target exists for a variant being deleted, " +
      "and the IAM identity used to invoke UpdateEndpoint does not have " +
      "application-autoscaling:DeregisterScalableTarget permission";
    const refused = new Refused("ValidationException", words);
    job.box.faults.refuse("sagemaker:UpdateEndpoint", refused);
    const { code, stdout, stderr } = await job.run(UPDATE);
    assertEquals({ code, stdout, things: thingsOf(job) }, { code: 1, stdout: "", things: before });
    assertStringIncludes(
      stderr,
      "error: AccessDeniedException: application-autoscaling:DeregisterScalableTarget\n",
    );
  });

  it("keeps the values of variables to itself", async () => {
    await using job = await makeDeployedApp();
    job.box.faults.refuse(
      "sagemaker:CreateModel",
      new Refused("ValidationException", "The value 'very-secret' is not valid"),
    );
    const { code, stderr } = await job.run([...UPDATE, "--env", "TOKEN=very-secret"]);
    assertEquals([code, stderr.includes("very-secret")], [1, false], stderr);
  });
});

/** Message about the version that still serves. */
const NOT_YET =
  "warning: Not deleted yet: endpoint configuration shop-config and model shop-mlcli. " +
  "The next mlcli deploy deletes parts that endpoint shop no longer uses\n";

suite("deploy, where nobody waits for the end", () => {
  it("says that it goes on after --timeout", async () => {
    await using job = await makeDeployedApp();
    job.box.endpoints.script("shop", Array.from({ length: 99 }, () => "Updating" as const));
    const { code, stdout, stderr } = await job.run([...UPDATE, "--timeout", "60"]);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(
      stderr,
      "error: Timed out after 60 s: the status of shop is Updating\n",
    );
    assertStringIncludes(stderr, "mlcli wait shop");
    assertStringIncludes(stderr, NOT_YET);
    assertEquals(changesOf(job).some((name) => name.includes("Delete")), false);
  });

  it("deploy says after Ctrl-C that SageMaker continues the change", async () => {
    await using job = await makeDeployedApp();
    const keys = new Keys();
    job.box.faults.after = ({ operation }) => {
      if (operation === "UpdateEndpoint") keys.press();
      return undefined;
    };
    const { code, stdout, stderr } = await job.run(UPDATE, { keys });
    assertEquals([code, stdout], [130, ""]);
    assertStringIncludes(
      stderr,
      "warning: Interrupted: endpoint shop might have started to change to model shop-mlcli-2 " +
        "and endpoint configuration shop-config-2\n" +
        "hint: To find out and continue, rerun the command. SageMaker continues a change that has " +
        "started. To wait for the change: mlcli wait shop. " +
        "To delete the endpoint: mlcli delete-endpoint -n shop --delete-config --delete-model.\n",
    );
    assertEquals(thingsOf(job).all.length, 4);
  });

  it("deploy warns of the old model and configuration after Ctrl-C during an update", async () => {
    await using job = await makeDeployedApp();
    const keys = new Keys();
    job.box.endpoints.script("shop", Array.from({ length: 99 }, () => "Updating" as const));
    job.box.faults.after = ({ operation }) => {
      const isUpdating = job.box.endpoints.endpoint("shop").status === "Updating";
      if (operation === "DescribeEndpoint" && isUpdating) keys.press();
      return undefined;
    };
    const { code, stdout, stderr } = await job.run([...UPDATE, "--quiet"], { keys });
    assertEquals([code, stdout], [130, ""]);
    assertStringIncludes(stderr, NOT_YET);
  });

  it("says so where it is deleted meanwhile", async () => {
    await using job = await makeDeployedApp();
    job.box.endpoints.script("shop", ["Updating", { end: "gone" }]);
    const { endpoints } = job.box.endpoints;
    job.box.faults.before = ({ operation }) => {
      const isUpdating = endpoints.get("shop")?.status === "Updating";
      if (operation === "DescribeEndpoint" && isUpdating) endpoints.delete("shop");
      return undefined;
    };
    const { code, stderr } = await job.run(UPDATE);
    assertEquals(code, 1, stderr);
    assertStringIncludes(stderr, "shop was deleted during the deployment\n");
  });
});

suite("deploy, where somebody else deploys at the same time", () => {
  it("says that it serves theirs, and deletes nothing of it", async () => {
    await using job = await makeDeployedApp();
    const { endpoints, faults } = job.box;
    let isTheirs = false;
    faults.before = ({ operation }) => {
      if (operation !== "UpdateEndpoint" || isTheirs) return undefined;
      isTheirs = true;
      // What the other one made in the same moment, under the same names.
      const { request } = endpoints.configurations.get("shop-config-2")!;
      endpoints.addConfiguration("shop-config-2", request);
      return undefined;
    };
    const { code, stdout, stderr } = await job.run(UPDATE);
    assertEquals([code, stdout], [1, ""], stderr);
    assertStringIncludes(
      stderr,
      "error: Another deployment to shop ran at the same time\n",
    );
    assertEquals(endpoints.configurations.has("shop-config-2"), true);
    assertEquals(endpoints.models.has("shop-mlcli-2"), true);
  });

  it("changes nothing where that was after all was looked at", async () => {
    await using job = await makeDeployedApp();
    const { faults } = job.box;
    let asked = 0;
    faults.before = async ({ operation }) => {
      if (operation !== "DescribeEndpoint" || ++asked !== 2) return undefined;
      const other = await job.run([...UPDATE, "--env", "WHO=other", "--no-wait"]);
      assertEquals(other.code, 0, other.stderr);
      return undefined;
    };
    const { code, stdout, stderr } = await job.run(UPDATE);
    assertEquals([code, stdout], [1, ""], stderr);
    assertStringIncludes(
      stderr,
      "error: Another deployment to shop ran at the same time\n",
    );
    assertStringIncludes(stderr, "Nothing was changed.");
    assertEquals(changesOf(job).filter((name) => name.endsWith("CreateModel")).length, 1);
  });

  it("deletes nothing that somebody has made anew under its names", async () => {
    await using job = await makeDeployedApp();
    const { endpoints, faults } = job.box;
    endpoints.script("shop", ["RollingBack", { rollback: true }]);
    faults.after = ({ operation }) => {
      if (operation !== "UpdateEndpoint") return undefined;
      endpoints.addModel("shop-mlcli-2", endpoints.models.get("shop-mlcli-2")!.request);
      return undefined;
    };
    const { code, stderr } = await job.run(UPDATE);
    assertEquals(code, 1, stderr);
    assertEquals(thingsOf(job).all, ["shop-config", "shop-mlcli", "shop-mlcli-2"]);
  });

  it("deploy deletes no part to which another user has switched the endpoint", async () => {
    await using job = await makeDeployedApp();
    const { faults } = job.box;
    faults.before = async ({ operation }) => {
      if (operation !== "UpdateEndpoint") return undefined;
      faults.before = () => undefined;
      using cloud = await openCloud(job.box.env());
      await (await cloud.aws.sagemaker()).updateEndpoint({
        EndpointName: "shop",
        EndpointConfigName: "shop-config-2",
      });
      throw new Refused("ResourceLimitExceeded", "The account-level service limit is 0.", 400);
    };
    const { code, stderr } = await job.run(UPDATE);
    assertEquals([code, thingsOf(job).all.length], [1, 4], stderr);
    assertStringIncludes(stderr, "Endpoint shop uses shop-config-2 or is about to use it\n");
  });

  it("keeps what was made anew under the names that served before", async () => {
    await using job = await makeDeployedApp();
    const { endpoints, faults } = job.box;
    faults.before = ({ operation }) => {
      if (operation !== "UpdateEndpoint") return undefined;
      const { request } = endpoints.configurations.get("shop-config")!;
      endpoints.addConfiguration("shop-config", request);
      return undefined;
    };
    const { code, stderr } = await job.run(UPDATE);
    assertEquals(code, 0, stderr);
    assertStringIncludes(
      stderr,
      "Kept endpoint configuration shop-config, because another deployment replaced it",
    );
    assertEquals(endpoints.configurations.has("shop-config"), true);
  });

  it("leaves theirs alone where they were first", async () => {
    await using job = await makeDeployedApp();
    const { endpoints, faults } = job.box;
    const other = Promise.withResolvers<unknown>();
    let isTheirs = false;
    faults.before = async ({ operation }) => {
      if (operation !== "UpdateEndpoint" || isTheirs) return undefined;
      isTheirs = true;
      other.resolve(await job.run([...UPDATE, "--env", "WHO=other", "--no-wait"]));
      return undefined;
    };
    const { code, stdout, stderr } = await job.run(UPDATE);
    await other.promise;
    assertEquals([code, stdout], [1, ""], stderr);
    assertStringIncludes(stderr, "Cannot update in-progress endpoint");
    const { pending, current } = endpoints.endpoint("shop");
    const { model } = (pending ?? current).variants[0]!;
    assertEquals(model.container.Environment, { WHO: "other" });
    for (const name of ["shop-config", "shop-config-2"]) assert(endpoints.configurations.has(name));
    for (const name of ["shop-mlcli", "shop-mlcli-2"]) assert(endpoints.models.has(name));
  });
});
