import { assert, assertEquals, assertMatch } from "@std/assert";
import { runCloud, startCloud } from "../../helpers/cloud.ts";
import { FakeAws } from "../../helpers/fake_aws.ts";
import { arn, errorAnswer, REGION } from "../../helpers/aws_answers.ts";
import { resultOf } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";

const DELETE = ["delete-endpoint", "--endpoint-name", "churn"] as const;
const WITH_CONFIG = [...DELETE, "--delete-config"] as const;

/** A platform with the endpoint `churn` in a status. */
function platformWith(status: string, configuration = "churn-config"): FakeAws {
  const aws = new FakeAws();
  aws.add("churn", { status, configuration });
  return aws;
}

/** What a deletion says that leaves the configuration. */
const LEFT = "Left: endpoint configuration churn-config. To delete it: " +
  "aws sagemaker delete-endpoint-config --endpoint-config-name churn-config\n";

/** What was asked to be deleted, in order. */
function changes(aws: FakeAws): readonly string[] {
  return aws.operations.filter((operation) => operation.startsWith("Delete"));
}

/** Nothing was deleted, and nothing was asked to be. */
function assertUntouched(aws: FakeAws): void {
  assert(!aws.operations.some((operation) => operation.startsWith("Delete")));
}

suite("mlcli delete-endpoint", () => {
  for (
    const status of [
      "InService",
      "Failed",
      "OutOfService",
      "UpdateRollbackFailed",
      "NotInventedYet",
    ]
  ) {
    it(`deletes an endpoint that is ${status}, and prints its name`, async () => {
      await using aws = platformWith(status);
      assertEquals(await runCloud(aws, DELETE), { code: 0, stdout: "churn\n", stderr: LEFT });
      assertEquals(changes(aws), ["DeleteEndpoint"]);
      assertEquals([...aws.configurations], ["churn-config"]);
    });
  }

  for (const status of ["Creating", "Updating", "SystemUpdating", "RollingBack"]) {
    it(`refuses an endpoint that is ${status}`, async () => {
      await using aws = platformWith(status);
      assertEquals(await runCloud(aws, WITH_CONFIG), {
        code: 1,
        stdout: "",
        stderr: `error: Endpoint is updating, cannot delete: churn (${status})\n` +
          "hint: Wait until mlcli list-endpoints shows InService or Failed, then delete it.\n",
      });
      assertUntouched(aws);
    });
  }

  it("refuses an endpoint that began to update after it was asked", async () => {
    await using aws = platformWith("InService");
    aws.endpoints.get("churn")!.next = ["Updating"];
    const { code, stdout, stderr } = await runCloud(aws, WITH_CONFIG);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^error: Endpoint is updating, cannot delete: churn \(in progress\)\nhint: /,
    );
    assertEquals([...aws.endpoints.keys()], ["churn"]);
    assertEquals([...aws.configurations], ["churn-config"]);
  });

  it("says that there is no such endpoint, and where it looked", async () => {
    await using aws = new FakeAws();
    assertEquals(await runCloud(aws, WITH_CONFIG), {
      code: 1,
      stdout: "",
      stderr: "error: ResourceNotFound: endpoint churn\n" +
        `hint: It was looked for in ${REGION} (AWS_REGION). Check the name, or name another ` +
        "region with --region.\n",
    });
    assertUntouched(aws);
  });

  it("knows an unknown endpoint by the words of emulators, too", async () => {
    await using aws = new FakeAws();
    aws.refuse("DescribeEndpoint", {
      code: "ValidationException",
      message: `Could not find endpoint '${arn("churn")}'.`,
    });
    const { code, stderr } = await runCloud(aws, DELETE);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: ResourceNotFound: endpoint churn\n/);
  });

  for (
    const message of [
      `Could not find project "${arn("churn")}".`,
      `Cannot create already existing endpoint "${arn("churn")}".`,
    ]
  ) {
    it(`passes on another refusal in its own words: ${message.slice(0, 30)}`, async () => {
      await using aws = platformWith("InService");
      aws.refuse("DeleteEndpoint", { code: "ValidationException", message });
      const { code, stdout, stderr } = await runCloud(aws, WITH_CONFIG);
      assertEquals([code, stdout], [1, ""]);
      assert(stderr.startsWith(`error: sagemaker:DeleteEndpoint was refused: ${message}\nhint: `));
      assertEquals([...aws.configurations], ["churn-config"]);
    });
  }

  it("says which permission is missing", async () => {
    await using aws = platformWith("InService");
    aws.deny("DeleteEndpoint");
    const { code, stdout, stderr } = await runCloud(aws, WITH_CONFIG);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^error: AccessDeniedException: sagemaker:DeleteEndpoint\n {2}User: .*\nhint: /,
    );
    assertEquals([...aws.configurations], ["churn-config"]);
  });

  it("deletes the configuration last", async () => {
    await using aws = platformWith("InService");
    aws.add("other");
    assertEquals(await runCloud(aws, WITH_CONFIG), { code: 0, stdout: "churn\n", stderr: "" });
    assertEquals(changes(aws), ["DeleteEndpoint", "DeleteEndpointConfig"]);
    assertEquals([...aws.configurations], ["other-config"]);
  });

  it("deletes the configuration also when nobody reads the name", async () => {
    await using aws = platformWith("InService");
    const child = startCloud(aws, WITH_CONFIG);
    await child.stdout.cancel();
    const stderr = await new Response(child.stderr).text();
    assertEquals([(await child.status).code, stderr], [141, ""]);
    assertEquals([...aws.configurations], []);
  });

  it("refuses to delete a configuration that others use, and deletes nothing", async () => {
    await using aws = platformWith("InService");
    aws.add("zebra", { configuration: "churn-config" });
    aws.add("antelope", { configuration: "churn-config" });
    aws.add("other");
    assertEquals(await runCloud(aws, WITH_CONFIG), {
      code: 1,
      stdout: "",
      stderr: "error: Cannot delete endpoint config, still in use: churn-config " +
        "(by antelope, zebra)\n" +
        "hint: Nothing was deleted. Delete the endpoints that use it first, " +
        "or leave out --delete-config.\n",
    });
    assertUntouched(aws);
  });

  it("does not mind another user that is going away", async () => {
    await using aws = platformWith("InService");
    aws.add("zebra", { configuration: "churn-config", status: "Deleting" });
    assertEquals(await runCloud(aws, WITH_CONFIG), { code: 0, stdout: "churn\n", stderr: "" });
  });

  it("finds one user among a thousand endpoints, eight requests at once", async () => {
    await using aws = platformWith("InService");
    for (let index = 0; index < 999; index++) {
      aws.add(`e${index}`, index === 700 ? { configuration: "churn-config" } : {});
    }
    const eight = Promise.withResolvers<void>();
    let described = 0;
    aws.before = async ({ operation, input }) => {
      if (operation !== "DescribeEndpoint" || input.EndpointName === "churn") return undefined;
      // The first eight are answered when all of them are there, and a ninth would be, too.
      if (++described === 8) {
        for (let turn = 0; turn < 50; turn++) await new Promise((next) => setTimeout(next));
        eight.resolve();
      }
      await eight.promise;
      return undefined;
    };
    const { code, stdout, stderr } = await runCloud(aws, WITH_CONFIG);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /still in use: churn-config \(by e700\)\n/);
    assertEquals(aws.mostAtOnce, 8);
    assertEquals(described, 999);
    assertUntouched(aws);
  });

  it("goes on when one of the others is gone before it is asked", async () => {
    await using aws = platformWith("InService");
    aws.add("fleeting");
    aws.before = ({ operation, input }) => {
      if (operation === "DescribeEndpoint" && input.EndpointName === "fleeting") {
        aws.endpoints.delete("fleeting");
      }
      return undefined;
    };
    assertEquals(await runCloud(aws, WITH_CONFIG), { code: 0, stdout: "churn\n", stderr: "" });
  });

  it("deletes nothing when the other users cannot be found out", async () => {
    await using aws = platformWith("InService");
    aws.refuse("ListEndpoints", { code: "InternalFailure", message: "?", status: 500 });
    const { code, stdout, stderr } = await runCloud(aws, WITH_CONFIG, {
      env: { AWS_MAX_ATTEMPTS: "1" },
    });
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^error: The platform failed at sagemaker:ListEndpoints: HTTP 500\nhint: /);
    assertUntouched(aws);
  });
});

