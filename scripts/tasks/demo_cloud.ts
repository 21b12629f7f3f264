/**
 * The road from the laptop to SageMaker and back, from `init` to an endpoint that gets a second model:
 * `deno task demo:cloud`.
 *
 * The platform is the one of the tests (`tests/helpers/box/`): AWS's protocols on this machine, a real
 * registry, and jobs and endpoints that run on the Docker Engine. So it takes no account and costs
 * nothing. What mlcli does is the same as against AWS.
 *
 * Leaves behind an engine, its base image and caches, and nothing else.
 */

import { join } from "@std/path";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { Box } from "../../tests/helpers/box/box.ts";
import { removeImage } from "../../tests/helpers/engine.ts";
import { demonstrate, mlcli, type Place, prepare, print } from "../demonstration.ts";
import { ensureRegistry } from "../engine/registry.ts";
import { runScript, timeText } from "../script.ts";

const APP = "flats";
/** A tag of its own, so that it replaces no image of the user's. */
const TAG = "demo-cloud";
const BUCKET = "my-bucket";
/** Where the app's data and results lie on the platform. */
const PREFIX = `s3://${BUCKET}/${APP}`;
const ROLE = "arn:aws:iam::123456789012:role/mlcli-execution";
const INSTANCE = "ml.m5.large";
const ENDPOINT = "shop";
/** SageMaker takes minutes to start a server. In ms. */
const HOSTING = { pingInterval: 200, grace: 5_000 };
/** Of the app's own files. */
const TEST_DIRECTORY = `${APP}/mlcli_base/local_test/test_dir`;

async function main(signal: AbortSignal): Promise<number> {
  const begin = performance.now();
  const baseImage = await prepare(signal);
  const directory = await Deno.makeTempDir({ prefix: "mlcli-demo-cloud-" });
  try {
    await using box = await demonstrate(
      "Start a SageMaker simulator on this machine",
      () => open(signal),
    );
    const place = { directory, signal, env: box.env() };
    await makeApp(place, baseImage);
    const artifact = await trainThere(place);
    await Deno.writeTextFile(join(directory, "flat.csv"), "72,3,15\n");
    await mlcli("Fetch the model", place, ["download-model", artifact]);
    await serveHere(place);
    await serveThere(place, artifact);
  } finally {
    await removeTreeIfThere(directory);
    await removeImage(`${APP}:${TAG}`);
  }
  print(`\nDone in ${timeText(performance.now() - begin)}. Nothing is left of it.`);
  return 0;
}

async function open(signal: AbortSignal): Promise<Box> {
  const registry = await ensureRegistry(signal);
  // Where the box looks for it.
  if (registry !== undefined) Deno.env.set("MLCLI_TEST_REGISTRY", registry);
  const box = await Box.open({ registry: true, jobs: true, endpoints: true });
  box.s3.createBucket(BUCKET);
  box.jobs.roles.add(ROLE);
  Object.assign(box.hosting.settings, HOSTING);
  print(`SageMaker, S3, ECR, logs and STS at ${box.url}`);
  return box;
}

async function makeApp(place: Place, baseImage: string): Promise<void> {
  await mlcli("Make an app", place, ["init", APP, "--base-image", baseImage]);
  await configure(place);
  await mlcli("Build its image", place, ["build", "--docker-tag", TAG]);
  await mlcli("Put it into the registry", place, ["push", "--docker-tag", TAG]);
}

/** Adds the keys that a user with an AWS account adds to the app's configuration. */
async function configure({ directory }: Place): Promise<void> {
  await demonstrate("Tell the app where it goes", async () => {
    const file = join(directory, `${APP}.json`);
    const configuration = {
      ...JSON.parse(await Deno.readTextFile(file)),
      cloud_region: "eu-west-1",
      s3_prefix: PREFIX,
      execution_role: ROLE,
      train: { ec2_type: INSTANCE },
    };
    const text = JSON.stringify(configuration, null, 2);
    await Deno.writeTextFile(file, `${text}\n`);
    print(`$ cat ${APP}.json\n${text}`);
  });
}

async function trainThere(place: Place): Promise<string> {
  const tag = ["--docker-tag", TAG];
  const input = `${TEST_DIRECTORY}/input/data`;
  const raw = await mlcli("Send the raw data", place, [
    ...["upload-data", "--input-dir", `${input}/processing`],
    ...["--target-dir", `${PREFIX}/raw`],
  ]);
  await mlcli("Process it there", place, [
    ...["process", "--file", "processing.py", "--ec2-type", INSTANCE, ...tag],
    ...["--input-s3-location", raw, "--output-s3-location", `${PREFIX}/processed`],
  ]);
  const data = await mlcli("Send the training data", place, [
    ...["upload-data", "--input-dir", `${input}/training`, "--target-dir", `${PREFIX}/data`],
  ]);
  const artifact = await mlcli("Train there", place, ["train", "--input-s3-dir", data, ...tag]);
  await mlcli("See what ran", place, ["list-jobs"]);
  return artifact;
}

/** Asks the model on this machine. */
async function serveHere(place: Place): Promise<void> {
  const deploy = ["local", "deploy", "--port", "0", "--docker-tag", TAG];
  const address = await mlcli("Serve it here", place, deploy);
  const port = ["--port", new URL(address).port];
  try {
    await mlcli("Ask it", place, ["local", "invoke", "flat.csv", "--accept", "text/csv", ...port]);
  } finally {
    // Not by the place's signal, which may be what ended it.
    await mlcli("Stop the server", { ...place, signal: new AbortController().signal }, [
      ...["local", "stop", ...port],
    ]);
  }
}

/** Serves two models on an endpoint, one after the other. */
async function serveThere(place: Place, artifact: string): Promise<void> {
  const tag = ["--docker-tag", TAG];
  const endpoint = ["--endpoint-name", ENDPOINT];
  const ask = ["invoke-endpoint", ...endpoint, "flat.csv", "--accept", "text/csv"];
  await mlcli("Serve it there", place, [
    ...["deploy", ...endpoint, "--ec2-type", INSTANCE, "--model", artifact, ...tag],
  ]);
  await mlcli("Ask the endpoint", place, ask);
  await mlcli("Train another model here", place, [
    ...["local", "train", "--hyperparameter", "epochs=20", ...tag],
  ]);
  await mlcli("Give the endpoint that model", place, [
    ...["deploy", ...endpoint, "--model", `${TEST_DIRECTORY}/model`, ...tag],
  ]);
  await mlcli("Ask the endpoint again", place, ask);
  await mlcli("See what costs money", place, ["list-endpoints", "--output", "json"]);
  await mlcli("Delete the endpoint", place, [
    ...["delete-endpoint", ...endpoint, "--delete-config", "--delete-model", "--wait", "--yes"],
  ]);
}

if (import.meta.main) runScript(main);
