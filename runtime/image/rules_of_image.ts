/** Which of SageMaker's rules an image breaks, by its configuration and its files. Nothing of it runs. */

import { Refusal } from "../archive/entries.ts";
import { tarEntriesOf } from "../archive/reader.ts";
import {
  brokenRules,
  type FileInImage,
  filesToLookAt,
  HIDDEN,
  LOOKED_AT,
} from "../contract/image_rules.ts";
import type { Engine } from "../docker/engine.ts";
import { EngineError } from "../docker/errors.ts";
import type { ImageDetails } from "../docker/images.ts";
import { lookInto } from "../docker/look.ts";
import type { Message } from "../messages.ts";

/** How much of an archive of the engine's is read, in bytes: thousands of directories without a file. */
const MOST = 16 * 1024 ** 2;

/**
 * @param reference of the engine's image: `churn:latest`.
 * @throws MlcliError if the engine does not show its files; the signal's reason.
 */
export async function rulesBrokenBy(
  engine: Engine,
  reference: string,
  { Config = {} }: Pick<ImageDetails, "Config">,
  signal: AbortSignal,
): Promise<readonly Message[]> {
  return await lookInto(engine, reference, async (id) => {
    const files = new Map<string, FileInImage>();
    for (const path of filesToLookAt(Config)) {
      signal.throwIfAborted();
      const file = await readable(fileAt(engine, id, path, signal));
      if (file !== undefined) files.set(path, file);
    }
    const hidden: string[] = [];
    for (const folder of HIDDEN) {
      const file = await readable(firstFileIn(engine, id, folder, signal));
      if (file !== undefined) hidden.push(file);
    }
    return brokenRules(reference, Config, { files, hidden });
  });
}

/** What the engine cannot show, below a file or behind a link in a circle, SageMaker cannot start. */
async function readable<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error) => {
    if (!(error instanceof EngineError || error instanceof Refusal)) throw error;
    return undefined;
  });
}

async function fileAt(
  engine: Engine,
  id: string,
  path: string,
  signal: AbortSignal,
): Promise<FileInImage | undefined> {
  const found = await engine.pathInContainer(id, path);
  const real = found?.target ?? path;
  const file = found?.target === undefined ? found : await engine.pathInContainer(id, real);
  if (file === undefined || file.isDirectory) return undefined;
  let start = "";
  for await (const { content } of tarEntriesOf(await engine.archiveOf(id, real), MOST, signal)) {
    const decoder = new TextDecoder("latin1");
    for await (const bytes of content) {
      start += decoder.decode(bytes, { stream: true });
      if (start.length >= LOOKED_AT) break;
    }
    break;
  }
  return { isExecutable: file.isExecutable, start: start.slice(0, LOOKED_AT) };
}

/** The path of a file, or of a link, at any depth. */
async function firstFileIn(
  engine: Engine,
  id: string,
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!(await engine.pathInContainer(id, folder))?.isDirectory) return undefined;
  const parent = folder.slice(0, folder.lastIndexOf("/") + 1);
  for await (const { header } of tarEntriesOf(await engine.archiveOf(id, folder), MOST, signal)) {
    // Names begin with the folder's own.
    if (header.type !== "directory") return parent + header.name;
  }
  return undefined;
}