suite("mlcli delete-endpoint with the permissions of the specification alone", () => {
  it("leaves out the status, says so, and deletes", async () => {
    await using aws = platformWith("InService");
    aws.deny("DescribeEndpoint");
    assertEquals(await runCloud(aws, DELETE), {
      code: 0,
      stdout: "churn\n",
      stderr: "Status of churn not checked: AccessDeniedException: sagemaker:DescribeEndpoint\n" +
        LEFT,
    });
  });

  it("leaves out both checks in one line", async () => {
    await using aws = platformWith("InService");
    aws.deny("DescribeEndpoint");
    aws.deny("ListEndpoints");
    assertEquals(await runCloud(aws, WITH_CONFIG), {
      code: 0,
      stdout: "churn\n",
      stderr: "Status of churn not checked, nor whether another endpoint uses churn-config: " +
        "AccessDeniedException: sagemaker:DescribeEndpoint\n",
    });
    assertEquals([...aws.configurations], []);
  });

  it("leaves out the search for other users", async () => {
    await using aws = platformWith("InService");
    aws.deny("ListEndpoints");
    assertEquals(await runCloud(aws, WITH_CONFIG), {
      code: 0,
      stdout: "churn\n",
      stderr: "Not checked whether another endpoint uses churn-config: " +
        "AccessDeniedException: sagemaker:ListEndpoints\n",
    });
    assertEquals([...aws.configurations], []);
  });

  it("says how many of the others it could not ask", async () => {
    await using aws = platformWith("InService");
    for (const name of ["one", "two", "three"]) aws.add(name);
    aws.deny("DescribeEndpoint", (name) => name === "one" || name === "two");
    assertEquals(await runCloud(aws, WITH_CONFIG), {
      code: 0,
      stdout: "churn\n",
      stderr: "Not checked whether one of 2 endpoints uses churn-config: " +
        "AccessDeniedException: sagemaker:DescribeEndpoint\n",
    });
  });

  it("still refuses when a user is among those it could ask", async () => {
    await using aws = platformWith("InService");
    aws.add("one");
    aws.add("two", { configuration: "churn-config" });
    aws.deny("DescribeEndpoint", (name) => name === "one");
    const { code, stderr } = await runCloud(aws, WITH_CONFIG);
    assertEquals(code, 1);
    assertMatch(stderr, /still in use: churn-config \(by two\)/);
    assertUntouched(aws);
  });

  it("learns from the deletion that there is no such endpoint", async () => {
    await using aws = new FakeAws();
    aws.deny("DescribeEndpoint");
    const { code, stdout, stderr } = await runCloud(aws, DELETE);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^Status of churn not checked: .*\nerror: ResourceNotFound: endpoint churn\n/,
    );
  });

  it("learns from the deletion that the endpoint is updating", async () => {
    await using aws = platformWith("Updating");
    aws.deny("DescribeEndpoint");
    const { code, stdout, stderr } = await runCloud(aws, DELETE);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /\nerror: Endpoint is updating, cannot delete: churn \(in progress\)\n/);
  });

  it("does not begin what --wait could not end", async () => {
    await using aws = platformWith("InService");
    aws.deny("DescribeEndpoint");
    const { code, stdout, stderr } = await runCloud(aws, [...DELETE, "--wait"]);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^error: AccessDeniedException: sagemaker:DescribeEndpoint\n.*\nhint: Nothing was deleted\. /,
    );
    assertUntouched(aws);
  });
});

