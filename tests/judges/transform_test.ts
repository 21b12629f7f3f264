/**
 * `mlcli local transform` and the local transform jobs of AWS's SDK, on the same code and files. Where
 * the SDK is right, the outputs are the same. Its mistakes are listed, with what both make of a file.
 */

import { gzipSync } from "node:zlib";
import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { filesBelow } from "../helpers/directory.ts";
import { buildTestImage } from "../helpers/engine.ts";
import { deployServer, type TestServer } from "../helpers/server.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";
import { given } from "./outcomes.ts";

/** What it answers depends on the types: lines in capitals, the body, its size, variables. */
const CODE = `
import json, os
def model_fn(model_dir): return 1
def input_fn(body, content_type):
    if content_type == "application/x-size": return b"%d" % len(body)
    if content_type != "application/x-variables": return body
    return json.dumps({k: v for k, v in os.environ.items() if k.startswith("SAGEMAKER_")}).encode()
def predict_fn(body, model):
    if isinstance(body, bytes): return body
    if "bad" in body: raise RuntimeError("a bad record")
    return "\\n".join(body.upper().splitlines())
def output_fn(answer, accept):
    return "[%s]" % answer if accept == "application/x-brackets" else answer
`;

/** What is set of a job; its type is text/csv if not said. */
interface Job {
  readonly type?: string;
  readonly split?: "Line" | "RecordIO";
  readonly assemble?: "Line";
  readonly strategy?: "SingleRecord" | "MultiRecord";
  readonly payload?: number;
  readonly accept?: string;
  readonly compression?: "Gzip";
  readonly filter?: string;
}

/** By name; of one file, called a, what is in it alone. */
type Files = string | Uint8Array | Readonly<Record<string, string | Uint8Array>>;

/** What becomes of each file: its output, or why there is none. */
type Fates = string | RegExp | Readonly<Record<string, string | RegExp>>;

function byName<T>(one: T | Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  const isOne = typeof one === "string" || one instanceof Uint8Array || one instanceof RegExp;
  return isOne ? { a: one as T } : one as Readonly<Record<string, T>>;
}

const LINES = { split: "Line", assemble: "Line" } as const;
const SINGLE = { ...LINES, strategy: "SingleRecord" } as const;
const MULTI = { ...LINES, strategy: "MultiRecord" } as const;
const ECHO = { type: "application/x-echo" };
const SIZE = { type: "application/x-size" };
const VARIABLES = { ...LINES, type: "application/x-variables" };
const MB = 1024 ** 2;
/** Two records: of each, a mark, its length, and itself, filled up to 4 bytes. */
const RECORD_IO = bytes("\n#\xd7\xce\x05\0\0\0abcde\0\0\0\n#\xd7\xce\x02\0\0\0fg\0\0");
const PACKED = gzipSync("a\n".repeat(100));

/** Title, job, files. */
const RIGHT: readonly (readonly [string, Job, Files])[] = [
  ["a file as one request", {}, "a,b\nc\n"],
  ["bytes as one request", ECHO, bytes("\0\xff")],
  ["a record a request", SINGLE, "a\nb\nc"],
  ["answers that are not assembled", { ...SINGLE, assemble: undefined }, "a\nb\n"],
  ["all records in one request", MULTI, "a\nb\nc\n"],
  ["several requests", { ...MULTI, payload: 1 }, "0123456\n".repeat(MB / 4)],
  ["an empty file, by lines", SINGLE, ""],
  ["several files", MULTI, { "a.csv": "a\n", "b.txt": "b\n", c: "c\n" }],
  ["a type of answers", { ...SINGLE, accept: "application/x-brackets" }, "a\nb\n"],
  ["a record of RecordIO a request", { ...SINGLE, ...ECHO, split: "RecordIO" }, RECORD_IO],
];

