import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Box } from "../../helpers/box/box.ts";
import type { ScriptedAnswer } from "../../helpers/box/endpoints/endpoint_store.ts";
import type { Invocation } from "../../helpers/box/endpoints/invocations.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { fakeInput } from "../../helpers/fake_keyboard.ts";
import { type InProcessOptions, Keys, runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { rawServer, say } from "../../helpers/raw_server.ts";
import { it, suite } from "../../helpers/suite.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An endpoint that is in service, on a platform in a box. */
interface Served extends AsyncDisposable {
  readonly box: Box;
  /** What the model was sent. */
  readonly asked: readonly Invocation[];
  /** Sends what stands on standard input, or the files of the directory by their names. */
  invoke(args?: readonly string[], options?: InvokeOptions): Promise<ProgramResult>;
}

interface InvokeOptions extends Partial<InProcessOptions> {
  readonly endpoint?: string;
  readonly stdin?: string | Uint8Array<ArrayBuffer>;
  readonly files?: Readonly<Record<string, string>>;
}

async function served(
  answer: ScriptedAnswer | ((invocation: Invocation) => ScriptedAnswer | Promise<ScriptedAnswer>) =
    {},
): Promise<Served> {
  const box = await Box.open();
  box.endpoints.add("churn");
  const asked: Invocation[] = [];
  box.endpoints.answer = (invocation) => {
    asked.push(invocation);
    return typeof answer === "function" ? answer(invocation) : answer;
  };
  return {
    box,
    asked,
    async invoke(args = [], { endpoint = "churn", stdin = "1,2\n", files = {}, ...options } = {}) {
      await using directory = await makeDirectory(files);
      const bytes = typeof stdin === "string" ? encoder.encode(stdin) : stdin;
      async function* read(): AsyncGenerator<Uint8Array, void, void> {
        yield bytes;
      }
      async function* readFile(path: string): AsyncGenerator<Uint8Array, void, void> {
        yield await Deno.readFile(path);
      }
      return await runInProcess(["invoke-endpoint", "-n", endpoint, ...args], {
        cwd: directory.path,
        cloud: box.env(),
        input: { isTerminal: false, keyboard: undefined, read, readFile },
        ...options,
      });
    },
    [Symbol.asyncDispose]: () => box[Symbol.asyncDispose](),
  };
}

suite("invoke-endpoint sends", () => {
  it("standard input, as what it looks like, and prints the answer as it is", async () => {
    await using endpoint = await served({ body: "0.25\u001b[31m" });
    assertEquals(await endpoint.invoke(), { code: 0, stdout: "0.25\u001b[31m", stderr: "" });
    const [{ headers, body }] = endpoint.asked as [Invocation];
    assertEquals(headers["content-type"], "text/csv");
    assertEquals(decoder.decode(body), "1,2\n");
    assertEquals(endpoint.box.operations, ["sagemaker:InvokeEndpoint"]);
  });

  for (
    const [title, args, stdin, type] of [
      ["JSON by its beginning", [], ' {"rows": 1}', "application/json"],
      ["a file by its name", ["rows.tsv"], "", "text/tab-separated-values"],
      ["standard input by its other name", ["-"], "[1]", "application/json"],
      [
        "whatever is said",
        ["--content-type", "text/x; charset=utf-8"],
        "[1]",
        "text/x; charset=utf-8",
      ],
    ] as const
  ) {
    it(`${title}: ${type}`, async () => {
      await using endpoint = await served();
      const files = { "rows.tsv": "1\t2\n" };
      const { code, stderr } = await endpoint.invoke(args, { stdin, files });
      assertEquals(code, 0, stderr);
      assertEquals(endpoint.asked[0]?.headers["content-type"], type);
    });
  }

  it("what SageMaker passes on, and whom it is for", async () => {
    await using endpoint = await served();
    const headers = [
      ...["--header", "X-Amzn-SageMaker-Custom-Attributes: trace=1, b"],
      ...["--header", "inference-id=7", "--header", "Session-Id:NEW_SESSION"],
      ...["--header", "Prefix-Aware-Id=p 1", "--header", "Inference-Component=part"],
    ];
    const result = await endpoint.invoke([
      ...["--accept", "application/json", "--variant", "AllTraffic", ...headers],
    ]);
    assertEquals(result.code, 0, result.stderr);
    assertEquals(endpoint.asked[0]?.headers, {
      "accept": "application/json",
      "content-type": "text/csv",
      "x-amzn-sagemaker-custom-attributes": "trace=1, b",
      "x-amzn-sagemaker-inference-component": "part",
      "x-amzn-sagemaker-inference-id": "7",
      "x-amzn-sagemaker-prefix-aware-id": "p 1",
      "x-amzn-sagemaker-session-id": "NEW_SESSION",
    });
    assertEquals(endpoint.asked[0]?.targetVariant, "AllTraffic");
  });

  it("what it may send at most, and no more", async () => {
    await using endpoint = await served({ body: "ok" });
    const most = new Uint8Array(26_214_400);
    assertEquals((await endpoint.invoke([], { stdin: most })).code, 0);
    const { code, stdout, stderr } = await endpoint.invoke([], {
      stdin: new Uint8Array(26_214_401),
    });
    assertEquals([code, stdout, endpoint.asked.length], [2, "", 1]);
    assertMatch(
      stderr,
      /^error: The request body is larger than 25 MB, the limit of endpoints\nhint: /,
    );
  });

  for (const args of [[], ["--stream"]]) {
    it(`nothing, where the model answers nothing: ${args}`, async () => {
      await using endpoint = await served({ body: "" });
      assertEquals(await endpoint.invoke(args, { stdin: "" }), { code: 0, stdout: "", stderr: "" });
      assertEquals(endpoint.asked[0]?.body.length, 0);
    });
  }

  it("a stream's pieces on as they come", async () => {
    const parts = ["one ", "two ", "\u001b[1mthree"];
    await using endpoint = await served({ parts });
    const heard: string[] = [];
    const args = ["--stream", "--accept", "text/plain", "-H", "Inference-Id: 7"];
    const result = await endpoint.invoke(args, { onOutput: (text) => void heard.push(text) });
    assertEquals(result, { code: 0, stdout: parts.join(""), stderr: "" });
    assertEquals(heard, parts);
    assertEquals(endpoint.asked[0]?.headers["accept"], "text/plain");
    assertEquals(endpoint.box.operations, ["sagemaker:InvokeEndpointWithResponseStream"]);
  });

  it("nothing where the command line is wrong", async () => {
    await using endpoint = await served();
    for (
      const [args, message] of [
        [
          ["--header", "Authorization: x"],
          /SageMaker does not forward header "Authorization"\nhint: .*Custom-Attributes/,
        ],
        [["--header", "Accept: x"], /does not forward header "Accept"\nhint: Use --accept\n/],
        [
          ["--header", "nonsense"],
          /must be NAME=VALUE or NAME: VALUE, but got "nonsense"\nhint: Use one of these as NAME: Custom-Attr/,
        ],
        [
          ["--header", "Inference-Id: a\u0001"],
          /"a\\u0001" is not a valid value for X-Amzn-SageMaker-Inference-Id\nhint: Use 1 to 64 ASCII characters/,
        ],
        [
          ["--header", "Session-Id: a_b"],
          /is not a valid value for X-Amzn-SageMaker-Session-Id\nhint: .* NEW_SESSION, or 1 to 256 letters/,
        ],
        [["--variant", "a_b"], /must be a variant name/],
        [
          ["--variant", "a", "--header", "target-variant: b"],
          /X-Amzn-SageMaker-Target-Variant was given more than once/,
        ],
        [
          ["--stream", "--header", "Target-Model: a.tar.gz"],
          /The header X-Amzn-SageMaker-Target-Model cannot be used together with --stream/,
        ],
        [["rows.csv"], /Cannot read rows\.csv: no such file/],
      ] as const
    ) {
      const { code, stdout, stderr } = await endpoint.invoke(args);
      assertEquals([code, stdout], [2, ""], stderr);
      assertMatch(stderr, message);
    }
    for (const name of ["../x", "..", ".", "a/b", "a b"]) {
      const { code, stderr } = await endpoint.invoke([], { endpoint: name });
      assertEquals([code, stderr.split("\n")[0]], [2, `error: Invalid endpoint name: "${name}"`]);
    }
    assertEquals(endpoint.box.operations, []);
  });

  it("a heading, too, and warns of it", async () => {
    await using endpoint = await served(() => ({ body: "9\n" }));
    const files = { "my rows.csv": "age\n1\n" };
    const { code, stderr } = await endpoint.invoke(["my rows.csv"], { files });
    assertEquals([code, stderr], [
      0,
      "warning: The first line looks like a header row, but the model receives it as data\n" +
      "hint: Skip it: tail -n +2 'my rows.csv' | mlcli invoke-endpoint -n churn " +
      "--content-type text/csv\n",
    ]);
    assertEquals(new TextDecoder().decode(endpoint.asked[0]!.body), "age\n1\n");
  });

  it("nothing from a terminal: it says how", async () => {
    await using endpoint = await served();
    async function* read() {}
    const input = { isTerminal: true, read, readFile: read };
    assertEquals(await endpoint.invoke([], { input: { ...input, keyboard: undefined } }), {
      code: 2,
      stdout: "",
      stderr: "error: Missing request body\n" +
        "hint: Pass a file (mlcli invoke-endpoint -n churn rows.csv), or pipe the request body to standard input\n",
    });
  });
});

suite("invoke-endpoint tells what the model says in headers:", () => {
  for (const args of [[], ["--stream"]]) {
    it(`its attributes, beside the answer: ${args}`, async () => {
      await using endpoint = await served({ body: "ok", customAttributes: "trace=1" });
      const stderr = "note: Custom attributes: trace=1\n";
      assertEquals(await endpoint.invoke(args), { code: 0, stdout: "ok", stderr });
    });
  }

  it("a session that has begun, and one that has ended, beside the answer", async () => {
    await using server = rawServer((connection) =>
      say(
        connection,
        "HTTP/1.1 200 OK\r\nX-Amzn-SageMaker-New-Session-Id: a1; Expires=x\r\n" +
          "X-Amzn-SageMaker-Closed-Session-Id: b2\r\nContent-Length: 2\r\n\r\nok",
      )
    );
    await using endpoint = await served();
    const url = `http://127.0.0.1:${server.port}`;
    const cloud = { ...endpoint.box.env(), AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: url };
    const { code, stdout, stderr } = await endpoint.invoke([], { cloud });
    assertEquals([code, stdout], [0, "ok"], stderr);
    assertStringIncludes(stderr, "Started session a1; Expires=x (use --header Session-Id=ID)\n");
    assertStringIncludes(stderr, "Ended session b2\n");
  });
});

suite("invoke-endpoint says what is wrong", () => {
  const LOG = "See the endpoint's log: mlcli logs churn --region eu-west-1";
  for (
    const [title, answer, stderr] of [
      [
        "the model's own error, of a server of mlcli",
        { status: 500, body: '{"error": "KeyError: age"}' },
        `error: KeyError: age (HTTP 500 from the model of endpoint churn)\nhint: ${LOG}\n`,
      ],
      [
        "the model's own error, of another server",
        { status: 503, body: "busy\u001b[2J\nsorry" },
        "error: The model of endpoint churn returned HTTP 503\n  busy?[2J\n  sorry\n" +
        `hint: ${LOG}\n`,
      ],
      [
        "that it does not take the type",
        { status: 415, body: '{"error": "Unsupported content type: text/csv"}' },
        "error: Unsupported content type: text/csv (HTTP 415 from the model of endpoint churn)\n" +
        "hint: The request was sent as text/csv. Choose other types with --content-type and --accept. " +
        `${LOG}\n`,
      ],
      [
        "that it took too long",
        { status: 0 },
        "error: The model of endpoint churn did not respond\n" +
        "  Your invocation timed out while waiting for a response from container primary. Review " +
        "the latency metrics for each container in Amazon CloudWatch, resolve the issue, and try " +
        "again.\n" +
        "hint: SageMaker waits 60 s for a response, or 8 min with --stream if the model streams " +
        `it. ${LOG}\n`,
      ],
    ] as const
  ) {
    it(title, async () => {
      await using endpoint = await served(answer);
      const result = await endpoint.invoke(["--region", "eu-west-1"]);
      assertEquals(result, { code: 1, stdout: "", stderr });
      assertEquals(endpoint.asked.length, 1);
    });

    it(`${title}, where a stream was asked for`, async () => {
      await using endpoint = await served(answer);
      const result = await endpoint.invoke(["--stream", "--region", "eu-west-1"]);
      assertEquals([result.code, result.stdout], [1, ""]);
      assertEquals(result.stderr.split("\n")[0], stderr.split("\n")[0]);
    });
  }

  for (
    const [breaks, message] of [
      [
        "StreamBroken",
        /^error: The response from endpoint churn ended early\n {2}StreamBroken: The model/,
      ],
      [
        "ModelInvocationTimeExceeded",
        /^error: Endpoint churn did not respond within 480 s\n.*\nhint: SageMaker stops a stream after 8 min/,
      ],
    ] as const
  ) {
    for (const parts of [["one "], []]) {
      it(`${breaks} of a stream after ${parts.length} pieces, which stay`, async () => {
        await using endpoint = await served({ parts, breaks });
        const { code, stdout, stderr } = await endpoint.invoke(["--stream"]);
        assertEquals([code, stdout], [1, parts.join("")]);
        assertMatch(stderr, message);
        assertStringIncludes(stderr, "mlcli logs churn");
        assertEquals(endpoint.asked.length, 1);
      });
    }
  }

  it("which endpoint there is not, and where it was looked for", async () => {
    await using endpoint = await served();
    const { code, stderr } = await endpoint.invoke(["--region", "eu-west-1"], {
      endpoint: "other",
    });
    assertEquals([code, stderr], [
      1,
      "error: ResourceNotFound: endpoint other\n" +
      "hint: Check the name and the region: mlcli searched in eu-west-1 (--region)\n",
    ]);
  });

  for (
    const [status, hint] of [
      ["Creating", "Wait for the endpoint: mlcli wait new"],
      ["Failed", "Find the cause in its log: mlcli logs new"],
      ["Deleting", "Choose another endpoint: mlcli list-endpoints"],
    ] as const
  ) {
    it(`what an endpoint is that does not serve: ${status}`, async () => {
      await using endpoint = await served();
      const reason = status === "Failed" ? { reason: "no ping" } : {};
      endpoint.box.endpoints.add("new", { status, ...reason });
      const { code, stderr } = await endpoint.invoke([], { endpoint: "new" });
      const quote = status === "Failed" ? "  no ping\n" : "";
      assertEquals(
        [code, stderr],
        [
          1,
          `error: Endpoint new was not in service (its status is now ${status})\n${quote}hint: ${hint}\n`,
        ],
      );
    });
  }

  it("only that there is none of that name, where the endpoint may not be described", async () => {
    await using endpoint = await served();
    endpoint.box.endpoints.add("new", { status: "Creating" });
    endpoint.box.faults.deny("sagemaker:DescribeEndpoint");
    const { code, stderr } = await endpoint.invoke([], { endpoint: "new" });
    assertEquals([code, stderr.split("\n")[0]], [1, "error: ResourceNotFound: endpoint new"]);
  });

  it("that it is denied", async () => {
    await using endpoint = await served();
    for (
      const [args, action] of [[[], "InvokeEndpoint"], [
        ["--stream"],
        "InvokeEndpointWithResponseStream",
      ]] as const
    ) {
      endpoint.box.faults.deny(`sagemaker:${action}`);
      const { code, stderr } = await endpoint.invoke(args);
      assertEquals([code, stderr.split("\n")[0]], [
        1,
        `error: AccessDeniedException: sagemaker:${action}`,
      ]);
    }
    assertEquals(endpoint.asked.length, 0);
  });

  it("what the service says of anything else", async () => {
    await using endpoint = await served();
    for (
      const [args, words] of [
        [
          ["--variant", "Other"],
          /was refused: Variant Other of endpoint churn of account \d+ not found/,
        ],
        [["--header", "Target-Model=a.tar.gz"], /was refused: TargetModel is supported for multi-/],
      ] as const
    ) {
      const { code, stderr } = await endpoint.invoke(args);
      assertEquals(code, 1);
      assertMatch(stderr, words);
    }
    assertEquals(endpoint.asked.length, 0);
  });

  it("that the credentials are over, and sends nothing twice", async () => {
    await using endpoint = await served();
    endpoint.box.faults.expireKeys();
    const { code, stderr } = await endpoint.invoke();
    assertEquals([code, endpoint.asked.length], [1, 0]);
    assertMatch(stderr, /^error: The AWS credentials have expired\nhint: Set new values for /);
  });

  it("that a serverless endpoint takes less", async () => {
    await using endpoint = await served();
    endpoint.box.endpoints.add("small", {
      variant: { ServerlessConfig: { MemorySizeInMB: 2048, MaxConcurrency: 5 } },
    });
    const { code, stderr } = await endpoint.invoke([], {
      endpoint: "small",
      stdin: new Uint8Array(5_000_000),
    });
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /^error: The request body is too large for endpoint small\n {2}Request \S+ has oversize body\.\nhint: .* Serverless endpoints accept 4 MB/,
    );
  });
});

