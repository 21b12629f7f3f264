/**
 * Sends one file to an address.
 *
 * @module
 */

import type { S3 } from "../../aws/s3.ts";
import type { Interruption } from "../../context.ts";
import type { S3Address } from "../../contract/addresses.ts";
import { lastMoment } from "../../time.ts";
import { Budget } from "./budget.ts";
import { partsNews } from "./left_behind.ts";
import { transfer } from "./transfer.ts";

/** Bytes in memory on their way to the platform. */
export const IN_FLIGHT = 32 * 1024 ** 2;

/**
 * Sends a file, whole or not at all; what may pass is tried again.
 *
 * @param file its path, and what the user knows it by.
 * @param note told of parts that are left on the platform.
 * @throws MlcliError; Interrupted.
 */
export async function sendFile(
  { path, shown }: { readonly path: string; readonly shown: string },
  { bucket, key }: S3Address,
  s3: S3,
  interruption: Interruption,
  note: (text: string) => void,
): Promise<void> {
  const slash = key.lastIndexOf("/") + 1;
  const target = { bucket, key: key.slice(0, slash) };
  const file = { name: key.slice(slash), path, shown };
  const steps = async function* () {
    yield { kind: "file", file, there: undefined } as const;
  };
  using last = lastMoment(interruption);
  const news = partsNews((message, hint) => note(`${message}. ${hint}`));
  await transfer(
    steps(),
    { s3, target, budget: new Budget(IN_FLIGHT), force: last.signal, news },
    false,
    () => {},
  );
}
