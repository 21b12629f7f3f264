/**
 * The main job of mlcli on a sample app, from build to prediction: `deno task demo`.
 *
 * Leaves behind an engine, images and caches, and nothing that runs.
 */

import { fromFileUrl } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { joinSignals } from "../../runtime/time.ts";
import { demonstrate, mlcli, type Place, prepare, print } from "../demonstration.ts";
import { pypiProblem } from "../engine/pypi.ts";
import { copy } from "../files.ts";
import { runScript, timeText } from "../script.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const APPS = `${ROOT}fixtures/apps`;
/** A tag of its own, so that it replaces no image of the user's. */
const TAG = "demo";

/** In ms; the platform allows a prediction a minute. */
const REQUEST_TIMEOUT = 60_000;

/** A request of the demo: what the model is asked. */
interface Prediction {
  readonly type: string;
  readonly body: string;
}

/** An app, and requests that make sense to it. */
interface Sample {
  readonly name: string;
  readonly predictions: readonly Prediction[];
}

/** How many bikes are rented in an hour: pandas and scikit-learn, as most apps. */
const RENTALS: Sample = {
  name: "rentals",
  predictions: [
    { type: "text/csv", body: "2025-06-03 08:00,21,sunny" },
    { type: "application/json", body: '{"features": ["2025-06-03 18:00", 24, "cloudy"]}' },
  ],
};

/** What a house costs: Python's standard library alone. */
const HOUSING: Sample = {
  name: "housing",
  predictions: [
    { type: "text/csv", body: "120,3,15,4.2" },
    { type: "application/json", body: '{"features": [120, 3, 15, 4.2]}' },
  ],
};

async function main(signal: AbortSignal): Promise<number> {
  const begin = performance.now();
  const sample = await demonstrate("Choose a sample app", () => choose(signal));
  const baseImage = await prepare(signal, sample === RENTALS ? "pip" : "plain");
  const directory = await Deno.makeTempDir({ prefix: "mlcli-demo-" });
  try {
    await copy(`${APPS}/${sample.name}`, directory);
    await mainJob(sample, { directory, signal }, baseImage);
  } finally {
    await removeTreeIfThere(directory);
  }
  print(`\nDone in ${timeText(performance.now() - begin)}. Nothing is left running.`);
  return 0;
}

/** The one with packages, where they can be had. */
async function choose(signal: AbortSignal): Promise<Sample> {
  const problem = await pypiProblem(signal);
  print(
    problem === undefined
      ? "rentals: bikes rented in an hour, by pandas and scikit-learn from PyPI (80 MB at first)"
      : `housing: what a house costs, without packages, since PyPI does not answer (${problem})`,
  );
  return problem === undefined ? RENTALS : HOUSING;
}

async function mainJob(sample: Sample, place: Place, baseImage: string): Promise<void> {
  const local = (...args: string[]): string[] => ["local", ...args, "--docker-tag", TAG];
  await mlcli("Build the app's image", place, [
    // The image of an earlier demo was built in another temporary directory.
    ...["build", "--base-image", baseImage, "--docker-tag", TAG, "--replace"],
  ]);
  await mlcli("Prepare the data", place, local("process", "--file", "processing.py"));
  await mlcli("Train a model", place, local("train"));
  const address = await mlcli("Serve it", place, local("deploy", "--port", "0"));
  const stop = local("stop", "--port", new URL(address).port);
  try {
    for (const prediction of sample.predictions) await predict(address, prediction, place.signal);
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
