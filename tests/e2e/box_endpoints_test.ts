import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ask, sendSigned } from "../helpers/box/ask.ts";
import { Box } from "../helpers/box/box.ts";
import type { Endpoint } from "../helpers/box/endpoints/endpoint.ts";
import { defaultSettings } from "../helpers/box/endpoints/serving/settings.ts";
import { LABEL } from "../helpers/box/engine/container.ts";
import { EXECUTION_ROLE } from "../helpers/box/jobs/job_store.ts";
import { pushServerImage } from "../helpers/box/server_image.ts";
import { engineRequest } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { afterAll, beforeAll, beforeEach, it, suite } from "../helpers/suite.ts";
import { tarGz } from "../helpers/tar.ts";

type Request = Record<string, unknown>;

let box: Box;
let image: string;

/** Times that a test can wait for. */
const QUICK = { pingInterval: 20, healthyPings: 2, startup: 20_000, step: 0, restart: 20 };

/** A name that no other test has. */
function newName(): string {
  return `shop-${crypto.randomUUID().slice(0, 8)}`;
}

/** Asks SageMaker; what it refuses fails the test. */
async function sagemaker(operation: string, input: Request, on = box): Promise<Request> {
  const { status, body } = await ask(on, "sagemaker", operation, input);
  assertEquals(status, 200, JSON.stringify(body));
  return body;
}

/** How a model is, and how it is served. */
interface Served {
  /** Key of its artifact; none by default. */
  readonly key?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly model?: Request;
  readonly variant?: Request;
  /** Of CreateEndpoint or UpdateEndpoint. */
  readonly more?: Request;
}

/** Makes a model and a configuration, both of that name. */
async function configure(
  name: string,
  { key, variables, model, variant }: Served,
  on = box,
): Promise<void> {
  await sagemaker("CreateModel", {
    ModelName: name,
    ExecutionRoleArn: EXECUTION_ROLE,
    PrimaryContainer: {
      Image: on === box ? image : `${on.ecr.front.host}/server:latest`,
      ...(key === undefined ? {} : { ModelDataUrl: `s3://data/${key}` }),
      ...(variables ? { Environment: variables } : {}),
    },
    ...model,
  }, on);
  await sagemaker("CreateEndpointConfig", {
    EndpointConfigName: name,
    ProductionVariants: [{
      VariantName: "AllTraffic",
      ModelName: name,
      InitialInstanceCount: 1,
      InstanceType: "ml.m5.large",
      ...variant,
    }],
  }, on);
}

/** Begins to create an endpoint. */
async function beginCreate(served: Served, name = newName()): Promise<Endpoint> {
  await configure(name, served);
  await sagemaker("CreateEndpoint", {
    ...{ EndpointName: name, EndpointConfigName: name },
    ...served.more,
  });
  return box.endpoints.endpoint(name);
}

/** The same, until it serves or failed. */
async function create(served: Served, name = newName()): Promise<Endpoint> {
  const endpoint = await beginCreate(served, name);
  await endpoint.settled;
  return endpoint;
}

/** Begins to update one. Returns the new configuration's name. */
async function beginUpdate({ name }: Endpoint, served: Served): Promise<string> {
  const EndpointConfigName = newName();
  await configure(EndpointConfigName, served);
  await sagemaker("UpdateEndpoint", { EndpointName: name, EndpointConfigName, ...served.more });
  return EndpointConfigName;
}

/** The same, to its end. */
async function update(endpoint: Endpoint, served: Served): Promise<string> {
  const configuration = await beginUpdate(endpoint, served);
  await endpoint.settled;
  return configuration;
}

