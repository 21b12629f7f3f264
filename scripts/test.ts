/**
 * The tests: `deno task test`, with arguments for `deno test`. The last line is `N passed, N failed`.
 *
 * With `--unit` as first argument, only those that need no Docker Engine.
 *
 * @module
 */

import { ensureBaseImage } from "./base_image.ts";
import { ensureEngine } from "./engine.ts";
import { durationText, explain, pause, runScript, say } from "./script.ts";
import { countResults, resultLine, type TestResults } from "./test_results.ts";

/** The tests take some minutes; a run that hangs must end while somebody still waits. In ms. */
const TIMEOUT = 600_000;
/** How much of the output's end is kept to find the summary in. In characters. */
const KEPT_OUTPUT = 10_000;
/** Tests that need an engine. */
const END_TO_END = "tests/e2e";

async function main(signal: AbortSignal): Promise<number> {
  const results = await runTests(Deno.args, signal).catch((error): TestResults => {
    say(explain(error));
    return { passed: 0, failed: 1, skipped: [] };
  });
  for (const name of results.skipped) say(`skipped: ${name}`);
  Deno.stdout.writeSync(new TextEncoder().encode(`${resultLine(results)}\n`));
  return results.failed === 0 ? 0 : 1;
}

async function runTests(args: readonly string[], signal: AbortSignal): Promise<TestResults> {
  const isUnit = args[0] === "--unit";
  if (isUnit) return await denoTest([`--ignore=${END_TO_END}`, ...args.slice(1)], {}, signal);
  return await denoTest(args, await imagesForTests(signal), signal);
}

/** What the tests against the engine read from their environment. */
async function imagesForTests(signal: AbortSignal): Promise<Record<string, string>> {
  const engine = await ensureEngine(signal);
  try {
    return {
      MLCLI_TEST_BASE_IMAGE: await ensureBaseImage("plain", engine, signal),
      MLCLI_TEST_SKLEARN_IMAGE: await ensureBaseImage("sklearn", engine, signal),
    };
  } finally {
    engine.close();
  }
}

async function denoTest(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<TestResults> {
  const report = await Deno.makeTempFile({ prefix: "mlcli-test-", suffix: ".xml" });
  try {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", "--parallel", `--junit-path=${report}`, ...await withPaths(args)],
      // Deno's own choice is colour, terminal or not.
      env: Deno.stdout.isTerminal() ? env : { ...env, NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
    }).spawn();
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]);
    const [output, { success }] = await Promise.all([
      passOn(child.stdout),
      endOf(child, limit),
    ]);
    if (limit.aborted && !signal.aborted) {
      say(`error: The tests took over ${durationText(TIMEOUT)}`);
    }
    return countResults(await Deno.readTextFile(report), output, success);
  } finally {
    await Deno.remove(report);
  }
}

/** Arguments of which one is a path say what to run; else it is everything. */
async function withPaths(args: readonly string[]): Promise<readonly string[]> {
  for (const arg of args) {
    if (await Deno.stat(arg).then(() => true, () => false)) return args;
  }
  return [...args, "tests/"];
}

/** Shows the output as it comes, and returns its end. */
async function passOn(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let end = "";
  for await (const chunk of stream) {
    for (let rest = chunk; rest.length > 0;) rest = rest.subarray(await Deno.stdout.write(rest));
    end = (end + decoder.decode(chunk, { stream: true })).slice(-KEPT_OUTPUT);
  }
  return end;
}

/** The status of a process that gets SIGTERM when the signal is aborted, and then SIGKILL. */
async function endOf(child: Deno.ChildProcess, signal: AbortSignal): Promise<Deno.CommandStatus> {
  let hasEnded = false;
  const kill = async (): Promise<void> => {
    child.kill("SIGTERM");
    await pause(5_000);
    if (!hasEnded) child.kill("SIGKILL");
  };
  signal.addEventListener("abort", kill);
  const status = await child.status;
  hasEnded = true;
  signal.removeEventListener("abort", kill);
  return status;
}

if (import.meta.main) runScript(main);
