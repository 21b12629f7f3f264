import { assertEquals, assertRejects } from "@std/assert";
import { Connections } from "../../../runtime/aws/connections.ts";
import { openAws } from "../../../runtime/aws/aws.ts";
import { AwsError } from "../../../runtime/aws/errors.ts";
import type { SageMaker } from "../../../runtime/aws/sagemaker.ts";
import { outputWithCollection } from "../../helpers/collection.ts";
import { REGION } from "../../helpers/box/account.ts";
import { Box } from "../../helpers/box/box.ts";
import { FaultyNetwork, type Plan } from "../../helpers/faulty_network.ts";
import { withVariables } from "../../helpers/in_process.ts";
import { typed } from "../../helpers/settings.ts";
import { it, suite } from "../../helpers/suite.ts";

/** In ms. Long enough for what answers, short enough to wait for what does not. */
const LIMITS = { connection: 2_000, answer: 2_000 };

/** A platform behind a network, asked in this process with short time limits. */
async function open(
  url: string,
  fake: Box,
  limits = LIMITS,
  more: Readonly<Record<string, string>> = {},
): Promise<SageMaker & Disposable> {
  const variables: Record<string, string> = { ...fake.env(), AWS_ENDPOINT_URL: url, ...more };
  const set = withVariables(variables);
  const aws = await openAws(
    {
      region: typed(REGION, "test"),
      profile: undefined,
      keys: "used",
      role: undefined,
    },
    { env: (name) => variables[name], signal: new AbortController().signal, limits },
  );
  return {
    ...await aws.sagemaker(),
    [Symbol.dispose]() {
      aws.close();
      set[Symbol.dispose]();
    },
  };
}

async function names(aws: SageMaker): Promise<string[]> {
  const found: string[] = [];
  for await (const page of aws.listEndpoints({})) found.push(...page.map(({ name }) => name));
  return found;
}

suite("SageMaker's connections", () => {
  it("ask again when an answer stalls in its middle", async () => {
    await using fake = await Box.open();
    fake.endpoints.add("churn");
    const plan: Plan = (_operation, count) => count === 1 ? "stall" : undefined;
    await using network = new FaultyNetwork(fake.url, plan);
    using aws = await open(network.url, fake);
    assertEquals(await names(aws), ["churn"]);
    assertEquals(network.operations, ["ListEndpoints", "ListEndpoints"]);
  });

  it("take a deletion whose answer stalls for one", async () => {
    await using fake = await Box.open();
    fake.endpoints.add("churn");
    fake.endpoints.deletesAtOnce = true;
    const plan: Plan = (_operation, count) => count === 1 ? "stall" : undefined;
    await using network = new FaultyNetwork(fake.url, plan);
    using aws = await open(network.url, fake);
    await aws.deleteEndpoint("churn");
    assertEquals(network.operations, ["DeleteEndpoint", "DeleteEndpoint"]);
    assertEquals([...fake.endpoints.endpoints.keys()], []);
  });

  it("say how long they waited for an answer", async () => {
    await using fake = await Box.open();
    await using network = new FaultyNetwork(fake.url, () => "stall");
    // The second half of the first is enough to connect, also where much else is done.
    const limits = { connection: 1_000, answer: 1_500 };
    using aws = await open(network.url, fake, limits, { AWS_MAX_ATTEMPTS: "1" });
    const error = await assertRejects(() => names(aws), AwsError);
    assertEquals(error.message, `Cannot reach AWS at ${new URL(network.url).host}`);
    assertEquals(error.quote, "No response within 1.5 s");
  });

  it("say how long they waited for a connection", async () => {
    await using fake = await Box.open();
    // Nobody takes connections from it, and it keeps no more than these.
    using full = Deno.listen({ hostname: "127.0.0.1", port: 0, tcpBacklog: 1 });
    const { port } = full.addr;
    const kept = [1, 2].map(() => Deno.connect({ hostname: "127.0.0.1", port }));
    const limits = { connection: 200, answer: 20_000 };
    using aws = await open(`http://127.0.0.1:${port}`, fake, limits, {
      AWS_MAX_ATTEMPTS: "1",
    });
    const error = await assertRejects(() => names(aws), AwsError);
    assertEquals(error.quote, "No connection within 0.2 s");
    for (const connection of await Promise.all(kept)) connection.close();
  });

  it("do not send a deletion twice unseen when a kept connection breaks off", async () => {
    await using fake = await Box.open();
    fake.endpoints.add("churn");
    const plan: Plan = (operation) =>
      operation === "DeleteEndpoint" ? "closed before the request" : undefined;
    await using network = new FaultyNetwork(fake.url, plan);
    using aws = await open(network.url, fake, LIMITS, { AWS_MAX_ATTEMPTS: "1" });
    await aws.describeEndpoint("churn");
    await assertRejects(() => aws.deleteEndpoint("churn"), AwsError);
    assertEquals(network.operations, ["DescribeEndpoint", "DeleteEndpoint"]);
  });
});

suite("an answer that stalls", () => {
  it("ends with its signal where memory was collected since it began", async () => {
    const output = await outputWithCollection("collected_requests.ts");
    assertEquals(output.split("\n"), [
      "the engine's answer: Ctrl-C",
      "the engine's stream: Ctrl-C",
      "SageMaker's answer: Ctrl-C",
      "SageMaker's stream: Ctrl-C",
      "",
    ]);
  });
});

suite("a request", () => {
  it("does not follow an answer elsewhere: it is signed for one host", async () => {
    const asked: string[] = [];
    const onListen = (): void => {};
    await using other = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, () => {
      asked.push("other");
      return new Response("{}");
    });
    const location = `http://127.0.0.1:${other.addr.port}/`;
    await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, () => {
      asked.push("server");
      return new Response(null, { status: 307, headers: { location } });
    });
    using connections = new Connections({ env: () => undefined });
    const { response } = await connections.handle({
      method: "POST",
      protocol: "http:",
      hostname: "127.0.0.1",
      port: server.addr.port,
      path: "/",
      headers: { authorization: "signed" },
      body: "{}",
    });
    assertEquals([response.statusCode, asked], [307, ["server"]]);
  });
});