suite("invoke-endpoint sends a request again", () => {
  it("where it was throttled", async () => {
    await using endpoint = await served({ body: "ok" });
    endpoint.box.faults.throttle("sagemaker:InvokeEndpoint", 1);
    assertEquals(await endpoint.invoke(), { code: 0, stdout: "ok", stderr: "" });
    assertEquals(endpoint.asked.length, 1);
  });

  for (const args of [[], ["--stream"]]) {
    it(`not where its answer was lost: ${args}`, async () => {
      await using endpoint = await served({ body: "ok" });
      endpoint.box.faults.loseAnswer("sagemaker:Invoke*", 5);
      const { code, stdout, stderr } = await endpoint.invoke(args);
      assertEquals([code, stdout, endpoint.asked.length], [1, "", 1]);
      assertMatch(
        stderr,
        /^error: The response from endpoint churn ended early\n.*\nhint: The model might have processed the request/,
      );
    });

    it(`not where the service failed: ${args}`, async () => {
      await using endpoint = await served({ body: "ok" });
      endpoint.box.faults.fail("sagemaker:Invoke*", 5, 503);
      const { code, stderr } = await endpoint.invoke(args);
      assertEquals([code, endpoint.box.operations.length], [1, 1]);
      assertMatch(stderr, /^error: sagemaker:Invoke\w+ failed: HTTP 503\n/);
    });
  }
});

