import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { gzipSync } from "node:zlib";
import { main } from "../../../main.ts";
import { type InProcessOptions, runInProcess } from "../../helpers/in_process.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { eventually } from "../../helpers/eventually.ts";
import { fakeContainers, FOREIGN_IMAGE, HARNESS_IMAGE } from "../../helpers/fake_containers.ts";
import { fakeContext } from "../../helpers/fake_context.ts";
import { fakeInput } from "../../helpers/fake_keyboard.ts";
import {
  killedAfter,
  programCommand,
  type ProgramResult,
  resultOf,
  runProgram,
  startProgram,
} from "../../helpers/program.ts";
import { type RawHandler, rawServer, say, untilClosed } from "../../helpers/raw_server.ts";
import { replaced } from "../../helpers/replaced.ts";
import { it, suite } from "../../helpers/suite.ts";

const NO_ENGINE = { DOCKER_HOST: "unix:///nonexistent.sock" };

async function invoke(
  port: string,
  args: readonly string[] = [],
  { body = "1,2\n", ...options }: Partial<InProcessOptions> & { body?: string | Uint8Array } = {},
): Promise<ProgramResult> {
  await using directory = await makeDirectory();
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  await Deno.writeFile(join(directory.path, "rows.csv"), bytes);
  return await runInProcess(["local", "invoke", "--port", port, ...args, "rows.csv"], {
    cwd: directory.path,
    ...options,
  });
}

/** An answer of a server that is none of mlcli's. */
async function answered(
  handle: RawHandler | string,
  args?: readonly string[],
): Promise<ProgramResult> {
  await using server = rawServer(
    typeof handle === "string" ? (connection) => say(connection, handle) : handle,
  );
  return await invoke(server.port, args);
}

suite("local invoke of a pipe", () => {
  async function pipeIn(directory: string): Promise<string> {
    const pipe = join(directory, "rows.csv");
    assertEquals((await new Deno.Command("mkfifo", { args: [pipe] }).output()).code, 0);
    return pipe;
  }

  async function openFiles(pid: number): Promise<readonly string[]> {
    const open = await Array.fromAsync(Deno.readDir(`/proc/${pid}/fd`));
    const paths = open.map(({ name }) => Deno.readLink(`/proc/${pid}/fd/${name}`));
    return await Promise.all(paths.map((path) => path.catch(() => "closed meanwhile")));
  }

  it("ends at one Ctrl-C where nobody writes to it", async () => {
    await using directory = await makeDirectory();
    await pipeIn(directory.path);
    const options = { cwd: directory.path, env: NO_ENGINE, timeout: 20_000 };
    const child = startProgram(["local", "invoke", "--port", "1", "rows.csv"], options);
    const result = resultOf(child);
    await eventually(async () =>
      (await openFiles(child.pid)).some((path) => path.endsWith("/rows.csv"))
    );
    child.kill("SIGINT");
    assertEquals(await result, { code: 130, stdout: "", stderr: "" });
  });

  it("waits for a writer that comes later, and reads all that it writes", async () => {
    const heard = Promise.withResolvers<string>();
    await using server = rawServer(async (connection, { body }) => {
      heard.resolve(new TextDecoder().decode(body));
      await say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
    });
    await using directory = await makeDirectory();
    const pipe = await pipeIn(directory.path);
    const options = { cwd: directory.path, env: NO_ENGINE, timeout: 20_000 };
    const run = runProgram(["local", "invoke", "--port", server.port, "rows.csv"], options);
    const writing = new Deno.Command("sh", { args: ["-c", 'echo 1,2 > "$0"', pipe] }).output();
    assertEquals(await run, { code: 0, stdout: "abc", stderr: "" });
    await writing;
    assertEquals(await heard.promise, "1,2\n");
  });

  it("reads what a shell passes on by <(...)", async () => {
    await using server = rawServer((connection) =>
      say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
    );
    const line = `exec "$@" --port ${server.port} <(echo 1,2)`;
    const command = new Deno.Command("bash", {
      args: ["-c", line, "bash", ...programCommand(["local", "invoke"])],
      env: NO_ENGINE,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
    const { code, stdout, stderr } = await resultOf(killedAfter(20_000, command.spawn()));
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: "abc", stderr: "" });
  });
});

