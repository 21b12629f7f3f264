import { basename } from "@std/path/basename";
import { requireInside } from "../../app/confinement.ts";
import { placeNamed } from "../../app/named_path.ts";
import { typedPath } from "../../app/typed_path.ts";
import { ifAllowed } from "../../aws/errors.ts";
import type { S3 } from "../../aws/s3.ts";
import { type S3Address, s3Uri, within } from "../../contract/addresses.ts";
import { UsageError } from "../../errors.ts";
import { inOneLine } from "../../text.ts";
import { packCode } from "../../source/source.ts";
import { failedRunWarning } from "../../model/kept_models.ts";
import { versionOf } from "../../model/version_of.ts";
import { ARCHIVE } from "../../model/archive.ts";
import { ownBucket, type Place } from "../bucket_owner.ts";
import { checkArchive, checkPrefix } from "../preflight/archive.ts";
import { checkBucket } from "../preflight/data.ts";
import { tryServing } from "../preflight/serving.ts";
import { belowPrefix } from "../start/checks.ts";
import { callsOf } from "../upload/plan.ts";
import { sendFile } from "../upload/transfer.ts";
import { archiveOf, archiveOfCode, type ModelArchive, type ModelDirectory } from "./packing.ts";
import { asItIs, type ModelContext, type ModelUse, type ReadyModel } from "./ready_model.ts";
import type { ModelSource } from "./request.ts";

/**
 * Prepares the model of an endpoint: reads an archive in S3; or packs a local directory, tests it locally and
 * sends it. Changes nothing on SageMaker before `send`. Call it after `imageForJob`, because the server for a
 * directory uses the engine's image of that name.
 *
 * @throws MlcliError for a model that would fail; UsageError if no setting says where to send a packed model;
 * Interrupted.
 */
export async function modelFor(use: ModelUse, context: ModelContext): Promise<ReadyModel> {
  const { request: { code: asked }, aws, host } = context;
  const { model, room } = use;
  const note = (text: string): void => host.messages.note(text);
  const { signal } = host.interruption;
  const code = asked && await packCode([asked], asked.entryPoint, { note });
  if (model === undefined && code === undefined) return asItIs(undefined);
  if (model !== undefined && "address" in model) {
    const { address } = model;
    const s3 = await aws.s3();
    if (address.key.endsWith("/")) {
      await checkPrefix(s3, address, room, note);
      return asItIs(address);
    }
    const there = await checkArchive(s3, address, room, note, signal);
    if (code === undefined) return asItIs(address, there?.lastModified);
    const place = placeOf(use.endpoint, context);
    const to = await checkedS3(place, context);
    const { withCodeInS3 } = await import("./repacked_model.ts");
    return await withCodeInS3(
      { s3, address, there },
      code,
      { s3: to, place: place.value },
      room,
      context,
    );
  }
  const place = placeOf(use.endpoint, context);
  const directory = model && await directoryOf(model, context);
  const s3 = await checkedS3(place, context);
  host.waiting.show(`Packing ${inOneLine(directory?.shown ?? code!.source.shown)}`);
  const archive = directory
    ? await archiveOf(directory, room, note, signal, code)
    : await archiveOfCode(code!, signal);
  try {
    return await readyToSend(archive, place.value, s3, use, context);
  } catch (error) {
    await archive[Symbol.asyncDispose]();
    throw error;
  }
}

/** Tests an archive on this machine, and finds out whether it has been sent before. */
async function readyToSend(
  archive: ModelArchive,
  place: S3Address,
  s3: S3,
  { variables, healthCheckTimeout: seconds, instanceType }: ModelUse,
  { request: { app }, host }: ModelContext,
): Promise<ReadyModel> {
  const { path, shown, bytes, sha256 } = archive;
  const { messages, waiting } = host;
  if (await exceedsLimits(archive)) {
    messages.note(
      "Skipped the local test of the model: unpacked, it is far larger than its archive",
    );
  } else {
    waiting.show("Testing the model locally");
    const region = s3.region.value;
    const trial = { app, archive: path, variables, region, seconds, instanceType };
    await tryServing(trial, host, (text) => messages.note(text));
  }
  // Each model has its own address, because an endpoint might use the previous one.
  const address = within(place, `${sha256.slice(0, 16)}/${ARCHIVE}`);
  const found = await ifAllowed(s3.describeObject(address), () => {});
  const there = found?.size === bytes ? found : undefined;
  return {
    address,
    lastModified: there?.lastModified,
    calls: there === undefined ? callsOf(bytes) : {},
    async send() {
      if (there !== undefined) return;
      waiting.show(`Uploading the model to ${s3Uri(address)}`);
      await sendFile({ path, shown }, address, s3, host);
      // The archive stays if the deployment fails.
      messages.state(`Uploaded the model to ${s3Uri(address)}`);
    },
    [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose](),
  };
}

/** Whether an archive exceeds the limits up to which `local deploy` unpacks archives. */
async function exceedsLimits({ bytes, unpacked }: ModelArchive): Promise<boolean> {
  const { limitsOf } = await import("../../archive/unpack.ts");
  const most = limitsOf(bytes);
  return unpacked.entries > most.entries || unpacked.bytes > most.bytes;
}

/**
 * Where packed models of an endpoint go.
 * @throws UsageError where nobody says that.
 */
function placeOf(endpoint: string, { request: { app } }: ModelContext): Place {
  const flag = "mlcli upload-data -i model.tar.gz --target-dir";
  const place = belowPrefix(app, `models/${endpoint}`);
  if (place !== undefined) return { ...place, flag };
  throw new UsageError('Cannot upload the model: "s3_prefix" is not set', {
    hint: `Add "s3_prefix": "s3://BUCKET/PREFIX" to ${basename(app.configurationPath)}. Or ` +
      "use an archive in S3 without --entry-point: --model s3://.../model.tar.gz",
  });
}

/** S3, for buckets of the caller's own account only: the app's file names the bucket. */
async function checkedS3(
  place: Place,
  { aws, host: { messages } }: Pick<ModelContext, "aws" | "host">,
): Promise<S3> {
  await checkBucket(await aws.s3(), place.value, (text) => messages.note(text), "the endpoint");
  return (await ownBucket(aws, place)).s3;
}

/** @throws MlcliError if the app's file names a directory outside the repository. */
async function directoryOf(
  model: Exclude<ModelSource, { readonly address: S3Address }>,
  { request: { app, model: typed }, host: { messages } }: ModelContext,
): Promise<ModelDirectory> {
  if ("run" in model) {
    const layout = app.paths;
    await requireInside(layout, [layout.base, layout.localTest, layout.jobs, layout.model]);
    const { run, model: path } = await versionOf(layout, model.run);
    const warning = await failedRunWarning(layout, run);
    if (warning !== undefined) messages.warning(warning, `See why: mlcli local describe ${run}`);
    return { path, shown: typedPath(app, path) };
  }
  const named = { ...typed!, value: model.directory };
  return await placeNamed(app, { named, option: "--model", key: "model" });
}
