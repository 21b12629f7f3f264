import {
  CloudWatchLogsClient,
  GetLogEventsCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-cloudwatch-logs";
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import {
  CreateEndpointCommand,
  DeleteEndpointCommand,
  DescribeEndpointCommand,
  ListTagsCommand,
  SageMakerClient,
  SageMakerServiceException,
  UpdateEndpointCommand,
} from "@aws-sdk/client-sagemaker";
import {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  ModelError,
  ModelStreamError,
  SageMakerRuntimeClient,
  SageMakerRuntimeServiceException,
} from "@aws-sdk/client-sagemaker-runtime";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Box } from "../../helpers/box/box.ts";
import { USER_KEY } from "../../helpers/box/account.ts";
import { it, suite } from "../../helpers/suite.ts";
import { Hosting } from "./hosting.ts";

/** A request as the SDK hands it to who sends it. */
interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query: Readonly<Record<string, string | string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
}

/** Sends with Deno's fetch: the SDK's own way leaves a connection open on Deno 2.6.8. */
function fetchHandler(signal?: AbortSignal) {
  return {
    handle: (request: SdkRequest) => sendByFetch(request, signal),
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
}

async function sendByFetch(
  { method, protocol, hostname, port, path, query, headers, body }: SdkRequest,
  signal?: AbortSignal,
) {
  const fields = Object.entries(query).map(([name, value]) =>
    `${encodeURIComponent(name)}=${encodeURIComponent(String(value ?? ""))}`
  );
  const hasBody = method !== "GET" && method !== "HEAD";
  const answer = await fetch(`${protocol}//${hostname}:${port}${path}?${fields.join("&")}`, {
    ...{ method, headers, redirect: "manual", signal },
    ...(hasBody ? { body } : {}),
  });
  return {
    response: {
      ...{ statusCode: answer.status, headers: Object.fromEntries(answer.headers) },
      body: answer.body ?? new Blob().stream(),
    },
  };
}

/** How AWS's own clients reach the box. */
function configuration(box: Box, signal?: AbortSignal) {
  return {
    endpoint: box.url,
    region: "eu-west-1",
    credentials: { accessKeyId: USER_KEY.id, secretAccessKey: USER_KEY.secret },
    requestHandler: fetchHandler(signal),
  };
}

/** S3's, which follows to other regions. */
function s3(box: Box): S3Client & Disposable {
  box.s3.createBucket("data");
  const client = new S3Client({
    ...configuration(box),
    forcePathStyle: true,
    followRegionRedirects: true,
  });
  return Object.assign(client, { [Symbol.dispose]: () => client.destroy() });
}

/** `ErrorCode` of a stream that ends before its end. */
const BROKEN = "StreamBroken";

/** Names that are written otherwise in an address, in XML or in a signature. */
const ODD = ["a b/ü+%20&<x>'()*!~", "q?x=1#f", "line\nbreak", "💥", "a//b", '=,;:@$[]{}|^`"\\'];

suite("the box and AWS's own clients", () => {
  for (const Key of ODD) {
    it(`agree on s3://data/${JSON.stringify(Key)}`, async () => {
      await using box = await Box.open();
      using client = s3(box);
      const Bucket = "data";
      const Body = new TextEncoder().encode("content");
      const put = await client.send(
        new PutObjectCommand({ Bucket, Key, Body, Metadata: { m: "1" } }),
      );
      assert(put.ChecksumCRC32);
      const { Contents } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: Key }));
      assertEquals(Contents?.map((one) => [one.Key, one.Size]), [[Key, 7]]);
      const got = await client.send(new GetObjectCommand({ Bucket, Key }));
      assertEquals(await got.Body!.transformToString(), "content");
      assertEquals([got.Metadata, got.ChecksumCRC32], [{ m: "1" }, put.ChecksumCRC32]);
      await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }] } }));
      assertEquals(box.s3.keys(Bucket), []);
    });
  }

  it("agree on where a bucket is, and on errors", async () => {
    await using box = await Box.open();
    using client = s3(box);
    box.s3.createBucket("far", { region: "eu-central-1" });
    const { BucketRegion } = await client.send(new HeadBucketCommand({ Bucket: "far" }));
    assertEquals(BucketRegion, "eu-central-1");
    await client.send(new PutObjectCommand({ Bucket: "far", Key: "x", Body: "x" }));
    assertEquals(box.s3.keys("far"), ["x"]);
    const missing = new GetObjectCommand({ Bucket: "data", Key: "none" });
    await assertRejects(() => client.send(missing), NoSuchKey);
    box.faults.throttle("s3:HeadBucket", 1);
    const { $metadata } = await client.send(new HeadBucketCommand({ Bucket: "data" }));
    assertEquals($metadata.attempts, 2);
  });

  it("agree on logs, and on who asks", async () => {
    await using box = await Box.open();
    const input = { logGroupName: "group", logStreamName: "stream", startFromHead: true };
    const logs = new CloudWatchLogsClient(configuration(box));
    const sts = new STSClient(configuration(box));
    try {
      const ask = () => logs.send(new GetLogEventsCommand(input));
      await assertRejects(
        ask,
        ResourceNotFoundException,
        "The specified log group does not exist.",
      );
      box.logs.put("group", "stream", ["line"]);
      const { events } = await ask();
      assertEquals(events?.map(({ message }) => message), ["line"]);
      const { Arn, Account } = await sts.send(new GetCallerIdentityCommand());
      assertEquals([Arn, Account], [USER_KEY.user, "123456789012"]);
    } finally {
      logs.destroy();
      sts.destroy();
    }
  });

  it("agree on endpoints", async () => {
    await using hosting = await Hosting.open("c", "d");
    const client = new SageMakerClient(configuration(hosting.box));
    const describe = () => client.send(new DescribeEndpointCommand({ EndpointName: "Shop" }));
    try {
      const tags = [{ Key: "team", Value: "ü 1" }];
      const input = { EndpointName: "Shop", EndpointConfigName: "c", Tags: tags };
      const { EndpointArn } = await client.send(new CreateEndpointCommand(input));
      assertEquals((await describe()).EndpointStatus, "Creating");
      const served = await describe();
      assertEquals(served.ProductionVariants?.[0]?.CurrentInstanceCount, 1);
      assertEquals(Math.abs(served.CreationTime!.getTime() - Date.now()) < 60_000, true);
      const found = await client.send(new ListTagsCommand({ ResourceArn: EndpointArn }));
      assertEquals(found.Tags, tags);
      const update = { EndpointName: "Shop", EndpointConfigName: "d" };
      await client.send(new UpdateEndpointCommand(update));
      const { PendingDeploymentSummary } = await describe();
      assertEquals(PendingDeploymentSummary?.EndpointConfigName, "d");
      const error = await assertRejects(
        () => client.send(new UpdateEndpointCommand(update)),
        SageMakerServiceException,
        "Cannot update endpoint with the currently in use endpoint configuration",
      );
      assertEquals([error.name, error.$metadata.attempts], ["ValidationException", 1]);
      await client.send(new DeleteEndpointCommand({ EndpointName: "Shop" }));
      assertEquals((await describe()).EndpointStatus, "Deleting");
      await assertRejects(describe, SageMakerServiceException, "Could not find endpoint");
    } finally {
      client.destroy();
    }
  });

  it("agree on invocations, in one piece and in parts", async () => {
    await using box = await Box.open();
    box.endpoints.add("Shop");
    // The SDK leaves a stream open that ended with an exception.
    const streams = new AbortController();
    const client = new SageMakerRuntimeClient(configuration(box, streams.signal));
    const input = { EndpointName: "Shop", Body: new TextEncoder().encode("1,2") };
    const ask = () => client.send(new InvokeEndpointCommand({ ...input, ContentType: "text/csv" }));
    try {
      const { Body, ContentType, InvokedProductionVariant } = await ask();
      assertEquals([Body.transformToString(), ContentType], ["1,2", "text/csv"]);
      assertEquals(InvokedProductionVariant, "AllTraffic");
      box.endpoints.answer = () => ({ status: 415, body: "no such type" });
      const error = await assertRejects(ask, ModelError);
      assertEquals([error.OriginalStatusCode, error.OriginalMessage], [415, "no such type"]);
      box.faults.deny("sagemaker:InvokeEndpoint");
      const denied = await assertRejects(ask, SageMakerRuntimeServiceException);
      assertEquals([denied.name, denied.$metadata.httpStatusCode], ["AccessDeniedException", 403]);
      box.endpoints.answer = () => ({ contentType: "a/b", parts: ["one", "two"], breaks: BROKEN });
      const streamed = await client.send(new InvokeEndpointWithResponseStreamCommand(input));
      assertEquals(streamed.ContentType, "a/b");
      const parts: string[] = [];
      const end = await assertRejects(async () => {
        for await (const { PayloadPart } of streamed.Body!) {
          parts.push(new TextDecoder().decode(PayloadPart?.Bytes));
        }
      }, ModelStreamError);
      assertEquals([parts, end.ErrorCode], [["one", "two"], BROKEN]);
    } finally {
      streams.abort();
      client.destroy();
    }
  });
});
