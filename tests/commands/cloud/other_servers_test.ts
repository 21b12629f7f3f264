import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { Box } from "../../helpers/box/box.ts";
import type { BoxRequest } from "../../helpers/box/service.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { assertSameBytes } from "../../helpers/same_bytes.ts";
import { it, suite } from "../../helpers/suite.ts";
import { tarGz } from "../../helpers/tar.ts";
import { BUCKET, type Place, place, TARGET } from "../../helpers/upload_place.ts";

const MIB = 1024 ** 2;
const ARGS = ["-i", "d", "--target-dir", TARGET];

/** A small file, and one that comes in parts. */
async function withFiles(): Promise<{ readonly at: Place; readonly large: Uint8Array }> {
  const at = await place({ "d/small": "1" });
  const large = new Uint8Array(9 * MIB).fill(1, 0, 8 * MIB).fill(2, 8 * MIB);
  await Deno.writeFile(join(at.directory.path, "d/large"), large);
  return { at, large };
}

suite("upload-data through what is not S3", () => {
  it("goes on where connections are cut at 1 MB for a while", async () => {
    const { at, large } = await withFiles();
    await using _ = at;
    at.box.network.cutAfter({ sent: MIB, times: 2 });
    const { code, stderr } = await at.upload(ARGS);
    assertEquals([code, at.box.s3.uploads(BUCKET)], [0, []], stderr);
    assertSameBytes(await at.box.s3.bytes(BUCKET, "churn/data/large"), large);
  });

  it("names what does not arrive where they are cut for good, and leaves no parts of it", async () => {
    const { at } = await withFiles();
    await using _ = at;
    at.box.network.cutAfter({ sent: MIB });
    const { code, stdout, stderr } = await at.upload(ARGS, { env: { AWS_MAX_ATTEMPTS: "1" } });
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^error: Cannot upload 1 file to .*\n {2}d\/large: Cannot reach AWS at/,
    );
    assertEquals([at.box.s3.keys(BUCKET), at.box.s3.uploads(BUCKET)], [["churn/data/small"], []]);
  });

  const TOO_LARGE = "<html><body>Request Entity Too Large</body></html>";
  const answers: readonly (readonly [
    string,
    (request: BoxRequest) => Response | undefined,
    RegExp,
  ])[] = [
    [
      "a proxy's HTTP 413",
      () => new Response(TOO_LARGE, { status: 413, headers: { "content-type": "text/html" } }),
      /d\/large: .*413/,
    ],
    [
      "a checksum that does not fit",
      () => {
        const body =
          "<Error><Code>BadDigest</Code><Message>The CRC32 you specified did not match " +
          "the calculated checksum.</Message></Error>";
        return new Response(body, { status: 400, headers: { "content-type": "application/xml" } });
      },
      /d\/large: s3:PutObject failed: The CRC32 you specified did not match/,
    ],
    [
      "a redirect of HTTP 307",
      ({ url }) =>
        new Response("<Error><Code>TemporaryRedirect</Code></Error>", {
          status: 307,
          headers: { location: `http://elsewhere.invalid${url.pathname}` },
        }),
      /d\/large: /,
    ],
  ];
  for (const [what, answer, words] of answers) {
    it(`names the file that gets ${what}, sends the others, and leaves no parts`, async () => {
      const { at } = await withFiles();
      await using _ = at;
      at.box.faults.before = (request) =>
        request.operation === "UploadPart" ? answer(request) : undefined;
      const { code, stdout, stderr } = await at.upload(ARGS);
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, words);
      assertEquals([at.box.s3.keys(BUCKET), at.box.s3.uploads(BUCKET)], [["churn/data/small"], []]);
    });
  }
});

const KEY = "m/model.tar.gz";
const URI = `s3://${BUCKET}/${KEY}`;

/** Runs `download-model URI --to there`; what is there afterwards, `undefined` for nothing. */
interface Downloaded extends ProgramResult {
  readonly there: Uint8Array | undefined;
  readonly beside: readonly string[];
}

