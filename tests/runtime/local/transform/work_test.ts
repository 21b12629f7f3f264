import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path/join";
import { gzipSync } from "node:zlib";
import {
  type AskedTransform,
  limitsOf,
  type RequestLimits,
  transformOf,
} from "../../../../runtime/contract/transform.ts";
import { MlcliError } from "../../../../runtime/errors.ts";
import { Connections } from "../../../../runtime/http/exchange.ts";
import { WaitingResponses } from "../../../../runtime/local/transform/responses.ts";
import { failureText } from "../../../../runtime/local/transform/failures.ts";
import { inputsIn } from "../../../../runtime/local/transform/inputs.ts";
import { Processing } from "../../../../runtime/local/transform/requests.ts";
import { Results } from "../../../../runtime/local/transform/results.ts";
import { transformFiles } from "../../../../runtime/local/transform/work.ts";
import { contentOf, filesBelow, makeDirectory, namesIn } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** What a transform keeps while the server answers. */
interface Kept {
  readonly results: Results;
  /** A directory. */
  readonly parts: string;
}

/** What a server answers to a body; a number is a status. */
type Answer = (
  body: string,
  call: number,
  kept: Kept,
) => string | number | Response | Promise<string | Response>;

type Files = Readonly<Record<string, string | Uint8Array>>;

interface Given {
  /** By name. */
  readonly files: Files;
  readonly asked?: AskedTransform;
  readonly limits?: Partial<RequestLimits>;
  readonly type?: string;
  readonly answer?: Answer;
  readonly signal?: AbortSignal;
  /** Files that are there before. */
  readonly earlier?: Readonly<Record<string, string>>;
  /** A link among the results. */
  readonly link?: { readonly name: string; readonly to: string };
}

/** Each line, in capitals. */
const SHOUT: Answer = (body) => body.toUpperCase();

function below(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([name, one]) => [`${folder}/${name}`, one]));
}

/** Transforms files with a real server over HTTP. */
async function transformed(
  { files, asked, limits, type = "text/csv", answer = SHOUT, signal, earlier = {}, link }: Given,
) {
  const given = { "parts/": "", "out/": "", ...below("in", files), ...below("out", earlier) };
  await using directory = await makeDirectory(given);
  const output = join(directory.path, "out");
  if (link !== undefined) Deno.symlinkSync(link.to, join(output, link.name));
  const bodies: string[] = [];
  const headers: Headers[] = [];
  const kept = { results: new Results(), parts: join(directory.path, "parts") };
  const { results, parts } = kept;
  const options = { hostname: "127.0.0.1", port: 0, onListen() {} };
  const server = Deno.serve(options, async (request) => {
    const body = await request.text();
    const call = bodies.push(body);
    headers.push(request.headers);
    const answered = await answer(body, call, kept);
    if (typeof answered === "number") return new Response(`no: ${body}`, { status: answered });
    return answered instanceof Response ? answered : new Response(answered);
  });
  const transform = transformOf({ ...asked }, type);
  const connections = new Connections(server.addr.port);
  try {
    await transformFiles(
      (await inputsIn(
        { directory: directory.path, boundary: directory.path },
        join(directory.path, "in"),
      )).files,
      {
        transform,
        limits: { ...limitsOf(transform), ...limits },
        connections,
        place: { path: output, shown: "out" },
        parts,
        results,
        signal: signal ?? new AbortController().signal,
        onProgress: () => {},
      },
    );
  } catch (error) {
    assertEquals(await filesBelow(output), earlier);
    throw error;
  } finally {
    if (link !== undefined) Deno.removeSync(join(output, link.name));
    connections[Symbol.dispose]();
    await server.shutdown();
  }
  const failed = results.failed.map((one) => failureText(one, "line"));
  const left = await namesIn(parts);
  return { out: await filesBelow(output), bodies, headers, results, failed, left };
}

/** What comes of it; what is not named is not looked at. */
interface Expected {
  readonly out?: Readonly<Record<string, string>>;
  readonly bodies?: readonly string[];
  readonly failed?: readonly string[];
}

const JSON_FILE = { "a.json": '{"id": 1, "x": 2}' };
const DOUBLED: Answer = (body) => JSON.stringify({ p: JSON.parse(body).x * 2 });
const OF_JSON = { join: "input", outputFilter: "$['id','SageMakerOutput']" } as const;
const BROKEN = () =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("half"));
      controller.error(new Error("broken"));
    },
  });