/** The same of one that has another name. */
const LEFT_OTHER = "Left: endpoint configuration churn-v2 (others may use it). To delete it: " +
  "aws sagemaker delete-endpoint-config --endpoint-config-name churn-v2\n";

suite("mlcli delete-endpoint and the configuration", () => {
  it("prints the name, then the error, when the configuration is denied", async () => {
    await using aws = platformWith("InService");
    aws.deny("DeleteEndpointConfig");
    const { code, stdout, stderr } = await runCloud(aws, WITH_CONFIG);
    assertEquals([code, stdout], [1, "churn\n"]);
    assertMatch(
      stderr,
      new RegExp(
        "^error: AccessDeniedException: sagemaker:DeleteEndpointConfig\n {2}User: .*\n" +
          "hint: churn is deleted, its configuration churn-config is not\\. " +
          "Add the permission sagemaker:DeleteEndpointConfig .*\n$",
      ),
    );
    assertEquals([...aws.endpoints.keys()], []);
  });

  it("notes that there is no such configuration", async () => {
    await using aws = platformWith("InService");
    aws.configurations.clear();
    assertEquals(await runCloud(aws, WITH_CONFIG), {
      code: 0,
      stdout: "churn\n",
      stderr: "Endpoint configuration churn-config does not exist.\n",
    });
  });

  it("notes what it kept when the endpoint used another one, and there is none of its name", async () => {
    await using aws = platformWith("InService", "churn-v2");
    assertEquals(await runCloud(aws, WITH_CONFIG), {
      code: 0,
      stdout: "churn\n",
      stderr: "Endpoint configuration churn-config does not exist.\n" + LEFT_OTHER,
    });
    assertEquals([...aws.configurations], ["churn-v2"]);
  });

  it("deletes the one of its name and notes that it kept the one in use", async () => {
    await using aws = platformWith("InService", "churn-v2");
    aws.configurations.add("churn-config");
    assertEquals(await runCloud(aws, WITH_CONFIG), {
      code: 0,
      stdout: "churn\n",
      stderr: LEFT_OTHER,
    });
    assertEquals([...aws.configurations], ["churn-v2"]);
  });

  it("knows that a long name leaves no room for a configuration", async () => {
    await using aws = new FakeAws();
    const name = "e".repeat(57);
    aws.add(name, { configuration: "short" });
    const { code, stdout, stderr } = await runCloud(
      aws,
      ["delete-endpoint", "-n", name, "--delete-config"],
    );
    assertEquals([code, stdout], [0, `${name}\n`]);
    assertMatch(stderr, /^e{57}-config is longer than names can be: no such configuration/);
    assertEquals([...aws.configurations], ["short"]);
  });
});