async function download(box: Box, env: Record<string, string> = {}): Promise<Downloaded> {
  await using directory = await makeDirectory();
  const result = await runInProcess(["download-model", URI, "--to", "there"], {
    cwd: directory.path,
    cloud: box.env(),
    env,
  });
  const there = await Deno.readFile(join(directory.path, "there/weights")).catch(() => undefined);
  const names = await Array.fromAsync(Deno.readDir(directory.path), ({ name }) => name);
  return { ...result, there, beside: names.filter((name) => name !== "there") };
}

/** A model that comes in two ranges, and cannot be compressed: it is made once, which takes a while. */
interface Model {
  readonly weights: Uint8Array;
  readonly archive: Uint8Array;
}
let made: Promise<Model> | undefined;

async function makeModel(): Promise<Model> {
  const weights = new Uint8Array(9 * MIB);
  for (let start = 0; start < weights.length; start += 65_536) {
    crypto.getRandomValues(weights.subarray(start, start + 65_536));
  }
  return { weights, archive: await tarGz([{ name: "weights", content: weights }]) };
}

async function withModel(
  region?: string,
): Promise<{ readonly box: Box; readonly weights: Uint8Array }> {
  const { weights, archive } = await (made ??= makeModel());
  const box = await Box.open();
  box.s3.createBucket(BUCKET, { region });
  await box.s3.put(BUCKET, KEY, archive);
  return { box, weights };
}

/** Changes the answers to one operation. */
function change(
  box: Box,
  operation: string,
  changed: (answer: Response, request: BoxRequest) => Response | Promise<Response>,
): void {
  box.faults.after = (request, answer) =>
    request.operation === operation ? changed(answer, request) : undefined;
}

const HARMLESS: Readonly<Record<string, (box: Box) => void>> = {
  "sends bodies in chunks, without a length": (box) =>
    change(box, "GetObject", async (answer) => {
      const bytes = await answer.bytes();
      const headers = new Headers(answer.headers);
      headers.delete("content-length");
      const body = ReadableStream.from([bytes.subarray(0, 5), bytes.subarray(5)]);
      return new Response(body, { status: answer.status, headers });
    }),
  "knows no ranges": (box) =>
    change(box, "GetObject", async (_, { url }) => {
      assertEquals(url.pathname, `/${BUCKET}/${KEY}`);
      return new Response((await box.s3.bytes(BUCKET, KEY)).slice(), { status: 200 });
    }),
  "closes each connection after its answer": (box) => box.faults.closeConnections(),
  "is behind a proxy that cuts connections at 1 MB for a while": (box) =>
    box.network.cutAfter({ received: MIB, times: 3 }),
};

const WRONG: Readonly<Record<string, readonly [(box: Box) => void, RegExp]>> = {
  "changes a byte on the way": [
    (box) =>
      change(box, "GetObject", async (answer) => {
        const bytes = await answer.bytes();
        bytes[bytes.length >> 1]! ^= 1;
        return new Response(bytes, { status: answer.status, headers: answer.headers });
      }),
    /^error: Cannot unpack s3:.* its gzip data is damaged or incomplete/,
  ],
  "says that the object is shorter than it is": [
    (box) => change(box, "HeadObject", (answer) => withLength(answer, 8 * MIB)),
    /^error: Cannot unpack s3:.* its gzip data is damaged or incomplete/,
  ],
  "says that the object is longer than it is": [
    (box) => change(box, "HeadObject", (answer) => withLength(answer, 18 * MIB)),
    /^error: /,
  ],
  "does not say how long the object is": [
    (box) =>
      change(box, "HeadObject", (answer) => {
        const headers = new Headers(answer.headers);
        headers.delete("etag");
        return new Response(null, { headers });
      }),
    /^error: /,
  ],
  "gives another object than the one that was described, whatever it is asked": [
    (box) =>
      change(box, "GetObject", (answer, { headers }) => {
        const size = Number(answer.headers.get("content-length"));
        const isFirst = headers.get("range")?.startsWith("bytes=0-");
        return isFirst ? answer : new Response(new Uint8Array(size), { status: 206 });
      }),
    /^error: Cannot unpack s3:.* its gzip data is damaged or incomplete/,
  ],
  "answers with HTTP 307 to elsewhere": [
    (box) =>
      change(
        box,
        "GetObject",
        () => new Response("", { status: 307, headers: { location: "http://elsewhere.invalid/" } }),
      ),
    /^error: /,
  ],
  "is behind a proxy that cuts connections at 1 MB": [
    (box) => box.network.cutAfter({ received: MIB }),
    /^error: Cannot reach AWS at/,
  ],
};

