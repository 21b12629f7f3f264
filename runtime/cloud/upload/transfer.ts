import { isPassing, isRefusal } from "../../aws/errors.ts";
import type { S3 } from "../../aws/s3.ts";
import type { Context } from "../../context.ts";
import type { S3Address } from "../../contract/addresses.ts";
import { sortKeys } from "../../contract/keys.ts";
import { MlcliError } from "../../errors.ts";
import { counted } from "../../quantities.ts";
import { inOneLine, sentences } from "../../text.ts";
import { forcedEnd } from "../../time.ts";
import { inParallel } from "../in_parallel.ts";
import { Changed } from "./file_state.ts";
import type { Step } from "./plan.ts";
import { Budget, IN_FLIGHT, leftPartsWarnings, send, type Sending } from "./send.ts";

const AT_ONCE = 16;

/** After so many failures in a row, mlcli gives up. */
const MOST_FAILURES = 20;

const NAMED = 20;

export interface Done {
  files: number;
  bytes: number;
  unchanged: number;
  /** Bytes of the files that were there already. */
  unchangedBytes: number;
  /** Bytes that have arrived of unfinished files. */
  inParts: number;
  /** Keys of objects that have no file here. */
  readonly extras: string[];
}

interface Failed {
  readonly step: Step & { readonly kind: "file" };
  readonly error: MlcliError;
}

/**
 * Sends the files, several at once. One that fails is tried again at the end, and named if it fails again.
 *
 * @param keepsExtras whether to collect the keys of objects without a file.
 * @param onDone called after each file, and each part of a large one.
 * @throws MlcliError that names what could not be sent; Interrupted.
 */
export async function transfer(
  steps: AsyncIterable<Step>,
  sending: Sending,
  keepsExtras: boolean,
  onDone: (done: Done) => void,
): Promise<Done> {
  const done: Done = {
    files: 0,
    bytes: 0,
    unchanged: 0,
    unchangedBytes: 0,
    inParts: 0,
    extras: [],
  };
  let failures: Failed[] = [];
  let inRow = 0;
  const work = async (step: Step): Promise<void> => {
    if (step.kind === "extra") {
      if (keepsExtras) done.extras.push(step.object.key);
      return;
    }
    let inParts = 0;
    const onPart = (bytes: number): void => {
      inParts += bytes;
      done.inParts += bytes;
      onDone(done);
    };
    try {
      const { isUnchanged, bytes } = await send(step, sending, onPart)
        .finally(() => done.inParts -= inParts);
      done[isUnchanged ? "unchanged" : "files"]++;
      done[isUnchanged ? "unchangedBytes" : "bytes"] += bytes;
      inRow = 0;
      onDone(done);
    } catch (error) {
      if (!(error instanceof MlcliError) || failsForAll(error)) throw error;
      failures.push({ step, error });
      if (++inRow >= MOST_FAILURES) throw notSentError(failures, done, sending);
    }
  };
  await inParallel(steps, AT_ONCE, work);
  const again = failures.filter(({ error }) => mayPass(error));
  failures = failures.filter(({ error }) => !mayPass(error));
  inRow = 0;
  await inParallel(again.map(({ step }) => step), AT_ONCE, work);
  if (failures.length > 0) throw notSentError(failures, done, sending);
  return done;
}

/** Whether no file can be sent: wrong credentials, or no bucket. */
function failsForAll(error: MlcliError): boolean {
  return isRefusal(error, "credentials") || isRefusal(error, "not found");
}

function mayPass(error: MlcliError): boolean {
  return error instanceof Changed || isRefusal(error, "changed") || isPassing(error);
}

function notSentError(failed: readonly Failed[], done: Done, { target }: Sending): MlcliError {
  // In the order of the files, whichever failed first.
  const failures = sortKeys([...failed], ({ step }) => step.file.name);
  const [first] = failures;
  const arrived = done.files + done.unchanged;
  // None arrived, and all for the same reason: that error says enough.
  const isOneReason = failures.every(({ error }) => error.message === first!.error.message);
  if (arrived === 0 && isOneReason && isRefusal(first!.error, "denied")) return first!.error;
  const lines = failures.slice(0, NAMED).map(({ step, error }) =>
    `${inOneLine(step.file.shown)}: ${error.message}`
  );
  const more = failures.length - NAMED;
  if (more > 0) lines.push(`and ${more} more`);
  const others = arrived === 0
    ? undefined
    : `${counted(arrived, "other file")} ${arrived === 1 ? "is" : "are"} already in S3`;
  return new MlcliError(
    `Cannot upload ${counted(failures.length, "file")} to s3://${target.bucket}/${target.key}`,
    {
      quote: lines.join("\n"),
      hint: sentences(
        others,
        "Rerun the command to upload the rest",
        first!.error.hint && `For the first file: ${first!.error.hint}`,
      ),
      cause: first!.error,
    },
  );
}

/**
 * Uploads a file, whole or not at all. Retries after temporary failures, and warns of parts that stay in S3.
 *
 * @throws MlcliError; Interrupted.
 */
export async function sendFile(
  { path, shown }: { readonly path: string; readonly shown: string },
  { bucket, key }: S3Address,
  s3: S3,
  { interruption, messages }: Pick<Context, "interruption" | "messages">,
): Promise<void> {
  const slash = key.lastIndexOf("/") + 1;
  const target = { bucket, key: key.slice(0, slash) };
  const file = { name: key.slice(slash), path, shown };
  const steps = async function* () {
    yield { kind: "file", file, there: undefined } as const;
  };
  using last = forcedEnd(interruption);
  const left = leftPartsWarnings((message, hint) => messages.warning(message, hint));
  await transfer(
    steps(),
    { s3, target, budget: new Budget(IN_FLIGHT), force: last.signal, left },
    false,
    () => {},
  );
}
