/**
 * The model that an endpoint is to serve: an archive in S3, which is read, or a directory on this
 * machine, which is packed, tried here, and sent.
 *
 * @module
 */

import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { relative } from "@std/path/relative";
import type { App } from "../../app/app.ts";
import { requireNamed } from "../../app/named_path.ts";
import { absolutePath, leaves } from "../../app/typed_path.ts";
import type { Aws } from "../../aws/aws.ts";
import { isRefusal } from "../../aws/errors.ts";
import type { ObjectDetails, S3 } from "../../aws/s3.ts";
import type { Context } from "../../context.ts";
import type { ModelRoom } from "../../contract/instances.ts";
import { parseS3Uri, type S3Address, s3Uri, within } from "../../contract/addresses.ts";
import type { Variables } from "../../contract/variables.ts";
import { MlcliError, UsageError } from "../../errors.ts";
import { realPathOf } from "../../files.ts";
import { ARCHIVE } from "../../model/archive.ts";
import { inOneLine } from "../../text.ts";
import { ownBucket } from "../bucket_owner.ts";
import type { JobReport } from "../jobs/report.ts";
import { checkArchive } from "../preflight/archive.ts";
import { checkOutput } from "../preflight/data.ts";
import { tryServing } from "../preflight/serving.ts";
import { callsOf } from "../upload/dry_run.ts";
import { sendFile } from "../upload/send_file.ts";
import { archiveOf, type ModelArchive, type ModelDirectory } from "./packing.ts";
import type { ModelSource } from "./request.ts";

/** What the model is for. */
export interface ModelUse {
  readonly app: App;
  /** Tag of the app's image, which is tried with the model. */
  readonly tag: string;
  readonly endpoint: string;
  /** What the server gets: the user's own, and those that an update carries over. */
  readonly variables: Variables;
  /** How long the server may take until it answers /ping, in seconds. `undefined`: the platform's. */
  readonly healthCheckTimeout: number | undefined;
  /** What it is to run on; `undefined`: serverless. */
  readonly instanceType: string | undefined;
  /** Where it is unpacked: `roomFor` in `contract/instances.ts`. */
  readonly room: ModelRoom;
  /** Options that the user gave, and not the app's file alone: `--model`. */
  readonly typed: ReadonlySet<string>;
}

/** What getting a model ready may touch of the world. */
export type ModelHost = Pick<Context, "cwd" | "engine" | "interruption">;

/** A model that is checked. To be disposed of: a packed one lies in a temporary file. */
export interface ReadyModel extends AsyncDisposable {
  /** Where it lies in S3, or will after `send`. */
  readonly address: S3Address;
  /** Since when it lies there, to the second; `undefined` where it does not, or nobody may ask. */
  readonly lastModified: Date | undefined;
  /** What `send` will ask of S3: `{ PutObject: 1 }`. Nothing where the archive is there. */
  readonly calls: Readonly<Record<string, number>>;
  /** Sends a packed model, unless it is there. To be called when all else is checked. */
  send(): Promise<void>;
}

/**
 * Gets a model ready; nothing is changed on the platform before `send`. To be called when the image is
 * checked (`imageForJob`): a directory's server is the engine's image of that name.
 *
 * @throws MlcliError for what would go wrong; UsageError where nobody says where a packed model is to
 * go; Interrupted.
 */
export async function modelFor(
  source: ModelSource,
  use: ModelUse,
  aws: Pick<Aws, "s3" | "sts">,
  host: ModelHost,
  report: Pick<JobReport, "note" | "progress">,
): Promise<ReadyModel> {
  const note = (text: string): void => report.note(text);
  const { signal } = host.interruption;
  if ("address" in source) {
    const { address } = source;
    const there = await checkArchive(await aws.s3(), address, use.room, note, signal);
    return {
      address,
      lastModified: there?.lastModified,
      calls: {},
      async send() {},
      async [Symbol.asyncDispose]() {},
    };
  }
  const place = placeOf(use);
  const directory = await directoryOf(source.directory, use, host);
  const s3 = await ownS3(aws, place, use, note);
  report.progress(`Packing ${inOneLine(directory.shown)}`);
  const archive = await archiveOf(directory, use.room, note, signal);
  try {
    return await readyToSend(archive, place, s3, use, host, report);
  } catch (error) {
    await archive[Symbol.asyncDispose]();
    throw error;
  }
}

