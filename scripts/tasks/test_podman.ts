/**
 * The tests of the local workflow on Podman instead of Docker: `deno task test:podman`, with
 * arguments for `deno test`. The last line is `N passed, N failed`.
 */

import { joinSignals } from "../../runtime/time.ts";
import { bringBaseImage } from "../engine/copy_image.ts";
import { ensurePodman, withPodman } from "../engine/podman/service.ts";
import { runScript } from "../script.ts";
import { type TestArguments, testArguments } from "../testing/arguments.ts";
import { denoTest, reportResults } from "../testing/deno_test.ts";
import { ON_PODMAN, pathsOf } from "../testing/selections.ts";
import type { TestResults } from "../testing/test_results.ts";

/** All together, the installation (300 s for each command of apt) aside. In ms. */
const TIMEOUT = 480_000;

function main(signal: AbortSignal): Promise<number> {
  return reportResults("test:podman", () => runTests(testArguments(Deno.args), signal));
}

async function runTests(args: TestArguments, signal: AbortSignal): Promise<TestResults> {
  const selected = await pathsOf(ON_PODMAN);
  await ensurePodman(signal);
  using either = joinSignals(signal, AbortSignal.timeout(TIMEOUT));
  const limit = either.signal;
  return await withPodman(limit, async ({ host, pid }) => {
    const env = { DOCKER_HOST: host, MLCLI_TEST_BASE_IMAGE: await bringBaseImage(host, limit) };
    const within = ["nsenter", `--net=/proc/${pid}/ns/net`, "--"];
    return await denoTest(args, { selected, env, within }, limit);
  });
}

if (import.meta.main) runScript(main);
