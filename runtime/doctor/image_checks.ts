/** Checks of the app's image, and of the init that the engine gives to containers of it. */

import { join } from "@std/path/join";
import { type App, imageReference } from "../app/app.ts";
import { escapeOf } from "../app/confinement.ts";
import { cannotRead } from "../app/private_files.ts";
import { requireOwnImage, usedDockerfile } from "../app/image.ts";
import { layoutOf } from "../app/layout.ts";
import { ownContext } from "../app/named_path.ts";
import { requirementSources } from "../app/requirements.ts";
import { typedPath } from "../app/typed_path.ts";
import type { Context } from "../context.ts";
import { holdsHarness, isBuiltByMlcli, isOfOwnContext, tagOption } from "../contract/images.ts";
import type { Engine } from "../docker/engine.ts";
import { builtAt, type ImageDetails } from "../docker/images.ts";
import { isFile } from "../files.ts";
import { chosenDockerfile } from "../image/chosen_dockerfile.ts";
import { ownContextEntries } from "../image/own_context.ts";
import { createContainer, discardContainer, saysInitMissing } from "../local/container/create.ts";
import { initProbePlan } from "../local/container/body.ts";
import type { MessageStream } from "../messages.ts";
import { type Check, guarded } from "./check.ts";
import { lookupCheck } from "./lookup_check.ts";

/**
 * Whether the image is there, and holds the code as it is now.
 *
 * @param image what the engine says of it.
 * @param host its `err` gets a warning if a container may be left.
 * @throws MlcliError where it is another app's.
 */
export async function imageChecks(
  engine: Engine,
  app: App,
  tag: string,
  image: ImageDetails | undefined,
  { err, interruption: { signal } }: Pick<Context, "err" | "interruption">,
): Promise<readonly Check[]> {
  const reference = imageReference(app, tag);
  if (image === undefined) {
    if (app.configuration.image !== undefined) {
      const message = `${reference} is not here: mlcli local train pulls it`;
      return [{ name: "image", status: "ok", message }];
    }
    return [{
      name: "image",
      status: "problem",
      message: `Image not found: ${reference}`,
      hint: app.configuration.context !== undefined || await isFile(layoutOf(app).dockerfile)
        ? `Run mlcli build${tagOption(reference)}.`
        : `Run mlcli build${
          tagOption(reference)
        }, or docker pull ${reference} if it is an image of your own.`,
    }];
  }
  const isNamed = app.configuration.image !== undefined;
  if (!isNamed) requireOwnImage(app, reference, image);
  if (!isBuiltByMlcli(image)) {
    // Its code is not the app's: its age says nothing.
    const message = `${reference} is there; mlcli did not build it`;
    return [{ name: "image", status: "ok", message }];
  }
  const age = isNamed
    ? { name: "image", status: "ok", message: `${reference} is there` } as const
    : undefined;
  const lookup = async () => [await lookupCheck(engine, app, reference, { err, signal })];
  const ageOf = async () => [age ?? await ageCheck(app, reference, image)];
  // Sequential, so that Ctrl-C in one check cannot abandon the container of another.
  const found = await guarded("image", ageOf, "warning");
  // Containers of other images get no init, and what they hold is not known.
  if (!holdsHarness(image)) return found;
  const init = await guarded("init", async () => [await initCheck(engine, reference, err)]);
  return [...found, ...init, ...await guarded("hosts", lookup, "unknown")];
}

interface Source {
  readonly path: string;
  readonly changed: Date;
}

async function ageCheck(app: App, reference: string, image: ImageDetails): Promise<Check> {
  const { context } = app.configuration;
  if (context !== undefined && !isOfOwnContext(image)) {
    const message = `${reference} was not built of the context ${context}`;
    return { name: "image", status: "warning", message, hint: "Run mlcli build." };
  }
  const newest = await newestOf(app, await sourcesOf(app, image));
  const built = builtAt(image);
  if (newest === undefined || newest.changed <= built) {
    return { name: "image", status: "ok", message: `${reference} is as new as the code` };
  }
  return {
    name: "image",
    status: "warning",
    message: `${reference} is older than ${typedPath(app, newest.path)}`,
    hint: context === undefined
      ? "Run mlcli build before you push it. Local commands use your code as it is, but not a " +
        "changed Dockerfile or requirements file."
      : "Run mlcli build: here, too, what is in the image runs.",
  };
}

/** What an image is made of. */
async function sourcesOf(app: App, image: ImageDetails): Promise<readonly string[]> {
  const context = await ownContext(app);
  if (context !== undefined) {
    const dockerfile = await chosenDockerfile(app, undefined, context);
    const entries = await Array.fromAsync(await ownContextEntries(app, context, dockerfile));
    return entries.flatMap((entry) => entry.type === "file" ? [entry.source] : []);
  }
  if (isOfOwnContext(image)) return []; // which one is not known
  const { training, prediction, processing, common } = layoutOf(app);
  const dockerfile = usedDockerfile(app, image);
  return [
    ...[training, prediction, processing, common],
    ...await requirementSources(app),
    ...dockerfile === undefined ? [] : [dockerfile],
  ];
}

async function newestOf(app: App, paths: readonly string[]): Promise<Source | undefined> {
  let newest: Source | undefined;
  const consider = async (path: string): Promise<void> => {
    const info = await Deno.lstat(path).catch(() => undefined);
    if (info?.isDirectory) {
      for (const name of await namesIn(app, path)) await consider(join(path, name));
    } else if (info?.mtime && (newest === undefined || info.mtime > newest.changed)) {
      newest = { path, changed: info.mtime };
    }
  };
  for (const path of paths) {
    // What leads out of the repository is a finding of its own, and is not looked into.
    if (await escapeOf(app, path) === undefined) await consider(path);
  }
  return newest;
}

async function namesIn(app: App, folder: string): Promise<readonly string[]> {
  try {
    const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
    // What Python leaves behind, and hidden files of editors, do not count as code.
    return names.filter((name) => name !== "__pycache__" && !name.startsWith("."));
  } catch (error) {
    throw cannotRead(typedPath(app, folder), error);
  }
}

/**
 * Whether the engine can give a container an init: snap's Docker cannot, nor Podman without
 * catatonit. That shows only when a container is started.
 *
 * @param image an image of mlcli that exists.
 * @param err gets a warning if the container may be left.
 */
export async function initCheck(engine: Engine, image: string, err: MessageStream): Promise<Check> {
  const name = `mlcli-doctor-${crypto.randomUUID().slice(0, 8)}`;
  let id: string | undefined;
  try {
    id = await createContainer(engine, name, initProbePlan(image), err);
    await engine.startContainer(id);
    return { name: "init", status: "ok", message: "The engine gives containers an init" };
  } catch (error) {
    if (!saysInitMissing(error)) throw error;
    return {
      name: "init",
      status: "warning",
      message: "The engine has no init for containers, so they run without one",
      hint: "Ended child processes stay as zombies until the run ends. Docker's init is " +
        "docker-init (package tini), Podman's catatonit; snap's Docker has none.",
    };
  } finally {
    if (id !== undefined) await discardContainer(engine, { id, name }, err);
  }
}
