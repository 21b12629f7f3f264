/** Docker Engine of the tests: base images, the test image, and resources of an app. */

import { join } from "@std/path";
import { extract, pack } from "tar-stream";
import { connectToEngine } from "../../runtime/docker/connect.ts";
import type { ContainerSummary, Engine } from "../../runtime/docker/engine.ts";
import { parseHost } from "../../runtime/docker/locate.ts";
import { failureOf } from "../../runtime/docker/messages.ts";
import { openTransport } from "../../runtime/docker/transport.ts";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { takesMore } from "../../runtime/archive/node_streams.ts";
import { LABELS } from "../../runtime/contract/images.ts";
import { eventually } from "./eventually.ts";
import { runProgram } from "./program.ts";

/** Name of the image that most tests run their own code in, mounted over the image's. */
export const TEST_IMAGE = "mlcli-test";

/** The base image with Python that the set-up made or pulled. */
export function baseImage(): string {
  return imageOf("MLCLI_TEST_BASE_IMAGE");
}

export function pipImage(): string {
  return imageOf("MLCLI_TEST_PIP_IMAGE");
}

/** The base image on which scikit-learn is there, or comes by pip. */
export function sklearnImage(): string {
  return imageOf("MLCLI_TEST_SKLEARN_IMAGE");
}

/** Whether a test in this module has asked for an image. Tests without containers never do. */
export let usesEngine = false;

function imageOf(variable: string): string {
  usesEngine = true;
  const image = Deno.env.get(variable);
  if (image) return image;
  throw new Error(`${variable} is not set: run the tests by deno task test`);
}

export async function removeImage(reference: string): Promise<void> {
  const path = `/images/${encodeURIComponent(reference)}?force=1`;
  await engineRequest("DELETE", path, [200, 404]);
}

/**
 * Builds an image as nobody does with mlcli: of these files, a Dockerfile among them.
 *
 * @param usesCache so that the same files make the same image. The classic builder compares those that
 * were built upon the same base, and fails where another test removes one of them meanwhile.
 */
export async function buildImage(
  tag: string,
  files: Readonly<Record<string, string>>,
  { usesCache = false }: { readonly usesCache?: boolean } = {},
): Promise<void> {
  const context = pack();
  for (const [name, text] of Object.entries(files)) context.entry({ name }, text);
  context.finalize();
  await withEngine(async (engine) => {
    const messages = engine.build({
      builder: "classic",
      tag,
      dockerfile: "Dockerfile",
      buildArguments: {},
      labels: {},
      noCache: !usesCache,
      context: ReadableStream.from(context) as ReadableStream<Uint8Array>,
      signal: AbortSignal.timeout(60_000),
    });
    for await (const message of messages) {
      const failure = failureOf(message);
      if (failure !== undefined) throw new Error(`${tag} cannot be built: ${failure}`);
    }
  });
}

/** A call of the Engine API that mlcli has no use for. Returns the answer's text. */
export async function engineRequest(
  method: string,
  path: string,
  expect: readonly number[],
): Promise<string> {
  const { address } = await withEngine((engine) => Promise.resolve(engine));
  const transport = await openTransport(parseHost(address, (name) => Deno.env.get(name)));
  try {
    // Both Docker 20.10 and Podman 4 speak 1.41.
    return await (await transport.request(method, `/v1.41${path}`, { expect })).text();
  } finally {
    transport.close();
  }
}

/** The files that an image consists of, each as a stream: its configuration, and all its layers. */
export async function* filesOfImage(
  reference: string,
): AsyncGenerator<AsyncIterable<Uint8Array>, void, void> {
  const { address } = await withEngine((engine) => Promise.resolve(engine));
  const transport = await openTransport(parseHost(address, (name) => Deno.env.get(name)));
  try {
    const path = `/v1.41/images/${encodeURIComponent(reference)}/get`;
    const { body } = await transport.request("GET", path, { expect: [200] });
    const unpacker = extract();
    const feeding = (async () => {
      for await (const bytes of body) {
        if (!unpacker.write(bytes)) await takesMore(unpacker);
      }
      unpacker.end(undefined);
    })();
    feeding.catch((error) => unpacker.destroy(error));
    for await (const entry of unpacker) yield entry as AsyncIterable<Uint8Array>;
    await feeding;
  } finally {
    transport.close();
  }
}

