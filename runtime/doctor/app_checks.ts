/** Checks of the app's directory, and of the network settings that a build gives to pip. */

import { join } from "@std/path/join";
import type { App } from "../app/app.ts";
import { isOfAppsDirectory } from "../app/image.ts";
import { requireLayoutInside, requireModel, requireTestDirectory } from "../app/layout.ts";
import type { Paths } from "../app/paths.ts";
import { ownContext } from "../app/named_path.ts";
import { requirementsOf, requireReferences } from "../app/requirements.ts";
import { ignoredPythonVersion } from "../app/unknown_keys.ts";
import { initCommand, typedPath } from "../app/typed_path.ts";
import type { Context } from "../context.ts";
import { isBuiltByMlcli, type LabelledImage } from "../contract/images.ts";
import { isFile } from "../files.ts";
import { chosenDockerfile } from "../image/chosen_dockerfile.ts";
import { buildNetwork } from "../image/network/build_network.ts";
import { codeTree } from "../local/runs/working_copy.ts";
import { channelsOf } from "../local/channels.ts";
import { type Level, type Message, warning } from "../messages.ts";
import { requireCode } from "../source/program.ts";
import { type Check, guarded, ok, withoutRepeats } from "./check.ts";

/**
 * Checks whether the app has everything that the commands need. A problem that affects only some commands is
 * a warning.
 *
 * @param image the app's image. An image that mlcli did not build contains its own code, so the app needs
 * none.
 * @param unknownKeys of its configuration file.
 */
export async function appChecks(
  app: App,
  image: LabelledImage | undefined,
  unknownKeys: readonly Message[],
): Promise<readonly Check[]> {
  const layout = app.paths;
  const found = ok(
    `App ${app.name} (configuration file: ${typedPath(app, app.configurationPath)})`,
  );
  const init = initCommand(app, app.name);
  const requirements = (await requirementsOf(app)).files;
  const scripts = scriptsOf(app);
  const missing = await Promise.all([
    failure("layout", requireTestDirectory(layout), "error"),
    failure("links", requireAllInside(layout), "error"),
    ...(usesBuild(app) ? [failure("build", requireBuildFiles(app), "error")] : []),
    ...(isMadeElsewhere(app, image) ? [] : [
      ...usesBuild(app) ? [] : [missingFile(app, layout.dockerfile, requiredBy("build", init))],
      ...requirements.map((path) =>
        missingFile(app, join(app.directory, path), requirementsHint(path))
      ),
      failure("requirements", requireReferences(app), "error"),
      failure("links", requireLinks(layout), "error"),
      missingFile(app, join(layout.training, "training.py"), requiredBy("local train", init)),
      missingServer(app, layout, requiredBy("local deploy", init)),
    ]),
    ...scripts.map(({ directory, entryPoint }) =>
      failure("code", requireCode(app, directory, entryPoint), "error")
    ),
    // The user's own script might need no data, and its image no model.
    ...scripts.some(({ name }) => name === "train")
      ? []
      : [failure("training data", requireChannels(layout), "warning")],
    ...isOfAppsDirectory(app) ? [failure("model", requireModel(layout), "warning")] : [],
  ]);
  // Two checks find a channel that leads out of the repository.
  const findings = withoutRepeats(missing.filter((check) => check !== undefined));
  const keys = [...unknownKeys, ...ignoredPythonVersion(app)];
  const complete = ok(
    scripts.length === 0
      ? `Found code, test data and a model in ${typedPath(app, app.base)}`
      : `Found code: ${scripts.map(({ entryPoint }) => entryPoint).join(", ")}`,
  );
  return [
    { name: "app", ...found },
    ...keys.map((key) => ({ name: "keys", ...key })),
    ...findings,
    ...(findings.length === 0 ? [{ name: "layout", ...complete }] : []),
  ];
}

/** The entry points that the app's file names. */
function scriptsOf({ configuration: { sections, sourceDir } }: App) {
  return (["train", "process", "deploy"] as const).flatMap((name) => {
    const { entry_point: entryPoint, source_dir: own } = sections[name] ?? {};
    if (typeof entryPoint !== "string") return [];
    return [{ name, entryPoint, directory: typeof own === "string" ? own : sourceDir }];
  });
}

function isMadeElsewhere(app: App, image: LabelledImage | undefined): boolean {
  return !isOfAppsDirectory(app, image) || image !== undefined && !isBuiltByMlcli(image);
}

/** Whether the app's file says what `mlcli build` builds. */
function usesBuild({ configuration: { image, context, dockerfile } }: App): boolean {
  return image === undefined && (context ?? dockerfile) !== undefined;
}

async function requireBuildFiles(app: App): Promise<void> {
  await chosenDockerfile(app, undefined, await ownContext(app));
}

/** Requires that links of the code can be followed. */
async function requireLinks(layout: Paths): Promise<void> {
  const { training, prediction, processing, common } = layout;
  for (const folder of [training, prediction, processing, common]) await codeTree(folder, layout);
}

async function requireAllInside(layout: Paths): Promise<void> {
  for (const code of ["training", "prediction", "processing"] as const) {
    await requireLayoutInside(layout, code);
  }
}

/** Checks what `local train` requires of channels, without creating `input/data`. */
async function requireChannels(layout: Paths): Promise<void> {
  await channelsOf(layout, []);
}

async function failure(
  name: string,
  check: Promise<unknown>,
  level: Level,
): Promise<Check | undefined> {
  const [found] = await guarded(name, () => check.then(() => []), level);
  return found;
}

function requirementsHint(path: string): string {
  return path.endsWith("uv.lock") ? requiredBy("build", "uv lock") : "Create it (it can be empty)";
}

function requiredBy(command: string, line: string): string {
  return `Create it (mlcli ${command} requires it): ${line}`;
}

/** `prediction/serve`, or `serve.py`: the harness takes either. */
async function missingServer(
  app: App,
  { prediction }: Paths,
  hint: string,
): Promise<Check | undefined> {
  if (await isFile(join(prediction, "serve.py"))) return undefined;
  return await missingFile(app, join(prediction, "serve"), hint);
}

async function missingFile(app: App, path: string, hint: string): Promise<Check | undefined> {
  if (await isFile(path)) return undefined;
  return { name: "layout", ...warning(`File not found: ${typedPath(app, path)}`, hint) };
}

/**
 * Warnings about network settings of this machine that pip in a build would not get, or could not use.
 *
 * @param image the app's. One that mlcli did not build is built otherwise.
 */
export async function networkChecks(
  app: App,
  image: LabelledImage | undefined,
  host: Pick<Context, "env" | "system">,
): Promise<readonly Check[]> {
  if (isMadeElsewhere(app, image)) return [];
  const { source } = usesBuild(app)
    ? await chosenDockerfile(app)
    : { source: app.paths.dockerfile };
  return (await buildNetwork(app, source, host)).warnings;
}
