import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { REGION, USER_KEY } from "../../../helpers/box/account.ts";
import { jsonAnswer } from "../../../helpers/box/answers.ts";
import { Box } from "../../../helpers/box/box.ts";
import type { EndpointStatus } from "../../../helpers/box/endpoints/endpoint.ts";
import { runCloud, startCloud } from "../../../helpers/cloud.ts";
import { fakeClock } from "../../../helpers/fake_context.ts";
import {
  type InProcessOptions,
  Keys,
  runCloudInProcess,
  runInProcess,
} from "../../../helpers/in_process.ts";
import { it, suite } from "../../../helpers/suite.ts";

const JSON_OUTPUT = ["--output", "json"];

/** 2026-03-01T08:30:00.123Z */
const MARCH = 1_772_353_800.123;
const DAY = 86_400;

/** Runs the command; `env` is added to that of the box's user. */
function run(
  box: Box,
  args: readonly string[] = [],
  { env, ...more }: Partial<InProcessOptions> = {},
) {
  const cloud = { ...box.env(), ...env };
  return runInProcess(["list-endpoints", ...args], { cwd: "/", cloud, ...more });
}

/** A box with endpoints `e0` (oldest) to `e{count - 1}` (newest), a second apart. */
async function boxWith(count: number): Promise<Box> {
  const box = await Box.open();
  for (let index = 0; index < count; index++) {
    box.endpoints.add(`e${index}`, { creationTime: MARCH + index });
  }
  return box;
}

/** Names on the lines of the output. */
function names(stdout: string): string[] {
  return stdout.split("\n").slice(0, -1).map((line) => line.split("  ")[0]!);
}