async function remove({ name }: Endpoint): Promise<void> {
  const endpoint = box.endpoints.endpoint(name);
  await sagemaker("DeleteEndpoint", { EndpointName: name });
  await endpoint.settled;
  const { error, body } = await ask(box, "sagemaker", "DescribeEndpoint", { EndpointName: name });
  assertEquals(error, "ValidationException");
  assertMatch(body.message, /^Could not find endpoint "arn:/);
}

async function describe(name: string): Promise<Request> {
  return await sagemaker("DescribeEndpoint", { EndpointName: name });
}

/** Asks the model. */
async function send(
  { name }: Pick<Endpoint, "name">,
  body: string,
  headers: Record<string, string> = {},
  path = "invocations",
): Promise<Response> {
  return await sendSigned(box, {
    ...{ service: "sagemaker", method: "POST", target: `/endpoints/${name}/${path}`, body },
    headers: { "content-type": "text/csv", ...headers },
  });
}

/** The same, for the text of an answer that is good. */
async function predict(endpoint: Endpoint, body: string): Promise<string> {
  const answer = await send(endpoint, body);
  const text = await answer.text();
  assertEquals(answer.status, 200, text);
  return text;
}

/** The same, for the text of any answer. */
async function textOf(endpoint: Endpoint, body: string): Promise<string> {
  return await (await send(endpoint, body)).text();
}

/** The same, for the answer's status. */
async function statusOf(endpoint: Endpoint, body: string): Promise<number> {
  const answer = await send(endpoint, body);
  await answer.body?.cancel();
  return answer.status;
}

/** All that an endpoint's instances printed, each instance a text. */
function logs({ logGroup }: Endpoint): string[] {
  return box.logs.streams(logGroup).map(({ events }) =>
    events.map(({ message }) => message).join("\n")
  );
}

suite("the box's endpoints on the engine", () => {
  beforeAll(async () => {
    box = await Box.open({ registry: true, endpoints: true });
    image = await pushServerImage(box);
    box.s3.createBucket("data");
    for (const name of ["one", "two"]) {
      const archive = await tarGz([{ name: "model.txt", content: name }]);
      await box.s3.put("data", `${name}.tar.gz`, archive);
    }
    await box.s3.put("data", "text.tar.gz", "no archive at all");
    const link = { name: "model.txt", type: "2", link: "/etc/passwd" };
    await box.s3.put("data", "link.tar.gz", await tarGz([link]));
  });
  afterAll(() => box[Symbol.asyncDispose]());
  beforeEach(() => {
    Object.assign(box.hosting.settings, defaultSettings(), QUICK);
  });

  it("a container gets what SageMaker gives it, and answers what it is asked", async () => {
    const endpoint = await create({ key: "one.tar.gz", variables: { COLOR: "red" } });
    assertEquals([endpoint.status, endpoint.failureReason], ["InService", undefined]);
    const { EndpointConfigName, ProductionVariants } = await describe(endpoint.name);
    assertEquals(EndpointConfigName, endpoint.name);
    const [variant] = ProductionVariants as Request[];
    assertEquals([variant!.CurrentInstanceCount, variant!.DesiredInstanceCount], [1, 1]);
    assertEquals(await predict(endpoint, "5,1"), "one: 5,1");
    assertEquals(await predict(endpoint, "env COLOR"), "red");
    assertEquals(await predict(endpoint, "env AWS_REGION"), "eu-west-1");
    const custom = "x-amzn-sagemaker-custom-attributes";
    const answer = await send(endpoint, "headers", { accept: "text/csv", [custom]: "a=b" });
    const headers = await answer.text();
    assertMatch(headers, /^accept: text\/csv$/m);
    assertMatch(headers, /^content-type: text\/csv$/m);
    assertMatch(headers, /^x-amzn-sagemaker-custom-attributes: a=b$/m);
    assertEquals(headers.includes("authorization"), false);
    assertEquals(answer.headers.get(custom), "a=b back");
    assertEquals(answer.headers.get("x-amzn-invoked-production-variant"), "AllTraffic");
    const [stream] = box.logs.streams(endpoint.logGroup);
    assertMatch(stream!.name, /^AllTraffic\/i-[0-9a-f]{17}$/);
    assertStringIncludes(logs(endpoint)[0]!, "model one, read-only (Read-only file system)");
    await remove(endpoint);
    assertStringIncludes(logs(endpoint)[0]!, "stopping");
  });

  it("what a container refuses is a ModelError, and so is one that is too late", async () => {
    const endpoint = await create({ key: "one.tar.gz" });
    const refused = await send(endpoint, "status 415 no such type");
    assertEquals(refused.status, 424);
    assertEquals(refused.headers.get("x-amzn-errortype")?.split(":")[0], "ModelError");
    const { OriginalStatusCode, OriginalMessage, Message } = await refused.json();
    assertEquals([OriginalStatusCode, OriginalMessage], [415, "no such type"]);
    assertMatch(Message, /^Received client error \(415\) from primary with message "no such type"/);
    box.hosting.settings.invocation = 200;
    const late = await send(endpoint, "sleep 30");
    assertEquals(late.status, 424);
    assertMatch(
      (await late.json()).Message,
      /^Received server error \(0\) from primary .*timed out/,
    );
    box.hosting.settings.grace = 0;
    await remove(endpoint);
  });

  it("a stream goes on while it comes", async () => {
    const endpoint = await create({ key: "one.tar.gz" });
    const answer = await send(endpoint, "stream", {}, "invocations-response-stream");
    assertEquals(answer.headers.get("content-type"), "application/vnd.amazon.eventstream");
    assertEquals(answer.headers.get("x-amzn-sagemaker-content-type"), "text/event-stream");
    const chunks: string[] = [];
    for await (const chunk of answer.body!) chunks.push(new TextDecoder("latin1").decode(chunk));
    assertEquals(chunks.length > 1, true, "it came at once");
    const all = chunks.join("");
    assertMatch(all, /PayloadPart[^]*one [^]*PayloadPart[^]*two [^]*PayloadPart[^]*one/);
    const broken = await send(endpoint, "break", {}, "invocations-response-stream");
    assertMatch(
      await broken.text(),
      /PayloadPart[^]*exception-type[^]*(?:ModelStreamError|Internal)/,
    );
    await remove(endpoint);
  });

  it("an update takes over without one request that fails", async () => {
    const endpoint = await create({ key: "one.tar.gz" });
    let isOver = false;
    const answers: string[] = [];
    const asking = (async () => {
      while (!isOver) answers.push(await textOf(endpoint, "x"));
    })();
    const configuration = await update(endpoint, { key: "two.tar.gz" });
    isOver = true;
    await asking;
    assertEquals(await predict(endpoint, "x"), "two: x");
    assertEquals([...new Set(answers)], ["one: x", "two: x"]);
    assertEquals((await describe(endpoint.name)).EndpointConfigName, configuration);
    assertEquals(logs(endpoint).filter((log) => log.includes("stopping")).length, 1);
    await remove(endpoint);
  });

  it("an update to a server that is never healthy goes back, and the old one serves", async () => {
    const endpoint = await create({ key: "one.tar.gz" });
    box.hosting.settings.startup = 500;
    await update(endpoint, { key: "two.tar.gz", variables: { PING: "500" } });
    assertEquals(
      [endpoint.status, endpoint.failureReason],
      [
        "InService",
        "The primary container for production variant AllTraffic did not pass the ping health " +
        "check. Please check CloudWatch logs for this endpoint.",
      ],
    );
    const described = await describe(endpoint.name);
    assertEquals(described.EndpointConfigName, endpoint.name);
    assertEquals(described.PendingDeploymentSummary, undefined);
    assertEquals(await predict(endpoint, "x"), "one: x");
    box.hosting.settings.isSilent = true;
    await update(endpoint, { key: "text.tar.gz" });
    assertEquals((await describe(endpoint.name)).FailureReason, undefined);
    box.faults.outOfCapacity();
    box.hosting.settings.isSilent = false;
    await update(endpoint, { key: "two.tar.gz" });
    box.faults.hasCapacity = true;
    assertMatch(endpoint.failureReason!, /^Unable to provision .* InsufficientInstanceCapacity/);
    assertEquals(await predict(endpoint, "x"), "one: x");
    await remove(endpoint);
  });

  it("while a canary sings both serve; an alarm makes the update go back", async () => {
    const endpoint = await create({ key: "one.tar.gz", variant: { InitialInstanceCount: 2 } });
    const alarm = newName();
    const canary = {
      BlueGreenUpdatePolicy: {
        TrafficRoutingConfiguration: {
          Type: "CANARY",
          CanarySize: { Type: "CAPACITY_PERCENT", Value: 50 },
          WaitIntervalInSeconds: 60,
        },
      },
      AutoRollbackConfiguration: { Alarms: [{ AlarmName: alarm }] },
    };
    const served = {
      key: "two.tar.gz",
      variant: { InitialInstanceCount: 2 },
      more: { DeploymentConfig: canary },
    };
    box.hosting.settings.step = 60_000;
    const configuration = await beginUpdate(endpoint, served);
    const { EndpointStatus, EndpointConfigName, PendingDeploymentSummary: pending } =
      await describe(endpoint.name);
    assertEquals([EndpointStatus, EndpointConfigName], ["Updating", endpoint.name]);
    assertEquals((pending as Request).EndpointConfigName, configuration);
    const answers = new Set<string>();
    await eventually(async () => {
      answers.add(await predict(endpoint, "x"));
      return answers.size === 2;
    });
    assertEquals([...answers].sort(), ["one: x", "two: x"]);
    // All four instances are asked.
    await eventually(async () => {
      await predict(endpoint, "x");
      return logs(endpoint).filter((log) => log.includes("asked")).length === 4;
    });
    box.endpoints.alarm(alarm);
    await endpoint.settled;
    assertStringIncludes(endpoint.failureReason!, alarm);
    assertEquals((await describe(endpoint.name)).EndpointConfigName, endpoint.name);
    for (let count = 0; count < 10; count++) {
      assertEquals(await predict(endpoint, "x"), "one: x");
    }
    box.endpoints.alarms.delete(alarm);
    await remove(endpoint);
  });

  it("what an old instance was asked it answers before it goes", async () => {
    const endpoint = await create({ key: "one.tar.gz" });
    const routing = { Type: "LINEAR", LinearStepSize: { Type: "CAPACITY_PERCENT", Value: 50 } };
    const TrafficRoutingConfiguration = { ...routing, WaitIntervalInSeconds: 60 };
    box.hosting.settings.step = 60_000;
    await beginUpdate(endpoint, {
      key: "two.tar.gz",
      more: { DeploymentConfig: { BlueGreenUpdatePolicy: { TrafficRoutingConfiguration } } },
    });
    await eventually(async () => await predict(endpoint, "x") === "two: x");
    const slow = Array.from({ length: 12 }, () => textOf(endpoint, "sleep 1"));
    const begun = (): number => logs(endpoint).join("\n").match(/^asked: sleep/gm)?.length ?? 0;
    await eventually(() => Promise.resolve(begun() === slow.length));
    box.hosting.settings.step = 0;
    await endpoint.settled;
    for (const answer of await Promise.all(slow)) assertMatch(answer, /^(?:one|two) slept$/);
    assertEquals(await predict(endpoint, "x"), "two: x");
    await remove(endpoint);
  });

  it("a server that ends is started again", async () => {
    const endpoint = await create({ key: "one.tar.gz" });
    assertEquals(await statusOf(endpoint, "exit"), 424);
    await eventually(async () => (await statusOf(endpoint, "x")) === 200);
    // The engine passes the log on in its own time.
    await eventually(() => Promise.resolve(logs(endpoint)[0]!.match(/^model/gm)?.length === 2));
    const failed = await beginCreate({ variables: { START: "fail" } });
    const attempts = (): number => logs(failed)[0]?.match(/^no such column$/gm)?.length ?? 0;
    await eventually(() => Promise.resolve(attempts() > 1));
    assertEquals((await describe(failed.name)).EndpointStatus, "Creating");
    box.hosting.settings.startup = 0;
    await failed.settled;
    assertEquals(failed.status, "Failed");
    assertMatch(failed.failureReason!, /did not pass the ping health check/);
    assertEquals(await statusOf(failed, "x"), 400);
    await remove(failed);
    await remove(endpoint);
  });

  it("what never serves says why, in SageMaker's words, and can only be deleted", async () => {
    const reasonOf = async (served: Served): Promise<string> => {
      const endpoint = await create(served);
      assertEquals(endpoint.status, "Failed");
      await remove(endpoint);
      return endpoint.failureReason!;
    };
    for (const key of ["text.tar.gz", "link.tar.gz"]) {
      assertEquals(
        await reasonOf({ key }),
        `Failed to extract model data archive for container "container_1" from URL ` +
          `"s3://data/${key}". Please ensure that the object located at the URL is a valid ` +
          "tar.gz archive.",
      );
    }
    box.faults.deny("ecr:BatchGetImage");
    const denied = await reasonOf({ key: "one.tar.gz" });
    box.faults.allowAll();
    assertMatch(denied, /^The role '.*' does not have BatchGetImage permission for the image: '/);
    box.faults.outOfCapacity();
    const none = await reasonOf({ key: "one.tar.gz" });
    box.faults.hasCapacity = true;
    assertMatch(none, /InsufficientInstanceCapacity error/);
    Object.assign(box.hosting.settings, { startup: 500, pingTimeout: 100, grace: 0 });
    assertMatch(await reasonOf({ variables: { PING: "late" } }), /ping health check/);
  });

  it("a model may have no artifact and no network, and a server may be deaf", async () => {
    const endpoint = await create({
      variables: { DEAF: "1" },
      model: { EnableNetworkIsolation: true },
    });
    assertEquals([endpoint.status, endpoint.failureReason], ["InService", undefined]);
    assertEquals(await predict(endpoint, "x"), ": x");
    box.hosting.settings.grace = 100;
    await remove(endpoint);
  });

  it("a serverless one serves, too", async () => {
    const endpoint = await create({
      key: "one.tar.gz",
      variant: {
        InitialInstanceCount: undefined,
        InstanceType: undefined,
        ServerlessConfig: { MemorySizeInMB: 1024, MaxConcurrency: 5 },
      },
    });
    assertEquals([endpoint.status, endpoint.failureReason], ["InService", undefined]);
    assertEquals(await predict(endpoint, "x"), "one: x");
    await remove(endpoint);
  });
});

const LABELLED = encodeURIComponent(JSON.stringify({ label: [LABEL] }));

suite("the box's endpoints on the engine: the end", () => {
  it("of the box is the end of its containers, volumes, networks and images", async () => {
    const own = await Box.open({ registry: true, endpoints: true });
    const { host } = own.ecr.front;
    let volumes: string[] = [];
    let networks: string[] = [];
    try {
      Object.assign(own.hosting.settings, QUICK);
      await pushServerImage(own);
      own.s3.createBucket("data");
      const archive = await tarGz([{ name: "model.txt", content: "one" }]);
      await own.s3.put("data", "one.tar.gz", archive);
      const model = { EnableNetworkIsolation: true };
      for (const name of ["serves", "hangs"]) {
        // It never ends by itself, nor is it ever healthy.
        const variables = { DEAF: "1", ...(name === "hangs" ? { PING: "late" } : {}) };
        await configure(name, { key: "one.tar.gz", variables, model }, own);
        const names = { EndpointName: name, EndpointConfigName: name };
        await sagemaker("CreateEndpoint", names, own);
      }
      await own.endpoints.endpoint("serves").settled;
      const { logGroup } = own.endpoints.endpoint("hangs");
      await eventually(() => Promise.resolve(own.logs.streams(logGroup).length > 0));
      const all = JSON.parse(await engineRequest("GET", "/containers/json", [200]));
      const mine = all.filter(({ Image }: { Image: string }) => Image.startsWith(host));
      assertEquals(mine.length, 2);
      // deno-lint-ignore no-explicit-any
      volumes = mine.flatMap((one: any) => one.Mounts.map(({ Name }: { Name: string }) => Name));
      // deno-lint-ignore no-explicit-any
      networks = mine.map((one: any) => one.HostConfig.NetworkMode);
      assertEquals(volumes.length, 2);
      for (const name of networks) assertMatch(name, /^mlcli-box-/);
    } finally {
      await own[Symbol.asyncDispose]();
    }
    const containers = await engineRequest("GET", "/containers/json?all=1", [200]);
    assertEquals(containers.includes(host), false);
    const there = await engineRequest("GET", `/volumes?filters=${LABELLED}`, [200]) +
      await engineRequest("GET", "/networks", [200]);
    for (const name of [...volumes, ...networks]) assertEquals(there.includes(name), false);
    const images = await engineRequest("GET", "/images/json", [200]);
    assertEquals(images.includes(host), false);
  });
});
