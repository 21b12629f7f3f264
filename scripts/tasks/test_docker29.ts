/**
 * The tests of the local workflow, builds and pushes on today's Docker Engine, which has the containerd
 * image store: `deno task test:docker29`, with arguments for `deno test`. The last line is
 * `N passed, N failed`.
 */

import { fromFileUrl } from "@std/path";
import { joinSignals } from "../../runtime/time.ts";
import { bringBaseImage } from "../engine/copy_image.ts";
import { ensureDocker29 } from "../engine/docker29/programs.ts";
import { ensureRegistry } from "../engine/registry.ts";
import { withService } from "../engine/service.ts";
import { runScript } from "../script.ts";
import { type TestArguments, testArguments } from "../testing/arguments.ts";
import { denoTest, reportResults } from "../testing/deno_test.ts";
import { ON_DOCKER29, pathsOf } from "../testing/selections.ts";
import type { TestResults } from "../testing/test_results.ts";

/** All together, building the engine aside. In ms. */
const TIMEOUT = 1_200_000;
const SCRIPT = fromFileUrl(new URL("../engine/docker29/service.sh", import.meta.url));

function main(signal: AbortSignal): Promise<number> {
  return reportResults("test:docker29", () => runTests(testArguments(Deno.args), signal));
}

async function runTests(args: TestArguments, signal: AbortSignal): Promise<TestResults> {
  const selected = await pathsOf(ON_DOCKER29);
  const programs = await ensureDocker29(signal);
  const registry = await ensureRegistry(signal);
  using either = joinSignals(signal, AbortSignal.timeout(TIMEOUT));
  const limit = either.signal;
  const service = { name: "today's Docker Engine", script: SCRIPT, arguments: [programs] };
  return await withService(service, limit, async ({ host, pid }) => {
    const env = {
      DOCKER_HOST: host,
      MLCLI_TEST_BASE_IMAGE: await bringBaseImage(host, limit),
      ...registry === undefined ? {} : { MLCLI_TEST_REGISTRY: registry },
    };
    const within = ["nsenter", `--net=/proc/${pid}/ns/net`, "--"];
    return await denoTest(args, { selected, env, within }, limit);
  });
}

if (import.meta.main) runScript(main);
