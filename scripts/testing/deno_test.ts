/** Runs `deno test` and counts what became of the tests. */

import { fromFileUrl, join, relative, resolve, toFileUrl } from "@std/path";
import { joinSignals } from "../../runtime/time.ts";
import { filesBelow } from "../files.ts";
import { run } from "../process.ts";
import { pause, say, sayError, timeText } from "../script.ts";
import type { TestArguments } from "./arguments.ts";
import { isIn, LONGEST, ON_ENGINE } from "./selections.ts";
import {
  countResults,
  failureText,
  NO_RESULTS,
  rerunText,
  resultLine,
  type TestResults,
} from "./test_results.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** A run that hangs must end before its readers give up. In ms. */
const TIMEOUT = 1_500_000;
const TIMEOUT_OF_ALL = 5_400_000;
/** How much of the output's end is kept to find the summary in. In characters. */
const KEPT_OUTPUT = 10_000;

/**
 * Files without an engine are imported by so many test modules: each module takes seconds to load and
 * compile the program and the AWS SDK.
 */
const BATCHES = 12;

/** Which tests run, and in what surroundings. */
export interface TestSurroundings {
  /** Files and directories, unless the arguments name some. */
  readonly selected: readonly string[];
  /** Of the selected ones, those that do not run. */
  readonly ignored?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A program that runs the command behind it, such as `nsenter`, and its options. */
  readonly within?: readonly string[];
}

/**
 * Prints what became of the tests, the failures once more, and how to rerun each; the last line is
 * `N passed, N failed`.
 * @param task name of the task, and its first arguments: `test:engine userns`.
 * @returns the exit code.
 */
export async function reportResults(
  task: string,
  work: () => Promise<TestResults>,
): Promise<number> {
  const results = await work().catch((error): TestResults => {
    sayError(error);
    return { ...NO_RESULTS, failed: 1 };
  });
  for (const { seconds, name } of results.slowest) say(`slow: ${seconds.toFixed(1)} s  ${name}`);
  for (const name of results.skipped) say(`skipped: ${name}`);
  const lines = [
    ...results.failures.map(failureText),
    ...results.failures.map((failure) => rerunText(failure, task)),
    resultLine(results),
  ];
  await write(new TextEncoder().encode(`${lines.join("\n")}\n`));
  return results.failed === 0 ? 0 : 1;
}

