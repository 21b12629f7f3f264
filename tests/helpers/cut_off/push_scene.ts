/**
 * `push`, to be cut off.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { makeApp } from "../app.ts";
import { Box } from "../box/box.ts";
import { putImage } from "../box/images.ts";
import { fakePushes } from "../fake_pushes.ts";
import type { Stopped } from "../stopped_call.ts";
import type { Cut, Scene } from "./scene.ts";

/** An image with OCI's manifest, which is to become Docker's, into a repository that is not there. */
export async function pushing(): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const box = stack.use(await Box.open());
  const app = stack.use(await makeApp());
  let id = "sha256:not-pushed";
  const engine = stack.use(
    await fakePushes(box, {
      reference: `${app.name}:latest`,
      id: () => id,
      put: async (repository, tag) =>
        id = await putImage(box.ecr, repository, { format: "oci", tag }),
    }),
  );
  const { store } = box.ecr;
  const tagged = () => {
    const repository = store.repositories.get(app.name);
    const digest = repository?.tags.get("latest");
    return { repository, image: repository?.images.get(digest ?? "") };
  };
  const owned = stack.move();
  return {
    box,
    cwd: app.directory,
    args: ["push"],
    env: { DOCKER_HOST: `unix://${engine.socket}` },
    options: { engine },
    stdout: () => `${box.ecr.front.host}/${app.name}@${tagged().image!.digest}\n`,
    begin() {
      store.repositories.clear();
      id = "sha256:not-pushed";
      return Promise.resolve();
    },
    check(cut: Cut, { code, stdout, stderr }: Stopped) {
      const { repository, image } = tagged();
      if (code !== 0) assertEquals(stdout, "");
      // A tag names a whole image, or nothing.
      if (repository?.tags.has("latest")) assert(image, "The tag names nothing");
      if (repository && cut !== "SIGKILL") assert(stderr.includes(app.name), "It is not named");
      assertEquals([...engine.names], [], "names are left on the engine");
    },
    complete() {
      assert(tagged().image?.mediaType.includes("docker"), "SageMaker takes no other manifest");
      assertEquals([...engine.names], [], "names are left on the engine");
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}
