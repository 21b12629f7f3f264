import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { dirname, join } from "@std/path";
import { modelFor } from "../../../../runtime/cloud/deploy/packed_model.ts";
import type { ModelUse, ReadyModel } from "../../../../runtime/cloud/deploy/ready_model.ts";
import { archiveOf } from "../../../../runtime/cloud/deploy/packing.ts";
import { s3Uri } from "../../../../runtime/contract/addresses.ts";
import { roomFor } from "../../../../runtime/contract/instances.ts";
import { Interrupted, MlcliError } from "../../../../runtime/errors.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { Box } from "../../../helpers/box/box.ts";
import { makeDirectory, type TestDirectory } from "../../../helpers/directory.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { Keys, openCloud } from "../../../helpers/in_process.ts";
import { sha256 } from "../../../helpers/sigv4.ts";
import { typed } from "../../../helpers/settings.ts";
import { it, suite } from "../../../helpers/suite.ts";
import { gzip, tarGz, tarOf } from "../../../helpers/tar.ts";

const BUCKET = "app-data";
const NO_ENGINE = "note: The model was not tested locally: no engine";

interface Surroundings {
  readonly directory: TestDirectory;
  readonly box: Box;
  readonly messages?: string[];
  readonly use?: Partial<ModelUse>;
  readonly keys?: Keys;
  readonly model?: string;
}

/** Gets a model ready, as typed, on a machine without an engine, and does something with it. */
async function withModel<T>(
  { directory, box, messages = [], use, keys = new Keys(), model = "model" }: Surroundings,
  work: (ready: ReadyModel) => Promise<T>,
): Promise<T> {
  using cloud = await openCloud(box.env(), { signal: keys.interruption.signal });
  const request = {
    app: appObject(directory.path, "churn", { s3Prefix: `s3://${BUCKET}/churn` }),
    code: undefined,
    repack: false,
    dryRun: false,
    model: typed({ directory: model }, "--model"),
  };
  await using ready = await modelFor(
    {
      endpoint: "shop",
      model: { directory: model },
      variables: {},
      healthCheckTimeout: undefined,
      instanceType: "ml.m5.large",
      room: roomFor({ instanceType: "ml.m5.large" }),
      ...use,
    },
    {
      request,
      aws: cloud.aws,
      host: {
        ...fakeContext({
          cwd: directory.path,
          engine: () => Promise.reject(new MlcliError("no engine")),
          interruption: keys.interruption,
          onMessage: (text) => messages.push(text.trimEnd()),
        }),
        waiting: { show: () => {}, during: (_, work) => work },
      },
    },
  );
  return await work(ready);
}

/** Gets it ready and sends it. */
async function sent(surroundings: Surroundings): Promise<
  Pick<ReadyModel, "calls"> & {
    readonly address: string;
    readonly known: boolean;
  }
> {
  return await withModel(surroundings, async (ready) => {
    await ready.send();
    const { address, calls, lastModified } = ready;
    return { address: s3Uri(address!), calls, known: lastModified !== undefined };
  });
}

/** A platform with a bucket for the app's data. */
async function platform(): Promise<Box> {
  const box = await Box.open();
  box.s3.createBucket(BUCKET);
  return box;
}

/** Packs the directory's model, and nothing else. */
function pack({ path }: TestDirectory, note: () => void = () => {}) {
  const model = { path: join(path, "model"), shown: "model" };
  const room = roomFor({ instanceType: "ml.m5.large" });
  return archiveOf(model, room, note, new AbortController().signal);
}

async function failure(surroundings: Omit<Surroundings, "box">): Promise<MlcliError> {
  await using box = await platform();
  const error = await assertRejects(() => sent({ box, ...surroundings }), MlcliError);
  assertEquals(error.hint !== undefined, true, "a hint");
  assertEquals(box.s3.keys(BUCKET), []);
  return error;
}

