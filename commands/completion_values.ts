/**
 * The values that a shell may complete: quick, and never an error, since nobody asked for one.
 *
 * @module
 */

import type { Context } from "../runtime/context.ts";
import { connectToEngine } from "../runtime/docker/connect.ts";
import type { Engine } from "../runtime/docker/engine.ts";

/** What is completed. */
export type CompletionKind = "app" | "script" | "server-port" | "image-tag";

/** How long the engine may take, in ms. Whoever pressed the tab key waits for it. */
const ENGINE_TIMEOUT = 500;

/** The values there are now; none when something stands in the way. */
export async function completionValues(
  kind: CompletionKind,
  context: Context,
): Promise<readonly string[]> {
  try {
    switch (kind) {
      case "app":
        return await apps(context);
      case "script":
        return await scripts(context);
      case "server-port":
        return await withEngine(context, serverPorts);
      case "image-tag":
        return await withEngine(context, (engine, signal) => imageTags(context, engine, signal));
    }
  } catch {
    return [];
  }
}

async function apps(context: Context): Promise<readonly string[]> {
  const { appNames } = await import("../runtime/project/app.ts");
  return await appNames(context.cwd);
}

async function scripts(context: Context): Promise<readonly string[]> {
  const { findApps } = await import("../runtime/project/app.ts");
  const { layoutOf, scriptsOf } = await import("../runtime/project/layout.ts");
  const found = await findApps(context.cwd);
  return distinct((await Promise.all(found.map((app) => scriptsOf(layoutOf(app))))).flat());
}

async function serverPorts(engine: Engine, signal: AbortSignal): Promise<readonly string[]> {
  const { findServers } = await import("../runtime/containers/servers.ts");
  return distinct((await findServers(engine, undefined, signal)).map(({ port }) => String(port)));
}

async function imageTags(
  context: Context,
  engine: Engine,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { findApps } = await import("../runtime/project/app.ts");
  const names = (await findApps(context.cwd)).map(({ configuration }) => configuration.imageName);
  const images = await Promise.all(names.map((name) => engine.listImages(name, signal)));
  const references = images.flat().flatMap(({ RepoTags }) => RepoTags ?? []);
  return distinct(references.map((reference) => reference.slice(reference.lastIndexOf(":") + 1)));
}

async function withEngine(
  { env }: Context,
  values: (engine: Engine, signal: AbortSignal) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const engine = await connectToEngine({ env }, { timeout: ENGINE_TIMEOUT });
  try {
    return await values(engine, AbortSignal.timeout(ENGINE_TIMEOUT));
  } finally {
    engine.close();
  }
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}
