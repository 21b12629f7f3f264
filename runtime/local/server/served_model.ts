import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { Paths } from "../../app/paths.ts";
import { nodesIn } from "../../app/links.ts";
import { requireNoPointer } from "../../app/pointers.ts";
import { typedPath } from "../../app/typed_path.ts";
import { MODEL_CODE } from "../../contract/launch.ts";
import { linkOrCopy, lstatIfThere, removeTreeIfThere, setMode } from "../../files.ts";
import type { Messages } from "../../messages.ts";
import type { TarEntry } from "../../archive/writer.ts";
import { modelArchiveIn } from "../../model/archive.ts";
import { modelFiles } from "../../model/files.ts";
import { replacedText, withoutCode } from "../../source/with_code.ts";
import { makeInJobs, UNPACKED } from "../../model/runs.ts";
import type { PackedCode } from "../../source/source.ts";
import { listed } from "../../text.ts";
import { unpackCode } from "../sent_code.ts";
import type { Server } from "./servers.ts";

/** Directory, named after a server's model, with pip's files of this machine's network settings. */
export function networkFolderOf(modelFolder: string): string {
  return `${modelFolder}.network`;
}

/**
 * Returns the directory on this machine to mount for a server: the model's directory, or a new one. The new
 * one contains a view of the model with the code, or the unpacked archive. It is in the app's directory,
 * because every engine can see that. The server needs it as long as its container exists. The code that
 * removes the container also removes it (`removeUnpacked`).
 *
 * @param server the container's name.
 * @param code replaces the model's own `code/`, with a note.
 * @throws MlcliError if the archive cannot be unpacked; the signal's reason. Then no directory is left.
 */
export async function servedModel(
  layout: Paths,
  model: string,
  server: string,
  code: PackedCode | undefined,
  messages: Pick<Messages, "note">,
  signal: AbortSignal,
): Promise<string> {
  const archive = await modelArchiveIn(model);
  if (archive !== undefined) requireNoPointer(archive, typedPath(layout, archive));
  else if (code === undefined && !needsView(layout, model)) return model;
  const parent = await makeInJobs(layout, UNPACKED);
  const target = join(parent, `${server}-${crypto.randomUUID().slice(0, 8)}`);
  try {
    if (archive !== undefined) await unpackedModel(layout, archive, target, signal);
    const replaces = archive === undefined
      ? await viewOf(model, typedPath(layout, model), target, {
        signal,
        messages,
        keepsCode: code === undefined,
      })
      : code !== undefined && await removeCode(target);
    if (code !== undefined) {
      if (replaces) messages.note(replacedText(typedPath(layout, archive ?? model), code));
      await unpackCode(code, join(target, MODEL_CODE));
    }
    return target;
  } catch (error) {
    await removeUnpacked({ modelFolder: target });
    throw error;
  }
}

async function removeCode(model: string): Promise<boolean> {
  const path = join(model, MODEL_CODE);
  if (await lstatIfThere(path) === undefined) return false;
  await removeTreeIfThere(path);
  return true;
}

const ROOT: TarEntry = { type: "directory", path: "", mode: 0o755 };

/**
 * Returns whether a model has links, of which a container would see nothing.
 *
 * @throws MlcliError for pointers to files that were not fetched.
 */
function needsView(layout: Paths, model: string): boolean {
  let hasLinks = false;
  for (
    const { path, source, kind, isLink } of nodesIn(model, Deno.realPathSync(model)).take(MOST)
  ) {
    hasLinks ||= isLink;
    if (kind === "file") requireNoPointer(source, typedPath(layout, join(model, path)));
  }
  return hasLinks;
}

/** How many entries of a model are looked at before it is served. */
const MOST = 20_000;

/**
 * Copies a model with its link targets: by hard links, else copies.
 *
 * @param keepsCode whether with its `code/`.
 * @returns whether it has a `code/` that was left out.
 * @throws MlcliError for a model that could not be packed for SageMaker either.
 */
async function viewOf(
  model: string,
  shown: string,
  target: string,
  { signal, messages, keepsCode }: {
    readonly signal: AbortSignal;
    readonly messages: Pick<Messages, "note">;
    readonly keepsCode: boolean;
  },
): Promise<boolean> {
  const { entries, privateFiles } = await modelFiles(model, shown, signal);
  if (privateFiles.length > 0) {
    messages.note(`Not served because they might contain secrets: ${listed(privateFiles)}`);
  }
  const others = keepsCode ? entries : withoutCode(entries);
  for (const entry of [ROOT, ...others]) {
    signal.throwIfAborted();
    const path = join(target, entry.path);
    if (entry.type === "directory") {
      await Deno.mkdir(path);
      await setMode(path, 0o755);
    } else if (entry.type === "file") {
      await linkOrCopy(entry.source, path);
    }
  }
  return others.length < entries.length;
}

/** The same, with a directory of the caller's to unpack into, which is not there yet. */
export async function modelIn(
  layout: Paths,
  target: string,
  signal: AbortSignal,
): Promise<string> {
  const archive = await modelArchiveIn(layout.model);
  return archive === undefined
    ? layout.model
    : await unpackedModel(layout, archive, target, signal);
}

async function unpackedModel(
  layout: Paths,
  archive: string,
  target: string,
  signal: AbortSignal,
): Promise<string> {
  // Loaded where it is needed: it brings libraries.
  const { unpackModel } = await import("../../archive/unpack.ts");
  await unpackModel(archive, target, typedPath(layout, archive), signal);
  return target;
}

/** Removes what was unpacked for a server whose container is gone. A failure is not the server's. */
export async function removeUnpacked(
  { modelFolder = "" }: Pick<Server, "modelFolder">,
): Promise<void> {
  const parent = dirname(modelFolder);
  if (basename(parent) !== UNPACKED || basename(dirname(parent)) !== "jobs") return;
  await removeTreeIfThere(modelFolder).catch(() => {});
  await removeTreeIfThere(networkFolderOf(modelFolder)).catch(() => {});
  await Deno.remove(parent).catch(() => {});
}
