import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join, relative } from "@std/path";
import { pack } from "tar-stream";
import { failureOf } from "../../runtime/docker/messages.ts";
import { LABELS } from "../../runtime/contract/images.ts";
import { copyTree } from "../helpers/directory.ts";
import { baseImage, removeImage, withEngine } from "../helpers/engine.ts";
import { runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

const VERSIONS = new URL("../../fixtures/apps_of_yesterday/", import.meta.url);

/** An app as a version of before made it, in a directory of its own. */
interface Yesterday extends AsyncDisposable {
  readonly version: string;
  readonly directory: string;
  /** Its image. */
  readonly image: string;
  /** Runs today's program, which must succeed; returns its standard output. */
  mlcli(...args: readonly string[]): Promise<string>;
}

async function appOf(version: string): Promise<Yesterday> {
  const directory = await Deno.makeTempDir({ prefix: "mlcli-test-" });
  await copyTree(join(fromFileUrl(VERSIONS), version), directory);
  const tag = `test-${crypto.randomUUID().slice(0, 8)}`;
  return {
    version,
    directory,
    image: `yesterday:${tag}`,
    async mlcli(...args): Promise<string> {
      const command = [...args, "--docker-tag", tag];
      const { code, stdout, stderr } = await runProgram(command, { cwd: directory });
      assertEquals(code, 0, `mlcli ${args.join(" ")}: ${stderr}`);
      return stdout;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await removeImage(`yesterday:${tag}`);
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** Builds the image from the app's directory as it is: with the harness in `.mlcli/`. */
async function buildAsThen({ directory, image, version }: Yesterday): Promise<void> {
  const context = pack();
  for await (const path of filesBelow(directory)) {
    const { mode } = await Deno.stat(path);
    const name = relative(directory, path);
    context.entry({ name, mode: mode ?? 0o755 }, await Deno.readTextFile(path));
  }
  context.finalize();
  await withEngine(async (engine) => {
    const messages = engine.build({
      builder: "classic",
      tag: image,
      dockerfile: "yesterday/mlcli_base/Dockerfile",
      buildArguments: {
        BASE_IMAGE: baseImage(),
        REQUIREMENTS: "requirements.txt",
        APP: "yesterday",
      },
      labels: { [LABELS.app]: "yesterday", [LABELS.version]: version },
      noCache: true,
      context: ReadableStream.from(context) as ReadableStream<Uint8Array>,
      signal: AbortSignal.timeout(60_000),
    });
    for await (const message of messages) assertEquals(failureOf(message), undefined);
  });
}

async function* filesBelow(directory: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = join(directory, name);
    if (isDirectory) yield* filesBelow(path);
    else yield path;
  }
}

/** Does with the app what it was made for. */
async function useIt({ directory, mlcli }: Yesterday): Promise<void> {
  const tests = join(directory, "yesterday/mlcli_base/local_test/test_dir");
  const read = async (path: string) => JSON.parse(await Deno.readTextFile(join(tests, path)));

  assertStringIncludes(
    await mlcli("local", "process", "--file", "processing.py"),
    "kept 25 of 30 rows",
  );
  assertEquals(await read("output/summary.json"), {
    "apartments_raw.csv": { rows: 30, kept: 25 },
  });

  assertStringIncludes(await mlcli("local", "train"), "trained on 160 rows, tested on 40");
  assertEquals((await read("model/model.json")).target, "rent");
  assert((await read("output/metrics.json")).r_squared > 0.9);

  const address = (await mlcli("local", "deploy", "--port", "0")).trim();
  const { port } = new URL(address);
  try {
    const response = await fetch(`http://127.0.0.1:${port}/invocations`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: '{"features": [72, 3, 15]}',
      signal: AbortSignal.timeout(20_000),
    });
    const { predictions: [rent] } = await response.json();
    assert(rent > 800 && rent < 1000, `${rent}`);
  } finally {
    await mlcli("local", "stop", "--port", port);
  }
}

suite("apps of yesterday", () => {
  for (const { name, isDirectory } of Deno.readDirSync(VERSIONS)) {
    if (!isDirectory) continue;
    it(`one of ${name} is built and runs`, async () => {
      await using app = await appOf(name);
      await app.mlcli("build", "--base-image", baseImage());
      await useIt(app);
    });

    it(`an image that ${name} built runs`, async () => {
      await using app = await appOf(name);
      await buildAsThen(app);
      await useIt(app);
    });
  }
});