suite("mlcli delete-endpoint when requests are sent twice", () => {
  it("takes a retry that meets its own success for one", async () => {
    await using aws = platformWith("InService");
    let failures = 0;
    aws.after = ({ operation }) =>
      operation.startsWith("Delete") && failures++ % 2 === 0
        ? errorAnswer({ code: "InternalFailure", message: "lost the answer", status: 500 })
        : undefined;
    assertEquals(await runCloud(aws, WITH_CONFIG), { code: 0, stdout: "churn\n", stderr: "" });
    assertEquals(aws.operations.filter((operation) => operation.startsWith("Delete")), [
      "DeleteEndpoint",
      "DeleteEndpoint",
      "DeleteEndpointConfig",
      "DeleteEndpointConfig",
    ]);
  });

  it("takes an endpoint that somebody else deleted for not found", async () => {
    await using aws = platformWith("InService");
    aws.endpoints.get("churn")!.next = [undefined];
    const { code, stdout, stderr } = await runCloud(aws, WITH_CONFIG);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^error: ResourceNotFound: endpoint churn\n/);
    assertEquals([...aws.configurations], ["churn-config"]);
  });

  it("leaves an endpoint that is being deleted already to that, and deletes the rest", async () => {
    await using aws = platformWith("Deleting");
    assertEquals(await runCloud(aws, WITH_CONFIG), {
      code: 0,
      stdout: "churn\n",
      stderr: "churn is being deleted already.\n",
    });
    assert(!aws.operations.includes("DeleteEndpoint"));
    assertEquals([...aws.configurations], []);
  });
});

suite("mlcli delete-endpoint and Ctrl-C", () => {
  for (
    const [operation, args, stdout, note] of [
      ["DescribeEndpoint", WITH_CONFIG, "", ""],
      ["DeleteEndpoint", DELETE, "", "Interrupted: churn may be deleted.\n"],
      [
        "DeleteEndpoint",
        WITH_CONFIG,
        "",
        "Interrupted: churn may be deleted, its configuration churn-config is not. The same " +
        "command goes on, or says what is left.\n",
      ],
      [
        "DeleteEndpointConfig",
        WITH_CONFIG,
        "churn\n",
        `Interrupted: churn is deleted, its configuration churn-config may be.\n${LEFT}`,
      ],
    ] as const
  ) {
    it(`says what is deleted when it ends during ${operation} (${args.slice(1).join(" ")})`, async () => {
      await using aws = platformWith("InService");
      const asked = Promise.withResolvers<void>();
      const over = Promise.withResolvers<void>();
      aws.before = async (request) => {
        if (request.operation !== operation) return undefined;
        asked.resolve();
        await over.promise;
        return undefined;
      };
      const child = startCloud(aws, args);
      const result = resultOf(child);
      await Promise.race([asked.promise, result]);
      child.kill("SIGINT");
      const ended = await result;
      over.resolve();
      assertEquals(ended, { code: 130, stdout, stderr: note });
    });
  }
});