suite("a directory as the model of an endpoint", () => {
  it("a model is packed and sent only once if its files do not change", async () => {
    await using directory = await makeDirectory({ "model/m": "model", "model/.gitkeep": "" });
    await using box = await platform();
    const messages: string[] = [];
    const first = await sent({ directory, box, messages });
    assertMatch(
      first.address,
      /^s3:\/\/app-data\/churn\/models\/shop\/[0-9a-f]{16}\/model\.tar\.gz$/,
    );
    assertEquals([first.calls, first.known], [{ PutObject: 1 }, false]);
    assertEquals(messages, [NO_ENGINE, `Uploaded the model to ${first.address}`]);
    const key = first.address.slice(`s3://${BUCKET}/`.length);
    assertEquals(box.s3.keys(BUCKET), [key]);
    const stored = await box.s3.bytes(BUCKET, key);
    assertEquals(key.split("/").at(-2), sha256(stored).slice(0, 16));
    await Deno.writeFile(join(directory.path, "stored.tar.gz"), stored);
    const { stdout } = await new Deno.Command("tar", {
      args: ["-xzOf", join(directory.path, "stored.tar.gz"), "m"],
    }).output();
    assertEquals(new TextDecoder().decode(stdout), "model");

    await Deno.utime(join(directory.path, "model/m"), 1, 1);
    const again = await sent({ directory, box });
    assertEquals(again, { address: first.address, calls: {}, known: true });
    assertEquals(box.operations.filter((name) => name === "s3:PutObject").length, 1);

    await Deno.writeTextFile(join(directory.path, "model/m"), "another");
    assertEquals((await sent({ directory, box })).address !== first.address, true);
    assertEquals(box.s3.keys(BUCKET).length, 2);
  });

  it("a model is not tested locally if it would fill the disk", async () => {
    await using directory = await makeDirectory({ "model/": "" });
    await using box = await platform();
    // A few bytes that become 2 GiB: a file of holes.
    const pax = {
      "GNU.sparse.major": "1",
      "GNU.sparse.minor": "0",
      "GNU.sparse.realsize": `${2 * 1024 ** 3}`,
    };
    const bytes = await tarGz([{ name: "m", pax, content: "0\n".padEnd(512, "\0") }]);
    await Deno.writeFile(join(directory.path, "model/model.tar.gz"), bytes);
    const messages: string[] = [];
    await sent({ directory, box, messages });
    assertEquals(messages.slice(0, -1), [
      "note: Skipped the local test of the model: unpacked, it is far larger than its archive",
    ]);
    assertMatch(messages.at(-1)!, /^Uploaded the model to /);
  });

  it("is not sent before that is asked for", async () => {
    await using directory = await makeDirectory({ "model/m": "model" });
    await using box = await platform();
    await withModel({ directory, box }, async ({ address, calls }) => {
      assertMatch(address!.key, /^churn\/models\/shop\//);
      assertEquals(calls, { PutObject: 1 });
      await Promise.resolve();
    });
    assertEquals(box.s3.keys(BUCKET), []);
  });

  it("is packed into a file that is gone in the end", async () => {
    await using directory = await makeDirectory({ "model/m": "model" });
    const archive = await pack(directory);
    assertEquals((await Deno.stat(archive.path)).size, archive.bytes);
    await archive[Symbol.asyncDispose]();
    await assertRejects(() => Deno.stat(dirname(archive.path)), Deno.errors.NotFound);
  });

  it("is refused where a file is written again while it is packed, of the same size too", async () => {
    await using directory = await makeDirectory({ "model/m": "model", "model/.env": "" });
    // It is told of the private file when the others have been looked at.
    const rewrite = (): void => {
      const file = join(directory.path, "model/m");
      Deno.writeTextFileSync(file, "other");
      Deno.utimeSync(file, 1, 1);
    };
    const packing = () => pack(directory, rewrite);
    await assertRejects(packing, MlcliError, "model/m changed while it was being packed");
  });

  it("finds what was packed when mlcli was killed, and leaves what others pack", async () => {
    await using directory = await makeDirectory({ "model/m": "model" });
    await using alive = await pack(directory);
    // A process that has ended.
    const child = new Deno.Command("true").spawn();
    await child.status;
    const left = await Deno.makeTempDir({ prefix: "mlcli-model-" });
    await Deno.writeTextFile(join(left, "owner"), `${child.pid} ${Deno.hostname()}`);
    await using _next = await pack(directory);
    await assertRejects(() => Deno.stat(left), Deno.errors.NotFound);
    assertEquals((await Deno.stat(alive.path)).isFile, true);
  });

  it("a large model is sent in parts, and parts that a killed deploy left are named", async () => {
    await using directory = await makeDirectory({ "model/m": "" });
    const noise = new Uint8Array(9_000_000);
    for (let at = 0; at < noise.length; at += 65_536) {
      crypto.getRandomValues(noise.subarray(at, at + 65_536));
    }
    await Deno.writeFile(join(directory.path, "model/m"), noise);
    await using box = await platform();
    const messages: string[] = [];
    const { calls } = await sent({ directory, box, messages });
    assertEquals(calls, { CreateMultipartUpload: 1, UploadPart: 2, CompleteMultipartUpload: 1 });
    const [key = "", ...others] = box.s3.keys(BUCKET);
    assertEquals(others, []);

    // As after a kill: the object does not exist, but parts of it do.
    await box.s3.delete(BUCKET, key);
    const { id } = box.s3.createUpload(BUCKET, key);
    await sent({ directory, box, messages });
    const [told] = messages.filter((text) => text.startsWith("warning: S3 still has parts of "));
    assert(told?.includes(`--key ${key} --upload-id ${id}`), messages.join("\n"));
  });

  it("is its archive as it is, where it holds that alone", async () => {
    const archive = await tarGz([{ name: "m", content: "from a training" }]);
    await using directory = await makeDirectory({ "model/.gitkeep": "" });
    await Deno.writeFile(join(directory.path, "model/model.tar.gz"), archive);
    await using box = await platform();
    const { address } = await sent({ directory, box });
    const key = address.slice(`s3://${BUCKET}/`.length);
    assertEquals(await box.s3.bytes(BUCKET, key), archive);
  });

  for (
    const [what, make, words] of [
      ["that is none", () => new TextEncoder().encode("<html>"), /unpack .* with gzip$/],
      [
        "that is cut off",
        async () => (await gzip(tarOf([{ name: "m" }]))).slice(0, 40),
        /incomplete/,
      ],
      ["that leads out", () => tarGz([{ name: "../m" }]), /unpack .* points outside the archive$/],
      [
        "without a file",
        () => tarGz([{ name: "./", type: "5" }]),
        /^The archive contains no files: /,
      ],
    ] as const
  ) {
    it(`is refused with an archive ${what}`, async () => {
      await using directory = await makeDirectory({ "model/": "" });
      await Deno.writeFile(join(directory.path, "model/model.tar.gz"), await make());
      const { message } = await failure({ directory });
      assertMatch(message, /^(SageMaker cannot unpack|The archive .*:) model\/model\.tar\.gz/);
      assertMatch(message, words);
    });
  }

  for (
    const [model, message] of [
      ["model", "Model not found: model contains no files"],
      ["none", "Model not found: none"],
      ["file", "file is not a directory"],
    ] as const
  ) {
    it(`is refused where there is no model: ${message}`, async () => {
      await using directory = await makeDirectory({ "model/x/.gitkeep": "", "file": "" });
      assertEquals((await failure({ directory, model })).message, message);
    });
  }

  it("is refused where it does not fit", async () => {
    await using directory = await makeDirectory({ "model/m": "" });
    await Deno.truncate(join(directory.path, "model/m"), 6 * 1024 ** 3);
    const room = roomFor({ instanceType: undefined });
    const { message } = await failure({ directory, use: { room } });
    assertEquals(message, "model is larger than the 5 GB disk of a serverless endpoint");
  });

  it("private files are left out of a packed model, and named", async () => {
    await using directory = await makeDirectory({ "model/m": "", "model/.env": "KEY=1" });
    await using box = await platform();
    const messages: string[] = [];
    const { address } = await sent({ directory, box, messages });
    assertEquals(messages, [
      "note: Skipped files that might contain secrets: model/.env",
      NO_ENGINE,
      `Uploaded the model to ${address}`,
    ]);
  });

  it("gets nothing after Ctrl-C", async () => {
    await using directory = await makeDirectory({ "model/m": "m" });
    await using box = await platform();
    const keys = new Keys();
    box.faults.before = ({ operation }) => {
      if (operation === "PutObject") keys.press();
      return undefined;
    };
    await assertRejects(() => sent({ directory, box, keys }), Interrupted);
  });
});
