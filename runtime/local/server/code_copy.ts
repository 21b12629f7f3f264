/**
 * A copy of the app's code in a container that is not started yet: a server of `--watch` goes on with
 * the code that it was started with, whatever is edited. With a mount, a worker that loads a moment
 * later would have the next version, or a broken one.
 */

import { join } from "@std/path/join";
import { tarBytes, type TarEntry } from "../../archive/writer.ts";
import { PATHS } from "../../contract/jobs.ts";
import type { Paths } from "../../app/paths.ts";
import type { Engine } from "../../docker/engine.ts";
import { fileErrorReason, MlcliError } from "../../errors.ts";
import { COMMON_PATH } from "../../contract/images.ts";
import type { MountedCode } from "../code.ts";
import { codeTree } from "../runs/working_copy.ts";
import type { Tree } from "../watch/tree.ts";

export interface CodeCopy {
  /** What is mounted all the same: directories with more files than anybody edits. */
  readonly mounted: MountedCode;
  /** Copies the rest into a container, which has not been started. */
  into(engine: Engine, id: string, signal: AbortSignal): Promise<void>;
}

/** A directory of code, and where a container has it. */
interface Part {
  readonly source: string;
  readonly target: string;
  readonly tree: Tree;
}

/**
 * Plans the copy.
 *
 * @param isForLinks whether directories without links are mounted.
 * @throws MlcliError for a broken link.
 */
export async function codeCopy(
  { codeFolder, commonFolder }: MountedCode,
  layout: Pick<Paths, "directory" | "boundary">,
  isForLinks = false,
): Promise<CodeCopy> {
  const copied = async (source: string | undefined, target: string) => {
    const tree = source === undefined ? undefined : await codeTree(source, layout);
    const isMounted = source === undefined || tree === undefined || isForLinks && !tree.hasLinks;
    return isMounted ? undefined : { source, target, tree };
  };
  const code = await copied(codeFolder, PATHS.code);
  const common = await copied(commonFolder, COMMON_PATH);
  const parts = [code, common].filter((part) => part !== undefined);
  return {
    mounted: {
      codeFolder: code === undefined ? codeFolder : undefined,
      commonFolder: common === undefined ? commonFolder : undefined,
    },
    async into(engine, id, signal): Promise<void> {
      if (parts.length === 0) return;
      const archive = ReadableStream.from(tarBytes(entries(parts), RULES));
      await engine.unpackInContainer(id, "/", archive, signal);
    },
  };
}

async function* entries(parts: readonly Part[]): AsyncGenerator<TarEntry, void, void> {
  for (const { source, target, tree } of parts) {
    const inside = (path: string): string => join(target, path).replaceAll("\\", "/").slice(1);
    for (const folder of [...tree.folders].sort()) {
      yield { type: "directory", path: inside(folder), mode: 0o755 };
    }
    for (const [file, state] of tree.files) {
      // One that leads in a circle.
      if (state.startsWith("link ")) {
        yield { type: "symlink", path: inside(file), target: state.slice("link ".length) };
      } else yield { type: "file", path: inside(file), source: join(source, file), shown: file };
    }
  }
}

/** As a mount shows it to the server, which may read all. */
const RULES = {
  mode: ({ mode }: Deno.FileInfo) => (mode ?? 0) & 0o111 ? 0o755 : 0o644,
  time: ({ mtime }: Deno.FileInfo) => mtime,
  // It is being edited: that is the next change.
  gone: () => undefined,
  gotShorter: (shown: string) => new MlcliError(`${shown} became shorter while being read`),
  cannotRead: (shown: string, cause: unknown) =>
    new MlcliError(`Cannot read ${shown}: ${fileErrorReason(cause)}`, { cause }),
};
