import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { BrokenEngine, EngineError } from "../../../runtime/docker/errors.ts";
import { CONTAINER } from "../../../runtime/docker/engine.ts";
import { INFO } from "../../../runtime/docker/engine_info.ts";
import { PROGRESS } from "../../../runtime/docker/messages.ts";
import { list } from "../../../runtime/docker/shape.ts";
import { type Answer, answerOf, beginningOf } from "../../../runtime/docker/answer.ts";
import { openTransport, type Transport } from "../../../runtime/docker/transport.ts";
import { NO_LIMITS, Waiting } from "../../../runtime/docker/time_limits.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { type RawServer, rawServer, say } from "../../helpers/raw_server.ts";
import { it, suite } from "../../helpers/suite.ts";

function http(body: string, status = "200 OK", length = new TextEncoder().encode(body).length) {
  return `HTTP/1.1 ${status}\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

/** Asks an engine that says this, and reads the answer; the error that comes of it, and its address. */
async function errorOf(
  said: string,
  read: (answer: Answer) => Promise<unknown>,
): Promise<{ readonly error: MlcliError; readonly address: string }> {
  await using server = rawServer((connection) => say(connection, said));
  using engine = await engineAt(server);
  const error = await assertRejects(
    async () => await read(await engine.request("GET", "/v1.41/info", { expect: [200] })),
    MlcliError,
  );
  return { error, address: engine.address };
}

async function engineAt({ port }: RawServer): Promise<Transport & Disposable> {
  const engine = await openTransport({ kind: "tcp", host: `127.0.0.1:${port}`, tls: undefined });
  return Object.assign(engine, { [Symbol.dispose]: () => engine.close() });
}

const asInfo = (answer: Answer) => answer.json(INFO);
const asContainers = (answer: Answer) => answer.json(list(CONTAINER));
const asProgress = (answer: Answer) => Array.fromAsync(answer.lines(PROGRESS));

suite("an engine whose answer has no end", () => {
  for (const read of [asInfo, asContainers]) {
    it(`is called none, read by ${read}`, async () => {
      const spaces = " ".repeat(1024 ** 2);
      let sent = 0;
      await using server = rawServer(async (connection) => {
        await say(connection, "HTTP/1.1 200 OK\r\n\r\n");
        // Far more than anybody says, so that it ends also where nobody minds.
        for (; sent < 200; sent++) await say(connection, spaces);
      });
      using engine = await engineAt(server);
      const answer = await engine.request("GET", "/v1.41/info", { expect: [200] });
      const error = await assertRejects(() => read(answer), BrokenEngine);
      assertMatch(error.message, /^Unexpected response from the Docker Engine/);
      assert(sent < 150, `It has read ${sent} MB`);
    });
  }
});

suite("an engine that goes away", () => {
  const rows: Readonly<Record<string, string>> = {
    "before it answers": "",
    "in the head of its answer": "HTTP/1.1 200 O",
    "in the body of its answer": http("{", "200 OK", 99),
    "in a refusal": http("{", "500 Internal Server Error", 99),
  };
  for (const [when, said] of Object.entries(rows)) {
    for (const read of [asInfo, asContainers, asProgress]) {
      it(`${when} is named as that, read by ${read}`, async () => {
        const { error } = await errorOf(said, read);
        assert(error instanceof BrokenEngine);
        assertMatch(error.message, /^Lost the connection to the Docker Engine \(GET \/info\): \S/);
        assertEquals(/os error|client error|http:/.test(error.message), false, error.message);
        assertMatch(error.hint ?? "", /rerun the command/);
      });
    }
  }
});

suite("an engine that says something else than its API", () => {
  const page = "<!DOCTYPE html>\n<html><body>Bad gateway</body></html>";
  const rows:
    readonly (readonly [what: string, body: string, read: typeof asInfo, quote?: RegExp])[] = [
      ["a page", page, asInfo, /Bad gateway/],
      ["nothing", "", asInfo, /^\(nothing\)$/],
      ["half", '{"Name":', asInfo],
      ["null", "null", asInfo],
      ["a list for an object", "[]", asInfo],
      ["a number for a text", '{"Name":1}', asInfo],
      ["a text for a list", '{"SecurityOptions":"name=rootless"}', asInfo],
      ["a list with nothing in it", '{"SecurityOptions":[null]}', asInfo],
      ["an object for a list", "{}", asContainers],
      ["null for a list", "null", asContainers],
      ["a container without an id", '[{"Names":["/a"]}]', asContainers],
      ["a list of nothing", "[null]", asContainers],
      ["labels that are no text", '[{"Id":"a","Labels":{"a":1}}]', asContainers],
      ["ports that are no list", '[{"Id":"a","Ports":{}}]', asContainers],
      ["a time that is none", '[{"Id":"a","Created":"now"}]', asContainers],
      ["a page for messages", page, asProgress],
      ["a message that is cut off", '{"stream":"a"}\n{"str', asProgress],
      ["a message that is none", '{"stream":"a"}\n1\n', asProgress],
      ["a message of another type", '{"stream":1}\n', asProgress],
      [
        "colours and commands",
        "\x1b[31mred\x1b]0;title\x07 \x9b2J\u202e",
        asInfo,
        /^\?\[31mred\?\]0;title\? \?2J\?$/,
      ],
      ["5 MB", "x".repeat(5_000_000), asInfo, /^x{700} \.\.\. \(4999000 characters omitted\) /],
    ];
  for (const [what, body, read, quote = /./] of rows) {
    it(`as ${what} is asked about by its address`, async () => {
      const { error, address } = await errorOf(http(body), read as typeof asInfo);
      assert(error instanceof BrokenEngine);
      assertEquals(
        error.message,
        "Unexpected response from the Docker Engine (GET /info)",
      );
      assertMatch(error.quote ?? "", quote);
      assert((error.quote ?? "").length < 1_100);
      assertStringIncludes(
        error.hint ?? "",
        `Check that a Docker Engine is running at ${address}: mlcli doctor`,
      );
    });
  }

  it("is read whole where a letter comes in two pieces", async () => {
    const text = '{"Name":"größe"}';
    const bytes = new TextEncoder().encode(text);
    const answer = () => {
      const pieces = ReadableStream.from([...bytes].map((byte) => Uint8Array.of(byte)));
      const call = "GET /info";
      const waiting = new Waiting(NO_LIMITS, { call, effort: "ask" }, {});
      return answerOf(new Response(pieces), { call, address: "" }, waiting);
    };
    assertEquals(await answer().json(INFO), { Name: "größe" });
    // As of a refusal.
    assertEquals(await beginningOf(answer().body), text);
  });

  it("has what is null counted as not there", async () => {
    await using server = rawServer((connection) =>
      say(connection, http('{"Name":null,"SecurityOptions":null}'))
    );
    const host = `127.0.0.1:${server.port}`;
    const engine = await openTransport({ kind: "tcp", host, tls: undefined });
    const answer = await engine.request("GET", "/info", { expect: [200] });
    assertEquals(await answer.json(INFO), {});
    engine.close();
  });
});

suite("an engine that refuses", () => {
  const json = (message: string) => JSON.stringify({ message });
  const rows: readonly (readonly [what: string, body: string, words: RegExp])[] = [
    ["in words", json("not today"), /^not today$/],
    ["in plain text", "Forbidden. Reason: no\n", /^Forbidden\. Reason: no$/],
    ["without a word", "", /^Conflict$/],
    ["in another form", '{"message":5}', /^\{"message":5\}$/],
    ["with colours", json("\x1b[1mno\x1b[0m\x1b[2J \x07bell"), /^\?\[1mno\?\[0m\?\[2J \?bell$/],
    [
      "in 5 MB",
      json("x".repeat(5_000_000)),
      /^\{"message":"x{688} \.\.\. \(\d+ characters omitted\)/,
    ],
    ["in 50 kB", json("x".repeat(50_000) + " is in use"), /omitted\) \.\.\. x+ is in use$/],
  ];
  for (const [what, body, words] of rows) {
    it(`${what} is quoted, cleaned and shortened`, async () => {
      const { error } = await errorOf(http(body, "409 Not Today"), asInfo);
      assert(error instanceof EngineError);
      assertMatch(error.reason, words);
      assertEquals(error.message, `The Docker Engine refused GET /info (409): ${error.reason}`);
      assert(error.message.length < 1_200);
    });
  }

  it("with a page is no engine", async () => {
    const { error, address } = await errorOf(http("<html>502</html>", "502 Bad Gateway"), asInfo);
    assert(error instanceof BrokenEngine);
    assertEquals(
      error.message,
      "Unexpected response from the Docker Engine (GET /info: 502)",
    );
    assertStringIncludes(error.hint ?? "", address);
  });
});
