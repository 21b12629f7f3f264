/**
 * What a test that failed leaves on the engine of the tests.
 *
 * @module
 */

import { connectToEngine } from "../../runtime/docker/connect.ts";
import { parseHost } from "../../runtime/docker/locate.ts";
import { openTransport } from "../../runtime/docker/transport.ts";
import { LABELS } from "../../runtime/contract/images.ts";

/**
 * Removes an app's containers, and the images that are named after it; an app's name is unlike any
 * other's. Where the tests have no engine, there is nothing to remove.
 */
export async function removeLeftovers(app: string): Promise<void> {
  if (!Deno.env.get("MLCLI_TEST_BASE_IMAGE")) return;
  const env = (name: string): string | undefined => Deno.env.get(name);
  const engine = await connectToEngine({ env });
  try {
    for (const { Id } of await engine.listContainers([`${LABELS.app}=${app}`])) {
      await engine.removeContainer(Id);
    }
    const tags = (await engine.listImages(app)).flatMap(({ RepoTags }) => RepoTags ?? []);
    if (tags.length === 0) return;
    const transport = await openTransport(parseHost(engine.address, env));
    for (const tag of tags) {
      const path = `/v1.41/images/${encodeURIComponent(tag)}?force=1`;
      await (await transport.request("DELETE", path, { expect: [200, 404] })).discard();
    }
    transport.close();
  } finally {
    engine.close();
  }
}