/** Runs the tests that the arguments name, or those selected; shows their output as it comes. */
export async function denoTest(
  { all, only, rest }: TestArguments,
  { selected, ignored = [], env, within = [] }: TestSurroundings,
  signal: AbortSignal,
): Promise<TestResults> {
  const isThere = await Promise.all(
    rest.map((argument) => Deno.stat(argument).then(() => true, () => false)),
  );
  const named = rest.filter((_, index) => isThere[index]);
  const options = rest.filter((_, index) => !isThere[index]);
  const files = named.length > 0
    ? await testFiles(named)
    : (await testFiles(selected)).filter((file) => !isIn(file, ignored));
  const onEngine = files.filter((file) => isIn(file, ON_ENGINE))
    .sort((a, b) => Number(isIn(b, LONGEST)) - Number(isIn(a, LONGEST)));
  const others = files.filter((file) => !isIn(file, ON_ENGINE));
  const timeout = all ? TIMEOUT_OF_ALL : TIMEOUT;
  using limit = joinSignals(signal, AbortSignal.timeout(timeout));
  const directory = await Deno.makeTempDir({ prefix: "mlcli-tests-" });
  const report = join(directory, "report.xml");
  const config = `--config=${join(ROOT, "deno.json")}`;
  const command = [
    ...[...within, Deno.execPath(), "test", "-A", "--parallel", `--junit-path=${report}`],
    ...["--no-check", config, ...options.filter((option) => option !== "--no-check")],
    ...Deno.env.has("MLCLI_TEST_CLOCK_OFFSET") ? ["--preload=tests/helpers/clock_offset.ts"] : [],
  ];
  try {
    if (!options.includes("--no-check")) {
      // `deno test` would check everything again, since its modules are in a new directory.
      const check = [Deno.execPath(), "check", config, ...named.length > 0 ? files : ["."]];
      await run(check, { cwd: ROOT, timeout, hint: "Correct them, or pass --no-check.", signal });
    }
    // A whole sweep takes minutes: two of them in one module would delay the end of the run.
    const modules = all ? others : await inBatches(others, directory);
    const [program, ...args] = [...command, ...onEngine, ...modules];
    const child = new Deno.Command(program!, {
      args,
      env: {
        // Tests wait part of their time, those on an engine most.
        DENO_JOBS: `${navigator.hardwareConcurrency + (onEngine.length > 0 ? 2 : 1)}`,
        // Deno's own choice is colour, terminal or not.
        ...Deno.stdout.isTerminal() ? {} : { NO_COLOR: "1" },
        ...env,
        ...await temporaryIn(directory, limit.signal),
        MLCLI_TEST_RUN: crypto.randomUUID(),
        // Set in any case: a test that runs tests has variables of its own run.
        MLCLI_TEST_ALL: all ? "1" : "",
        MLCLI_TEST_ONLY: only ?? "",
      },
      stdin: "null",
      stdout: "piped",
    }).spawn();
    const [output, { success }] = await Promise.all([
      passOn(child.stdout),
      endOf(child, limit.signal),
    ]);
    if (limit.signal.aborted && !signal.aborted) {
      say(`error: The tests took over ${timeText(timeout)}`);
    }
    const text = await Deno.readTextFile(report).catch(() => "");
    const results = countResults(text, output, success);
    const failures = await Array.fromAsync(results.failures, async (failure) => ({
      ...failure,
      file: failure.file ?? await fileOfSuite(failure.name, files),
    }));
    // A run without tests is a failure: what was meant to run did not.
    return { ...results, failures, failed: results.failed || Number(results.passed === 0) };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/**
 * Returns variables that make the tests create temporary files in `directory`. All users can write to
 * it, like /tmp. On ext4, attribute T spreads its subdirectories over the disk. In one part of the
 * disk, ext4 needs up to 1 ms for each new file, because it walks over all inodes that were deleted
 * there in the last minutes.
 */
async function temporaryIn(directory: string, signal: AbortSignal): Promise<{ TMPDIR?: string }> {
  if (Deno.build.os !== "linux") return {};
  await Deno.chmod(directory, 0o1777);
  // Other file systems have no such attribute, and do not need it.
  await run(["chattr", "+T", directory], { timeout: 10_000, hint: "", signal }).catch(() => {});
  return { TMPDIR: directory };
}

/** Finds the file that declares the suite of a test, unless the suite's name is computed. */
async function fileOfSuite(name: string, files: readonly string[]): Promise<string | undefined> {
  const declaration = `suite(${JSON.stringify(name.split(" > ")[0])}`;
  for (const file of files) {
    if ((await Deno.readTextFile(join(ROOT, file))).includes(declaration)) return file;
  }
  return undefined;
}

/** Writes modules that import the files, so that the files share them. Few files need none. */
async function inBatches(files: readonly string[], directory: string): Promise<readonly string[]> {
  if (files.length <= BATCHES) return files;
  const batches = Map.groupBy(files, (file) => files.indexOf(file) % BATCHES);
  return await Array.fromAsync(batches, async ([index, batch]) => {
    const module = join(directory, `${index}_test.ts`);
    const imports = batch.map((file) => `import "${toFileUrl(join(ROOT, file))}";\n`);
    await Deno.writeTextFile(module, imports.join(""));
    return module;
  });
}

/** The test files in directories, and the files that are named, relative to the project's directory. */
async function testFiles(paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const below = await Array.fromAsync(filesBelow(path));
    const files = below.filter((file) => file === "" || /_test\.tsx?$/.test(file)).sort();
    found.push(...files.map((file) => relative(ROOT, resolve(path, file))));
  }
  return [...new Set(found)];
}

/** Shows the output line by line as it comes, and returns its end. */
async function passOn(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let end = "";
  let line = "";
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true });
    end = (end + text).slice(-KEPT_OUTPUT);
    const lines = (line + text).split(/(?<=\n)/);
    line = lines.at(-1)!.endsWith("\n") ? "" : lines.pop()!;
    await write(new TextEncoder().encode(lines.join("")));
  }
  await write(new TextEncoder().encode(line));
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