export async function withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await connectToEngine({ env: (name) => Deno.env.get(name) });
  try {
    return await work(engine);
  } finally {
    engine.close();
  }
}

/**
 * Builds the test image with mlcli, from what `mlcli init` writes, once per run of the tests. No app
 * owns it: apps of any name and directory can use it. A rebuild gives the same image, since the app
 * always lies in the same directory.
 */
export async function buildTestImage(): Promise<void> {
  usesEngine = true; // even if another module has already built the image
  const place = `/tmp/mlcli-test-image-${Deno.uid() ?? 0}`;
  await Deno.mkdir(place, { recursive: true });
  using lock = await Deno.open(join(place, "lock"), { create: true, write: true });
  await lock.lock(true);
  const run = Deno.env.get("MLCLI_TEST_RUN") ?? crypto.randomUUID();
  const builtIn = join(place, "built-in");
  if (await Deno.readTextFile(builtIn).catch(() => "") === run) return;
  const cwd = join(place, "app");
  const made = `${TEST_IMAGE}-made`;
  await removeTreeIfThere(cwd);
  await Deno.mkdir(cwd);
  const configuration = { image_name: made, base_image: baseImage() };
  await Deno.writeTextFile(join(cwd, "test.json"), JSON.stringify(configuration));
  for (const args of [["init", "test"], ["build"]]) {
    const { code, stderr } = await runProgram(args, {
      cwd,
      env: { XDG_STATE_HOME: join(place, "state") },
    });
    if (code !== 0) throw new Error(`mlcli ${args.join(" ")} ended with ${code}: ${stderr}`);
  }
  await withoutApp(made, TEST_IMAGE);
  await Deno.writeTextFile(builtIn, run);
}

/** Takes the app's labels from an image that mlcli built, so that any app can run it. */
export async function withoutApp(made: string, name = made): Promise<void> {
  const labels = `${LABELS.app}="" ${LABELS.directory}="" ${LABELS.files}=""`;
  const files = { Dockerfile: `FROM ${made}\nLABEL ${labels}\n` };
  await buildImage(name, files, { usesCache: true });
}

/** Removes an app's containers, networks and images. */
export async function removeLeftovers(app: string): Promise<void> {
  const labels = [`${LABELS.app}=${app}`];
  const named = await withEngine(async (engine) => {
    for (const { Id } of await engine.listContainers(labels)) await engine.removeContainer(Id);
    for (const { Name } of await engine.networks(labels)) await engine.removeNetwork(Name);
    return (await engine.listImages(app)).flatMap(({ RepoTags }) => RepoTags ?? []);
  });
  for (const tag of named) await removeImage(tag);
  const filters = encodeURIComponent(JSON.stringify({ label: labels, dangling: ["true"] }));
  const unnamed = JSON.parse(await engineRequest("GET", `/images/json?filters=${filters}`, [200]));
  for (const { Id } of unnamed) await removeImage(Id);
}

/** Removes the volumes of an app. Returns their names. */
export async function removeVolumes(app: string): Promise<readonly string[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`${LABELS.app}=${app}`] }));
  const { Volumes } = JSON.parse(await engineRequest("GET", `/volumes?filters=${filters}`, [200]));
  const names: string[] = (Volumes ?? []).map(({ Name }: { Name: string }) => Name);
  for (const name of names) await engineRequest("DELETE", `/volumes/${name}`, [204]);
  return names;
}

/** The containers of an app that there still are, ended ones included. */
export async function containersOf(app: string): Promise<readonly ContainerSummary[]> {
  return await withEngine((engine) => engine.listContainers([`${LABELS.app}=${app}`]));
}

/** The names of the networks of an app that there still are. */
export async function networksOf(app: string): Promise<readonly string[]> {
  const found = await withEngine((engine) => engine.networks([`${LABELS.app}=${app}`]));
  return found.map(({ Name }) => Name);
}

/** Waits until an app has no container, ended ones included. */
export async function untilNoContainers(app: string): Promise<void> {
  await eventually(async () => (await containersOf(app)).length === 0);
}

/** Kills the only container of an app; when this returns, it has ended, and its port is free. */
export async function killOnly(app: string): Promise<void> {
  const [container] = await containersOf(app);
  await withEngine(async (engine) => {
    await engine.killContainer(container!.Id);
    // A killed one is listed as running, and has its port, for some time; a stop waits for that.
    await engine.stopContainer(container!.Id, 0);
  });
}
