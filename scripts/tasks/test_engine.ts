/**
 * Tests on an engine that is not as most are: `deno task test:engine userns`, `rootless` or
 * `rootless-podman`, with arguments for `deno test`. The last line is `N passed, N failed`.
 */

import { fromFileUrl, join, relative } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { joinSignals } from "../../runtime/time.ts";
import { bringBaseImage } from "../engine/copy_image.ts";
import {
  ensureOtherEngine,
  OTHER_ENGINES,
  withinOf,
  withOtherEngine,
} from "../engine/other_engines.ts";
import { denoDirectory } from "../deno_directory.ts";
import { runScript } from "../script.ts";
import { type TestArguments, testArguments } from "../testing/arguments.ts";
import { denoTest, reportResults } from "../testing/deno_test.ts";
import { ON_OTHER_ENGINES, pathsOf } from "../testing/selections.ts";
import type { TestResults } from "../testing/test_results.ts";

/** All together, the installation (300 s for each command of apt) aside. In ms. */
const TIMEOUT = 480_000;
const ROOT = fromFileUrl(new URL("../../", import.meta.url));

function main(signal: AbortSignal): Promise<number> {
  const [name = "", ...args] = Deno.args;
  return reportResults(`test:engine ${name}`, () => runTests(name, testArguments(args), signal));
}

async function runTests(
  name: string,
  args: TestArguments,
  signal: AbortSignal,
): Promise<TestResults> {
  const engine = OTHER_ENGINES[name];
  if (engine === undefined) {
    throw new MlcliError(`There is no engine "${name}"`, {
      hint: `deno task test:engine takes one of ${Object.keys(OTHER_ENGINES).join(", ")}.`,
    });
  }
  // The sources lie elsewhere for another user.
  const selected = (await pathsOf(ON_OTHER_ENGINES)).map((path) => relative(ROOT, path));
  await ensureOtherEngine(engine, signal);
  using either = joinSignals(signal, AbortSignal.timeout(TIMEOUT));
  const limit = either.signal;
  return await withOtherEngine(engine, limit, async (service) => {
    const env = {
      DOCKER_HOST: service.host,
      MLCLI_TEST_BASE_IMAGE: await bringBaseImage(service.host, limit),
      MLCLI_TEST_ENGINE: name,
      ...(engine.jobs === undefined ? {} : { DENO_JOBS: `${engine.jobs}` }),
    };
    const within = withinOf(engine, service, ROOT, join(denoDirectory(), "npm"));
    return await denoTest(args, { selected, env, within }, limit);
  });
}

if (import.meta.main) runScript(main);