suite("mlcli delete-endpoint --wait, --dry-run and its names", () => {
  it("stays until the endpoint is gone", async () => {
    await using aws = platformWith("InService");
    aws.deletionTakes = 2;
    const args = [...WITH_CONFIG, "--wait"];
    assertEquals(await runCloud(aws, args), { code: 0, stdout: "churn\n", stderr: "" });
    assertEquals(aws.operations.slice(-5), [
      "DeleteEndpoint",
      "DeleteEndpointConfig",
      "DescribeEndpoint",
      "DescribeEndpoint",
      "DescribeEndpoint",
    ]);
  });

  it("does not take another refusal for an endpoint that is gone", async () => {
    await using aws = platformWith("InService");
    aws.deletionTakes = 100;
    aws.after = ({ operation }) =>
      operation === "DescribeEndpoint" && aws.operations.includes("DeleteEndpoint")
        ? errorAnswer({ code: "ValidationException", message: "Something else is wrong" })
        : undefined;
    const { code, stdout, stderr } = await runCloud(aws, [...DELETE, "--wait"]);
    assertEquals([code, stdout], [1, "churn\n"]);
    assertMatch(
      stderr,
      /^Left: .*\nerror: sagemaker:DescribeEndpoint was refused: Something else is wrong\n/,
    );
  });

  it("gives up waiting after the time given", async () => {
    await using aws = platformWith("InService");
    aws.deletionTakes = 1000;
    const args = [...DELETE, "--wait", "--timeout", "1"];
    assertEquals(await runCloud(aws, args), {
      code: 1,
      stdout: "churn\n",
      stderr: LEFT + "error: Still there after 1 s: churn (Deleting)\n" +
        "hint: The deletion goes on. mlcli list-endpoints shows when it is done; " +
        "--timeout lets --wait wait longer.\n",
    });
  });

  it("says what would be deleted", async () => {
    await using aws = platformWith("InService");
    assertEquals(await runCloud(aws, [...WITH_CONFIG, "--dry-run"]), {
      code: 0,
      stdout: "Would delete endpoint churn (InService)\n" +
        "Would delete endpoint configuration churn-config\n",
      stderr: "",
    });
    assertUntouched(aws);
  });

  it("says what would be kept", async () => {
    await using aws = platformWith("Failed", "churn-v2");
    assertEquals(await runCloud(aws, [...WITH_CONFIG, "--dry-run"]), {
      code: 0,
      stdout: "Would delete endpoint churn (Failed)\n" +
        "There is no endpoint configuration churn-config\n" +
        "Would keep endpoint configuration churn-v2\n",
      stderr: "",
    });
    assertUntouched(aws);
  });

  it("checks in a dry run what it checks otherwise", async () => {
    await using aws = platformWith("Updating");
    const { code, stdout, stderr } = await runCloud(aws, [...DELETE, "--dry-run"]);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^error: Endpoint is updating, cannot delete: churn \(Updating\)\n/);
  });

  for (
    const [title, args] of [
      ["no name", []],
      ["a name with other characters", ["-n", "my_endpoint"]],
      ["a name that ends in a hyphen", ["-n", "churn-"]],
      ["a name that is too long", ["-n", "e".repeat(64)]],
      ["an ARN", ["-n", arn("churn")]],
      ["a time without --wait", ["-n", "churn", "--timeout", "5"]],
      ["a time that is none", ["-n", "churn", "--wait", "--timeout", "0"]],
    ] as const
  ) {
    it(`refuses ${title}, and asks nothing`, async () => {
      await using aws = platformWith("InService");
      const { code, stdout, stderr } = await runCloud(aws, ["delete-endpoint", ...args]);
      assertEquals([code, stdout], [2, ""]);
      assertMatch(stderr, /^error: .+\n(hint: .+\n)?$/);
      assertEquals(aws.operations, []);
    });
  }
});
