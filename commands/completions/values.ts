/**
 * The values that a shell completes. They come quickly or not at all, and failures are silent: the
 * user who presses tab has not run anything yet.
 */

import type { Context } from "../../runtime/context.ts";
import { connectToEngine } from "../../runtime/docker/connect.ts";
import type { Engine } from "../../runtime/docker/engine.ts";
import type { App } from "../../runtime/app/app.ts";
import type { CompletionKind } from "../options/option.ts";

/** How long the engine may take to answer, in ms: the user waits at the keyboard. */
const ENGINE_TIMEOUT = 500;

/**
 * The values; none if they cannot be found. Those with control characters are left out: a file in a
 * stranger's repository may have any name, and a terminal would obey them.
 */
export async function completionValues(
  kind: CompletionKind,
  context: Context,
): Promise<readonly string[]> {
  try {
    const values = await valuesOf(kind, context);
    return values.filter((value) => !/\p{Cc}/u.test(value));
  } catch {
    return [];
  }
}

async function valuesOf(kind: CompletionKind, context: Context): Promise<readonly string[]> {
  switch (kind) {
    case "app":
      return await validAppNames(context);
    case "script":
      return await scripts(context);
    case "server-port":
      return await withEngine(context, serverPorts);
    case "image-tag":
      return await withEngine(context, (engine, signal) => imageTags(context, engine, signal));
    case "local-job":
      return await localJobs(context);
    case "model-run":
      return await modelRuns(context);
    case "network":
      return await withEngine(context, async (engine, signal) => {
        return distinct((await engine.networks([], signal)).map(({ Name }) => Name));
      });
    case "profile":
      return (await import("../../runtime/aws/profiles.ts")).profileNames(context.env);
    case "region":
      return (await import("../../runtime/contract/aws_images.ts")).REGIONS;
    case "instance-type":
      return (await import("../../runtime/aws/instance_types.ts")).INSTANCE_TYPES;
  }
}

/** The apps that a command would take. */
async function validAppNames(context: Context): Promise<readonly string[]> {
  const { APP_NAME, lookUp } = await import("../../runtime/app/app.ts");
  return (await lookUp(context.cwd)).names.filter((name) => APP_NAME.test(name));
}

async function validApps(context: Context): Promise<readonly App[]> {
  const { findApp } = await import("../../runtime/app/app.ts");
  const names = await validAppNames(context);
  return await Promise.all(names.map((name) => findApp(context.cwd, name)));
}

async function scripts(context: Context): Promise<readonly string[]> {
  const { scriptsOf } = await import("../../runtime/app/layout.ts");
  const found = await validApps(context);
  return distinct((await Promise.all(found.map(({ paths }) => scriptsOf(paths)))).flat());
}

/** Returns the names of runs as the list shows them, the newest first. */
async function localJobs(context: Context): Promise<readonly string[]> {
  const { requireInside } = await import("../../runtime/app/confinement.ts");
  const { recordsOf, shortNames } = await import("../../runtime/model/records.ts");
  const layouts = (await validApps(context)).map(({ paths }) => paths);
  const names = await Promise.all(layouts.map(async (layout) => {
    await requireInside(layout, [layout.base, layout.localTest, layout.jobs]);
    return [...shortNames(await recordsOf(layout)).values()];
  }));
  return names.flat();
}

/** What `--run` takes: `last`, and the runs that have a model, the newest first. */
async function modelRuns(context: Context): Promise<readonly string[]> {
  const { requireInside } = await import("../../runtime/app/confinement.ts");
  const { recordsOf, shortNames } = await import("../../runtime/model/records.ts");
  const { runsWithModel } = await import("../../runtime/model/version_of.ts");
  const layouts = (await validApps(context)).map(({ paths }) => paths);
  const runs = await Promise.all(layouts.map(async (layout) => {
    await requireInside(layout, [layout.base, layout.localTest, layout.jobs, layout.model]);
    const shortened = shortNames(await recordsOf(layout));
    return (await runsWithModel(layout)).map((name) => shortened.get(name) ?? name);
  }));
  return runs.flat().length === 0 ? [] : ["last", ...runs.flat()];
}

async function serverPorts(engine: Engine, signal: AbortSignal): Promise<readonly string[]> {
  const { findServers } = await import("../../runtime/local/server/servers.ts");
  return distinct((await findServers(engine, undefined, signal)).map(({ port }) => String(port)));
}

async function imageTags(
  context: Context,
  engine: Engine,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const names = (await validApps(context)).map(({ configuration }) => configuration.imageName);
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
