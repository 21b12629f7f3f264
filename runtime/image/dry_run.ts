/** `mlcli build --dry-run`: what would be sent and built. No engine is asked. */

import { baseImages } from "../app/dockerfile/stages.ts";
import type { Finding } from "../app/image.ts";
import { cannotRead } from "../app/private_files.ts";
import type { TarEntry } from "../archive/writer.ts";
import type { Context } from "../context.ts";
import { contextEntries } from "./build_context.ts";
import { ownContextEntries } from "./own_context.ts";
import { prepare } from "./prepare.ts";
import type { BuildRequest } from "./request.ts";

/** How many names of what stays out are told. */
const MOST_NAMES = 100;

export interface BuildPlan {
  /** For JSON. */
  readonly plan: Readonly<Record<string, unknown>>;
  readonly warnings: readonly Finding[];
}

/** @throws MlcliError where the app lacks something, or a file cannot be read. */
export async function planBuild(
  request: BuildRequest,
  host: Pick<Context, "env" | "system">,
): Promise<BuildPlan> {
  const { app } = request;
  const { own, dockerfile, stage, buildArguments, network, ...known } = await prepare(
    request,
    host,
  );
  let leftOut: Readonly<Record<string, unknown>> = {};
  const onLeftOut = (ofPrivate: readonly string[], ignored: readonly string[]): void => {
    leftOut = { ignored: bounded(ignored), private: bounded(ofPrivate) };
  };
  const entries = own
    ? await ownContextEntries(app, own, dockerfile, onLeftOut)
    : await contextEntries(app, onLeftOut, { dockerfile, network: () => network.entries });
  const sent: SentFile[] = [];
  for await (const entry of entries) sent.push(...await sentFile(entry));
  const { images, hasUnknown } = baseImages(known.instructions, buildArguments, stage);
  return {
    plan: {
      image: known.reference,
      dockerfile: dockerfile.shown,
      target: stage ?? null,
      platform: known.platform ?? null,
      base_images: images.map(({ reference }) => reference),
      // One whose name only the builder knows.
      has_unknown_base_image: hasUnknown,
      // Their values may be secrets.
      build_arguments: Object.keys(buildArguments).sort(),
      send: sent,
      files: sent.length,
      bytes: sent.reduce((sum, { bytes }) => sum + bytes, 0),
      ...leftOut,
    },
    warnings: [...known.unused, ...network.warnings],
  };
}

interface SentFile {
  /** In the context. */
  readonly path: string;
  readonly bytes: number;
}

/** None of a directory, and where a file has gone. */
async function sentFile(entry: TarEntry): Promise<readonly SentFile[]> {
  const { type, path } = entry;
  if (type === "directory") return [];
  if (type === "symlink") return [{ path, bytes: 0 }];
  if (type === "content") return [{ path, bytes: (await entry.read()).length }];
  try {
    using file = await Deno.open(entry.source);
    return [{ path, bytes: (await file.stat()).size }];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw cannotRead(entry.shown, error);
  }
}

function bounded(paths: readonly string[]): Readonly<Record<string, unknown>> {
  return { count: paths.length, paths: paths.slice(0, MOST_NAMES) };
}
