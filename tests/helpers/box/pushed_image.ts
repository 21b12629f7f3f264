/** Pushes images that mlcli did not build to a repository of the SageMaker simulator. */

import { USER_KEY } from "./account.ts";
import { baseImage, buildImage, removeImage } from "../engine.ts";
import type { Box } from "./box.ts";
import { digestIn, EngineApi, failureIn } from "./engine_api.ts";

/**
 * Builds an image of these files, pushes it to a repository of the box, which is made, and removes
 * it from the engine.
 * @param files With a `Dockerfile`, in which `${BASE}` is the tests' base image.
 */
export async function pushBuilt(
  box: Box,
  repository: string,
  files: Readonly<Record<string, string>> & { readonly Dockerfile: string },
): Promise<string> {
  box.ecr.store.add(repository);
  const name = `${box.ecr.front.host}/${repository}`;
  const Dockerfile = files.Dockerfile.replace("${BASE}", baseImage());
  await buildImage(`${name}:latest`, { ...files, Dockerfile });
  try {
    using engine = new EngineApi();
    const { password } = box.ecr.store.issueToken(USER_KEY);
    const lines = await engine.progress(`/images/${name}/push?tag=latest`, password);
    const failure = failureIn(lines);
    if (failure !== undefined) throw new Error(`${name} was not pushed: ${failure}`);
    return `${name}@${digestIn(lines)}`;
  } finally {
    await removeImage(`${name}:latest`);
  }
}
