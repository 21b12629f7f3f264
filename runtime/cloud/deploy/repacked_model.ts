/** An archive in S3 that is packed anew with the user's code: fetched, changed and sent as one stream. */

import type { S3, StoredObject } from "../../aws/s3.ts";
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
import { callsOf, partSizeOf } from "../upload/plan.ts";
import { Budget, IN_FLIGHT, leftPartsWarnings, piecesOfStream, sendParts } from "../upload/send.ts";
import { entriesWithCode } from "./code_adding.ts";
import type { ModelContext, ReadyModel } from "./ready_model.ts";

/** Without being asked, nobody wants more to go both ways over their network, in bytes. */
const LARGE = 1024 ** 3;

/** How many ranges are being fetched, or in memory. */
const AT_ONCE = 3;

/** An archive that was checked; `there` is `undefined` where it may not be described. */
interface Found {
  readonly s3: S3;
  readonly address: S3Address;
  readonly there: Omit<StoredObject, "key"> | undefined;
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
      `Code can only be added to an archive that may be read: ${s3Uri(address)}`,
      {
        hint: "It takes s3:GetObject. An archive that has code/ already needs no --entry-point.",
      },
    );
  }
  const { host, report } = context;
  const note = (text: string): void => report.note(text);
  const key = (await sha256(`${source.etag} ${code.hash}`)).slice(0, 16);
  const made = within(target.place, `${key}/${ARCHIVE}`);
  const found = await ifAllowed(target.s3.describeObject(made), () => {});
  if (found === undefined) await requireAgreed(source.size, address, context);
  return {
    address: made,
    lastModified: found?.lastModified,
    calls: found === undefined ? callsOf(source.size + code.archive.length) : {},
    async send() {
      if (found !== undefined) return;
      const { signal } = host.interruption;
      const fetched = rangesOf(s3, address, source, AT_ONCE);
      const adding = { shown: s3Uri(address), code, room, note, signal };
      const entries = entriesWithCode(fetched, new ArchiveCheck(room), adding);
      using last = forcedEnd(host.interruption);
      const left = leftPartsWarnings((message, hint) => note(`${message}. ${hint}`));
      // It may get larger: it is compressed less.
      const size = partSizeOf(2 * source.size + code.archive.length);
      const pieces = piecesOfStream(packed(entries, NO_FILES), size, new Budget(IN_FLIGHT));
      let sent = 0;
      report.progress(`Adding the code to the model`);
      await sendParts(
        pieces,
        made,
        () => {},
        { s3: target.s3, force: last.signal, left },
        (bytes) => {
          sent += bytes;
          report.progress(
            `Adding the code to the model: ${sizeText(sent)} of ${sizeText(source.size)}`,
          );
        },
      );
      note(`Sent the model with the code to ${s3Uri(made)}`);
    },
    async [Symbol.asyncDispose]() {},
  };
}

async function requireAgreed(
  size: number,
  address: S3Address,
  { request: { repacks, dryRun }, host }: ModelContext,
): Promise<void> {
  if (size <= LARGE || repacks || dryRun) return;
  const what = `${s3Uri(address)} has ${sizeText(size)}`;
  const answer = await host.ask(
    `${what}, which are fetched and sent again with the code. Go on? [y/N]`,
    "n",
  );
  if (/^y(es)?$/i.test(answer ?? "")) return;
  throw new UsageError(`${what}: to add the code, it is fetched and sent again.`, {
    hint:
      "--repack agrees to that. Where the network is slow: pack the model with code/ where it " +
      "is trained, and leave --entry-point out.",
  });
}

function sizeText(bytes: number): string {
  return bytes >= 1024 ** 3
    ? `${(bytes / 1024 ** 3).toFixed(1)} GB`
    : `${Math.ceil(bytes / 1024 ** 2)} MB`;
}
