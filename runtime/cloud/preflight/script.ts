import type { App } from "../../app/app.ts";
import { isOfAppsDirectory } from "../../app/image.ts";
import { holdsHarness } from "../../contract/images.ts";
import type { Engine } from "../../docker/engine.ts";
import { lookInto } from "../../docker/look.ts";
import { MlcliError } from "../../errors.ts";
import { localImage } from "./image.ts";

/** Where the template's Dockerfile puts the user's code, and the harness looks for it. */
const PROGRAM = "/opt/program";

/**
 * Requires the script in an image of mlcli. Where another image looks for it is not known. Without an
 * engine or a local image nothing is checked, and `imageForJob` says so.
 *
 * @param file relative to `processing/`, with slashes.
 * @throws MlcliError where the image does not have it.
 */
export async function requireScript(
  app: App,
  file: string,
  engine: () => Promise<Engine>,
): Promise<void> {
  const reference = app.image;
  if (!isOfAppsDirectory(app)) return;
  const image = await localImage(reference, engine);
  if (typeof image === "string" || !holdsHarness(image)) return;
  await requireFileInImage(await engine(), reference, `${PROGRAM}/processing/${file}`);
}

/**
 * Looks for a file in an image.
 *
 * @param reference of the engine's image: `churn:latest`.
 * @param path absolute, in the image: `/opt/program/processing/features.py`.
 * @throws MlcliError where it is not there, or a directory.
 */
export async function requireFileInImage(
  engine: Engine,
  reference: string,
  path: string,
): Promise<void> {
  await lookInto(engine, reference, async (id) => {
    const found = await engine.pathInContainer(id, path);
    if (found && !found.isDirectory) return;
    const file = path.split("/").at(-1);
    throw new MlcliError(
      found
        ? `Processing file not found: ${file} is a directory in ${reference}`
        : `Processing file not found: ${file} (${reference} does not contain ${path})`,
      {
        hint: "SageMaker runs the scripts in the image. After each change in processing/, " +
          "run mlcli build, then mlcli push.",
      },
    );
  });
}
