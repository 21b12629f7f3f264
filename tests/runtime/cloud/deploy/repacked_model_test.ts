import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createGzip } from "node:zlib";
import { join } from "@std/path";
import { modelFor } from "../../../../runtime/cloud/deploy/packed_model.ts";
import type { ReadyModel } from "../../../../runtime/cloud/deploy/ready_model.ts";
import { roomFor } from "../../../../runtime/contract/instances.ts";
import { Interrupted, MlcliError, UsageError } from "../../../../runtime/errors.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { Box } from "../../../helpers/box/box.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { Keys, openCloud } from "../../../helpers/in_process.ts";
import { inFile } from "../../../helpers/settings.ts";
import { it, suite } from "../../../helpers/suite.ts";
import { entriesOf, gunzip, tarGz, tarOf } from "../../../helpers/tar.ts";

const BUCKET = "app-data";
const KEY = "trained/model.tar.gz";

interface Asked {
  readonly box: Box;
  readonly keys?: Keys;
  readonly repacks?: boolean;
  readonly answer?: string;
  readonly progress?: (text: string) => void;
}

/** Gets the archive ready with code, and does something with it. */
async function withModel<T>(
  { box, keys = new Keys(), repacks = false, answer, progress = () => {} }: Asked,
  work: (ready: ReadyModel, said: readonly string[]) => Promise<T>,
): Promise<T> {
  using cloud = await openCloud(box.env(), { signal: keys.interruption.signal });
  await using directory = await makeDirectory({ "src/inference.py": "print(1)\n" });
  const source = {
    path: join(directory.path, "src"),
    shown: "src",
    boundary: Deno.realPathSync(directory.path),
  };
  const said: string[] = [];
  await using ready = await modelFor(
    {
      endpoint: "shop",
      model: { address: { bucket: BUCKET, key: KEY } },
      variables: {},
      healthCheckTimeout: undefined,
      instanceType: "ml.m5.large",
      room: roomFor({ instanceType: "ml.m5.large" }),
    },
    {
      request: {
        app: appObject(directory.path, "churn", { s3Prefix: `s3://${BUCKET}/churn` }),
        code: { source, entryPoint: "inference.py" },
        repack: repacks,
        dryRun: false,
        model: inFile({ address: { bucket: BUCKET, key: KEY } }),
      },
      aws: cloud.aws,
      host: {
        ...fakeContext({
          cwd: directory.path,
          engine: () => Promise.reject(new MlcliError("no engine")),
          interruption: keys.interruption,
          ask: (question) => {
            said.push(question);
            return Promise.resolve(answer);
          },
          onMessage: (text) => said.push(text.trimEnd()),
        }),
        waiting: { show: progress, during: (_, work) => work },
      },
    },
  );
  return await work(ready, said);
}

/** A platform with an archive of so many bytes that hardly get smaller. */
async function platform(size: number): Promise<Box> {
  const box = await Box.open();
  box.s3.createBucket(BUCKET);
  const noise = new Uint8Array(size);
  for (let at = 0; at < size; at += 65_536) {
    crypto.getRandomValues(noise.subarray(at, Math.min(size, at + 65_536)));
  }
  await box.s3.put(BUCKET, KEY, await tarGz([{ name: "m", content: noise }]));
  return box;
}

const packed = (box: Box) => box.s3.keys(BUCKET, "churn/models/shop/");

