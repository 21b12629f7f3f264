/**
 * The main job of mlcli on a sample app, from build to prediction: `deno task demo`.
 *
 * Leaves behind an engine, images and caches, and nothing that runs.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { joinSignals } from "../../runtime/time.ts";
import { demonstrate, mlcli, type Place, prepare, print } from "../demonstration.ts";
import { copy } from "../files.ts";
import { runScript, timeText } from "../script.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const APP = `${ROOT}fixtures/apps/housing`;
/** A tag of its own, so that it replaces no image of the user's. */
const TAG = "demo";

/** In ms; the platform allows a prediction a minute. */
const REQUEST_TIMEOUT = 60_000;

/** A request of the demo: what the model knows of a house, for its price. */
interface Prediction {
  readonly type: string;
  readonly body: string;
}

const PREDICTIONS: readonly Prediction[] = [
  { type: "text/csv", body: "120,3,15,4.2" },
  { type: "application/json", body: '{"features": [120, 3, 15, 4.2]}' },
];

async function main(signal: AbortSignal): Promise<number> {
  const begin = performance.now();
  const baseImage = await prepare(signal);
  const directory = await Deno.makeTempDir({ prefix: "mlcli-demo-" });
  try {
    await copy(APP, directory);
    await mainJob({ directory, signal }, baseImage);
  } finally {
    await removeTreeIfThere(directory);
  }
  print(`\nDone in ${timeText(performance.now() - begin)}. Nothing is left running.`);
  return 0;
}

async function mainJob(place: Place, baseImage: string): Promise<void> {
  const local = (...args: string[]): string[] => ["local", ...args, "--docker-tag", TAG];
  await mlcli("Build the app's image", place, [
    ...["build", "--base-image", baseImage, "--docker-tag", TAG],
  ]);
  await mlcli("Prepare the data", place, local("process", "--file", "processing.py"));
  await mlcli("Train a model", place, local("train"));
  const address = await mlcli("Serve it", place, local("deploy", "--port", "0"));
  const stop = local("stop", "--port", new URL(address).port);
  try {
    for (const prediction of PREDICTIONS) await predict(address, prediction, place.signal);
  } catch (error) {
    // Not by the place's signal, which may be what ended the predictions.
    await mlcli("Stop the server", { ...place, signal: new AbortController().signal }, stop);
    throw error;
  }
  await mlcli("Stop the server", place, stop);
}

async function predict(address: string, request: Prediction, signal: AbortSignal): Promise<void> {
  const { type, body } = request;
  const url = `${address}/invocations`;
  // Straight to the server, also where HTTP_PROXY is set.
  const proxy = {
    transport: "tcp",
    hostname: "127.0.0.1",
    port: Number(new URL(url).port),
  } as const;
  using client = Deno.createHttpClient({ proxy });
  await demonstrate("Ask for a prediction", async () => {
    print(`$ curl -H 'Content-Type: ${type}' -H 'Accept: ${type}' -d '${body}' ${url}`);
    using limit = joinSignals(signal, AbortSignal.timeout(REQUEST_TIMEOUT));
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": type, Accept: type },
      body,
      client,
      signal: limit.signal,
    });
    const answer = await response.text();
    print(answer.trimEnd());
    if (response.ok) return;
    throw new MlcliError(`Ask for a prediction: the server answers ${response.status}`);
  });
}

if (import.meta.main) runScript(main);
