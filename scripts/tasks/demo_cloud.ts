/**
 * The road from the laptop to SageMaker and back, on a sample app: `deno task demo:cloud`.
 *
 * The platform is the one of the tests (`tests/helpers/box/`): AWS's protocols on this machine, a real
 * registry, and jobs that run on the Docker Engine. So it takes no account and costs nothing. What
 * mlcli does is the same as against AWS.
 *
 * Leaves behind an engine, its base image and caches, and nothing else.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { Box } from "../../tests/helpers/box/box.ts";
import { removeImage } from "../../tests/helpers/engine.ts";
import { demonstrate, mlcli, type Place, prepare, print } from "../demonstration.ts";
import { ensureRegistry } from "../engine/registry.ts";
import { copy } from "../files.ts";
import { runScript, timeText } from "../script.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const APP = "housing";
/** A tag of its own, so that it replaces no image of the user's. */
const TAG = "demo-cloud";
const BUCKET = "demo-bucket";
/** Where the app's data and results lie on the platform. */
const PREFIX = `s3://${BUCKET}/${APP}`;
const ROLE = "arn:aws:iam::123456789012:role/mlcli-execution";
const INSTANCE = "ml.m5.large";

async function main(signal: AbortSignal): Promise<number> {
  const begin = performance.now();
  const baseImage = await prepare(signal);
  const directory = await Deno.makeTempDir({ prefix: "mlcli-demo-cloud-" });
  try {
    await using box = await demonstrate("Start a platform on this machine", () => open(signal));
    box.s3.createBucket(BUCKET);
    box.jobs.roles.add(ROLE);
    await copy(`${ROOT}fixtures/apps/${APP}`, directory);
    await configure(directory, baseImage);
    await road({ directory, signal, env: box.env() });
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
  const box = await Box.open({ registry: true, jobs: true });
  print(`SageMaker, S3, ECR, logs and STS: ${box.url}`);
  return box;
}

/** Writes into the app's configuration what somebody writes who has an account. */
async function configure(directory: string, baseImage: string): Promise<void> {
  await demonstrate("Tell the app where it goes", async () => {
    const file = `${APP}.json`;
    const configuration = {
      image_name: APP,
      base_image: baseImage,
      s3_prefix: PREFIX,
      execution_role: ROLE,
      train: { ec2_type: INSTANCE },
    };
    const text = JSON.stringify(configuration, null, 2);
    await Deno.writeTextFile(join(directory, file), `${text}\n`);
    print(`$ cat ${file}\n${text}`);
  });
}

async function road(place: Place): Promise<void> {
  const tag = ["--docker-tag", TAG];
  const input = `${APP}/mlcli_base/local_test/test_dir/input/data`;
  const processed = `${PREFIX}/processed`;
  await mlcli("Build the app's image", place, ["build", ...tag]);
  await mlcli("Put it into the registry", place, ["push", ...tag]);
  const raw = await mlcli("Send the raw data", place, [
    ...["upload-data", "--input-dir", `${input}/processing`],
    ...["--target-dir", `${PREFIX}/raw`],
  ]);
  await mlcli("Process it there", place, [
    ...["process", "--file", "processing.py", "--ec2-type", INSTANCE, ...tag],
    ...["--input-s3-location", raw, "--output-s3-location", processed],
  ]);
  const data = await mlcli("Send the training data", place, [
    ...["upload-data", "--input-dir", `${input}/training`, "--target-dir", `${PREFIX}/train`],
  ]);
  const artifact = await mlcli("Train there", place, ["train", "--input-s3-dir", data, ...tag]);
  await mlcli("See what ran", place, ["list-jobs"]);
  await mlcli("Fetch the model", place, ["download-model", artifact]);
  const address = await mlcli("Serve it here", place, ["local", "deploy", "--port", "0", ...tag]);
  const port = ["--port", new URL(address).port];
  const body = join(place.directory, "flat.csv");
  await Deno.writeTextFile(body, "120,3,15,4.2\n");
  try {
    await mlcli("Ask it", place, ["local", "invoke", "flat.csv", "--accept", "text/csv", ...port]);
  } finally {
    // Not by the place's signal, which may be what ended it.
    await mlcli("Stop the server", { ...place, signal: new AbortController().signal }, [
      ...["local", "stop", ...port],
    ]);
  }
}

if (import.meta.main) runScript(main);