suite("mlcli list-endpoints", () => {
  it("prints name, status and local creation time of each endpoint, newest first", async () => {
    await using box = await Box.open();
    box.endpoints.add("winter", { creationTime: MARCH });
    box.endpoints.add("summer", { creationTime: MARCH + 120 * DAY, status: "Updating" });
    for (
      const [TZ, summer, winter] of [
        ["Europe/Berlin", "10:30:00.123000+02:00", "09:30:00.123000+01:00"],
        ["Asia/Kolkata", "14:00:00.123000+05:30", "14:00:00.123000+05:30"],
      ] as const
    ) {
      assertEquals(await runCloud(box, ["list-endpoints"], { env: { TZ } }), {
        code: 0,
        stdout: `summer  Updating  2026-06-29 ${summer}\nwinter  InService  2026-03-01 ${winter}\n`,
        stderr: "",
      });
    }
    const env = { TZ: "America/St_Johns" };
    const { stdout } = await runCloud(box, ["list-endpoints", ...JSON_OUTPUT], { env });
    assertEquals(JSON.parse(stdout)[1].creation_time, "2026-03-01T05:00:00.123000-03:30");
  });

  it("prints whatever status the service sends", async () => {
    await using box = await Box.open();
    for (const status of ["UpdateRollbackFailed", "NotInventedYet"]) {
      box.endpoints.add(status.toLowerCase(), { status: status as EndpointStatus });
    }
    const { stdout } = await run(box);
    assertMatch(
      stdout,
      /^notinventedyet {2}NotInventedYet {2}.+\nupdate\w+ {2}UpdateRollbackFailed {2}.+\n$/,
    );
  });

  it("prints every page, a hundred endpoints a request", async () => {
    await using box = await boxWith(250);
    const { code, stdout, stderr } = await run(box);
    assertEquals([code, stderr], [0, ""]);
    assertEquals(names(stdout), Array.from({ length: 250 }, (_, index) => `e${249 - index}`));
    assertEquals(box.operations, Array(3).fill("sagemaker:ListEndpoints"));
    assertEquals(box.requests.map(({ input }) => input.MaxResults), [100, 100, 100]);
  });

  it("prints a page before it asks for the next, also as JSON", async () => {
    for (const args of [[], JSON_OUTPUT]) {
      await using box = await boxWith(150);
      let [text, seen] = ["", ""];
      box.faults.before = ({ input }) => {
        if (input.NextToken !== undefined) seen = text;
        return undefined;
      };
      const { code } = await run(box, args, { onOutput: (more) => void (text += more) });
      assertEquals(code, 0);
      assertEquals([seen, text].map((one) => one.match(/\be\d+\b/g)?.length), [100, 150]);
    }
  });

  it("ends quietly when nobody reads any more", async () => {
    await using box = await boxWith(250);
    const readerGone = Promise.withResolvers<undefined>();
    box.faults.before = ({ input }) =>
      input.NextToken === undefined ? undefined : readerGone.promise;
    const child = startCloud(box, ["list-endpoints"]);
    const stdout = child.stdout.getReader();
    const { value } = await stdout.read();
    await stdout.cancel();
    readerGone.resolve(undefined);
    const stderr = await new Response(child.stderr).text();
    assertEquals([(await child.status).code, stderr], [141, ""]);
    assertStringIncludes(new TextDecoder().decode(value), "e249  InService");
  });

  it("prints no line, or an empty JSON array, where there are no endpoints", async () => {
    await using box = await Box.open();
    for (
      const [args, isTerminal, stdout, stderr] of [
        [[], false, "", ""],
        [JSON_OUTPUT, false, "[]\n", ""],
        [[], true, "", "No endpoints in eu-west-1 (AWS_REGION)\n"],
        [["--region", "us-west-2"], true, "", "No endpoints in us-west-2 (--region)\n"],
      ] as const
    ) {
      assertEquals(await run(box, args, { isTerminal }), { code: 0, stdout, stderr });
    }
  });

  it("has headings once, and ages, on a terminal", async () => {
    await using box = await boxWith(101);
    const { stdout, stderr } = await run(box, [], { isTerminal: true });
    const [headings, ...lines] = stdout.trimEnd().split("\n");
    assertEquals([headings, lines.length, stderr], ["NAME  STATUS     AGE", 101, ""]);
    assertMatch(lines.at(0)!, /^e100 {2}InService {2}\d+d$/);
    assertMatch(lines.at(-1)!, /^e0 {4}InService {2}\d+d$/);
  });

  it("prints a JSON array, over all pages, of which one may be empty", async () => {
    await using box = await boxWith(101);
    let isFirst = true;
    box.faults.before = ({ input }) => {
      if (input.NextToken === "second") delete input.NextToken;
      if (!isFirst) return undefined;
      isFirst = false;
      return jsonAnswer({ Endpoints: [], NextToken: "second" });
    };
    const { code, stdout, stderr } = await run(box, JSON_OUTPUT);
    assertEquals([code, stderr], [0, ""]);
    assertMatch(
      stdout,
      /^\[\n {2}\{\n {4}"endpoint_name": "e100",\n[^]* {4}"memory_size_in_mb": null\n {2}\}\n\]\n$/,
    );
    const list = JSON.parse(stdout);
    assertEquals(list.length, 101);
    const { age_seconds, creation_time, ...last } = list.at(-1);
    assert(Number.isInteger(age_seconds) && age_seconds >= 0);
    assertEquals(Date.parse(creation_time), MARCH * 1000);
    assertEquals(last, {
      endpoint_name: "e0",
      status: "InService",
      instance_type: "ml.m5.large",
      instance_count: 1,
      memory_size_in_mb: null,
    });
  });

  it("lets the service filter by status, in any case, and by name", async () => {
    await using box = await Box.open();
    box.endpoints.add("churn-a", { status: "UpdateRollbackFailed" });
    box.endpoints.add("churn-b");
    box.endpoints.add("fraud", { status: "UpdateRollbackFailed" });
    for (const status of ["UpdateRollbackFailed", "updaterollbackfailed", "UPDATEROLLBACKFAILED"]) {
      const args = ["--status", status, "--name-contains", "churn"];
      const { code, stdout } = await run(box, args);
      assertEquals([code, names(stdout)], [0, ["churn-a"]]);
      const { StatusEquals, NameContains } = box.requests.at(-1)!.input;
      assertEquals([StatusEquals, NameContains], ["UpdateRollbackFailed", "churn"]);
    }
  });

  it("refuses options that are wrong, and asks nothing", async () => {
    await using box = await Box.open();
    for (
      const [args, words] of [
        [["--output", "yaml"], '"yaml"'],
        [["--name-contains", "a_b"], '"a_b"'],
        [["--status", "Up"], 'or UpdateRollbackFailed, but got "Up"'],
        [["--region", "EU West"], '"EU West"'],
        [["--iam-role-arn", "admin"], '"admin"'],
        [["churn"], ""],
      ] as const
    ) {
      const { code, stdout, stderr } = await run(box, args);
      assertEquals([code, stdout], [2, ""]);
      assertMatch(stderr, /^error: .+\nhint: .+\n$/);
      assertStringIncludes(stderr, words);
    }
    assertEquals(box.operations, []);
  });

  it("says which permission is missing", async () => {
    await using box = await Box.open();
    box.faults.deny("sagemaker:ListEndpoints");
    assertEquals(await run(box), {
      code: 1,
      stdout: "",
      stderr: "error: AccessDeniedException: sagemaker:ListEndpoints\n" +
        `  User: ${USER_KEY.user} is not authorized to perform: sagemaker:ListEndpoints on ` +
        "resource: * because no identity-based policy allows the sagemaker:ListEndpoints action\n" +
        "hint: Add the permission sagemaker:ListEndpoints to the user or role named above\n",
    });
  });

  it("keeps what it printed when a later page is refused, and ends its last line", async () => {
    for (
      const [args, failing, lines] of [
        [[], "second", 100],
        [JSON_OUTPUT, "first", 0],
        [JSON_OUTPUT, "second", 1 + 100 * 9],
      ] as const
    ) {
      await using box = await boxWith(150);
      box.faults.before = ({ operation, input }) =>
        operation !== "ListEndpoints" || failing === "second" && input.NextToken === undefined
          ? undefined
          : new Response("oh no", { status: 500 });
      const { code, stdout, stderr } = await run(box, args, { env: { AWS_MAX_ATTEMPTS: "1" } });
      assertEquals([code, stdout.split("\n").length - 1], [1, lines]);
      assertMatch(
        stderr,
        /^error: sagemaker:ListEndpoints failed: HTTP 500\nhint: /,
      );
      assert(lines === 0 || args.length === 0 || stdout.endsWith("}\n"), stdout.slice(-20));
    }
  });

  it("asks again when the service is throttling, and says so when it goes on", async () => {
    await using box = await boxWith(1);
    box.faults.throttle("sagemaker:ListEndpoints", 1);
    const { code, stdout, stderr } = await run(box);
    assertEquals([code, names(stdout), stderr], [0, ["e0"], ""]);
    assertEquals(box.operations.length, 2);
    box.faults.throttle("sagemaker:ListEndpoints");
    assertEquals(await run(box, [], { env: { AWS_MAX_ATTEMPTS: "2" } }), {
      code: 1,
      stdout: "",
      stderr: "error: sagemaker:ListEndpoints was throttled (2 attempts)\n" +
        "hint: Try again in a minute, or set AWS_MAX_ATTEMPTS=10 to retry more often\n",
    });
    assertEquals(box.operations.length, 4);
  });

  it("does not take something else for a list of endpoints", async () => {
    await using box = await Box.open();
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
      box.faults.before = () => new Response(body);
      const { code, stdout, stderr } = await run(box);
      assertEquals([code, stdout], [1, ""], body);
      assertMatch(stderr, /^error: The response did not come from AWS: HTTP 200\nhint: /);
    }
  });

  it("does not ask for the same page for ever", async () => {
    await using box = await Box.open();
    box.faults.before = () => Response.json({ Endpoints: [], NextToken: "again" });
    const { code, stderr } = await run(box);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: AWS returned the same page of endpoints twice\nhint: /);
    assertEquals(box.operations.length, 2);
  });

  // The second page is asked for on the connection of the first.
  for (const [page, lines] of [["first", 0], ["second", 100]] as const) {
    it(`ends with 130 on Ctrl-C, while the ${page} page is asked for`, async () => {
      await using box = await boxWith(150);
      const keys = new Keys();
      box.faults.before = ({ input }) => {
        if (page === "first" || input.NextToken !== undefined) keys.press();
        return undefined;
      };
      const { code, stdout, stderr } = await run(box, [], { keys });
      assertEquals([code, names(stdout).length, stderr], [130, lines, ""]);
    });
  }

  it("adapts to the rate that the service allows, unless AWS_RETRY_MODE says otherwise", async () => {
    // The SDK tells the service in its user agent: E is standard, F adaptive.
    for (const [mode, feature] of [[undefined, "F"], ["", "F"], ["standard", "E"]] as const) {
      await using box = await Box.open();
      await run(box, [], { env: mode === undefined ? {} : { AWS_RETRY_MODE: mode } });
      const features = / m\/(\S+)/.exec(box.requests[0]!.userAgent)?.[1];
      assert(features?.split(",").includes(feature), features);
    }
  });

  it("tells the service who asks", async () => {
    await using box = await Box.open();
    await run(box);
    const [request] = box.requests;
    assertMatch(request!.userAgent, / mlcli\/\d/);
    assertEquals(request!.authorization.region, REGION);
    assert(request!.authorization.signedHeaders.includes("x-amz-target"));
  });
});

