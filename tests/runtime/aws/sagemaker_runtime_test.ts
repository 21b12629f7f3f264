import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { openAws } from "../../../runtime/aws/aws.ts";
import { AwsError, type Refusal } from "../../../runtime/aws/errors.ts";
import type { ModelRequest, SageMakerRuntime } from "../../../runtime/aws/sagemaker_runtime.ts";
import {
  eventMessage,
  payloadPart,
  streamError,
} from "../../helpers/box/endpoints/event_stream.ts";
import { environmentOf, USER_KEY } from "../../helpers/box/account.ts";
import { withVariables } from "../../helpers/in_process.ts";
import {
  type RawHandler,
  type RawServer,
  rawServer,
  say,
  untilClosed,
} from "../../helpers/raw_server.ts";
import { typed } from "../../helpers/settings.ts";
import { it, suite } from "../../helpers/suite.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Short enough to wait for what does not come, long enough for what comes before. In ms. */
const SHORT = { connection: 2_000, answer: 1_000, margin: 800 };

const REQUEST: ModelRequest = {
  endpoint: "churn",
  seconds: 30,
  body: encoder.encode("1,2\n"),
  contentType: "text/csv",
  accept: undefined,
  fields: {},
};

/** Asks what answers at a port; the SDK would repeat a request twice. */
async function open(
  port: string | number,
  more: Readonly<Record<string, string>> = {},
  signal = new AbortController().signal,
  limits = SHORT,
): Promise<SageMakerRuntime & Disposable> {
  const url = `http://127.0.0.1:${port}`;
  const variables: Readonly<Record<string, string>> = { ...environmentOf(url, USER_KEY), ...more };
  const set = withVariables(variables);
  const aws = await openAws(
    {
      region: typed("eu-west-1", "test"),
      profile: undefined,
      keys: "used",
      role: undefined,
    },
    { env: (name) => variables[name], signal, limits },
  );
  return {
    ...await aws.runtime(),
    [Symbol.dispose]() {
      aws.close();
      set[Symbol.dispose]();
    },
  };
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.amazon.eventstream\r\n";
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

/** A chunk of HTTP. */
async function chunk(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  await say(connection, `${bytes.length.toString(16)}\r\n`);
  await say(connection, bytes);
  await say(connection, "\r\n");
}

const part = (text: string): Uint8Array => payloadPart(encoder.encode(text));

interface Heard {
  readonly text: string;
  readonly error?: AwsError;
}

/** What a stream of this server says before its end, or its error. */
async function heard({ port }: RawServer, request: ModelRequest = REQUEST): Promise<Heard> {
  using runtime = await open(port);
  let text = "";
  try {
    for await (const piece of (await runtime.stream(request)).body) text += decoder.decode(piece);
    return { text };
  } catch (error) {
    assert(error instanceof AwsError);
    return { text, error };
  }
}

/** What an answer of this server says. */
async function answered(port: string, limits = SHORT): Promise<readonly string[]> {
  using runtime = await open(port, {}, new AbortController().signal, limits);
  const pieces = await Array.fromAsync((await runtime.invoke(REQUEST)).body);
  return pieces.map((piece) => decoder.decode(piece));
}

/** A stream that goes on like this, and is closed then. */
function streaming(goOn: RawHandler): RawServer {
  return rawServer(async (connection, request) => {
    await say(connection, CHUNKED);
    await goOn(connection, request);
  });
}

/** A stream of these chunks, and nothing else. */
function streamOf(...chunks: readonly Uint8Array[]): RawServer {
  return streaming(async (connection) => {
    for (const bytes of chunks) await chunk(connection, bytes);
    await say(connection, "0\r\n\r\n");
  });
}

suite("a stream of a model", () => {
  it("is heard while it goes on", async () => {
    const first = Promise.withResolvers<void>();
    await using server = streaming(async (connection) => {
      await chunk(connection, part("one "));
      await first.promise;
      await chunk(connection, part("two"));
      await say(connection, "0\r\n\r\n");
    });
    using runtime = await open(server.port);
    const pieces: string[] = [];
    for await (const piece of (await runtime.stream(REQUEST)).body) {
      pieces.push(decoder.decode(piece));
      first.resolve();
    }
    assertEquals([pieces, server.calls], [
      ["one ", "two"],
      ["POST /endpoints/churn/invocations-response-stream"],
    ]);
  });

  it("may come in any pieces", async () => {
    const bytes = [...part("one "), ...part(""), ...part("two")];
    await using server = streamOf(...bytes.map((byte) => new Uint8Array([byte])));
    assertEquals(await heard(server), { text: "one two" });
  });

  it("may have events of an unknown type", async () => {
    const headers = { ":event-type": "Mood", ":message-type": "event" };
    const unknown = eventMessage(headers, encoder.encode("{}"));
    await using server = streamOf(part("one "), unknown, part("two"));
    assertEquals(await heard(server), { text: "one two" });
  });

  it("is not listened to by who reads no further", async () => {
    const closed = Promise.withResolvers<void>();
    await using server = streaming(async (connection) => {
      await chunk(connection, part("one "));
      await untilClosed(connection).catch(() => {});
      closed.resolve();
    });
    using runtime = await open(server.port);
    for await (const _piece of (await runtime.stream(REQUEST)).body) break;
    await closed.promise;
  });

  it("ends with the reason for which it is aborted", async () => {
    const user = new AbortController();
    const reason = new Error("asked to stop");
    await using server = streaming(async (connection) => {
      await chunk(connection, part("one "));
      await untilClosed(connection);
    });
    using runtime = await open(server.port, {}, user.signal);
    const { body } = await runtime.stream(REQUEST);
    const error = await assertRejects(async () => {
      for await (const _piece of body) user.abort(reason);
    }, Error);
    assertEquals(error, reason);
  });

  const exception = (type: string, body: string): Uint8Array =>
    eventMessage({
      ":exception-type": type,
      ":content-type": "application/json",
      ":message-type": "exception",
    }, encoder.encode(body));
  const spoilt = part("three");
  spoilt[20]! ^= 1;
  const cut = part("three").subarray(0, 30);
  for (
    const [title, last, refusal, quote] of [
      [
        "the model's connection ended",
        streamError("StreamBroken", "It is gone."),
        "broken off",
        /^StreamBroken: It is gone\.$/,
      ],
      [
        "the model took too long",
        streamError("ModelInvocationTimeExceeded", "Too long."),
        "no answer",
        /^Too long\.$|^ModelInvocation.*Too long\.$/,
      ],
      [
        "the service failed",
        exception("InternalStreamFailure", '{"Message":"oh"}'),
        "broken off",
        /^InternalStreamFailure: oh$/,
      ],
      ["an exception is not known", exception("Mood", '{"Message":"bad"}'), "broken off", /bad/],
      [
        "there is an error of no type",
        eventMessage({
          ":message-type": "error",
          ":error-code": "Internal",
          ":error-message": "oh",
        }, new Uint8Array()),
        "broken off",
        /^oh$/,
      ],
      ["it is spoilt on the way", spoilt, "broken off", /checksum/],
      ["it ends in the middle of a piece", cut, "broken off", /Truncated/],
    ] as const satisfies readonly (readonly [string, Uint8Array, Refusal, RegExp])[]
  ) {
    it(`keeps what it said where ${title}`, async () => {
      await using server = streamOf(part("one "), part("two"), last);
      const { text, error } = await heard(server);
      assertEquals([text, error?.refusal, server.calls.length], ["one two", refusal, 1]);
      assertMatch(error?.quote ?? "", quote);
    });

    it(`is not asked for again where ${title} at once`, async () => {
      await using server = streamOf(last);
      const { text, error } = await heard(server);
      assertEquals([text, server.calls.length, error !== undefined], ["", 1, true]);
    });
  }

  for (const [title, ...said] of [["after a piece", part("one ")], ["before the first"]] as const) {
    it(`breaks off with its connection, ${title}`, async () => {
      await using server = streaming(async (connection) => {
        for (const piece of said) await chunk(connection, piece);
      });
      const { text, error } = await heard(server);
      assertEquals(text, said.length === 0 ? "" : "one ");
      assertEquals(error?.message, "The response from endpoint churn ended early");
      assertEquals([error?.refusal, server.calls.length], ["broken off", 1]);
    });

    it(`takes no longer than the model may, ${title}`, async () => {
      await using server = streaming(async (connection) => {
        for (const piece of said) await chunk(connection, piece);
        await untilClosed(connection);
      });
      const { text, error } = await heard(server, { ...REQUEST, seconds: 0.2 });
      assertEquals(text, said.length === 0 ? "" : "one ");
      assertEquals(error?.message, "Endpoint churn did not respond within 0.2 s");
      assertEquals(server.calls.length, 1);
    });
  }
});

suite("an answer of a model", () => {
  for (
    const [title, handle, refusal, message] of [
      ["does not come", untilClosed, "no answer", "Endpoint churn did not respond within 0.2 s"],
      [
        "stalls",
        async (connection) => {
          await say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
          await untilClosed(connection);
        },
        "no answer",
        "Endpoint churn did not respond within 0.2 s",
      ],
      ["is lost", () => {}, "broken off", "The response from endpoint churn ended early"],
      [
        "is cut",
        (connection) => say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
        "broken off",
        "The response from endpoint churn ended early",
      ],
      [
        "is a failure of the service",
        (connection) => say(connection, "HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n"),
        "failed",
        "sagemaker:InvokeEndpoint failed: HTTP 500",
      ],
      [
        "is a gateway's",
        (connection) => say(connection, "HTTP/1.1 504 x\r\nContent-Length: 3\r\n\r\nabc"),
        "failed",
        "sagemaker:InvokeEndpoint failed: HTTP 504",
      ],
      [
        "is a login page's",
        (connection) =>
          say(connection, "HTTP/1.1 302 x\r\nLocation: http://x\r\nContent-Length: 0\r\n\r\n"),
        "failed",
        "The response did not come from AWS: HTTP 302",
      ],
      [
        "says that the body is too large",
        (connection) => say(connection, "HTTP/1.1 413 x\r\nContent-Length: 0\r\n\r\n"),
        "other",
        "The request body is too large for endpoint churn",
      ],
    ] as const satisfies readonly (readonly [string, RawHandler, Refusal, string])[]
  ) {
    it(`that ${title} is not asked for again`, async () => {
      await using server = rawServer(handle);
      using runtime = await open(server.port);
      const error = await assertRejects(
        () => runtime.invoke({ ...REQUEST, seconds: 0.2 }),
        AwsError,
      );
      assertEquals([error.refusal, error.message], [refusal, message]);
      assertEquals(server.calls.length, 1);
    });
  }

  it("is asked for again where the model is not loaded", async () => {
    const body = JSON.stringify({ Message: "wait" });
    await using server = rawServer((connection) =>
      say(
        connection,
        "HTTP/1.1 429 x\r\nx-amzn-errortype: ModelNotReadyException\r\n" +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      )
    );
    using runtime = await open(server.port, { AWS_MAX_ATTEMPTS: "2" });
    const error = await assertRejects(() => runtime.invoke(REQUEST), AwsError);
    assertEquals([error.refusal, error.quote], ["throttled", "wait"]);
    assertEquals(error.message, "Endpoint churn has not loaded its model yet");
    assertEquals(server.calls.length, 2);
  });

  it("may take as long as a model may, longer than other services", async () => {
    await using server = rawServer(async (connection) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
    });
    assertEquals(await answered(server.port, { ...SHORT, answer: 1 }), ["abc"]);
  });

  it("may be of any type, also of a stream's", async () => {
    await using server = rawServer((connection) =>
      say(connection, `${HEAD}Content-Length: 3\r\n\r\nabc`)
    );
    assertEquals(await answered(server.port), ["abc"]);
  });

  it("comes with what became of a session", async () => {
    await using server = rawServer((connection) =>
      say(
        connection,
        "HTTP/1.1 200 OK\r\nX-Amzn-SageMaker-New-Session-Id: a1; Expires=2026-11-22T12:00:00Z\r\n" +
          "X-Amzn-SageMaker-Closed-Session-Id: b2\r\nContent-Length: 0\r\n\r\n",
      )
    );
    using runtime = await open(server.port);
    const { newSession, closedSession } = await runtime.invoke(REQUEST);
    assertEquals([newSession, closedSession], ["a1; Expires=2026-11-22T12:00:00Z", "b2"]);
  });
});
