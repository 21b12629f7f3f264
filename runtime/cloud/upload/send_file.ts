/**
 * Sends one file to an address.
 *
 * @module
 */

import type { S3 } from "../../aws/s3.ts";
import { shellWord } from "../../app/typed_path.ts";
import { type S3Address, s3Uri } from "../../contract/s3_uri.ts";
import { Budget } from "./budget.ts";
import { transfer } from "./transfer.ts";

/** Bytes in memory on their way to the platform. */
export const IN_FLIGHT = 32 * 1024 ** 2;

/**
 * Sends a file, whole or not at all; what may pass is tried again.
 *
 * @param file its path, and what the user knows it by.
 * @param force aborted by the second Ctrl-C.
 * @param note told of what could not be taken back.
 * @throws MlcliError; Interrupted.
 */
export async function sendFile(
  { path, shown }: { readonly path: string; readonly shown: string },
  { bucket, key }: S3Address,
  s3: S3,
  force: AbortSignal,
  note: (text: string) => void,
): Promise<void> {
  const slash = key.lastIndexOf("/") + 1;
  const target = { bucket, key: key.slice(0, slash) };
  const file = { name: key.slice(slash), path, shown };
  const steps = async function* () {
    yield { kind: "file", file, there: undefined } as const;
  };
  const leftBehind = (there: { readonly key: string; readonly id: string }): void =>
    note(leftBehindWords(bucket, there).join(". "));
  await transfer(
    steps(),
    { s3, target, budget: new Budget(IN_FLIGHT), force, leftBehind },
    false,
    () => {},
  );
}

/** What is said of parts that stay on the platform, and what to do about them. */
export function leftBehindWords(
  bucket: string,
  { key, id }: { readonly key: string; readonly id: string },
): readonly [message: string, hint: string] {
  return [
    `Parts of ${s3Uri({ bucket, key })} could not be taken back`,
    `They cost until they are removed: aws s3api abort-multipart-upload --bucket ` +
    `${bucket} --key ${shellWord(key)} --upload-id ${shellWord(id)}`,
  ];
}
