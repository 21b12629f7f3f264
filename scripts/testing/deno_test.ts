/** Runs `deno test` and counts what became of the tests. */

import { join } from "@std/path";
import { joinSignals } from "../../runtime/time.ts";
import { pause, say, sayError, timeText } from "../script.ts";
import { countResults, failureText, resultLine, type TestResults } from "./test_results.ts";

/**
 * The tests take some minutes, whole sweeps many more; a run that hangs must end before everybody has
 * given up. In ms.
 */
const TIMEOUT = Deno.env.get("MLCLI_TEST_ALL") === "1" ? 5_400_000 : 1_500_000;
/** How much of the output's end is kept to find the summary in. In characters. */
const KEPT_OUTPUT = 10_000;

/** Which tests run, and in what surroundings. */
export interface TestSurroundings {
  /** Files and directories, where the arguments name none. All tests where this is missing. */
  readonly selected?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A program that runs the command behind it, such as `nsenter`, and its options. */
  readonly within?: readonly string[];
  /** Who that runs it as, where it is somebody else. */
  readonly uid?: number | undefined;
}

/**
 * Says what became of the tests, the failures once more; the last line is `N passed, N failed`.
 * @returns the exit status.
 */
export async function reportResults(work: () => Promise<TestResults>): Promise<number> {
  const results = await work().catch((error): TestResults => {
    sayError(error);
    return { passed: 0, failed: 1, failures: [], skipped: [] };
  });
  for (const name of results.skipped) say(`skipped: ${name}`);
  const lines = [...results.failures.map(failureText), resultLine(results)];
  await write(new TextEncoder().encode(`${lines.join("\n")}\n`));
  return results.failed === 0 ? 0 : 1;
}

/**
 * Runs the tests that the arguments name, or those selected; shows their output as it comes.
 * @param args for `deno test`.
 */
export async function denoTest(
  args: readonly string[],
  { selected = ["tests/"], env, within = [], uid }: TestSurroundings,
  signal: AbortSignal,
): Promise<TestResults> {
  const directory = await Deno.makeTempDir({ prefix: "mlcli-report-" });
  if (uid !== undefined) await Deno.chown(directory, uid, uid);
  const report = join(directory, "report.xml");
  const options = ["-A", "--parallel", `--junit-path=${report}`];
  const [program, ...rest] = [
    ...within,
    ...[Deno.execPath(), "test", ...options, ...await withPaths(args, selected)],
  ] as [string, ...string[]];
  try {
    const child = new Deno.Command(program, {
      args: rest,
      // Deno's own choice is colour, terminal or not.
      env: Deno.stdout.isTerminal() ? env : { ...env, NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
    }).spawn();
    using either = joinSignals(signal, AbortSignal.timeout(TIMEOUT));
    const limit = either.signal;
    const [output, { success }] = await Promise.all([
      passOn(child.stdout),
      endOf(child, limit),
    ]);
    if (limit.aborted && !signal.aborted) {
      say(`error: The tests took over ${timeText(TIMEOUT)}`);
    }
    return countResults(await Deno.readTextFile(report).catch(() => ""), output, success);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** Arguments of which one is a path say what to run; else it is what is selected. */
async function withPaths(
  args: readonly string[],
  selected: readonly string[],
): Promise<readonly string[]> {
  for (const arg of args) {
    if (await Deno.stat(arg).then(() => true, () => false)) return args;
  }
  return [...args, ...selected];
}

/** Shows the output as it comes, and returns its end. */
async function passOn(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let end = "";
  for await (const chunk of stream) {
    await write(chunk);
    end = (end + decoder.decode(chunk, { stream: true })).slice(-KEPT_OUTPUT);
  }
  return end;
}

async function write(bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await Deno.stdout.write(rest));
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