/** What a list says an endpoint runs on, by its name. */
async function machines(box: Box): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run(box, JSON_OUTPUT);
  assertEquals([code, stderr], [0, ""]);
  return Object.fromEntries(
    JSON.parse(stdout).map((one: Record<string, unknown>) => [
      one.endpoint_name,
      [one.instance_type, one.instance_count, one.memory_size_in_mb],
    ]),
  );
}

suite("mlcli list-endpoints --output json: what costs money", () => {
  it("has type and number of instances, of a serverless one the memory", async () => {
    await using box = await Box.open();
    const large = box.endpoints.add("large", {
      variant: { InstanceType: "ml.c5.xlarge", InitialInstanceCount: 2 },
    });
    // While it scales, those that there are cost money.
    Object.assign(large.variants[0]!, { desiredCount: 7, currentCount: 5 });
    box.endpoints.add("serverless", {
      variant: { ServerlessConfig: { MemorySizeInMB: 2048, MaxConcurrency: 5 } },
    });
    box.endpoints.script("new", ["Creating", "Creating"]);
    box.endpoints.begin(box.endpoints.add("new", { status: "Creating" }));
    box.endpoints.addConfiguration("two", {
      ProductionVariants: [
        { VariantName: "A", ModelName: "m", InstanceType: "ml.m5.large", InitialInstanceCount: 1 },
        { VariantName: "B", ModelName: "m", InstanceType: "ml.c5.large", InitialInstanceCount: 2 },
      ],
    });
    box.endpoints.add("two", { configuration: "two" });
    assertEquals(await machines(box), {
      large: ["ml.c5.xlarge", 5, null],
      serverless: [null, null, 2048],
      new: ["ml.m5.large", 1, null],
      two: ["ml.m5.large, ml.c5.large", 3, null],
    });
  });

  it("has the age in seconds", async () => {
    await using box = await Box.open();
    const { creationTime } = box.endpoints.add("shop");
    const clock = fakeClock(new Date(creationTime * 1000 + 90_061_500));
    const [{ age_seconds }] = JSON.parse((await run(box, JSON_OUTPUT, { clock })).stdout);
    assertEquals(age_seconds, 90_061);
    const early = fakeClock(new Date(0));
    assertEquals(
      JSON.parse((await run(box, JSON_OUTPUT, { clock: early })).stdout)[0].age_seconds,
      0,
    );
  });

  it("keeps the order, and asks for a configuration that several have once, eight at once", async () => {
    await using box = await Box.open();
    const names = Array.from({ length: 30 }, (_, index) => `e${index}`);
    for (const name of names) box.endpoints.add(name, { configuration: "shared" });
    let [open, most] = [0, 0];
    box.faults.before = async ({ operation }) => {
      if (operation !== "DescribeEndpoint") return undefined;
      most = Math.max(most, ++open);
      // The earlier ones take longer.
      for (let turn = 0; turn < 20 - open; turn++) await new Promise((next) => setTimeout(next));
      open--;
      return undefined;
    };
    const { stdout } = await run(box, JSON_OUTPUT);
    assertEquals(
      JSON.parse(stdout).map((one: { endpoint_name: string }) => one.endpoint_name),
      names.toReversed(),
    );
    assertEquals(
      box.operations.filter((name) => name.endsWith("DescribeEndpointConfig")).length,
      1,
    );
    assert(most > 1 && most <= 8, `${most} at once`);
  });

  it("list-endpoints prints null and one note if it has no permission to read the instances", async () => {
    await using box = await Box.open();
    for (const name of ["one", "two"]) box.endpoints.add(name);
    box.faults.deny("sagemaker:DescribeEndpointConfig");
    const half = await run(box, JSON_OUTPUT);
    assertEquals(
      half.stderr,
      "note: Cannot read the instances of some endpoints: AccessDeniedException: " +
        "sagemaker:DescribeEndpointConfig\n",
    );
    const [first] = JSON.parse(half.stdout);
    assertEquals([first.instance_type, first.instance_count], [null, 1]);
    box.faults.deny("sagemaker:DescribeEndpoint");
    const nothing = await run(box, JSON_OUTPUT);
    assertEquals(nothing.code, 0);
    assertMatch(
      nothing.stderr,
      /^note: Cannot read the instances of some endpoints: .*: sagemaker:DescribeEndpoint\n$/,
    );
    const [last] = JSON.parse(nothing.stdout);
    assertEquals([last.instance_type, last.instance_count], [null, null]);
  });

  it("does not mind one that is gone before it is asked", async () => {
    await using box = await Box.open();
    box.endpoints.add("fleeting");
    box.endpoints.add("shop");
    box.faults.before = ({ operation }) => {
      if (operation === "DescribeEndpoint") box.endpoints.endpoints.delete("fleeting");
      return undefined;
    };
    const { code, stdout, stderr } = await run(box, JSON_OUTPUT);
    assertEquals([code, stderr, JSON.parse(stdout).length], [0, "", 2]);
  });

  it("asks for the list alone where it is text", async () => {
    await using box = await Box.open();
    box.endpoints.add("shop");
    await runCloudInProcess(box, ["list-endpoints"]);
    assertEquals(box.operations, ["sagemaker:ListEndpoints"]);
  });

  it("breaks off where SageMaker fails", async () => {
    await using box = await Box.open();
    box.endpoints.add("shop");
    box.faults.fail("sagemaker:DescribeEndpointConfig");
    const cloud = { ...box.env(), AWS_MAX_ATTEMPTS: "1" };
    const { code, stdout, stderr } = await run(box, JSON_OUTPUT, { cloud });
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^error: sagemaker:DescribeEndpointConfig failed/);
  });
});
