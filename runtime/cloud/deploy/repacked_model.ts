/** Adds the user's code to an archive in S3: downloads, changes and uploads it as one stream. */

import { isAgreed } from "../../agreement.ts";
import type { ObjectDetails, S3 } from "../../aws/s3.ts";
import { ifAllowed } from "../../aws/errors.ts";
import { ArchiveCheck } from "../../archive/entries.ts";
import { NO_FILES, packed } from "../../archive/pack.ts";
import { type S3Address, s3Uri, within } from "../../contract/addresses.ts";
import type { ModelRoom } from "../../contract/instances.ts";
import { MlcliError, UsageError } from "../../errors.ts";
import { ARCHIVE } from "../../model/archive.ts";
import type { PackedCode } from "../../source/source.ts";
import { sha256 } from "../../text.ts";
import { forcedEnd } from "../../time.ts";
import { rangesOf } from "../download/fetch_object.ts";
import { partSizeOf } from "../upload/plan.ts";
import { Budget, IN_FLIGHT, leftPartsWarnings, piecesOfStream, sendParts } from "../upload/send.ts";
import { entriesWithCode } from "./code_adding.ts";
import { asItIs, type ModelContext, type ReadyModel } from "./ready_model.ts";

/** Without being asked, nobody wants more to go both ways over their network, in bytes. */
const LARGE = 1024 ** 3;

/** How many ranges are being fetched, or in memory. */
const AT_ONCE = 3;

/** An archive that was checked; `there` is `undefined` where it may not be described. */
interface Found {
  readonly s3: S3;
  readonly address: S3Address;
  readonly there: ObjectDetails | undefined;
}

/** Where packed models of the endpoint go. */
interface Target {
  readonly s3: S3;
  readonly place: S3Address;
}

/**
 * The archive with the code: its key is made of the archive's ETag and the code's hash, so that what
 * was sent once is not sent again.
 *
 * @throws UsageError for a large one that nobody agreed to; MlcliError where it may not be read.
 */
export async function withCodeInS3(
  { s3, address, there: source }: Found,
  code: PackedCode,
  target: Target,
  room: ModelRoom,
  context: ModelContext,
): Promise<ReadyModel> {
  if (source === undefined) {
    throw new MlcliError(
      `Cannot add code to ${s3Uri(address)}: access denied`,
      {
        hint: "Add the permission s3:GetObject. If the archive has code/, omit --entry-point.",
      },
    );
  }
  // The code in it is this one already, whatever archive it came from.
  if (source.metadata[CODE] === code.hash) return asItIs(address, source.lastModified);
  const key = (await sha256(`${source.etag} ${code.hash}`)).slice(0, 16);
  const made = within(target.place, `${key}/${ARCHIVE}`);
  const found = await ifAllowed(target.s3.describeObject(made), () => {});
  // Something else was put there.
  const there = found?.metadata[CODE] === code.hash ? found : undefined;
  if (there === undefined) await requireAgreed(source.size, address, context);
  // It may get larger: it is compressed less.
  const most = 2 * source.size + code.archive.length;
  const partSize = partSizeOf(most);
  const parts = Math.ceil((source.size + code.archive.length) / partSize);
  return {
    address: made,
    // What somebody else put there is newer than any model.
    lastModified: there ? there.lastModified : found && NEWEST,
    calls: there === undefined
      ? { CreateMultipartUpload: 1, UploadPart: parts, CompleteMultipartUpload: 1 }
      : {},
    async send() {
      if (there !== undefined) return;
      const sending = {
        from: { s3, address, source },
        code,
        target: target.s3,
        made,
        room,
        partSize,
      };
      const limits = [most, Infinity];
      for (const [attempt, limit] of limits.entries()) {
        try {
          await sendWithCode(sending, { limit, isCompressed: attempt > 0 }, context);
          break;
        } catch (error) {
          if (!(error instanceof Larger)) throw error;
        }
      }
      context.host.messages.state(`Uploaded the model with the code to ${s3Uri(made)}`);
    },
    async [Symbol.asyncDispose]() {},
  };
}

const NEWEST = new Date(8.64e15);

/** The new archive, which is not compressed, is larger than the limit. */
class Larger extends Error {}

/** In the metadata of the object: the hash of the code. */
const CODE = "mlcli-code";

async function sendWithCode(
  { from: { s3, address, source }, code, target, made, room, partSize }: {
    readonly from: { readonly s3: S3; readonly address: S3Address; readonly source: ObjectDetails };
    readonly code: PackedCode;
    readonly target: S3;
    readonly made: S3Address;
    readonly room: ModelRoom;
    readonly partSize: number;
  },
  { limit, isCompressed }: { readonly limit: number; readonly isCompressed: boolean },
  { host: { interruption, messages, waiting } }: ModelContext,
): Promise<void> {
  const note = (text: string): void => messages.note(text);
  const adding = { shown: s3Uri(address), code, room, note, signal: interruption.signal };
  const fetched = rangesOf(s3, address, source, AT_ONCE);
  const entries = entriesWithCode(fetched, new ArchiveCheck(room), adding);
  using last = forcedEnd(interruption);
  const left = leftPartsWarnings((message, hint) => messages.warning(message, hint));
  const bytes = packed(entries, NO_FILES, isCompressed);
  const pieces = piecesOfStream(bytes, partSize, new Budget(IN_FLIGHT));
  const sending = { s3: target, force: last.signal, left, metadata: { [CODE]: code.hash } };
  const words = "Adding the code to the model";
  let sent = 0;
  waiting.show(words);
  await sendParts(pieces, made, () => {}, sending, (length) => {
    sent += length;
    if (sent > limit) throw new Larger();
    waiting.show(`${words}: ${sizeText(sent)} of ${sizeText(source.size)}`);
  });
}

async function requireAgreed(
  size: number,
  address: S3Address,
  { request: { repack, dryRun }, host }: ModelContext,
): Promise<void> {
  if (size <= LARGE || repack || dryRun) return;
  const what = `To add the code, mlcli downloads and uploads ${s3Uri(address)} (${sizeText(size)})`;
  const question = `${what}. Continue?`;
  if (await isAgreed(question, host)) return;
  throw new UsageError(`${what}, which requires --repack`, {
    hint: "To agree, use --repack. On a slow network, put the code into code/ of the model's " +
      "archive yourself, and omit --entry-point.",
  });
}

function sizeText(bytes: number): string {
  return bytes >= 1024 ** 3
    ? `${(bytes / 1024 ** 3).toFixed(1)} GB`
    : `${Math.ceil(bytes / 1024 ** 2)} MB`;
}
