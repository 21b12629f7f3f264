import { assertEquals, assertRejects } from "@std/assert";
import { openPlatform } from "../../../runtime/platform/client.ts";
import { PlatformError } from "../../../runtime/platform/errors.ts";
import type { Platform } from "../../../runtime/platform/platform.ts";
import { FakePlatform } from "../../helpers/fake_platform.ts";
import { FaultyNetwork, type Plan } from "../../helpers/faulty_network.ts";
import { REGION } from "../../helpers/platform_answers.ts";
import { it, suite } from "../../helpers/suite.ts";

/** In ms. Long enough for what answers, short enough to wait for what does not. */
const LIMITS = { connection: 2_000, answer: 2_000 };

/** A platform behind a network, asked in this process with short time limits. */
async function open(
  url: string,
  fake: FakePlatform,
  limits = LIMITS,
  more: Readonly<Record<string, string>> = {},
): Promise<Platform & Disposable> {
  const variables: Record<string, string> = { ...fake.env(), AWS_ENDPOINT_URL: url, ...more };
  // The SDK reads these by itself.
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  const platform = await openPlatform(
    { region: { value: REGION, source: "test" }, profile: undefined, role: undefined },
    { env: (name) => variables[name], signal: new AbortController().signal, limits },
  );
  return {
    ...platform,
    [Symbol.dispose]() {
      platform.close();
      for (const name of Object.keys(variables)) Deno.env.delete(name);
    },
  };
}

async function names(platform: Platform): Promise<string[]> {
  const found: string[] = [];
  for await (const page of platform.listEndpoints({})) found.push(...page.map(({ name }) => name));
  return found;
}

suite("the platform's connections", () => {
  it("ask again when an answer stalls in its middle", async () => {
    await using fake = new FakePlatform();
    fake.add("churn");
    const plan: Plan = (_operation, count) => count === 1 ? "stall" : undefined;
    await using network = new FaultyNetwork(fake.url, plan);
    using platform = await open(network.url, fake);
    assertEquals(await names(platform), ["churn"]);
    assertEquals(network.operations, ["ListEndpoints", "ListEndpoints"]);
  });

  it("take a deletion whose answer stalls for one", async () => {
    await using fake = new FakePlatform();
    fake.add("churn");
    const plan: Plan = (_operation, count) => count === 1 ? "stall" : undefined;
    await using network = new FaultyNetwork(fake.url, plan);
    using platform = await open(network.url, fake);
    await platform.deleteEndpoint("churn");
    assertEquals(network.operations, ["DeleteEndpoint", "DeleteEndpoint"]);
    assertEquals([...fake.endpoints.keys()], []);
  });

  it("say how long they waited for an answer", async () => {
    await using fake = new FakePlatform();
    await using network = new FaultyNetwork(fake.url, () => "stall");
    const limits = { connection: 50, answer: 100 };
    using platform = await open(network.url, fake, limits, { AWS_MAX_ATTEMPTS: "1" });
    const error = await assertRejects(() => names(platform), PlatformError);
    assertEquals(error.message, `The platform cannot be reached: ${new URL(network.url).host}`);
    assertEquals(error.quote, "No answer within 0.1 s");
  });

  it("say how long they waited for a connection", async () => {
    await using fake = new FakePlatform();
    // Nobody takes connections from it, and it keeps no more than these.
    using full = Deno.listen({ hostname: "127.0.0.1", port: 0, tcpBacklog: 1 });
    const { port } = full.addr;
    const kept = [1, 2].map(() => Deno.connect({ hostname: "127.0.0.1", port }));
    const limits = { connection: 200, answer: 20_000 };
    using platform = await open(`http://127.0.0.1:${port}`, fake, limits, {
      AWS_MAX_ATTEMPTS: "1",
    });
    const error = await assertRejects(() => names(platform), PlatformError);
    assertEquals(error.quote, "No connection within 0.2 s");
    for (const connection of await Promise.all(kept)) connection.close();
  });

  it("do not send a deletion twice unseen when a kept connection breaks off", async () => {
    await using fake = new FakePlatform();
    fake.add("churn");
    const plan: Plan = (operation) =>
      operation === "DeleteEndpoint" ? "closed before the request" : undefined;
    await using network = new FaultyNetwork(fake.url, plan);
    using platform = await open(network.url, fake, LIMITS, { AWS_MAX_ATTEMPTS: "1" });
    await platform.describeEndpoint("churn");
    await assertRejects(() => platform.deleteEndpoint("churn"), PlatformError);
    assertEquals(network.operations, ["DescribeEndpoint", "DeleteEndpoint"]);
  });
});
