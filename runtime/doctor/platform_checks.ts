import { join } from "@std/path/join";
import type { App } from "../app/app.ts";
import { isOfAppsDirectory } from "../app/image.ts";
import { escapeOf } from "../app/confinement.ts";
import { type CodeFolder, readHyperparametersFile } from "../app/layout.ts";
import type { Paths } from "../app/paths.ts";
import { channelDifferences, hyperparameterDifferences } from "../contract/differences.ts";
import { hyperparametersOf } from "../contract/hyperparameters.ts";
import { BIND_LABEL, isBuiltByMlcli } from "../contract/images.ts";
import type { Engine } from "../docker/engine.ts";
import type { ImageDetails } from "../docker/images.ts";
import { isDirectory } from "../files.ts";
import { rulesBrokenBy } from "../image/rules_of_image.ts";
import { commonDifferences, leftOutDifferences } from "../local/differences/code.ts";
import { imageDifferences } from "../local/differences/image.ts";
import { type Message, warning } from "../messages.ts";
import { type Check, guarded } from "./check.ts";

/**
 * Returns the differences from SageMaker of the app and its image in their current state.
 *
 * @param image `undefined`: there is no image, so only the app is checked.
 */
export async function platformChecks(
  app: App,
  image: ImageDetails | undefined,
): Promise<readonly Check[]> {
  const layout = app.paths;
  const ofImage = image === undefined ? [] : [
    () => [...imageDifferences(app, image), ...labelDifferences(app, image)],
    ...(["training", "prediction", "processing", "common"] as const).map((code) => () =>
      ofCode(app, code, image)
    ),
    () => ofCommon(app, image),
  ];
  const found = await Promise.all(
    [
      ...ofImage,
      () => ofHyperparameters(layout),
      () => ofChannels(layout),
    ].map((find) => guarded("platform", async () => await find(), "warning")),
  );
  return found.flat();
}

/** Checks SageMaker's rules for an image that is not built from a template. */
export async function ruleChecks(
  engine: Engine,
  app: App,
  image: ImageDetails | undefined,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  if (image === undefined || isOfAppsDirectory(app, image)) return [];
  const find = () => rulesBrokenBy(engine, app.image, image, signal);
  return await guarded("platform", find, "warning");
}

function labelDifferences(app: App, image: ImageDetails): readonly Message[] {
  // It concerns the template's Dockerfile, which the app does not have.
  if (!isOfAppsDirectory(app, image)) return [];
  if (image.Config?.Labels?.[BIND_LABEL] === "true") return [];
  const build = isBuiltByMlcli(image) ? ", then run mlcli build" : "";
  return [warning(
    `${app.image} cannot be used in inference pipelines and multi-container ` +
      `endpoints: label ${BIND_LABEL} is missing`,
    `Add LABEL ${BIND_LABEL}="true" to the Dockerfile${build}`,
  )];
}

async function ofCode(
  app: App,
  code: CodeFolder | "common",
  image: ImageDetails,
): Promise<readonly Message[]> {
  // Other checks report links out of the repository; this one does not follow them.
  if (await escapeOf(app, app.paths[code]) !== undefined) return [];
  return await leftOutDifferences(app, code, image);
}

async function ofCommon(app: App, image: ImageDetails): Promise<readonly Message[]> {
  if (await escapeOf(app, app.paths.common) !== undefined) return [];
  return await commonDifferences(app, image);
}

async function ofHyperparameters(layout: Paths): Promise<readonly Message[]> {
  if (await escapeOf(layout, layout.hyperparameters) !== undefined) return [];
  const file = await readHyperparametersFile(layout);
  return hyperparameterDifferences(hyperparametersOf(file, []));
}

async function ofChannels(layout: Paths): Promise<readonly Message[]> {
  const names = (await namesIn(layout, layout.inputData)).filter((name) => name !== "processing");
  const areChannels = await Promise.all(
    names.map((name) => isDirectory(join(layout.inputData, name))),
  );
  return channelDifferences(names.filter((_, index) => areChannels[index]));
}

/** Sorted; empty if the directory does not exist, or is a link out of the repository. */
async function namesIn(layout: Paths, directory: string): Promise<readonly string[]> {
  if (await escapeOf(layout, directory) !== undefined || !await isDirectory(directory)) return [];
  return (await Array.fromAsync(Deno.readDir(directory), ({ name }) => name)).sort();
}
