/**
 * Checks of the app's image.
 *
 * @module
 */

import { join } from "@std/path/join";
import { type App, imageReference } from "../app/app.ts";
import { escapeOf } from "../app/confinement.ts";
import { cannotRead } from "../app/ignore/cannot_read.ts";
import { layoutOf } from "../app/layout.ts";
import { typedPath } from "../app/typed_path.ts";
import type { Engine, ImageDetails } from "../docker/engine.ts";
import { holdsHarness } from "../images.ts";
import { type Check, guarded } from "./check.ts";
import { initCheck } from "./init_check.ts";

/** Whether the image is there, holds the code as it is now, and runs on SageMaker. */
export async function imageChecks(
  engine: Engine,
  app: App,
  tag: string,
): Promise<readonly Check[]> {
  const reference = imageReference(app, tag);
  const image = await engine.image(reference);
  if (image === undefined) {
    return [{
      name: "image",
      status: "problem",
      message: `Image not found: ${reference}`,
      hint: "Run mlcli build, with the same --docker-tag.",
    }];
  }
  return [
    ...await guarded("image", async () => [await ageCheck(app, reference, image)], "warning"),
    platformCheck(app, image),
    // Containers of other images get no init.
    ...(holdsHarness(image)
      ? await guarded("init", async () => [await initCheck(engine, reference)])
      : []),
  ];
}

/** A file that goes into the image. */
interface Source {
  readonly path: string;
  readonly changed: Date;
}

async function ageCheck(app: App, reference: string, image: ImageDetails): Promise<Check> {
  const newest = await newestSource(app);
  const built = builtAt(image);
  if (newest === undefined || newest.changed <= built) {
    return { name: "image", status: "ok", message: `${reference} is as new as the code` };
  }
  return {
    name: "image",
    status: "warning",
    message: `${reference} is older than ${typedPath(app.directory, newest.path)}`,
    hint: "Run mlcli build before you push it. Local commands use your code as it is, but not a " +
      "changed Dockerfile or requirements file.",
  };
}

/** When it was last built: a build that only uses the cache does not change `Created`. */
function builtAt({ Created, Metadata }: ImageDetails): Date {
  const tagged = Date.parse(Metadata?.LastTagTime ?? "");
  return new Date(Math.max(Date.parse(Created), Number.isNaN(tagged) ? 0 : tagged));
}

async function newestSource(app: App): Promise<Source | undefined> {
  const layout = layoutOf(app);
  let newest: Source | undefined;
  const consider = async (path: string): Promise<void> => {
    const info = await Deno.lstat(path).catch(() => undefined);
    if (info?.isDirectory) {
      for (const name of await namesIn(app, path)) await consider(join(path, name));
    } else if (info?.mtime && (newest === undefined || info.mtime > newest.changed)) {
      newest = { path, changed: info.mtime };
    }
  };
  const { training, prediction, processing, dockerfile } = layout;
  const requirements = join(app.directory, app.configuration.requirements);
  for (const path of [training, prediction, processing, dockerfile, requirements]) {
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
    throw cannotRead(typedPath(app.directory, folder), error);
  }
}

/** SageMaker's instances are linux/amd64, except those with Graviton processors. */
function platformCheck(app: App, { Os, Architecture }: ImageDetails): Check {
  const platform = `${Os}/${Architecture}`;
  if (platform === "linux/amd64") {
    return { name: "platform", status: "ok", message: `${platform} runs on the platform` };
  }
  const isGraviton = platform === "linux/arm64";
  if (isGraviton && app.configuration.platform?.startsWith(platform)) {
    return {
      name: "platform",
      status: "ok",
      message: `${platform}, as configured: for instances with Graviton processors (ml.c7g, ...)`,
    };
  }
  return {
    name: "platform",
    status: "warning",
    message: isGraviton
      ? `${platform} runs on the platform's Graviton instances (ml.c7g, ...) only`
      : `${platform} does not run on the platform`,
    hint: "mlcli build --platform linux/amd64 makes one for the others.",
  };
}
