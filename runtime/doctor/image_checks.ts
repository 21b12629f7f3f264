/** Checks of the app's image, and of the init that the engine gives to containers of it. */

import type { App } from "../app/app.ts";
import { requireOwnImage } from "../app/image.ts";
import { changesSince } from "../app/sources.ts";
import { initCommand } from "../app/typed_path.ts";
import type { Context } from "../context.ts";
import { holdsHarness, isBuiltByMlcli, isOfOwnContext, tagOption } from "../contract/images.ts";
import type { Engine } from "../docker/engine.ts";
import type { ImageDetails } from "../docker/images.ts";
import { isFile } from "../files.ts";
import { createContainer, discardContainer, saysInitMissing } from "../local/container/create.ts";
import { initProbePlan } from "../local/container/body.ts";
import { type Messages, warning } from "../messages.ts";
import { listed } from "../text.ts";
import { type Check, guarded, ok } from "./check.ts";
import { lookupCheck } from "./lookup_check.ts";

/**
 * Checks whether the image exists, and contains the current code.
 *
 * @param image the engine's details of the image.
 * @param host its `messages` warn if a container might be left.
 * @throws MlcliError if the image is another app's.
 */
export async function imageChecks(
  engine: Engine,
  app: App,
  image: ImageDetails | undefined,
  { messages, interruption: { signal } }: Pick<Context, "messages" | "interruption">,
): Promise<readonly Check[]> {
  const reference = app.image;
  const build = `mlcli build${tagOption(reference)}`;
  if (image === undefined) {
    if (app.configuration.image !== undefined) {
      return [ok(`Image ${reference} is not on this machine yet; mlcli local train pulls it`)];
    }
    return [{
      level: "error",
      message: `Image not found: ${reference}`,
      hint: app.configuration.context !== undefined || await isFile(app.paths.dockerfile)
        ? `Build it: ${build}`
        : `Run ${initCommand(app, app.name)}, then ${build}, or pull it: docker pull ${reference}`,
    }];
  }
  if (app.configuration.image === undefined) requireOwnImage(app, reference, image);
  if (!isBuiltByMlcli(image)) {
    // Its code is not the app's.
    return [ok(`Image ${reference} exists (not built by mlcli)`)];
  }
  const lookup = async () => [await lookupCheck(engine, app, reference, { messages, signal })];
  const changes = async () => [await changesCheck(app, reference, image)];
  // Sequential, so that Ctrl-C in one check cannot abandon the container of another.
  const found = await guarded("image", changes, "warning");
  // Containers of other images get no init process, and their contents are unknown.
  if (!holdsHarness(image)) return found;
  const init = await guarded("init", async () => [await initCheck(engine, reference, messages)]);
  return [...found, ...init, ...await guarded("hosts", lookup, "unknown")];
}

async function changesCheck(
  app: App,
  reference: string,
  image: ImageDetails,
): Promise<Check> {
  const { context, image: named } = app.configuration;
  if (named !== undefined) return ok(`Image ${reference} exists`);
  const build = `mlcli build${tagOption(reference)}`;
  if (context !== undefined && !isOfOwnContext(image)) {
    const message = `Image ${reference} was not built from the context ${context}`;
    return warning(message, `Rebuild it: ${build}`);
  }
  const changes = await changesSince(app, image);
  if (changes === undefined) {
    const message = `Cannot tell whether ${reference} is up to date: its source files are unknown`;
    const hint = `Run ${build}. mlcli does not record the files of images that were built with ` +
      "--context, or from a Dockerfile outside the context.";
    return { level: "unknown", message, hint };
  }
  if (changes.length === 0) return ok(`Image ${reference} is up to date with the app's files`);
  return warning(
    `Files changed since ${reference} was built: ${listed(changes.map(({ shown }) => shown))}`,
    context === undefined
      ? `Run ${build} before you push the image. Local commands use your current code, but not a ` +
        "changed Dockerfile or requirements file."
      : `Run ${build}, because local commands run the code in the image`,
  );
}

/**
 * Checks whether the engine can give a container an init process: Docker from snap cannot, nor Podman without
 * catatonit. Only starting a container shows this.
 *
 * @param image an existing image of mlcli.
 * @param messages warn if the container might be left.
 */
async function initCheck(
  engine: Engine,
  image: string,
  messages: Messages,
): Promise<Check> {
  const name = `mlcli-doctor-${crypto.randomUUID().slice(0, 8)}`;
  let id: string | undefined;
  try {
    id = await createContainer(engine, name, initProbePlan(image), messages);
    await engine.startContainer(id);
    return ok("Containers can have an init process");
  } catch (error) {
    if (!saysInitMissing(error)) throw error;
    return warning(
      "Containers have no init process, so exited child processes stay as zombies",
      "Install docker-init (package tini) for Docker, or catatonit for Podman. Docker from snap " +
        "does not support it.",
    );
  } finally {
    if (id !== undefined) await discardContainer(engine, { id, name }, messages);
  }
}