const SIZES = { ...SINGLE, ...SIZE };
const SMALL = { ...SIZES, payload: 1 };
const LONG = /larger/;
const ERROR = '{"error": "RuntimeError: a bad record"}';

/** Title, job, files, what the SDK makes of them, and mlcli. */
const MISTAKES: readonly (readonly [string, Job, Files, Fates, Fates])[] = [
  [
    "it takes the page of an error for a prediction",
    SINGLE,
    { a: "a\nbad\nc\n", b: "b\n" },
    { a: `A\n${ERROR}\nC\n`, b: "B\n" },
    { a: /a bad record/, b: "B\n" },
  ],
  ["it does not know the strategy that servers answer", LINES, "a\n", /Invalid Batch Str/, "A\n"],
  ["it adds a newline to an answer that has one", { ...SINGLE, ...ECHO }, "a\n", "a\n\n", "a\n"],
  [
    "it leaves out what lies in directories",
    SINGLE,
    { a: "a\n", "below/b": "b\n" },
    "A\n",
    { a: "A\n", "below/b": "B\n" },
  ],
  [
    "it sends an empty request, then one that is too large",
    { ...SMALL, ...MULTI },
    `${"x".repeat(MB)}\ny\n`,
    `0\n${MB + 1}\n2\n`,
    LONG,
  ],
  [
    "it refuses a record that is not too large",
    SMALL,
    "x".repeat(MB - 1),
    /Record is larger than 1MB/,
    `${MB - 1}\n`,
  ],
  ["it counts characters for bytes", SMALL, "\xff".repeat(MB - 99), `${2 * (MB - 99)}\n`, LONG],
  ["it takes a lone CR for the end of a line", SIZES, "a\rb\n", "2\n2\n", "4\n"],
  [
    "it fails at several records of RecordIO in a request",
    { ...SIZES, ...MULTI, split: "RecordIO" },
    RECORD_IO,
    /^TypeError: can only concatenate str/,
    `${RECORD_IO.length}\n`,
  ],
  ["it fails at lines that are not UTF-8", SIZES, bytes("\xff\n"), /^UnicodeDecodeError/, "2\n"],
  ["it unpacks nothing", { ...SIZE, compression: "Gzip" }, PACKED, `${PACKED.length}`, "200"],
  ["it filters nothing", { ...SINGLE, filter: "$[1]" }, "a,b\n", "A,B\n", "B\n"],
  [
    "it wants a content type",
    { ...SINGLE, type: "" },
    { "a.csv": "a\n" },
    { "a.csv": /^KeyError: 'ContentType'/ },
    { "a.csv": "A\n" },
  ],
];

function bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (one) => one.charCodeAt(0));
}

/** What the SDK is asked for. It wants a strategy where nothing is split, too. */
function requestOf({ type = "text/csv", ...job }: Job, input: string): unknown {
  return {
    TransformInput: {
      DataSource: { S3DataSource: { S3Uri: `file://${input}` } },
      ContentType: type || undefined,
      SplitType: job.split,
      CompressionType: job.compression,
    },
    TransformOutput: { AssembleWith: job.assemble, Accept: job.accept },
    BatchStrategy: job.split ? job.strategy : "SingleRecord",
    MaxPayloadInMB: job.payload,
    DataProcessing: job.filter && { InputFilter: job.filter },
  };
}

/** The same in options of mlcli. */
function optionsOf({ type = "text/csv", ...job }: Job): readonly string[] {
  const options = {
    "content-type": type,
    split: job.split?.toLowerCase() ?? "none",
    assemble: job.assemble?.toLowerCase() ?? "none",
    strategy: job.strategy?.replace("Record", "").toLowerCase(),
    "max-payload": job.payload?.toString(),
    accept: job.accept,
    compression: job.compression?.toLowerCase(),
    "input-filter": job.filter,
    "invocation-retries": "0",
  };
  return Object.entries(options).flatMap(([name, value]) => value ? [`--${name}`, value] : []);
}

