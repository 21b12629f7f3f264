/**
 * A small image for jobs of the box whose code a test gives as a variable: a shell and a few tools.
 */

import { USER_KEY } from "./account.ts";
import { baseImage, buildImage, removeImage } from "../engine.ts";
import type { Box } from "./box.ts";
import { digestIn, EngineApi, failureIn } from "./engine_api.ts";

const TOOLS = "sh cat sleep ls mkdir cp env head tail wc sort hostname getent";

/** The code is in `CODE`; `$1` is `train` or `process`. */
const DOCKERFILE = `FROM ${"${BASE}"} AS tools
RUN mkdir -p /small/bin && for tool in ${TOOLS}; do \\
      path=$(command -v $tool) && cp -L $path /small/bin/ && \\
      cp -n --parents $(ldd $path | grep -o '/[^ ]*[.]so[^ ]*') /small/; \\
    done
FROM scratch
COPY --from=tools /small /
ENTRYPOINT ["/bin/sh", "-c", "eval \\"$CODE\\"", "job"]
`;

/**
 * Builds it, and pushes it to a repository of the box, which is made.
 * @returns what a job names it by: `localhost:PORT/REPOSITORY@sha256:...`
 */
export async function pushShellImage(box: Box, repository = "shell"): Promise<string> {
  return await pushBuilt(box, repository, { Dockerfile: DOCKERFILE });
}

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
