import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path/join";
import { gzipSync } from "node:zlib";
import {
  type AskedTransform,
  limitsOf,
  type RequestLimits,
  transformOf,
} from "../../../../runtime/contract/transform.ts";
import { Connections } from "../../../../runtime/http/exchange.ts";
import { failureText } from "../../../../runtime/local/transform/failures.ts";
import { inputsIn } from "../../../../runtime/local/transform/inputs.ts";
import { Results } from "../../../../runtime/local/transform/results.ts";
import { transformFiles } from "../../../../runtime/local/transform/work.ts";
import { filesBelow, makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** What a server answers to a body; a number is a status. */
type Answer = (
  body: string,
  call: number,
) => string | number | Response | Promise<string | Response>;

interface Given {
  /** By name. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly asked?: Partial<AskedTransform>;
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

/** Transforms files with a real server over HTTP. */
async function transformed(
  { files, asked, limits, type = "text/csv", answer = SHOUT, signal, earlier = {}, link }: Given,
) {
  await using directory = await makeDirectory({ "in/": "", "out/": "", "parts/": "" });
  const [input, output] = [join(directory.path, "in"), join(directory.path, "out")];
  for (const [at, all] of [[input, files], [output, earlier]] as const) {
    for (const [name, content] of Object.entries(all)) {
      Deno.mkdirSync(join(at, name, ".."), { recursive: true });
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      Deno.writeFileSync(join(at, name), bytes);
    }
  }
  if (link !== undefined) Deno.symlinkSync(link.to, join(output, link.name));
  const bodies: string[] = [];
  const headers: Headers[] = [];
  const options = { hostname: "127.0.0.1", port: 0, onListen() {} };
  const server = Deno.serve(options, async (request) => {
    const body = await request.text();
    const call = bodies.push(body);
    headers.push(request.headers);
    const answered = await answer(body, call);
    if (typeof answered === "number") return new Response(`no: ${body}`, { status: answered });
    return answered instanceof Response ? answered : new Response(answered);
  });
  const transform = transformOf({ ...asked } as AskedTransform, type);
  const results = new Results();
  const connections = new Connections(server.addr.port);
  try {
    await transformFiles((await inputsIn(directory.path, input)).files, {
      transform,
      limits: { ...limitsOf(transform), ...limits },
      connections,
      place: { path: output, shown: "out" },
      parts: join(directory.path, "parts"),
      results,
      signal: signal ?? new AbortController().signal,
      onProgress: () => {},
    });
  } catch (error) {
    assertEquals(await filesBelow(output), earlier);
    throw error;
  } finally {
    if (link !== undefined) Deno.removeSync(join(output, link.name));
    connections[Symbol.dispose]();
    await server.shutdown();
  }
  const failed = results.failed.map((one) => failureText(one, "line"));
  return { out: await filesBelow(output), bodies, headers, results, failed };
}

suite("the requests of a transform", () => {
  it("sends lines together, and puts the answers beside each other", async () => {
    const { out, bodies, headers, results } = await transformed({
      files: { "a.csv": "a\nb\n", "sub/c.csv": "c" },
    });
    assertEquals(out, { "a.csv.out": "A\nB\n", "sub/c.csv.out": "C\n" });
    assertEquals(bodies, ["a\nb\n", "c"]);
    const [first] = headers;
    assertEquals(
      ["user-agent", "content-type", "accept", "accept-encoding"].map((name) => first!.get(name)),
      ["Go-http-client/1.1", "text/csv", "text/csv", null],
    );
    assertEquals([results.files, results.records, results.requests], [2, 3, 2]);
  });

  it("sends so many at once, and keeps their order", async () => {
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

  it("fails a file for one bad line, names that line, and goes on with the others", async () => {
    const { out, failed, bodies } = await transformed({
      files: { "a.csv": "1\n2\nbad\n4\n5\n", "b.csv": "6\n" },
      answer: (body) => body.includes("bad") ? 400 : body,
      earlier: { "a.csv.out": "old" },
    });
    assertEquals(out, { "a.csv.out": "old", "b.csv.out": "6\n" });
    assertEquals(failed, [
      "a.csv, line 3: HTTP 400: no: bad; a.csv.out is of an earlier transform",
    ]);
    assert(bodies.length <= 7, `${bodies.length} requests`);
  });

  it("names all lines of a request that fails though each of its halves is answered", async () => {
    const { failed } = await transformed({
      files: { "a.csv": "1\n2\n3\n" },
      answer: (body) => body.split("\n").length > 3 ? 413 : body,
    });
    assertEquals(failed, ["a.csv, lines 1 to 3: HTTP 413: no: 1 2 3"]);
  });

  const retried: readonly (readonly [title: string, status: number, calls: number])[] = [
    ["500", 500, 4],
    ["503", 503, 4],
    ["429", 429, 4],
    ["400 not", 400, 1],
    ["413 not", 413, 1],
  ];
  for (const [title, status, calls] of retried) {
    it(`sends a request again that is answered with ${title}`, async () => {
      const { bodies, results, failed } = await transformed({
        files: { "a.csv": "1\n" },
        answer: () => status,
      });
      assertEquals([bodies.length, results.retries], [calls, calls - 1]);
      assertEquals(failed, [`a.csv, line 1: HTTP ${status}: no: 1`]);
    });
  }

  it("has a result where sending again helps", async () => {
    const { out, results } = await transformed({
      files: { "a.csv": "1\n" },
      answer: (body, call) => call < 3 ? 503 : body,
    });
    assertEquals(out, { "a.csv.out": "1\n" });
    assertEquals(results.retries, 2);
  });

  it("fails a file that is not answered in time", async () => {
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
    assertEquals(failed, ["a.csv, line 1: no answer within 1 s"]);
  });

  it("fails a file whose answer breaks off", async () => {
    const { failed, out } = await transformed({
      files: { "a.csv": "1\n" },
      asked: { invocationRetries: 1 },
      answer: () =>
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode("half"));
              controller.error(new Error("broken"));
            },
          }),
        ),
    });
    assertEquals(out, {});
    assertMatch(failed[0]!, /^a\.csv, line 1: the connection was closed in the middle of a body$/);
  });

  const processed: Readonly<
    Record<string, readonly [Partial<AskedTransform>, string, string, string]>
  > = {
    "columns out, answers beside": [
      { inputFilter: "$[1:]", join: "input" },
      "7,a\n8,b\n",
      "a\nb\n",
      "7,a,A\n8,b,B\n",
    ],
    "an id and the answer": [
      { inputFilter: "$[1]", join: "input", outputFilter: "$[0,-1]" },
      "7,a\r\n8,b",
      "a\nb\n",
      "7,A\n8,B\n",
    ],
  };
  for (const [title, [asked, data, body, result]] of Object.entries(processed)) {
    it(`filters and joins: ${title}`, async () => {
      const { out, bodies } = await transformed({ files: { "a.csv": data }, asked });
      assertEquals([bodies, out], [[body], { "a.csv.out": result }]);
    });
  }

  it("joins JSON, record by record and as a whole", async () => {
    const answer: Answer = (body) => JSON.stringify({ p: JSON.parse(body).x * 2 });
    const files = { "a.json": '{"id": 1, "x": 2}' };
    const asked = { join: "input", outputFilter: "$['id','SageMakerOutput']" } as const;
    const whole = await transformed({ files, asked, answer, type: "application/json" });
    assertEquals(whole.out, { "a.json.out": '{"id":1,"SageMakerOutput":{"p":4}}' });
    const lines = await transformed({
      files: { "a.json": '{"id": 1, "x": 2}\n{"id": 2, "x": 3}\n' },
      asked: { ...asked, split: "line" },
      limits: { strategy: "single" },
      answer,
      type: "application/json",
    });
    assertEquals(
      lines.out["a.json.out"],
      '{"id":1,"SageMakerOutput":{"p":4}}\n{"id":2,"SageMakerOutput":{"p":6}}\n',
    );
  });

  it("fails a file whose answers are not as many as its records, if they are joined", async () => {
    const { failed } = await transformed({
      files: { "a.csv": "1\n2\n" },
      asked: { join: "input" },
      answer: () => "one\n",
    });
    assertEquals(failed, ["a.csv, lines 1 to 2: records: 2, answers: 1"]);
  });

  it("fails a file with a record that a filter does not fit, and names it", async () => {
    const { failed, bodies } = await transformed({
      files: { "a.csv": "1,2\n3,4\n5\n" },
      asked: { inputFilter: "$[1]" },
    });
    assertEquals(failed, ["a.csv, line 3: there is no element 1 of 1"]);
    assertEquals(bodies.includes("2\n4\n"), false, "no whole request was sent");
  });

  it("tells of answers that are not as many as the records", async () => {
    const { results, out } = await transformed({
      files: { "a.csv": "1\n2\n3\n" },
      answer: () => "[1, 2, 3]",
    });
    assertEquals(out, { "a.csv.out": "[1, 2, 3]\n" });
    assertEquals(results.odd.map(({ odd }) => odd), [{ unanswered: 1 }]);
  });

  it("unpacks what is compressed", async () => {
    const { out, bodies, failed } = await transformed({
      files: { "a.csv.gz": gzipSync("a\nb\n"), "b.csv.gz": "no gzip" },
      asked: { compression: "gzip" },
    });
    assertEquals([bodies, out], [["a\nb\n"], { "a.csv.gz.out": "A\nB\n" }]);
    assertEquals(failed, ["b.csv.gz: it cannot be unpacked: incorrect header check"]);
  });

  it("sends a whole file as one request, and refuses one that is larger than that may be", async () => {
    const files = { "a.png": "abc", "b.png": "x".repeat(1024 ** 2 + 1) };
    const { out, failed } = await transformed({
      files,
      type: "image/png",
      limits: { maxPayload: 1 },
    });
    assertEquals(out, { "a.png.out": "ABC" });
    assertEquals(failed, ["b.png: The file is larger than 1 MB, the most that a request has"]);
  });

  it("passes a file of any size on in chunks, and again from its beginning", async () => {
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

  it("has an empty result for an empty file of lines", async () => {
    const { out, bodies } = await transformed({ files: { "a.csv": "" } });
    assertEquals([out, bodies], [{ "a.csv.out": "" }, []]);
  });

  it("leaves nothing half written where it is interrupted", async () => {
    const interrupted = new AbortController();
    await assertRejects(
      () =>
        transformed({
          files: { "a.csv": "1\n2\n3\n" },
          limits: { strategy: "single" },
          signal: interrupted.signal,
          answer: (body, call) => {
            if (call === 2) interrupted.abort(new Error("Ctrl-C"));
            return body;
          },
        }),
      Error,
      "Ctrl-C",
    );
  });

  it("does not write through a link that lies among the results", async () => {
    await using elsewhere = await makeDirectory();
    const { failed } = await transformed({
      files: { "sub/a.csv": "1\n" },
      link: { name: "sub", to: elsewhere.path },
    });
    assertEquals(await filesBelow(elsewhere.path), {});
    assertMatch(failed[0]!, /^sub\/a\.csv: A link leads out of the results: sub/);
  });
});
