import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runCloud, startCloud } from "../../helpers/cloud.ts";
import { FakeAws } from "../../helpers/fake_aws.ts";
import { REGION } from "../../helpers/aws_answers.ts";
import { resultOf } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";

/** 2026-03-01T08:30:00.123Z */
const MARCH = 1_772_353_800.123;
const DAY = 86_400;

/** Endpoints `e0` (oldest) to `e{count - 1}` (newest), a second apart. */
function addMany(aws: FakeAws, count: number): void {
  for (let index = 0; index < count; index++) {
    aws.add(`e${index}`, { creationTime: MARCH + index });
  }
}

/** Names on the lines of the output. */
function names(stdout: string): string[] {
  return stdout.split("\n").slice(0, -1).map((line) => line.split("  ")[0]!);
}

/** A promise and what fulfils it. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

suite("mlcli list-endpoints", () => {
  it("prints name, status and local creation time of each endpoint, newest first", async () => {
    await using aws = new FakeAws();
    aws.add("winter", { creationTime: MARCH });
    aws.add("summer", { creationTime: MARCH + 120 * DAY, status: "Updating" });
    const result = await runCloud(aws, ["list-endpoints"], { env: { TZ: "Europe/Berlin" } });
    assertEquals(result, {
      code: 0,
      stdout: "summer  Updating  2026-06-29 10:30:00.123000+02:00\n" +
        "winter  InService  2026-03-01 09:30:00.123000+01:00\n",
      stderr: "",
    });
  });

  it("prints whatever status the service sends", async () => {
    await using aws = new FakeAws();
    aws.add("one", { status: "UpdateRollbackFailed", creationTime: MARCH });
    aws.add("two", { status: "NotInventedYet", creationTime: MARCH - 1 });
    const { stdout } = await runCloud(aws, ["list-endpoints"], {
      env: { TZ: "Asia/Kolkata" },
    });
    assertEquals(
      stdout,
      "one  UpdateRollbackFailed  2026-03-01 14:00:00.123000+05:30\n" +
        "two  NotInventedYet  2026-03-01 13:59:59.123000+05:30\n",
    );
  });

  it("prints every page, a hundred endpoints a request", async () => {
    await using aws = new FakeAws();
    addMany(aws, 250);
    const { code, stdout, stderr } = await runCloud(aws, ["list-endpoints"]);
    assertEquals([code, stderr], [0, ""]);
    assertEquals(names(stdout), Array.from({ length: 250 }, (_, index) => `e${249 - index}`));
    assertEquals(aws.operations, Array(3).fill("ListEndpoints"));
    assertEquals(aws.requests.map(({ input }) => input.MaxResults), [100, 100, 100]);
  });

  it("prints a page before it asks for the next, also as JSON", async () => {
    for (const format of ["text", "json"]) {
      await using aws = new FakeAws();
      addMany(aws, 150);
      const firstPageSeen = gate();
      aws.before = async ({ input }) => {
        if (input.NextToken !== undefined) await firstPageSeen.opened;
        return undefined;
      };
      const child = startCloud(aws, ["list-endpoints", "--output", format]);
      const stdout = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      // The hundredth endpoint is the last of the first page.
      while (!text.includes("e50")) {
        const { done, value } = await stdout.read();
        assert(!done, `only this came: ${text}`);
        text += value;
      }
      firstPageSeen.open();
      for (let piece = await stdout.read(); !piece.done; piece = await stdout.read()) {
        text += piece.value;
      }
      await child.stderr.cancel();
      assertEquals((await child.status).code, 0);
      assertEquals(text.match(/\be\d+\b/g)?.length, 150);
    }
  });

  it("ends quietly when nobody reads any more", async () => {
    await using aws = new FakeAws();
    addMany(aws, 250);
    const readerGone = gate();
    aws.before = async ({ input }) => {
      if (input.NextToken !== undefined) await readerGone.opened;
      return undefined;
    };
    const child = startCloud(aws, ["list-endpoints"]);
    const stdout = child.stdout.getReader();
    const { value } = await stdout.read();
    await stdout.cancel();
    readerGone.open();
    const stderr = await new Response(child.stderr).text();
    assertEquals([(await child.status).code, stderr], [141, ""]);
    assertStringIncludes(new TextDecoder().decode(value), "e249  InService");
  });

  it("prints nothing when there are no endpoints, into a pipe", async () => {
    await using aws = new FakeAws();
    assertEquals(await runCloud(aws, ["list-endpoints"]), { code: 0, stdout: "", stderr: "" });
  });

  it("prints a JSON array, over all pages", async () => {
    await using aws = new FakeAws();
    addMany(aws, 101);
    const { code, stdout, stderr } = await runCloud(
      aws,
      ["list-endpoints", "--output", "json"],
      { env: { TZ: "America/St_Johns" } },
    );
    assertEquals([code, stderr], [0, ""]);
    const list = JSON.parse(stdout);
    assertEquals(list.length, 101);
    const { age_seconds, ...last } = list.at(-1);
    assert(Number.isInteger(age_seconds) && age_seconds >= 0);
    assertEquals(last, {
      endpoint_name: "e0",
      status: "InService",
      creation_time: "2026-03-01T05:00:00.123000-03:30",
      instance_type: null,
      instance_count: null,
      memory_size_in_mb: null,
    });
  });

  it("prints an empty JSON array when there are no endpoints", async () => {
    await using aws = new FakeAws();
    const result = await runCloud(aws, ["list-endpoints", "--output", "json"]);
    assertEquals(result, { code: 0, stdout: "[]\n", stderr: "" });
  });

  it("lets the service filter by status and name", async () => {
    await using aws = new FakeAws();
    aws.add("churn-a", { status: "Failed" });
    aws.add("churn-b");
    aws.add("fraud", { status: "Failed" });
    const args = ["list-endpoints", "--status", "Failed", "--name-contains", "churn"];
    const { code, stdout } = await runCloud(aws, args);
    assertEquals([code, names(stdout)], [0, ["churn-a"]]);
    assertEquals(aws.requests[0]!.input.StatusEquals, "Failed");
    assertEquals(aws.requests[0]!.input.NameContains, "churn");
  });

  it("takes a status in any case, as the service writes it", async () => {
    await using aws = new FakeAws();
    aws.add("a", { status: "UpdateRollbackFailed" });
    for (const status of ["updaterollbackfailed", "UPDATEROLLBACKFAILED"]) {
      const { stdout } = await runCloud(aws, ["list-endpoints", "--status", status]);
      assertEquals(names(stdout), ["a"]);
      assertEquals(aws.requests.at(-1)!.input.StatusEquals, "UpdateRollbackFailed");
    }
  });

  for (
    const [title, args, words] of [
      ["a format that is none", ["--output", "yaml"], '"yaml"'],
      ["a text that no name contains", ["--name-contains", "a_b"], '"a_b"'],
      ["a status that is none", ["--status", "Up"], 'or UpdateRollbackFailed, but got "Up"'],
      ["a region that is none", ["--region", "EU West"], '"EU West"'],
      ["a role that is none", ["--iam-role-arn", "admin"], '"admin"'],
      ["an argument too many", ["churn"], ""],
    ] as const
  ) {
    it(`refuses ${title}, and asks nothing`, async () => {
      await using aws = new FakeAws();
      const { code, stdout, stderr } = await runCloud(aws, ["list-endpoints", ...args]);
      assertEquals([code, stdout], [2, ""]);
      assertMatch(stderr, /^error: .+\nhint: .+\n$/);
      assertStringIncludes(stderr, words);
      assertEquals(aws.operations, []);
    });
  }

  it("says which permission is missing", async () => {
    await using aws = new FakeAws();
    aws.deny("ListEndpoints");
    assertEquals(await runCloud(aws, ["list-endpoints"]), {
      code: 1,
      stdout: "",
      stderr: "error: AccessDeniedException: sagemaker:ListEndpoints\n" +
        `  ${aws.denial("ListEndpoints", "*").message}\n` +
        "hint: Add the permission sagemaker:ListEndpoints to the user or role named above.\n",
    });
  });

  it("keeps what it printed when a later page is refused", async () => {
    await using aws = new FakeAws();
    addMany(aws, 150);
    aws.before = ({ input }) =>
      input.NextToken === undefined ? undefined : new Response("oh no", { status: 500 });
    const { code, stdout, stderr } = await runCloud(aws, ["list-endpoints"], {
      env: { AWS_MAX_ATTEMPTS: "1" },
    });
    assertEquals([code, names(stdout).length], [1, 100]);
    assertMatch(stderr, /^error: The platform failed at sagemaker:ListEndpoints: HTTP 500\nhint: /);
  });

  it("ends the last line of JSON, though not the array, when a page is refused", async () => {
    for (const [failing, lines] of [["first", 0], ["second", 101]] as const) {
      await using aws = new FakeAws();
      addMany(aws, 150);
      aws.before = ({ input }) =>
        failing === "second" && input.NextToken === undefined
          ? undefined
          : new Response("oh no", { status: 500 });
      const args = ["list-endpoints", "--output", "json"];
      const { code, stdout } = await runCloud(aws, args, { env: { AWS_MAX_ATTEMPTS: "1" } });
      assertEquals([code, stdout.split("\n").length - 1], [1, lines]);
      assert(lines === 0 || stdout.endsWith("}\n"), stdout.slice(-20));
    }
  });

  it("asks again when the service is throttling", async () => {
    await using aws = new FakeAws();
    aws.add("churn");
    aws.refuse("ListEndpoints", { code: "ThrottlingException", message: "Rate exceeded" }, 1);
    const { code, stdout, stderr } = await runCloud(aws, ["list-endpoints"]);
    assertEquals([code, names(stdout), stderr], [0, ["churn"], ""]);
  });

  it("says so when the service goes on throttling", async () => {
    await using aws = new FakeAws();
    aws.refuse("ListEndpoints", { code: "ThrottlingException", message: "Rate exceeded" });
    const result = await runCloud(aws, ["list-endpoints"], { env: { AWS_MAX_ATTEMPTS: "2" } });
    assertEquals(result, {
      code: 1,
      stdout: "",
      stderr: "error: The platform is throttling: asked 2 times\n" +
        "hint: Try again in a minute, or set AWS_MAX_ATTEMPTS=10 to try more often.\n",
    });
    assertEquals(aws.operations.length, 2);
  });

  for (
    const body of [
      "",
      "null",
      "[]",
      "{}",
      '{"Endpoints": "none"}',
      '{"Endpoints": {"churn": {}}}',
      '{"Endpoints": [null]}',
      '{"Endpoints": [{"EndpointStatus": "InService"}]}',
      '{"Endpoints": [{"EndpointName": "churn", "CreationTime": "hello"}]}',
    ]
  ) {
    it(`does not take this for a list of endpoints: ${body}`, async () => {
      await using aws = new FakeAws();
      aws.before = () => new Response(body);
      const { code, stdout, stderr } = await runCloud(aws, ["list-endpoints"]);
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /^error: Something else than the platform answered: HTTP 200\nhint: /);
    });
  }

  it("does not ask for the same page for ever", async () => {
    await using aws = new FakeAws();
    aws.before = () =>
      new Response(JSON.stringify({ Endpoints: [], NextToken: "again" }), {
        headers: { "content-type": "application/x-amz-json-1.1" },
      });
    const { code, stderr } = await runCloud(aws, ["list-endpoints"]);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: The platform gave the same page of endpoints twice\nhint: /);
    assertEquals(aws.operations.length, 2);
  });

  // The second page is asked for on the connection of the first.
  for (const [page, lines] of [["first", 0], ["second", 100]] as const) {
    it(`ends with 130 on Ctrl-C, while the ${page} page is asked for`, async () => {
      await using aws = new FakeAws();
      addMany(aws, 150);
      const asked = gate();
      const over = gate();
      aws.before = async ({ input }) => {
        if (page === "second" && input.NextToken === undefined) return undefined;
        asked.open();
        await over.opened;
        return undefined;
      };
      const child = startCloud(aws, ["list-endpoints"]);
      const result = resultOf(child);
      await Promise.race([asked.opened, result]);
      child.kill("SIGINT");
      const { code, stdout, stderr } = await result;
      over.open();
      assertEquals([code, names(stdout).length, stderr], [130, lines, ""]);
    });
  }

  it("adapts to the rate that the service allows, unless AWS_RETRY_MODE says otherwise", async () => {
    // The SDK tells the service in its user agent: E is standard, F adaptive.
    for (const [mode, feature] of [[undefined, "F"], ["", "F"], ["standard", "E"]] as const) {
      await using aws = new FakeAws();
      await runCloud(aws, ["list-endpoints"], { env: { AWS_RETRY_MODE: mode } });
      const features = / m\/(\S+)/.exec(aws.requests[0]!.userAgent)?.[1];
      assert(features?.split(",").includes(feature), features);
    }
  });

  it("tells the service who asks", async () => {
    await using aws = new FakeAws();
    await runCloud(aws, ["list-endpoints"]);
    const [request] = aws.requests;
    assertMatch(request!.userAgent, / mlcli\/\d/);
    assertEquals(request!.authorization.region, REGION);
    assert(request!.authorization.signedHeaders.includes("x-amz-target"));
  });
});
