import { assertEquals } from "@std/assert";
import { buildTestImage } from "../helpers/engine.ts";
import { HttpConnection } from "../helpers/http_connection.ts";
import { runHostile, withServing } from "../helpers/serving_container.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

/** Predicts what it is asked. */
const SERVING = `
def model_fn(model_dir): return None
def predict_fn(data, model): return [] if data is None else data
`;

/** How many cases, and which: another seed makes others. */
const CASES = 6000;
const SEED = Number(Deno.env.get("MLCLI_TEST_SEED") ?? 12);

/** What is not HTTP, though some servers take it: each row ends a head, and may begin a body. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  "a NUL in a header": ["Content-Length: 3", "X: a\0b", "", "[1]"],
  "a NUL in a header's name": ["Content-Length: 3", "X\0: a", "", "[1]"],
  "a bare CR in a header": ["Content-Length: 3", "X: a\rb", "", "[1]"],
  "a bare CR at the end of a header": ["Content-Length: 3", "X: a\r", "", "[1]"],
  "a bare LF in a header": ["Content-Length: 3", "X: a\nY: b", "", "[1]"],
  "a header that goes on in the next line": ["Content-Length: 3", "X: a", " b", "", "[1]"],
  "a blank before the colon": ["Content-Length : 3", "", "[1]"],
  "a length with a sign": ["Content-Length: +3", "", "[1]"],
  "a negative length": ["Content-Length: -3", "", "[1]"],
  "a length in hexadecimal": ["Content-Length: 0x3", "", "[1]"],
  "no length": ["Content-Length:", "", "[1]"],
  "two lengths in one": ["Content-Length: 3, 4", "", "[1]"],
  "two lengths": ["Content-Length: 3", "Content-Length: 4", "", "[1]"],
  "a length and chunks": ["Content-Length: 3", "Transfer-Encoding: chunked", "", "0", "", ""],
  "chunks in chunks": ["Transfer-Encoding: chunked, chunked", "", "0", "", ""],
  "chunks that are not the last encoding": ["Transfer-Encoding: chunked, gzip", "", "0", "", ""],
  "a chunk size that is no number": ["Transfer-Encoding: chunked", "", "zz", "", ""],
  "no chunk size": ["Transfer-Encoding: chunked", "", "", "", ""],
  "a chunk size with a sign": ["Transfer-Encoding: chunked", "", "+3", "[1]", "0", "", ""],
  "a negative chunk size": ["Transfer-Encoding: chunked", "", "-1", "[1]", "0", "", ""],
  "a chunk size with 0x": ["Transfer-Encoding: chunked", "", "0x3", "[1]", "0", "", ""],
  "a chunk longer than its size": ["Transfer-Encoding: chunked", "", "2", "[1]", "0", "", ""],
  "a trailer that is no header": ["Transfer-Encoding: chunked", "", "3", "[1]", "0", "X", "", ""],
};

suite("a server and what is not HTTP", () => {
  beforeAll(buildTestImage);

  it("refuses it with 400, and says why", async () => {
    await withServing(SERVING, {}, async ({ hostname, stop }) => {
      const answers: Record<string, unknown> = {};
      for (const [name, lines] of Object.entries(REFUSED)) {
        using connection = await HttpConnection.open("8080", hostname);
        const head = ["POST /invocations HTTP/1.1", "Host: localhost"];
        const { status, headers, body } = await connection.exchange(...head, ...lines);
        answers[name] = [status, headers.get("Connection"), typeof JSON.parse(body).error];
      }
      assertEquals(
        answers,
        Object.fromEntries(Object.keys(REFUSED).map((name) => [name, [400, "close", "string"]])),
      );
      assertEquals((await stop()).log, "");
    });
  });

  it("stands 6,000 requests that are broken in one way or another", async () => {
    await withServing(SERVING, {}, async (server) => {
      await runHostile(server, "fuzz.py", CASES, SEED);
      // Nothing that a client sends is the server's own failure, or ends a worker.
      assertEquals((await server.stop()).log, "");
    });
  });
});