suite("local invoke of rows below a heading", () => {
  it("sends them as they are, and warns", async () => {
    let sent = "";
    await using server = rawServer(async (connection, { body }) => {
      sent = new TextDecoder().decode(body);
      await say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
    });
    const { code, stdout, stderr } = await invoke(server.port, [], { body: "age\n1\n" });
    assertEquals([code, stdout, sent], [0, "abc", "age\n1\n"]);
    const rest = `Skip it: tail -n \\+2 rows.csv \\| mlcli local invoke --port ${server.port}`;
    assertMatch(
      stderr,
      new RegExp(`^warning: The first line .*\\nhint: ${rest} --content-type text/csv\\n$`),
    );
  });
});

suite("local invoke passes on", () => {
  const wholes: readonly (readonly [title: string, answer: string, stdout: string])[] = [
    ["an answer with a length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "abc"],
    ["an answer that ends with its connection", "HTTP/1.1 200 OK\r\n\r\nabc", "abc"],
    ["an answer of HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nabc", "abc"],
    [
      "an answer after which the connection closes",
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc",
      "abc",
    ],
    [
      "an answer in chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2;x=y\r\nbc\r\n0\r\nT: x\r\n\r\n",
      "abc",
    ],
    [
      "an answer after others that announce it",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" +
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
      "abc",
    ],
    ["an empty answer", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""],
    ["an answer without a body", "HTTP/1.1 204 No Content\r\n\r\n", ""],
    ["no more than the length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef", "abc"],
  ];
  for (const [title, answer, stdout] of wholes) {
    it(title, async () => {
      assertEquals(await answered(answer), { code: 0, stdout, stderr: "" });
    });
  }

  it("an answer that comes byte by byte", async () => {
    const result = await answered(async (connection) => {
      for (const letter of "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc") {
        await say(connection, letter);
        await new Promise((resolve) => setTimeout(resolve));
      }
    });
    assertEquals(result, { code: 0, stdout: "abc", stderr: "" });
  });

  it("a request that takes no compressed answer", async () => {
    const { code, stdout } = await answered(async (connection, { headers }) => {
      const isWanted = /^accept-encoding:.*(gzip|br|deflate|\*)/im.test(headers);
      const body = isWanted ? gzipSync("abc") : new TextEncoder().encode("abc");
      const encoding = isWanted ? "Content-Encoding: gzip\r\n" : "";
      await say(connection, `HTTP/1.1 200 OK\r\n${encoding}Content-Length: ${body.length}\r\n\r\n`);
      await say(connection, body);
      const asked = /^accept-encoding: (.*)/im.exec(headers)?.[1]?.trim();
      assertEquals(asked, "identity");
    });
    assertEquals({ code, stdout }, { code: 0, stdout: "abc" });
  });

  it("a compressed answer as it was sent, where a server compresses unasked", async () => {
    const packed = gzipSync("abc");
    await using server = rawServer(async (connection) => {
      const head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n";
      await say(connection, `${head}Content-Length: ${packed.length}\r\n\r\n`);
      await say(connection, packed);
    });
    await using directory = await makeDirectory({ "a.csv": "1" });
    const args = ["local", "invoke", "--port", server.port, "a.csv"];
    const { stdout } = await startProgram(args, { cwd: directory.path, env: NO_ENGINE }).output();
    assertEquals([...stdout], [...packed]);
  });

  it("the request as it was given", async () => {
    let request = "";
    await answered(async (connection, { call, headers, body }) => {
      request = `${call}\n${headers}\n${new TextDecoder().decode(body)}`;
      await say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }, ["--content-type", "text/x; a=b", "--accept", "application/json;q=0.5, */*"]);
    assertMatch(request, /^POST \/invocations\n/);
    assertMatch(request, /^content-type: text\/x; a=b\r?$/im);
    assertMatch(request, /^accept: application\/json;q=0\.5, \*\/\*\r?$/im);
    assertMatch(request, /^content-length: 4\r?$/im);
    assertMatch(request, /\n1,2\n$/);
  });

  it("the headers that were given, and those of SageMaker by their whole names", async () => {
    let headers = "";
    await using server = rawServer(async (connection, request) => {
      headers = request.headers;
      await say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
    const result = await invoke(server.port, [
      ...["--header", "Custom-Attributes: trace=1", "-H", "inference-id=7"],
      ...["-H", "X-Trace: a: b", "-H", "user-agent: me"],
    ]);
    assertEquals([result.code, result.stdout], [0, ""], result.stderr);
    assertMatch(headers, /^X-Amzn-SageMaker-Custom-Attributes: trace=1\r?$/m);
    assertMatch(headers, /^X-Amzn-SageMaker-Inference-Id: 7\r?$/m);
    assertMatch(headers, /^X-Trace: a: b\r?$/m);
    assertEquals(headers.match(/^user-agent:.*\w/gim), ["user-agent: me"]);
    // What passes here is to pass there.
    assertEquals(
      result.stderr,
      ["X-Trace", "user-agent"].map((name) =>
        `note: SageMaker does not forward the header ${name}: use Custom-Attributes\n`
      ).join(""),
    );
  });

  it("what the model says in headers, on standard error", async () => {
    const { code, stdout, stderr } = await answered(
      "HTTP/1.1 200 OK\r\nX-Amzn-SageMaker-Custom-Attributes: a\u001b=1\r\n" +
        "x-amzn-sagemaker-new-session-id: s1; Expires=x\r\n" +
        "X-Amzn-SageMaker-Closed-Session-Id: s0\r\nX-Other: 1\r\nContent-Length: 2\r\n\r\nok",
    );
    assertEquals([code, stdout], [0, "ok"]);
    assertEquals(
      stderr,
      "note: Custom attributes: a?=1\n" +
        "note: Started session s1; Expires=x (use --header Session-Id=ID)\nnote: Ended session s0\n",
    );
  });

  it("an answer whose headers have letters beyond ASCII", async () => {
    // In UTF-8, whose bytes are each a letter of HTTP's headers.
    const head = "HTTP/1.1 200 OK\r\nX-A: →\r\nX-Amzn-SageMaker-Custom-Attributes: é\r\n";
    assertEquals(await answered(`${head}Content-Length: 2\r\n\r\nok`), {
      code: 0,
      stdout: "ok",
      stderr: "note: Custom attributes: Ã©\n",
    });
  });

  for (const args of [[], ["--stream"]]) {
    it(`the parts of a stream as they come: ${args}`, async () => {
      const heard = Promise.withResolvers<void>();
      await using server = rawServer(async (connection) => {
        await say(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none \r\n");
        // The second part is sent when the first is printed.
        await heard.promise;
        await say(connection, "3\r\ntwo\r\n0\r\n\r\n");
      });
      const parts: string[] = [];
      const result = await runInProcess(["local", "invoke", "-p", server.port, ...args], {
        cwd: ".",
        onOutput: (text) => {
          parts.push(text);
          heard.resolve();
        },
      });
      assertEquals(result, { code: 0, stdout: "one two", stderr: "" });
      assertEquals(parts, ["one ", "two"]);
    });
  }

  it("an answer that is no stream, though one was asked for, and says so", async () => {
    const note =
      "note: The response arrived in one piece: to stream it, return a generator from output_fn\n";
    for (
      const [answer, stderr] of [
        ["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", note],
        ["HTTP/1.0 200 OK\r\n\r\nabc", ""],
      ] as const
    ) {
      assertEquals(await answered(answer, ["--stream"]), { code: 0, stdout: "abc", stderr });
    }
  });

  it("a request past any proxy of the environment, and whatever NO_PROXY says", async () => {
    const proxy = "http://127.0.0.1:1";
    for (const NO_PROXY of ["", "localhost,127.0.0.1", "*"]) {
      await using server = rawServer((connection) =>
        say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
      );
      const env = { HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy, NO_PROXY };
      assertEquals(await invoke(server.port, [], { env }), { code: 0, stdout: "abc", stderr: "" });
    }
  });
});

suite("local invoke of what stands in the place of a file", () => {
  it("sends JSON, where there is no such file", async () => {
    const seen: string[] = [];
    await using server = rawServer(async (connection, { call, headers, body }) => {
      if (call.startsWith("POST")) seen.push(headers, new TextDecoder().decode(body));
      await say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
    const json = '{"features": [1, 2]}';
    const args = ["local", "invoke", "--port", server.port, json];
    const { code, stdout, stderr } = await runProgram(args, { cwd: "/", env: NO_ENGINE });
    assertEquals([code, stdout, stderr], [0, "ok", ""]);
    assertMatch(seen[0]!, /^content-type: application\/json\r?$/im);
    assertEquals(seen[1], json);
  });

  it("hints at echo for a row, and at nothing for a name", async () => {
    for (
      const [file, hint] of [
        [
          "72,3,15",
          "hint: If this is the request itself, pipe it: echo 72,3,15 | mlcli local invoke --port 1\n",
        ],
        [
          "a b",
          "hint: If this is the request itself, pipe it: echo 'a b' | mlcli local invoke --port 1\n",
        ],
        ["{bad", "hint: Pass the path of a file, or valid JSON\n"],
        ["rows.csv", ""],
        ["data/a,b.csv", ""],
      ] as const
    ) {
      const { code, stderr } = await runProgram(["local", "invoke", "--port", "1", file], {
        cwd: "/",
        env: NO_ENGINE,
      });
      assertEquals([code, stderr], [2, `error: Cannot read ${file}: no such file\n${hint}`]);
    }
  });
});

suite("local invoke fails, and says how,", () => {
  const failures: readonly (readonly [
    title: string,
    handle: RawHandler | string,
    stdout: string,
    stderr: RegExp,
  ])[] = [
    [
      "where the connection is closed without an answer",
      () => {},
      "",
      /^error: The server on port \d+ does not respond: it closed the connection\n$/,
    ],
    [
      "where it is closed within the headers",
      "HTTP/1.1 200 OK\r\nContent-Le",
      "",
      /^error: The server on port \d+ does not respond: \S/,
    ],
    [
      "where it is closed after an announcement",
      "HTTP/1.1 100 Continue\r\n\r\n",
      "",
      /^error: The server on port \d+ does not respond: \S/,
    ],
    [
      "where it is closed within the body",
      "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
      "abc",
      /^error: The response from the server on port \d+ ended early: \S.*\nhint: /,
    ],
    [
      "where it is closed before the last chunk",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
      "abc",
      /^error: The response from the server on port \d+ ended early: \S.*\nhint: /,
    ],
    [
      "where a chunk is none",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nxyz\r\n",
      "abc",
      /^error: The response from the server on port \d+ ended early: \S/,
    ],
    [
      "where the server speaks no HTTP",
      "220 mail.example ready\r\n",
      "",
      /^error: The server on port \d+ does not respond: the response is not HTTP\n$/,
    ],
    [
      "where a header has a NUL",
      "HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 0\r\n\r\n",
      "",
      /^error: The server on port \d+ does not respond: a response header is not valid HTTP\n$/,
    ],
    [
      "where the server sends it elsewhere",
      "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
      "",
      /^error: The server returned HTTP 302 Found\nhint: /,
    ],
    [
      "where a refusal breaks off",
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 100\r\n\r\nbusy",
      "",
      /^error: The server returned HTTP 503 Service Unavailable\n {2}busy\nhint: /,
    ],
  ];
  for (const [title, handle, stdout, stderr] of failures) {
    it(title, async () => {
      const result = await answered(handle);
      assertEquals({ code: result.code, stdout: result.stdout }, { code: 1, stdout });
      assertMatch(result.stderr, stderr);
    });
  }

  it("where a stream that was asked for breaks off, after what came", async () => {
    const answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none \r\n";
    const { code, stdout, stderr } = await answered(answer, ["--stream"]);
    assertEquals([code, stdout], [1, "one "]);
    assertMatch(
      stderr,
      /^error: The response from the server on port \d+ ended early: \S.*\nhint: /,
    );
  });

  async function ofLength(length: number, args: readonly string[] = []): Promise<ProgramResult> {
    await using server = rawServer(async (connection) => {
      await say(connection, `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`);
      await say(connection, new Uint8Array(length).fill(120));
    });
    let printed = 0;
    const { code, stderr } = await runInProcess(["local", "invoke", "-p", server.port, ...args], {
      cwd: ".",
      onOutput: (text) => void (printed += text.length),
    });
    assertEquals(printed, length, "all of it is printed");
    return { code, stdout: "", stderr };
  }

  it("once it is printed, where an answer is larger than SageMaker may pass on", async () => {
    assertEquals((await ofLength(6_291_456)).code, 0);
    const { code, stderr } = await ofLength(6_291_457);
    assertEquals(code, 1);
    assertEquals(
      stderr,
      "error: The response has 6291457 bytes, but AWS's API reference allows at most 6291456\nhint: " +
        "Send fewer rows per request, or choose a smaller format with --accept. SageMaker might " +
        "still return it: AWS's newer guide allows 25 MB.\n",
    );
    assertMatch(
      (await ofLength(26_214_401)).stderr,
      / SageMaker would not return it: AWS's newer guide allows 25 MB\.$/m,
    );
  });

  it("but not because of its length, where a stream was asked for", async () => {
    assertEquals((await ofLength(6_291_457, ["--stream"])).code, 0);
  });

  it("before anything is sent, where a header or a media type is not valid, or not with --stream", async () => {
    await using server = rawServer((connection) => say(connection, "HTTP/1.1 200 OK\r\n\r\n"));
    for (
      const [args, message] of [
        [["--header", "X-A"], /^error: Option "--header" must be NAME=VALUE or NAME: VALUE, but/],
        [["-H", "Host: x"], /^error: Option "--header" cannot set Host: mlcli sets it\nhint: /],
        [
          ["-H", "X-A: é"],
          /^error: .*"é" is not a valid value for X-A\nhint: Use at least 1 ASCII character, without line breaks/,
        ],
        [
          ["-H", "X-A:"],
          /^error: .*"" is not a valid value for X-A\nhint: Use at least 1 ASCII character/,
        ],
        [
          ["-H", "Target-Variant: a_b"],
          /^error: .*"a_b" is not a valid value for .*\nhint: Use 1 to 63 letters, digits and hyphens, without/,
        ],
        [["-H", "X-A: 1", "-H", "x-a: 2"], /^error: Header x-a was given more than once\n/],
        [["--headers", "X-A: 1"], /^error: .*--header/s],
        [["--content-type", "a\nb"], /^error: Option "--content-type" must be a content type/],
        [["--accept", "a\nb"], /^error: Option "--accept" must be a content type/],
        [
          ["--stream", "-H", "Target-Model: a"],
          /^error: The header X-Amzn-SageMaker-Target-Model cannot be used together with --stream\nhint: /,
        ],
      ] as const
    ) {
      const { code, stdout, stderr } = await invoke(server.port, args);
      assertEquals([code, stdout], [2, ""], stderr);
      assertMatch(stderr, message);
    }
    assertEquals(server.calls, []);
  });

  it("where a body is larger than any endpoint takes, which is not read to its end", async () => {
    const piece = new Uint8Array(2 ** 26);
    let pieces = 0;
    async function* read(): AsyncGenerator<Uint8Array, void, void> {
      for (; pieces < 100; pieces++) yield piece;
    }
    const input = { isTerminal: false, keyboard: undefined, read, readFile: read };
    const result = await runInProcess(["local", "invoke", "-p", "1"], { cwd: ".", input });
    assertEquals([result.code, pieces], [2, 16]);
    assertMatch(
      result.stderr,
      /^error: The request body is larger than 1073741824 bytes \(1 GB\)/,
    );
  });

  it("and sends nothing a second time", async () => {
    await using server = rawServer(() => {});
    assertEquals((await invoke(server.port)).code, 1);
    assertEquals(server.calls, ["POST /invocations"]);
  });

  it("where a large body is refused while it is being sent", async () => {
    const { code, stdout, stderr } = await (async () => {
      await using server = rawServer(async (connection) => {
        const words = '{"error": "too large"}';
        const head = `HTTP/1.1 413 Content Too Large\r\nContent-Length: ${words.length}\r\n\r\n`;
        await say(connection, head + words);
        await (connection as Deno.TcpConn).closeWrite();
        await untilClosed(connection);
      });
      return await invoke(server.port, [], { body: new Uint8Array(80e6) });
    })();
    assertEquals({ code, stdout, stderr }, {
      code: 1,
      stdout: "",
      stderr: "error: too large (HTTP 413)\n" +
        "hint: Send less data, or raise the limit of the image's own server\n",
    });
  });

  it("where a body is too large, with the variable that an image of mlcli reads, and no other", async () => {
    for (const image of [HARNESS_IMAGE, FOREIGN_IMAGE]) {
      await using directory = await makeDirectory({ "rows.csv": "1\n" });
      await using server = rawServer(async (connection) => {
        await say(connection, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}");
        await untilClosed(connection);
      });
      await using engine = await fakeContainers({
        image,
        containers: [{
          Id: "one",
          Image: "shop:latest",
          Names: [`/mlcli-shop-serve-${server.port}`],
          State: "running",
          Labels: { "mlcli.app": "shop", "mlcli.role": "serve", "mlcli.port": server.port },
        }],
      });
      const line = ["local", "invoke", "-p", server.port, "rows.csv"];
      const { code, stderr } = await runInProcess(line, { cwd: directory.path, engine });
      const isOurs = image === HARNESS_IMAGE;
      assertEquals([code, stderr.includes("--env MLCLI_MAX_BODY_MB=25")], [1, isOurs], stderr);
    }
  });

  it("when the time is over: before the answer, and within it", async () => {
    // What is to come before the time is over has longer for that.
    const rows = [["", "1"], ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "4"]] as const;
    for (const [said, seconds] of rows) {
      const { code, stdout, stderr } = await answered(async (connection) => {
        await say(connection, said);
        await untilClosed(connection);
      }, ["--timeout", seconds]);
      assertEquals({ code, stdout }, { code: 1, stdout: said.slice(-3).replace(/\W/g, "") });
      assertMatch(
        stderr,
        /^error: The server on port \d+ did not respond within [14] s\nhint: .*60 s for a response, and 480 s for a stream/,
      );
    }
  });

  it("when the time is over while the server takes none of a large body", async () => {
    const over = Promise.withResolvers<void>();
    await using server = rawServer(() => over.promise);
    const args = ["--timeout", "1"];
    const { code, stderr } = await invoke(server.port, args, { body: new Uint8Array(80e6) });
    over.resolve();
    assertEquals(code, 1);
    assertMatch(stderr, /^error: The server on port \d+ did not respond within 1 s\n/);
  });

  it("when the time is over while nobody reads the answer", async () => {
    await using server = rawServer(async (connection) => {
      await say(connection, "HTTP/1.1 200 OK\r\n\r\n");
      while (true) await say(connection, new Uint8Array(65_536));
    });
    await using directory = await makeDirectory({ "a.csv": "1" });
    const args = ["local", "invoke", "--port", server.port, "--timeout", "1", "a.csv"];
    const child = startProgram(args, { cwd: directory.path, env: NO_ENGINE });
    const [{ code }, stderr] = await Promise.all([
      child.status,
      new Response(child.stderr).text(),
    ]);
    await child.stdout.cancel();
    assertEquals(code, 1);
    assertMatch(stderr, /^error: The server on port \d+ did not respond within 1 s\n/);
  });

  it("when the time is over while a named pipe has a writer that says nothing", async () => {
    await using directory = await makeDirectory();
    const pipe = join(directory.path, "pipe.csv");
    assertEquals((await new Deno.Command("mkfifo", { args: [pipe] }).output()).code, 0);
    // (Deno 2.6 waits for the writer itself deaf to everything.)
    using _writer = await Deno.open(pipe, { read: true, write: true });
    const args = ["local", "invoke", "--port", "1", "--timeout", "1", "pipe.csv"];
    const { code } = await runProgram(args, { cwd: directory.path, timeout: 20_000 });
    assertEquals(code, 1);
  });

  it("with 130 at Ctrl-C", async () => {
    const asked = Promise.withResolvers<void>();
    await using server = rawServer(async (connection) => {
      asked.resolve();
      await untilClosed(connection);
    });
    await using directory = await makeDirectory({ "a.csv": "1" });
    const args = ["local", "invoke", "--port", server.port, "a.csv"];
    const child = startProgram(args, { cwd: directory.path, env: NO_ENGINE });
    const result = resultOf(child);
    await asked.promise;
    child.kill("SIGINT");
    assertEquals(await result, { code: 130, stdout: "", stderr: "" });
  });
});

suite("local invoke gives an answer", () => {
  for (
    const [args, seconds] of [
      [[], 60],
      [["--stream"], 480],
      [["--timeout", "7"], 7],
      [["--stream", "--timeout", "7"], 7],
    ] as const
  ) {
    it(`${seconds} s: ${args.join(" ")}`, async () => {
      await using server = rawServer((connection) => say(connection, "HTTP/1.1 200 OK\r\n\r\n"));
      const real = globalThis.setTimeout;
      const times: number[] = [];
      using _clock = replaced(globalThis, {
        setTimeout: (action: () => void, milliseconds: number) => {
          times.push(milliseconds);
          return real(action, milliseconds);
        },
      });
      assertEquals(await main(["local", "invoke", "-p", server.port, ...args], fakeContext()), 0);
      assertEquals(times, [seconds * 1_000]);
    });
  }
});

suite("the answer that local invoke prints on a terminal", () => {
  it("ends its line before a note or an error, too", async () => {
    for (
      const [answer, stderr] of [
        [
          "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Amzn-SageMaker-Custom-Attributes: a\r\n\r\nabc",
          /^\nnote: Custom attributes: a\n$/,
        ],
        ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", /^\nerror: .* ended early: /],
      ] as const
    ) {
      await using server = rawServer((connection) => say(connection, answer));
      const { out, err, ...context } = fakeContext({ isTerminal: true });
      await main(["local", "invoke", "--port", server.port], { ...context, out, err });
      assertEquals(out.text, "abc");
      assertMatch(err.text, stderr);
    }
  });

  for (
    const [title, onTerminal, answer, added] of [
      ["ends its line before the prompt", { out: true, err: true }, "abc", "\n"],
      ["has ended its line itself", { out: true, err: true }, "abc\n", ""],
      ["is not followed by a line in a file of errors", { out: true, err: false }, "abc", ""],
      ["is as it came in a file", { out: false, err: true }, "abc", ""],
    ] as const
  ) {
    it(title, async () => {
      const length = `Content-Length: ${answer.length}`;
      await using server = rawServer((connection) =>
        say(connection, `HTTP/1.1 200 OK\r\n${length}\r\n\r\n${answer}`)
      );
      const { out } = fakeContext({ isTerminal: onTerminal.out });
      const { err } = fakeContext({ isTerminal: onTerminal.err });
      const context = { ...fakeContext({ input: fakeInput(["1,2\n"]) }), out, err };
      assertEquals(await main(["local", "invoke", "--port", server.port], context), 0);
      assertEquals([out.text, err.text], [answer, added]);
    });
  }
});