const CASES: Readonly<Record<string, readonly [Given, Expected]>> = {
  "lines are sent together, and answers end with a newline": [
    { files: { "a.csv": "a\nb\n", "sub/c.csv": "c" } },
    { out: { "a.csv.out": "A\nB\n", "sub/c.csv.out": "C\n" }, bodies: ["a\nb\n", "c"] },
  ],
  "an empty file of lines has an empty result": [
    { files: { "a.csv": "" } },
    { out: { "a.csv.out": "" }, bodies: [] },
  ],
  "all lines are named of a request that fails though each of its halves is answered": [
    {
      files: { "a.csv": "1\n2\n3\n" },
      answer: (body) => body.split("\n").length > 3 ? 413 : body,
    },
    { failed: ["a.csv, lines 1 to 3: HTTP 413: no: 1 2 3"] },
  ],
  "columns are left out, answers are put beside": [
    { files: { "a.csv": "7,a\n8,b\n" }, asked: { inputFilter: "$[1:]", join: "input" } },
    { out: { "a.csv.out": "7,a,A\n8,b,B\n" }, bodies: ["a\nb\n"] },
  ],
  "an id and the answer are kept": [
    {
      files: { "a.csv": "7,a\r\n8,b" },
      asked: { inputFilter: "$[1]", join: "input", outputFilter: "$[0,-1]" },
    },
    { out: { "a.csv.out": "7,A\n8,B\n" }, bodies: ["a\nb\n"] },
  ],
  "JSON is joined as a whole": [
    { files: JSON_FILE, asked: OF_JSON, answer: DOUBLED, type: "application/json" },
    { out: { "a.json.out": '{"id":1,"SageMakerOutput":{"p":4}}' } },
  ],
  "JSON is joined line by line": [
    {
      files: { "a.json": '{"id": 1, "x": 2}\n{"id": 2, "x": 3}\n' },
      asked: { ...OF_JSON, split: "line" },
      answer: DOUBLED,
      type: "application/json",
    },
    {
      out: {
        "a.json.out": '{"id":1,"SageMakerOutput":{"p":4}}\n{"id":2,"SageMakerOutput":{"p":6}}\n',
      },
    },
  ],
  "answers that are joined are not as many as the records": [
    { files: { "a.csv": "1\n2\n" }, asked: { join: "input" }, answer: () => "one\n" },
    { failed: ["a.csv, lines 1 to 2: expected 2 results but got 1"] },
  ],
  "a filter does not fit an answer": [
    { files: { "a.csv": "1,2\n3,4\n5\n6,7\n" }, asked: { outputFilter: "$[1]" } },
    { failed: ["a.csv, line 3: it has no element 1 (length 1)"] },
  ],
  "the first and the last line fail": [
    {
      files: { "a.csv": "bad\n2\n3\n4\nbad\n" },
      answer: (body) => body.includes("bad") ? 400 : body,
    },
    { failed: ["a.csv, line 1: HTTP 400: no: bad"] },
  ],
  "all lines fail": [
    { files: { "a.csv": "1\n2\n3\n" }, answer: () => 400 },
    { failed: ["a.csv, lines 1 to 3: HTTP 400: no: 1 2 3"] },
  ],
  "a filter does not fit a record, and no whole request is sent": [
    { files: { "a.csv": "1,2\n3,4\n5\n" }, asked: { inputFilter: "$[1]" } },
    { failed: ["a.csv, line 3: it has no element 1 (length 1)"], bodies: ["2\n", "4\n", "2\n"] },
  ],
  "what is compressed is unpacked": [
    {
      files: { "a.csv.gz": gzipSync("a\nb\n"), "b.csv.gz": "no gzip" },
      asked: { compression: "gzip" },
    },
    {
      out: { "a.csv.gz.out": "A\nB\n" },
      bodies: ["a\nb\n"],
      failed: ["b.csv.gz: it cannot be decompressed: incorrect header check"],
    },
  ],
  "a whole file is one request, and not larger than that may be": [
    {
      files: { "a.png": "abc", "b.png": "x".repeat(1024 ** 2 + 1) },
      type: "image/png",
      limits: { maxPayload: 1 },
    },
    {
      out: { "a.png.out": "ABC" },
      failed: ["b.png: The file is larger than 1 MB, the limit for a request"],
    },
  ],
};

