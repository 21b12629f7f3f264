import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { gzipSync } from "node:zlib";
import { main } from "../../../main.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { fakeContext } from "../../helpers/fake_context.ts";
import {
  type ProgramOptions,
  type ProgramResult,
  resultOf,
  runProgram,
  startProgram,
} from "../../helpers/program.ts";
import { type RawHandler, rawServer, say, untilClosed } from "../../helpers/raw_server.ts";
import { it, suite } from "../../helpers/suite.ts";

const NO_ENGINE = { DOCKER_HOST: "unix:///nonexistent.sock" };

/** Sends a file to a server on this port. */
async function invoke(
  port: string,
  args: readonly string[] = [],
  { body = "1,2\n", ...options }: Partial<ProgramOptions> & { body?: string | Uint8Array } = {},
): Promise<ProgramResult> {
  await using directory = await makeDirectory();
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  await Deno.writeFile(join(directory.path, "rows.csv"), bytes);
  return await runProgram(["local", "invoke", "--port", port, ...args, "rows.csv"], {
    cwd: directory.path,
    ...options,
    env: { ...NO_ENGINE, ...options.env },
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

  it("what was asked for alone: no compressed answer", async () => {
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
      /^error: The server on port \d+ does not answer: the connection was closed\n$/,
    ],
    [
      "where it is closed within the headers",
      "HTTP/1.1 200 OK\r\nContent-Le",
      "",
      /^error: The server on port \d+ does not answer: \S/,
    ],
    [
      "where it is closed after an announcement",
      "HTTP/1.1 100 Continue\r\n\r\n",
      "",
      /^error: The server on port \d+ does not answer: \S/,
    ],
    [
      "where it is closed within the body",
      "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
      "abc",
      /^error: The answer of the server on port \d+ breaks off: \S.*\nhint: /,
    ],
    [
      "where it is closed before the last chunk",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
      "abc",
      /^error: The answer of the server on port \d+ breaks off: \S.*\nhint: /,
    ],
    [
      "where a chunk is none",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nxyz\r\n",
      "abc",
      /^error: The answer of the server on port \d+ breaks off: \S/,
    ],
    [
      "where the server speaks no HTTP",
      "220 mail.example ready\r\n",
      "",
      /^error: The server on port \d+ does not answer: no answer in HTTP\n$/,
    ],
    [
      "where the server sends it elsewhere",
      "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
      "",
      /^error: The server answered HTTP 302 Found\nhint: /,
    ],
    [
      "where a refusal breaks off",
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 100\r\n\r\nbusy",
      "",
      /^error: The server answered HTTP 503 Service Unavailable\n {2}busy\nhint: /,
    ],
  ];
  for (const [title, handle, stdout, stderr] of failures) {
    it(title, async () => {
      const result = await answered(handle);
      assertEquals({ code: result.code, stdout: result.stdout }, { code: 1, stdout });
      assertMatch(result.stderr, stderr);
    });
  }

  it("sending once alone", async () => {
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
      stderr: "error: too large (HTTP 413)\n",
    });
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
      assertMatch(stderr, /^error: The server on port \d+ did not answer within [14] s\nhint: /);
    }
  });

  it("when the time is over while the server takes none of a large body", async () => {
    const over = Promise.withResolvers<void>();
    await using server = rawServer(() => over.promise);
    const args = ["--timeout", "1"];
    const { code, stderr } = await invoke(server.port, args, { body: new Uint8Array(80e6) });
    over.resolve();
    assertEquals(code, 1);
    assertMatch(stderr, /^error: The server on port \d+ did not answer within 1 s\n/);
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
    assertMatch(stderr, /^error: The server on port \d+ did not answer within 1 s\n/);
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

  it("where a type is none that a header can carry, before anything is sent", async () => {
    await using server = rawServer((connection) => say(connection, "HTTP/1.1 200 OK\r\n\r\n"));
    for (const option of ["--content-type", "--accept"]) {
      for (const value of ["a\nb", "a\rb", "text/csv\n", "a\u0001", "text/é", "text/模", " "]) {
        const { code, stdout, stderr } = await invoke(server.port, [option, value]);
        assertEquals({ code, stdout }, { code: 2, stdout: "" }, JSON.stringify(value));
        assertEquals(
          stderr.split("\n")[0],
          `error: Option "${option}" must be a media type like text/csv, but got ${
            JSON.stringify(value)
          }.`,
        );
      }
    }
    assertEquals(server.calls, []);
  });
});

suite("the answer that local invoke prints on a terminal", () => {
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
      async function* read(): AsyncGenerator<Uint8Array, void, void> {
        yield new TextEncoder().encode("1,2\n");
      }
      const input = { isTerminal: false, read, readFile: read };
      const context = { ...fakeContext({ input }), out, err };
      assertEquals(await main(["local", "invoke", "--port", server.port], context), 0);
      assertEquals([out.text, err.text], [answer, added]);
    });
  }
});
