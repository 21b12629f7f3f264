import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { completeApp } from "../helpers/app.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { type RawHandler, rawServer, say } from "../helpers/raw_server.ts";
import { HARNESS_IMAGE } from "../helpers/fake_containers.ts";
import { it, suite } from "../helpers/suite.ts";

/** Answers of an engine, by call; APP stands for the app's name. What is said is all that is said: then the connection closes. */
type RawAnswers = Readonly<Record<string, string | RawHandler>>;

function answer(status: number, body: unknown = ""): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return `HTTP/1.1 ${status} X\r\nApi-Version: 1.41\r\nConnection: close\r\n` +
    `Content-Length: ${text.length}\r\n\r\n${text}`;
}

function frame(text: string): string {
  return `\x01\0\0\0\0\0\0${String.fromCharCode(text.length)}${text}`;
}

/** An answer whose end is the end of its connection, as the engine's `attach` is. */
const stream = (body: string): string => `HTTP/1.1 200 OK\r\n\r\n${body}`;

const SERVER = {
  Id: "abc",
  Names: ["/mlcli-x-serve-8080"],
  Image: "x",
  State: "running",
  Status: "Up",
  Created: 0,
  Labels: { "mlcli.role": "serve", "mlcli.app": "x", "mlcli.port": "8080" },
};

/** What a run asks for, until its container ends with 0. */
const RUN: RawAnswers = {
  "GET /_ping": answer(200, "OK"),
  "GET /info": answer(200, {}),
  "GET /images/APP%3Alatest/json": answer(200, {
    Created: "2026-01-01T00:00:00Z",
    Os: "linux",
    Architecture: "amd64",
    Config: HARNESS_IMAGE,
  }),
  "GET /containers/json": answer(200, []),
  "POST /containers/create": answer(201, { Id: "abc" }),
  "POST /containers/abc/start": answer(204),
  "POST /containers/abc/attach": stream(frame("hello\n")),
  "POST /containers/abc/wait": answer(200, { StatusCode: 0 }),
  "DELETE /containers/abc": answer(204),
};

const SERVING: RawAnswers = {
  "GET /_ping": answer(200, "OK"),
  "GET /containers/json": answer(200, [SERVER]),
};

async function run(
  args: readonly string[],
  answers: RawAnswers,
): Promise<ProgramResult & { readonly calls: readonly string[] }> {
  await using app = await completeApp({
    configuration: { requirements: "requirements.txt" },
  });
  const socket = `${app.directory}/docker.sock`;
  const calls: string[] = [];
  await using _engine = rawServer(async (connection, request) => {
    const call = request.call.replace(/ http:\/\/[^/]+(\/v[\d.]+)?/, " ").replace(app.name, "APP");
    calls.push(call);
    const said = answers[call];
    if (typeof said === "function") await said(connection, request);
    else await say(connection, said ?? answer(599, { message: `unexpected: ${call}` }));
  }, socket);
  // NO_PROXY is what many have; an engine's socket has nothing to do with it.
  const env = { DOCKER_HOST: `unix://${socket}`, NO_PROXY: "localhost,127.0.0.1" };
  const result = await app.run(args, { env, timeout: 30_000 });
  return { ...result, calls };
}

suite("an engine whose answers are whole", () => {
  it("runs a job, whatever NO_PROXY says", async () => {
    const args = ["local", "process", "--file", "p.py"];
    const { code, stdout, stderr } = await run(args, RUN);
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: "hello\n", stderr: "" });
  });
});

suite("an engine that says what a terminal obeys", () => {
  for (const output of ["text", "json"]) {
    it(`has none of it shown by mlcli local status --output ${output}`, async () => {
      const evil = "a\x1b[2J\x9b1m\u202e\x07";
      const bytes = new TextEncoder().encode(
        JSON.stringify([{ ...SERVER, Image: evil, State: evil, Status: evil }]),
      );
      const said = answer(200, String.fromCharCode(...bytes));
      const { code, stdout, stderr } = await run(["local", "status", "--output", output], {
        ...SERVING,
        "GET /containers/json": (connection) =>
          say(connection, Uint8Array.from(said, (letter) => letter.charCodeAt(0))),
      });
      assertEquals(code, 0, stderr);
      assertEquals(/[^\n -~]/.test(stdout + stderr), false, stdout + stderr);
      assertStringIncludes(
        stdout,
        output === "text" ? "a?[2J?1m??" : "a\\u001b[2J\\u009b1m\\u202e\\u0007",
      );
    });
  }
});

suite("an engine that breaks off", () => {
  type Row = readonly [title: string, args: readonly string[], answers: RawAnswers, words: RegExp];
  const train = ["local", "train"];
  const rows: readonly Row[] = [
    [
      "a run's output while the run goes on",
      ["local", "process", "--file", "p.py"],
      {
        ...RUN,
        "POST /containers/abc/wait": async (connection) => {
          await say(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
          await connection.read(new Uint8Array(1)); // until mlcli gives up
        },
        "GET /containers/abc/json": answer(200, { State: { Running: true } }),
      },
      /Cannot read the container's output from the Docker Engine: the output ended early$/m,
    ],
    [
      "with an exit status that is none",
      train,
      { ...RUN, "POST /containers/abc/wait": answer(200, {}) },
      /Unexpected response from the Docker Engine \(POST \/containers\/abc\/wait\)/,
    ],
    [
      "with an error in the place of the exit status",
      train,
      {
        ...RUN,
        "POST /containers/abc/wait": answer(200, { StatusCode: 0, Error: { Message: "lost" } }),
      },
      /Cannot get the exit code of the run from the Docker Engine: lost/,
    ],
    [
      "the answer to a creation",
      train,
      { ...RUN, "POST /containers/create": answer(201, { Warnings: [] }) },
      /Unexpected response from the Docker Engine \(POST \/containers\/create\)/,
    ],
    [
      "a log",
      ["local", "logs"],
      { ...SERVING, "GET /containers/abc/logs": stream(frame("hello\n").slice(0, 10)) },
      /Cannot read the container's output from the Docker Engine: incomplete frame/,
    ],
    [
      "a log that is followed, while the server lives",
      ["local", "logs", "--follow"],
      {
        ...SERVING,
        "GET /containers/abc/logs": stream(frame("hello\n")),
        "POST /containers/abc/wait": async (connection) => {
          await say(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
          await connection.read(new Uint8Array(1));
        },
        "GET /containers/abc/json": answer(200, { State: { Running: true } }),
      },
      /Cannot read the container's output from the Docker Engine: the output ended early$/m,
    ],
  ];
  for (const [title, args, answers, words] of rows) {
    it(`${title} makes mlcli ${args.join(" ")} fail`, async () => {
      const { code, stderr, calls } = await run(args, answers);
      assertEquals(code, 1, stderr);
      assertMatch(stderr, words);
      assertEquals(stderr.includes("defect of mlcli"), false, stderr);
      // What was made is removed.
      const isMade = calls.includes("POST /containers/abc/attach");
      assertEquals(calls.includes("DELETE /containers/abc"), isMade);
    });
  }
});