/** The outputs that are as they should be, or all of them where some are not. */
function assertFates(outputs: Readonly<Record<string, string>>, said: string, fates: Fates): void {
  const all = Object.entries(byName<string | RegExp>(fates));
  const made = all.filter(([, fate]) => typeof fate === "string");
  const expected = Object.fromEntries(made.map(([name, output]) => [`${name}.out`, output]));
  assertEquals(outputs, expected as Record<string, string>, said);
  for (const [, fate] of all) if (fate instanceof RegExp) assertMatch(said, fate);
}

/** How the SDK's job ended. */
interface Ended {
  readonly error: string | null;
  /** What its container was told. */
  readonly environment: Readonly<Record<string, string>>;
  readonly is_left: boolean;
}

suite("local transform, and local transform jobs of AWS's SDK", () => {
  let server: TestServer;
  let ended: Readonly<Record<string, Ended>>;
  const inputOf = (title: string): string => join(server.app.directory, "input", title);
  const sdkOutputs = (title: string) =>
    filesBelow(join(server.app.directory, title)).catch(() => ({}));

  /** What mlcli leaves of a job, and says. */
  async function transform(title: string, job: Job) {
    const output = await Deno.makeTempDir({ dir: server.app.directory });
    const words = ["-i", inputOf(title), "-o", output, ...optionsOf(job)];
    const { code, stderr } = await server.app.run(["local", "transform", ...words]);
    return { outputs: await filesBelow(output), code, stderr };
  }

  beforeAll(async () => {
    await buildTestImage();
    server = await deployServer(CODE);
    const jobs: Record<string, unknown> = {};
    for (const [title, job, files] of [...RIGHT, ...MISTAKES]) {
      for (const [name, content] of Object.entries(byName<string | Uint8Array>(files))) {
        await server.app.write(join(inputOf(title), name), content);
      }
      jobs[title] = requestOf(job, inputOf(title));
    }
    const script = new URL("sdk_transform.py", import.meta.url).pathname;
    const { success, stderr } = await new Deno.Command(given("MLCLI_TEST_SDK_2_PYTHON"), {
      args: [script, server.port, JSON.stringify(jobs)],
      cwd: server.app.directory,
    }).output();
    assertEquals(success, true, new TextDecoder().decode(stderr));
    ended = JSON.parse(await Deno.readTextFile(join(server.app.directory, "ended.json")));
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  for (const [title, job] of RIGHT) {
    it(`${title}: the same outputs`, async () => {
      assertEquals(ended[title]!.error, null);
      const { outputs, code, stderr } = await transform(title, job);
      assertEquals(code, 0, stderr);
      assertEquals(outputs, await sdkOutputs(title));
    });
  }

  for (const [title, job, , sdk, ours] of MISTAKES) {
    it(`a mistake of the SDK: ${title}`, async () => {
      const error = ended[title]!.error ?? "";
      assertFates(await sdkOutputs(title), error, sdk);
      // Another mistake.
      assertEquals(ended[title]!.is_left, error !== "");
      const { outputs, code, stderr } = await transform(title, job);
      assertFates(outputs, stderr, ours);
      const isFailed = Object.values(byName<string | RegExp>(ours)).some((fate) =>
        typeof fate !== "string"
      );
      assertEquals(code, isFailed ? 1 : 0, stderr);
    });
  }

  it("a mistake of the SDK: it sets variables that SageMaker does not", async () => {
    const [title] = RIGHT[0]!;
    const { environment } = ended[title]!;
    assertEquals(environment.SAGEMAKER_BATCH, "True");
    assertEquals(environment.SAGEMAKER_MAX_CONCURRENT_TRANSFORMS, "1");
    const { outputs, stderr } = await transform(title, VARIABLES);
    assertEquals(JSON.parse(outputs["a.out"] ?? stderr), { SAGEMAKER_BATCH: "true" });
  });
});