suite("the requests of a transform", () => {
  for (const [title, [given, expected]] of Object.entries(CASES)) {
    it(title, async () => {
      const { out, bodies, failed } = await transformed(given);
      assertEquals({ out, bodies, failed, ...expected }, { out, bodies, failed });
    });
  }

  it("have the types of data and answers, and are counted", async () => {
    const { headers: [first], results } = await transformed({ files: { a: "a\nb\n", b: "c" } });
    assertEquals(
      ["user-agent", "content-type", "accept", "accept-encoding"].map((name) => first!.get(name)),
      ["Go-http-client/1.1", "text/csv", "text/csv", null],
    );
    assertEquals([results.files, results.records, results.requests], [2, 3, 2]);
  });

  it("are so many at once, and answers keep their order", async () => {
    let [running, most] = [0, 0];
    const lines = Array.from({ length: 40 }, (_, index) => `row${index}`);
    const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    const { out } = await transformed({
      files: { "a.csv": lines.slice(0, 25).join("\n"), "b.csv": lines.slice(25).join("\n") },
      limits: { maxConcurrency: 3, strategy: "single" },
      answer: async (body, call) => {
        most = Math.max(most, ++running);
        // The first three wait for one another, and the first is the last of them.
        if (call <= 3) {
          if (call === 3) gates[2]!.resolve();
          await gates[call - 1]!.promise;
          if (call > 1) gates[call - 2]!.resolve();
        }
        running--;
        return body.toUpperCase();
      },
    });
    const shouted = lines.map((line) => `${line.toUpperCase()}\n`);
    assertEquals(out, {
      "a.csv.out": shouted.slice(0, 25).join(""),
      "b.csv.out": shouted.slice(25).join(""),
    });
    assertEquals(most, 3);
  });

  it("fail a file for one bad line, name it, and go on with the others", async () => {
    const { out, failed, bodies } = await transformed({
      files: { "a.csv": "1\n2\nbad\n4\n5\n", "b.csv": "6\n" },
      answer: (body) => body.includes("bad") ? 400 : body,
      earlier: { "a.csv.out": "old" },
    });
    assertEquals(out, { "a.csv.out": "old", "b.csv.out": "6\n" });
    assertEquals(failed, [
      "a.csv, line 3: HTTP 400: no: bad; a.csv.out is from an earlier batch transform",
    ]);
    assert(bodies.length <= 7, `${bodies.length} requests`);
  });

  for (const [status, calls] of [[500, 4], [503, 4], [429, 4], [400, 1], [413, 1]] as const) {
    it(`are sent ${calls} times where the answer is ${status}`, async () => {
      const { bodies, results, failed } = await transformed({
        files: { "a.csv": "1\n" },
        answer: () => status,
      });
      assertEquals([bodies.length, results.retries], [calls, calls - 1]);
      assertEquals(failed, [`a.csv, line 1: HTTP ${status}: no: 1`]);
    });
  }

  it("fail a file whose answer breaks off", async () => {
    const { out, failed, bodies } = await transformed({
      files: { "a.csv": "1\n" },
      asked: { invocationRetries: 1 },
      answer: () => new Response(BROKEN()),
    });
    assertEquals([out, bodies.length], [{}, 2]);
    // Before its first byte, or after it.
    assertMatch(failed.join(), /^a\.csv, line 1: incomplete response: .*close/);
  });

  it("fail a file that is not answered in time", async () => {
    const never = Promise.withResolvers<string>();
    const { failed } = await transformed({
      files: { "a.csv": "1\n", "b.csv": "2\n" },
      asked: { invocationTimeout: 1, invocationRetries: 0 },
      answer(body, call) {
        if (call === 1) return never.promise;
        never.resolve("");
        return body;
      },
    });
    assertEquals(failed, ["a.csv, line 1: no response within 1 s"]);
  });

  it("tell of answers that are not as many as the records", async () => {
    const { results, out } = await transformed({
      files: { "a.csv": "1\n2\n3\n" },
      answer: () => "[1, 2, 3]",
    });
    assertEquals(out, { "a.csv.out": "[1, 2, 3]\n" });
    assertEquals(results.odd.map(({ odd }) => odd), [{ unanswered: 1 }]);
  });

  it("pass a file of any size on in chunks, and again from its beginning", async () => {
    const data = "x".repeat(3 * 1024 ** 2);
    const { out, headers, bodies } = await transformed({
      files: { "a.png": data },
      type: "image/png",
      asked: { maxPayload: 0 },
      answer: (body, call) => call === 1 ? 503 : body.toUpperCase(),
    });
    assertEquals(headers[0]!.get("transfer-encoding"), "chunked");
    assertEquals(bodies.map(({ length }) => length), [data.length, data.length]);
    assertEquals(out["a.png.out"] === data.toUpperCase(), true);
  });

  it("leave nothing half written where they are interrupted", async () => {
    const interrupted = new AbortController();
    const given: Given = {
      files: { "a.csv": "1\n2\n3\n" },
      limits: { strategy: "single" },
      signal: interrupted.signal,
      answer: (body, call) => {
        if (call === 2) interrupted.abort(new Error("Ctrl-C"));
        return body;
      },
    };
    await assertRejects(() => transformed(given), Error, "Ctrl-C");
  });

  it("makes no file and no directory through a link among the results", async () => {
    await using elsewhere = await makeDirectory();
    const { failed } = await transformed({
      files: { "sub/deep/a.csv": "1\n" },
      link: { name: "sub", to: elsewhere.path },
    });
    assertEquals(await contentOf(elsewhere.path), {});
    assertMatch(
      failed[0]!,
      /^sub\/deep\/a\.csv: A link points outside the results directory: sub\/deep/,
    );
  });
});

