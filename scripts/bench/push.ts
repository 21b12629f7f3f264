/** What `push` costs, against `docker push` to the same registry. */

import { join } from "@std/path";
import { Box } from "../../tests/helpers/box/box.ts";
import { USER_KEY } from "../../tests/helpers/box/account.ts";
import { ensureRegistry } from "../engine/registry.ts";
import { NO_SETTINGS } from "./aws.ts";
import type { Comparison } from "./measure.ts";
import { mlcli, run, time } from "./program.ts";

/** In MB: an edit of the code costs less, an edit of the requirements more. */
const LAYER = 100;

const IMAGE = "mlcli-bench-push:latest";
const NAME = "mlcli-bench-push";

/** The comparison, and the registry that both push to, on loopback. */
export interface PushBench extends AsyncDisposable {
  readonly comparison: Comparison;
}

/**
 * Starts the registry, which has all but the last layer of each image that is pushed. Undefined where
 * there is none, and none can be had.
 */
export async function makePushBench(
  baseImage: string,
  signal: AbortSignal,
): Promise<PushBench | undefined> {
  const program = await ensureRegistry(signal);
  if (!program) return undefined;
  Deno.env.set("MLCLI_TEST_REGISTRY", program);
  const box = await Box.open({ registry: true });
  const directory = await Deno.makeTempDir({ prefix: "mlcli-bench-push-" });
  const configuration = { image_name: NAME, base_image: baseImage };
  await Deno.writeTextFile(join(directory, `${NAME}.json`), JSON.stringify(configuration));
  box.ecr.store.add(NAME);
  const uri = `${box.ecr.front.host}/${NAME}`;
  const { password } = box.ecr.store.issueToken(USER_KEY);
  const auths = { [box.ecr.front.host]: { auth: btoa(`AWS:${password}`) } };
  await Deno.writeTextFile(join(directory, "config.json"), JSON.stringify({ auths }));
  const env = {
    ...box.env(),
    ...NO_SETTINGS,
  };
  /** Builds an image with a layer that nobody has seen, and times what pushes it. */
  async function timed(push: () => Promise<number>): Promise<number> {
    const dockerfile = join(directory, "Dockerfile");
    await Deno.writeTextFile(
      dockerfile,
      `FROM ${baseImage}\n` +
        `RUN : ${crypto.randomUUID()} && head -c ${LAYER}000000 /dev/urandom > /layer\n`,
    );
    await run(["docker", "build", "-q", "-t", IMAGE, "-f", dockerfile, directory]);
    try {
      return await push();
    } finally {
      await run(["docker", "rmi", "-f", IMAGE]);
    }
  }
  return {
    comparison: {
      title: `push, a new layer of ${LAYER} MB`,
      unit: "ms",
      ours: {
        command: "mlcli push",
        measure: () => timed(() => time(mlcli("push"), { cwd: directory, env })),
      },
      theirs: {
        command: "docker push (after docker tag and docker login)",
        measure: () =>
          timed(async () => {
            const name = `${uri}:latest`;
            await run(["docker", "tag", IMAGE, name]);
            try {
              return await time(["docker", "--config", directory, "push", "-q", name]);
            } finally {
              await run(["docker", "rmi", "-f", name]);
            }
          }),
      },
      goal: { atMost: 1.1 },
      rounds: 5,
    },
    async [Symbol.asyncDispose]() {
      await box[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}