suite("an archive in S3 that gets the user's code", () => {
  it("is sent in parts as it comes, and not again", async () => {
    await using box = await platform(41_000_000);
    const progress: string[] = [];
    await withModel({ box, progress: (text) => progress.push(text) }, (ready) => ready.send());
    const [key = "", ...more] = packed(box);
    assertEquals([more, box.s3.uploads(BUCKET).length], [[], 0]);
    const parts = box.operations.filter((name) => name === "s3:UploadPart");
    assertEquals(parts.length, 5);
    assert(progress.includes("Adding the code to the model: 16 MB of 40 MB"), progress.join("\n"));
    const entriesAt = async (key: string) =>
      await entriesOf(ReadableStream.from([await gunzip(await box.s3.bytes(BUCKET, key))]));
    const [before, after] = [await entriesAt(KEY), await entriesAt(key)];
    assertEquals([...after.keys()], ["m", "code/inference.py"]);
    assertEquals(after.get("m")!.text, before.get("m")!.text);
    // Weights are stored as they are.
    const size = (await box.s3.bytes(BUCKET, key)).length;
    assert(size < 41_000_000 * 1.001, `${size}`);
    await withModel({ box }, async (ready) => {
      assertEquals([ready.calls, ready.lastModified !== undefined], [{}, true]);
      await ready.send();
    });
    assertEquals(box.operations.filter((name) => name === "s3:UploadPart").length, 5);
  });

  it("leaves nothing where it is interrupted in the middle", async () => {
    await using box = await platform(41_000_000);
    const keys = new Keys();
    let parts = 0;
    box.faults.before = ({ operation }) => {
      if (operation === "UploadPart" && ++parts === 2) keys.press();
      return undefined;
    };
    await withModel({ box, keys }, async (ready) => {
      await assertRejects(() => ready.send(), Interrupted);
    });
    assertEquals([packed(box), box.s3.uploads(BUCKET).length], [[], 0]);
    assert(box.operations.includes("s3:AbortMultipartUpload"));
  });

  it("is not sent where the archive is another one meanwhile, or ends in the middle", async () => {
    await using box = await platform(41_000_000);
    await withModel({ box }, async (ready) => {
      await box.s3.put(BUCKET, KEY, await tarGz([{ name: "m", content: "another" }]));
      const { message } = await assertRejects(() => ready.send(), MlcliError);
      assertMatch(message, /changed|another|precondition/i);
    });
    await using cut = await Box.open();
    cut.s3.createBucket(BUCKET);
    const noise = crypto.getRandomValues(new Uint8Array(60_000));
    const whole = await gunzip(await tarGz([{ name: "m", content: noise }]));
    // What is looked at before is in order: only the last part is missing.
    const parts: Uint8Array[] = [];
    const stream = createGzip({ level: 0 });
    stream.end(whole.subarray(0, 40_000));
    for await (const bytes of stream) parts.push(bytes);
    await cut.s3.put(
      BUCKET,
      KEY,
      new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer()),
    );
    await assertRejects(
      () => withModel({ box: cut }, (ready) => ready.send()),
      MlcliError,
      "incomplete",
    );
    for (const one of [box, cut]) {
      assertEquals([packed(one), one.s3.uploads(BUCKET).length], [[], 0]);
    }
  });

  it("says its size above 1 GB and asks; without a terminal, it wants --repack", async () => {
    await using box = await Box.open();
    box.s3.createBucket(BUCKET);
    await using zeros = await makeDirectory({ "zeros": "" });
    const path = join(zeros.path, "zeros");
    await Deno.truncate(path, 1024 ** 3);
    await box.s3.put(BUCKET, KEY, await tarGz([{ name: "m", content: "weights" }]));
    // Behind an archive, there may be zeros.
    const object = box.s3.bucket(BUCKET).objects.get(KEY)!;
    const hollow = {
      ...object,
      size: object.size + 1024 ** 3,
      pieces: [...object.pieces, { path, offset: 0, size: 1024 ** 3 }],
    };
    box.s3.bucket(BUCKET).objects.set(KEY, hollow);
    const none = await assertRejects(() => withModel({ box }, () => Promise.resolve()), UsageError);
    assertEquals(
      none.message,
      `To add the code, mlcli downloads and uploads s3://${BUCKET}/${KEY} (1.0 GB), which requires --repack`,
    );
    assertMatch(none.hint!, /^To agree, use --repack\./);
    await assertRejects(
      () => withModel({ box, answer: "no" }, () => Promise.resolve()),
      UsageError,
    );
    await withModel({ box, answer: "y" }, (_, said) => {
      assertMatch(
        said.at(-1)!,
        /^To add the code, mlcli downloads and uploads .* \(1\.0 GB\)\. Continue\?/,
      );
      return Promise.resolve();
    });
    await withModel({ box, repacks: true }, (_, said) => {
      assertEquals(said.filter((text) => text.includes("Continue?")), []);
      return Promise.resolve();
    });
    assertEquals(packed(box), []);
  });

  it("is compressed where it would get much larger than it was", async () => {
    await using box = await Box.open();
    box.s3.createBucket(BUCKET);
    // Noise, behind which most of it is nothing but zeros.
    const content = new Uint8Array(120_000_000);
    for (let at = 0; at < 36_000_000; at += 65_536) {
      crypto.getRandomValues(content.subarray(at, at + 65_536));
    }
    await box.s3.put(BUCKET, KEY, await tarGz([{ name: "m", content }]));
    await withModel({ box }, (ready) => ready.send());
    const size = (await box.s3.bytes(BUCKET, packed(box)[0]!)).length;
    assert(size < 45_000_000, `${size}`);
    assertEquals(box.s3.uploads(BUCKET).length, 0);
  });

  it("keeps what is in it: a sparse file, a link, an old format", async () => {
    await using box = await Box.open();
    box.s3.createBucket(BUCKET);
    const pax = {
      "GNU.sparse.major": "1",
      "GNU.sparse.minor": "0",
      "GNU.sparse.name": "holes",
      "GNU.sparse.realsize": "4096",
    };
    const archive = tarOf([
      {
        name: "GNUSparseFile.0/holes",
        pax,
        content: "2\n0\n3\n4096\n0\n".padEnd(512, "\0") + "abc",
      },
      { name: "m", content: "weights" },
      { name: "again", type: "1", link: "m" },
    ]);
    const stream = createGzip();
    stream.end(archive);
    const parts: Uint8Array[] = [];
    for await (const bytes of stream) parts.push(bytes);
    await box.s3.put(
      BUCKET,
      KEY,
      new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer()),
    );
    await withModel({ box }, (ready) => ready.send());
    await using made = await makeDirectory({ "archive": "" });
    const file = join(made.path, "archive");
    await Deno.writeFile(file, await box.s3.bytes(BUCKET, packed(box)[0]!));
    const { code } = await new Deno.Command("tar", { args: ["-xzf", file, "-C", made.path] })
      .output();
    assertEquals(code, 0);
    const read = (name: string) => Deno.readTextFileSync(join(made.path, name));
    assertEquals(read("holes"), "abc".padEnd(4096, "\0"));
    assertEquals([read("again"), read("code/inference.py")], ["weights", "print(1)\n"]);
  });
});