const MIB = 1024 ** 2;

suite("the memory of a transform", () => {
  it("keeps large answers in files if they come before their turn", async () => {
    const waits = Promise.withResolvers<void>();
    let sizes: readonly number[] = [];
    const { out, left } = await transformed({
      files: { "a.csv": "1\n2\n3\n4\n5\n" },
      limits: { strategy: "single", maxConcurrency: 2 },
      async answer(body, call, { parts }) {
        if (body === "1\n") await waits.promise;
        if (call === 5) {
          // While the first request waits, each other one begins when the one before it is answered.
          sizes = (await namesIn(parts)).map((name) => Deno.statSync(join(parts, name)).size)
            .sort();
          waits.resolve();
        }
        return body[0]!.repeat(MIB);
      },
    });
    assertEquals(sizes, [0, MIB, MIB, MIB]);
    const expected = ["1", "2", "3", "4", "5"].map((one) => `${one.repeat(MIB)}\n`).join("");
    assert(out["a.csv.out"] === expected);
    assertEquals(left, []);
  });

  it("keeps nothing of a large answer that breaks off, and writes the next attempt's", async () => {
    const large = "x".repeat(MIB);
    const { out, left } = await transformed({
      files: { "a.csv": "1\n" },
      answer(_, call) {
        const body = new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(large));
            if (call === 1) controller.error(new Error("broken"));
            else controller.close();
          },
        });
        return new Response(body);
      },
    });
    assert(out["a.csv.out"] === `${large}\n`);
    assertEquals(left, []);
  });

  it("reads no more than its limit of an endless answer, and leaves no file of it", async () => {
    await using directory = await makeDirectory();
    let pieces = 0;
    async function* endless() {
      while (true) {
        pieces++;
        yield await Promise.resolve(new Uint8Array(MIB / 4));
      }
    }
    await assertRejects(
      () => new WaitingResponses(directory.path).receive(endless(), 3),
      MlcliError,
      "the response is larger than 3 MB",
    );
    assertEquals(pieces, 13);
    assertEquals(await namesIn(directory.path), []);
  });

  it("keeps no more in files than its limit for all that wait, and reuses what is free", async () => {
    await using directory = await makeDirectory();
    const responses = new WaitingResponses(directory.path, 0.002);
    const receive = () => responses.receive(ReadableStream.from([new Uint8Array(MIB)]), 3);
    const first = await receive();
    const tooMuch = "0.002 GB of responses are waiting for an earlier response";
    await assertRejects(receive, MlcliError, tooMuch);
    assertEquals((await namesIn(directory.path)).length, 1);
    await responses.drop(first);
    const second = await receive();
    await assertRejects(receive, MlcliError, tooMuch);
    await Array.fromAsync(responses.read(second));
    await receive();
  });

  it("holds one request of any size at once, if it cannot pass it on as it reads it", async () => {
    const waiting: number[] = [];
    await transformed({
      files: { "a.csv": "1\n2\n3\n" },
      limits: { strategy: "single", maxPayload: 0, maxConcurrency: 3 },
      answer(body, _, { results }) {
        waiting.push(results.waiting.size);
        return body;
      },
    });
    assertEquals(waiting, [1, 1, 1]);
  });

  it("hears a signal between the records of a large answer", async () => {
    const interrupted = new AbortController();
    const processing = new Processing(transformOf({ join: "input" }, "text/csv"));
    const bytes = new TextEncoder().encode("1\n".repeat(3));
    const answer = new TextEncoder().encode(`${"x".repeat(600_000)}\n`.repeat(3));
    const result = processing.result(bytes, answer, interrupted.signal);
    interrupted.abort(new Error("Ctrl-C"));
    await assertRejects(() => result, Error, "Ctrl-C");
  });

  it("parses no answer of many megabytes for a join", async () => {
    const { failed } = await transformed({
      files: JSON_FILE,
      asked: OF_JSON,
      type: "application/json",
      answer: () => `"${"x".repeat(8_000_000)}"`,
    });
    assertEquals(failed, ["a.json, line 1: a record is longer than 8000000 characters"]);
  });
});
