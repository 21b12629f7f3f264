import { assertEquals, assertMatch } from "@std/assert";
import { runCloud } from "../../helpers/cloud.ts";
import { Box } from "../../helpers/box/box.ts";
import {
  type Fault,
  FaultyNetwork,
  type Plan,
  ResettingNetwork,
} from "../../helpers/faulty_network.ts";
import { it as test, suite } from "../../helpers/suite.ts";
import { isInSample } from "../../helpers/sweep.ts";

interface CloudCommand {
  readonly args: readonly string[];
  /** What it asks for when all is well. */
  readonly operations: readonly string[];
  readonly stdout: RegExp;
}

const WITH_CONFIG = [
  "delete-endpoint",
  "-n",
  "churn",
  "--delete-config",
  "--delete-model",
] as const;
const CHECKS = [
  "DescribeEndpoint",
  ...["DescribeEndpointConfig", "DescribeEndpointConfig", "DescribeModel", "DescribeModel"],
  ...["ListEndpoints", "ListEndpoints"],
] as const;
const DELETIONS = ["DeleteEndpoint", "DeleteEndpointConfig", "DeleteModel"] as const;

const COMMANDS: readonly CloudCommand[] = [
  {
    args: ["list-endpoints"],
    operations: ["ListEndpoints", "ListEndpoints"],
    stdout: /^(\S+ {2}\w+ {2}.+\n){102}$/,
  },
  {
    args: WITH_CONFIG,
    operations: [...CHECKS, ...DELETIONS],
    stdout: /^churn\n$/,
  },
  {
    args: [...WITH_CONFIG, "--wait"],
    operations: [...CHECKS, ...DELETIONS, "DescribeEndpoint"],
    stdout: /^churn\n$/,
  },
  {
    args: [...WITH_CONFIG, "--dry-run"],
    operations: CHECKS,
    stdout:
      /^Would delete endpoint churn \(InService\)\nWould delete endpoint conf.*\n.*model.*\n$/,
  },
  {
    args: ["doctor", "--cloud"],
    operations: ["ListEndpoints", "GetCallerIdentity"],
    stdout: /^ok {7}Connected to SageMaker in eu-west-1/m,
  },
];

/** Two pages of endpoints; the others are going away, so that nobody asks about each of them. */
async function boxWithTwoPages(): Promise<Box> {
  const aws = await Box.open();
  aws.endpoints.add("churn", { model: "churn-mlcli" });
  aws.endpoints.deletesAtOnce = true;
  for (let index = 0; index < 101; index++) aws.endpoints.add(`e${index}`, { status: "Deleting" });
  return aws;
}

/** Runs a command and looks whether it did all it should. */
async function assertDone(
  aws: Box,
  url: string,
  { args, stdout }: CloudCommand,
): Promise<void> {
  const result = await runCloud(aws, args, {
    env: { AWS_ENDPOINT_URL: url, DOCKER_HOST: "unix:///nonexistent.sock" },
  });
  assertMatch(result.stdout, stdout);
  assertEquals([result.code, result.stderr], [0, ""]);
  const deletes = args.includes("--delete-config") && !args.includes("--dry-run");
  assertEquals(aws.endpoints.endpoints.has("churn"), !deletes);
  assertEquals(aws.endpoints.configurations.has("churn-config"), !deletes);
}

/** Whether the tests run on a Deno before 2.9, whose sockets of Node hang instead. */
const CANNOT_RESET = /^2\.[0-8]\./.test(Deno.version.deno);

/** On every first request of an operation. */
const ON_FIRST: (fault: Fault) => Plan = (fault) => (_operation, count) =>
  count === 1 ? fault : undefined;

/** Each command with each fault. */
suite("the cloud commands and connections, a sweep", () => {
  let row = 0;
  const it = (name: string, work: () => Promise<void>): void => {
    if (isInSample(row++)) test(name, work);
  };
  for (const command of COMMANDS) {
    const words = command.args.filter((arg) => !["-n", "churn"].includes(arg)).join(" ");

    for (const fault of ["closed after the answer", "slow bytes"] as const) {
      it(`${words}: ${fault}, always`, async () => {
        await using aws = await boxWithTwoPages();
        await using network = new FaultyNetwork(aws.url, () => fault);
        await assertDone(aws, network.url, command);
        // Some are asked at once.
        assertEquals(network.operations.toSorted(), command.operations.toSorted());
      });
    }

    it(`${words}: closed in silence after every answer`, async () => {
      await using aws = await boxWithTwoPages();
      const fault = "closed in silence after the answer";
      await using network = new FaultyNetwork(aws.url, () => fault);
      await assertDone(aws, network.url, command);
    });

    for (
      const fault of [
        "closed before the request",
        "closed before the answer",
        "closed in the head",
        "closed in the body",
        "closed in a chunk",
        "HTTP 503",
        "throttled",
      ] as const
    ) {
      it(`${words}: ${fault}, once for each operation`, async () => {
        await using aws = await boxWithTwoPages();
        await using network = new FaultyNetwork(aws.url, ON_FIRST(fault));
        await assertDone(aws, network.url, command);
        const asked = (operation: string): number =>
          network.operations.filter((known) => known === operation).length;
        for (const operation of new Set(command.operations)) {
          const expected = command.operations.filter((known) => known === operation).length + 1;
          assertEquals([operation, asked(operation)], [operation, expected]);
        }
      });
    }

    // An older Deno cannot reset a connection; the binary is tested by a newer one.
    if (CANNOT_RESET) continue;
    it(`${words}: connections that are reset`, async () => {
      await using aws = await boxWithTwoPages();
      await using network = await ResettingNetwork.open(aws.url, 2);
      await assertDone(aws, network.url, command);
      assertEquals(network.resets, 2);
    });
  }
});

suite("the cloud commands and connections", () => {
  for (const fault of ["HTTP 503", "throttled"] as const) {
    test(`list-endpoints: a burst of ${fault}`, async () => {
      await using aws = await boxWithTwoPages();
      const plan: Plan = (_operation, count) => count <= 2 ? fault : undefined;
      await using network = new FaultyNetwork(aws.url, plan);
      await assertDone(aws, network.url, COMMANDS[0]!);
      assertEquals(network.operations.length, 4);
    });
  }

  test("list-endpoints says so when the connection breaks off every time", async () => {
    await using aws = await boxWithTwoPages();
    await using network = new FaultyNetwork(aws.url, () => "closed in the body");
    const { code, stdout, stderr } = await runCloud(aws, ["list-endpoints"], {
      env: { AWS_ENDPOINT_URL: network.url },
    });
    assertEquals([code, stdout, network.operations.length], [1, "", 3]);
    assertMatch(stderr, /^error: Cannot reach AWS at 127.*\n {2}.+\nhint: .+\n$/);
  });

  test("delete-endpoint says what is left when its configuration cannot be reached", async () => {
    await using aws = await boxWithTwoPages();
    await using network = new FaultyNetwork(
      aws.url,
      (operation) => operation === "DeleteEndpointConfig" ? "closed before the request" : undefined,
    );
    const { code, stdout, stderr } = await runCloud(aws, WITH_CONFIG, {
      env: { AWS_ENDPOINT_URL: network.url },
    });
    assertEquals([code, stdout], [1, "churn\n"]);
    assertMatch(
      stderr,
      /^error: Cannot reach AWS at .*\n.*\nhint: churn is deleted, its configuration churn-config might be deleted, its model churn-mlcli is not deleted\. /,
    );
  });
});