function withLength(answer: Response, length: number): Response {
  const headers = new Headers(answer.headers);
  headers.set("content-length", String(length));
  return new Response(null, { headers });
}

suite("download-model from what is not S3", () => {
  for (const [what, prepare] of Object.entries(HARMLESS)) {
    it(`gets the whole model where it ${what}`, async () => {
      const { box, weights } = await withModel();
      await using _ = box;
      prepare(box);
      const { code, stderr, there, beside } = await download(box);
      assertEquals([code, beside], [0, []], stderr);
      assertSameBytes(there!, weights);
    });
  }

  for (const [what, [prepare, words]] of Object.entries(WRONG)) {
    it(`takes nothing for a model where it ${what}`, async () => {
      const { box } = await withModel();
      await using _ = box;
      prepare(box);
      const result = await download(box, { AWS_MAX_ATTEMPTS: "1" });
      const { code, stdout, stderr, there, beside } = result;
      assertEquals([code, stdout, there, beside], [1, "", undefined, []], stderr);
      assertMatch(stderr, words);
      assert(!stderr.includes("defect"), stderr);
    });
  }

  for (const status of [301, 307]) {
    it(`finds a bucket of another region, which S3 tells by HTTP ${status}`, async () => {
      const { box, weights } = await withModel("us-west-2");
      await using _ = box;
      box.faults.before = ({ region }) => {
        const headers = { "x-amz-bucket-region": "us-west-2" };
        return status === 307 && region !== "us-west-2"
          ? new Response(null, { status, headers })
          : undefined;
      };
      const { code, stderr, there } = await download(box);
      assertEquals(code, 0, stderr);
      assertSameBytes(there!, weights);
      assert(box.requests.some(({ authorization }) => authorization.region === "us-west-2"));
    });
  }
});

suite("download-model of an archive whose names nobody chose well", () => {
  const long = "x".repeat(256);
  const names: readonly (readonly [string, string, RegExp | undefined])[] = [
    ["that the file system takes not", long, /^error: Cannot unpack [^]*too long/],
    [
      "that lead out",
      "../weights",
      /^error: Cannot unpack .*: \.\.\/weights points outside the arch/,
    ],
    ["that begin at the root", "/weights", /\/weights is an absolute path/],
    ["that differ by case alone", "WEIGHTS", undefined],
    ["that a terminal would obey", "a\n\x1b[2J", undefined],
    [
      "longer than a path may be",
      `${"a".repeat(200)}/`.repeat(21) + "m",
      /^error: Cannot unpack [^]*too long/,
    ],
  ];
  for (const [what, name, words] of names) {
    it(`writes nothing elsewhere, and no half: names ${what}`, async () => {
      await using box = await Box.open();
      box.s3.createBucket(BUCKET);
      const entries = [
        { name: "weights", content: "good" },
        { name: "short", pax: { path: name }, content: "odd" },
      ];
      await box.s3.put(BUCKET, KEY, await tarGz(entries));
      const { code, stdout, stderr, there, beside } = await download(box);
      assertEquals([code, beside], [words ? 1 : 0, []], stderr);
      // deno-lint-ignore no-control-regex
      assert(!/[\x00-\x09\x0b-\x1f]/.test(stdout + stderr), "A terminal obeys it");
      if (words) assertMatch(stderr, words);
      assertEquals(there === undefined, words !== undefined);
    });
  }
});