suite("Ctrl-C in invoke-endpoint", () => {
  for (const args of [[], ["--stream"]]) {
    it(`ends it while the model works: ${args}`, async () => {
      const keys = new Keys();
      const over = Promise.withResolvers<ScriptedAnswer>();
      await using endpoint = await served(() => {
        keys.press();
        return over.promise;
      });
      const result = await endpoint.invoke(args, { keys });
      over.resolve({});
      assertEquals(result, { code: 130, stdout: "", stderr: "" });
    });
  }

  it("ends it while nobody writes to standard input", async () => {
    const keys = new Keys();
    await using endpoint = await served();
    async function* typed(): AsyncGenerator<string> {
      keys.press();
      yield await new Promise<never>(() => {});
    }
    const result = await endpoint.invoke([], { keys, input: fakeInput(typed()) });
    assertEquals(result, { code: 130, stdout: "", stderr: "" });
    assertEquals(endpoint.box.operations, []);
  });

  it("ends a stream after what it has said, also where nobody reads on", async () => {
    const keys = new Keys();
    const over = Promise.withResolvers<void>();
    await using endpoint = await served({ parts: ["one ", "two"] });
    const result = await endpoint.invoke(["--stream"], {
      keys,
      onOutput: () => {
        keys.press();
        return over.promise;
      },
    });
    over.resolve();
    assertEquals([result.code, result.stderr], [130, ""]);
  });
});