/** Tries an archive of this machine, and finds out whether it has been sent. */
async function readyToSend(
  archive: ModelArchive,
  place: S3Address,
  s3: S3,
  use: ModelUse,
  host: ModelHost,
  report: Pick<JobReport, "note" | "progress">,
): Promise<ReadyModel> {
  const { app, tag, variables, healthCheckTimeout: seconds, instanceType } = use;
  if (await fillsDisks(archive)) {
    report.note("The model is not tried here: its archive becomes far more than it is");
  } else {
    report.progress("Trying the model here");
    const region = s3.region.value;
    const trial = { app, tag, archive: archive.path, variables, region, seconds, instanceType };
    await tryServing(trial, host, (text) => report.note(text));
  }
  // Another model never takes the place of one that an endpoint uses.
  const address = within(place, `${archive.sha256.slice(0, 16)}/${ARCHIVE}`);
  const there = await sent(s3, address, archive);
  return {
    address,
    lastModified: there?.lastModified,
    calls: there === undefined ? callsOf(archive.bytes) : {},
    async send() {
      if (there !== undefined) return;
      report.progress(`Sending the model to ${s3Uri(address)}`);
      const { path, shown } = archive;
      await sendFile({ path, shown }, address, s3, host.interruption, (text) => {
        report.note(text);
      });
      // It stays there, whatever becomes of the endpoint.
      report.note(`Sent the model to ${s3Uri(address)}`);
    },
    [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose](),
  };
}

/** Whether an archive, which may be anybody's, is one that `local deploy` would not unpack either. */
async function fillsDisks({ bytes, becomes }: ModelArchive): Promise<boolean> {
  const { limitsOf } = await import("../../archive/unpack.ts");
  const most = limitsOf(bytes);
  return becomes.entries > most.entries || becomes.bytes > most.bytes;
}

/** The archive in S3, where it has been sent before; `undefined` where it has not, or nobody may ask. */
async function sent(
  s3: S3,
  address: S3Address,
  { bytes }: ModelArchive,
): Promise<ObjectDetails | undefined> {
  try {
    const details = await s3.describeObject(address);
    return details.size === bytes ? details : undefined;
  } catch (error) {
    if (isRefusal(error, "not found") || isRefusal(error, "denied")) return undefined;
    throw error;
  }
}

/**
 * Where packed models of an endpoint go.
 * @throws UsageError where nobody says that.
 */
function placeOf({ app, endpoint }: ModelUse): S3Address {
  const file = basename(app.configurationPath);
  const { s3Prefix } = app.configuration;
  const prefix = s3Prefix === undefined ? undefined : parseS3Uri(s3Prefix);
  if (prefix !== undefined) return within(prefix, `models/${endpoint}`);
  throw new UsageError(`There is no place for the packed model: "s3_prefix" is not set.`, {
    hint:
      `Add "s3_prefix": "s3://BUCKET/PREFIX" to ${file}, below which all data of the app lies; ` +
      "or name an archive that is in S3: --model s3://...",
  });
}

/** S3, which takes the model in a bucket of the caller's account alone: only the file names it. */
async function ownS3(
  aws: Pick<Aws, "s3" | "sts">,
  place: S3Address,
  { app }: ModelUse,
  note: (text: string) => void,
): Promise<S3> {
  await checkOutput(await aws.s3(), place, note, "the endpoint");
  const where = `"s3_prefix" in ${basename(app.configurationPath)}`;
  const flag = "send the packed model there, mlcli upload-data -i model.tar.gz --target-dir";
  return (await ownBucket(aws, { address: place, where, flag })).s3;
}

/** @throws MlcliError where the app's file names what is not the app's. */
async function directoryOf(
  typed: string,
  { app, typed: options }: ModelUse,
  { cwd }: ModelHost,
): Promise<ModelDirectory> {
  if (options.has("--model")) {
    await requireNamed(cwd, typed, "--model ");
    return { path: absolutePath(cwd, typed), shown: typed };
  }
  const path = absolutePath(dirname(app.configurationPath), typed);
  const real = await realPathOf(path);
  const inner = relative(app.boundary, real);
  if (!leaves(inner)) return { path, shown: typed };
  throw new MlcliError(
    `"model" in ${basename(app.configurationPath)} leads out of ${app.boundary}, to ${
      inOneLine(real)
    }`,
    { hint: "If you mean it, name it yourself: --model DIR" },
  );
}
