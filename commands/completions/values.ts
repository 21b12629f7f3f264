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
    case "model-run":
      return await runs(kind, context);
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

/**
 * Returns the names of runs as the list shows them, the newest first. `model-run` is what `--run` takes:
 * `last`, and the runs that have a model.
 */
async function runs(
  kind: "local-job" | "model-run",
  context: Context,
): Promise<readonly string[]> {
  const { requireInside } = await import("../../runtime/app/confinement.ts");
  const { recordsOf, shortNames } = await import("../../runtime/model/records.ts");
  const { runsWithModel } = await import("../../runtime/model/version_of.ts");
  const needsModel = kind === "model-run";
  const all = await Promise.all((await validApps(context)).map(async ({ paths }) => {
    const { base, localTest, jobs, model } = paths;
    await requireInside(paths, [base, localTest, jobs, ...needsModel ? [model] : []]);
    const short = shortNames(await recordsOf(paths));
    const names = needsModel ? await runsWithModel(paths) : [...short.keys()];
    return names.map((name) => short.get(name) ?? name);
  }));
  const names = all.flat();
  return needsModel && names.length > 0 ? ["last", ...names] : names;
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
