/**
 * How fast mlcli is, as ratios against other ways of doing the same: `deno task bench`, or
 * `deno task bench serving` for a part of it (`PARTS`).
 *
 * Ratios of medians, all ways in turn: they hold when the machine is slower tomorrow. Exits with
 * 0 also when a goal is missed: speed is no test, and machines are noisy.
 */

import { messageOf, MlcliError } from "../../runtime/errors.ts";
import { makeBuildBench } from "../bench/build.ts";
import { type Contest, type ContestOutcome, contestTable, runContest } from "../bench/contest.ts";
import { hostsComparisons } from "../bench/hosts.ts";
import { makeInvocationBench } from "../bench/invoke_endpoint.ts";
import { makeEndpointBench } from "../bench/list_endpoints.ts";
import {
  byBinary,
  deployComparison,
  fullOutputComparison,
  givenTo,
  helpComparison,
  largeChannelComparison,
  makeBenchApp,
  trainComparison,
} from "../bench/local.ts";
import { compare, type Comparison, type Outcome, table } from "../bench/measure.ts";
import { makePageBench } from "../bench/page.ts";
import { makePushBench } from "../bench/push.ts";
import { makeRepackBench } from "../bench/repack.ts";
import { makeScriptJobBench } from "../bench/script_job.ts";
import { makeScriptModeBench } from "../bench/script_mode.ts";
import { makeServingBench } from "../bench/serving/serving.ts";
import { makeStartUpBench } from "../bench/startup.ts";
import { makeTrainBench } from "../bench/train.ts";
import { transformComparisons } from "../bench/transform.ts";
import { makeUploadBench } from "../bench/upload.ts";
import { makeWatchEditBench } from "../bench/watch_edit.ts";
import { otherUser } from "../../tests/helpers/other_user.ts";
import { findBinary } from "../compile/targets.ts";
import { ensureBaseImage } from "../engine/base_image.ts";
import { ensureChromium } from "../engine/chromium.ts";
import { ensureEngine } from "../engine/engine.ts";
import { runScript, say } from "../script.ts";

/** What is measured, one after another; what it needs is there until the next one is asked for. */
type Part = (
  baseImage: string,
  signal: AbortSignal,
  engine: string,
) => AsyncGenerator<Comparison | Contest>;

const PARTS: Readonly<Record<string, Part>> = {
  build,
  local,
  hosts,
  script,
  repack,
  "watch-edit": watchEdit,
  serving,
  transform,
  page,
  cloud,
  binary,
};

async function main(signal: AbortSignal): Promise<number> {
  const parts = partsNamed(Deno.args);
  const engine = await ensureEngine(signal);
  const baseImage = await ensureBaseImage("plain", engine, signal);
  const { address } = engine;
  engine.close();
  const outcomes: Outcome[] = [];
  const contests: ContestOutcome[] = [];
  for (const part of parts) {
    for await (const measured of part(baseImage, signal, address)) {
      signal.throwIfAborted();
      say(`${measured.title} ...`);
      if ("contenders" in measured) contests.push(await runContest(measured));
      else outcomes.push(await compare(measured));
    }
  }
  const byContenders = Map.groupBy(contests, ({ contest }) => contest.contenders.join());
  const tables = [
    ...outcomes.length > 0 ? [table(outcomes)] : [],
    ...[...byContenders.values()].map(contestTable),
  ];
  Deno.stdout.writeSync(new TextEncoder().encode(`${tables.join("\n\n")}\n`));
  return 0;
}

function partsNamed(names: readonly string[]): readonly Part[] {
  if (names.length === 0) return Object.values(PARTS);
  return names.map((name) => {
    const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (part) return part;
    throw new MlcliError(`There is no part '${name}' to measure`, {
      hint: `Name some of these: ${Object.keys(PARTS).join(", ")}`,
    });
  });
}

async function* build(
  baseImage: string,
  _: AbortSignal,
  address: string,
): AsyncGenerator<Comparison> {
  await using bench = await makeBuildBench(baseImage, address, await findBinary());
  if (!bench) say("build is not measured: curl needs the engine's socket");
  yield* bench?.comparisons ?? [];
}

async function* local(baseImage: string): AsyncGenerator<Comparison> {
  yield await helpComparison();
  const binary = await findBinary();
  await using app = await makeBenchApp(baseImage);
  yield trainComparison(app);
  yield deployComparison(app);
  if (binary) {
    const same = byBinary(binary, app);
    yield trainComparison(same, "binary: local train, empty model", 1.15);
    yield deployComparison(same, "binary: local deploy, until ready", 1.15);
  }
  yield* ofMember(baseImage, binary);
  await using full = await makeBenchApp(baseImage);
  yield await fullOutputComparison(full);
  await using large = await makeBenchApp(baseImage);
  yield await largeChannelComparison(large, app);
}

/** The same as a user who is not root, and pays for being given what the run wrote. */
async function* ofMember(
  baseImage: string,
  binary: string | undefined,
): AsyncGenerator<Comparison> {
  if (Deno.uid() !== 0) return;
  await using app = await makeBenchApp(baseImage);
  await using user = await otherUser();
  const given = await givenTo(user, app);
  yield trainComparison(given, "local train, as a member of group docker");
  yield deployComparison(given, "local deploy, as a member of group docker");
  if (!binary) return;
  await using other = await otherUser({ binary });
  yield trainComparison(
    await givenTo(other, app),
    "binary: local train, as a member of group docker",
    1.55,
  );
}

/** Several hosts against one. */
async function* hosts(baseImage: string): AsyncGenerator<Comparison> {
  await using app = await makeBenchApp(baseImage);
  yield* await hostsComparisons(app);
}

/** A script on an image that exists: run here, and sent to a job. */
async function* script(
  _: string,
  signal: AbortSignal,
): AsyncGenerator<Comparison | Contest> {
  await using mode = await makeScriptModeBench(signal);
  if (mode) yield mode.contest;
  await using job = await makeScriptJobBench(signal);
  if (job) yield job.comparison;
  else say("A script's job is not measured: there is no aws (apt-get install awscli)");
}

async function* repack(_: string, signal: AbortSignal): AsyncGenerator<Comparison> {
  await using bench = await makeRepackBench(signal);
  if (bench) yield bench.comparison;
  else say("Repacking is not measured: there is no aws (apt-get install awscli)");
}

async function* watchEdit(baseImage: string): AsyncGenerator<Comparison> {
  await using app = await makeBenchApp(baseImage);
  await using bench = await makeWatchEditBench(app);
  yield bench.comparison;
}

async function* serving(baseImage: string): AsyncGenerator<Contest> {
  await using app = await makeBenchApp(baseImage);
  await using bench = await makeServingBench(app);
  yield* bench.contests;
}

async function* transform(baseImage: string): AsyncGenerator<Comparison> {
  await using app = await makeBenchApp(baseImage);
  yield* transformComparisons(app);
}

/** In a browser. */
async function* page(_: string, signal: AbortSignal): AsyncGenerator<Comparison> {
  if (!await ensureChromium(signal)) return say("The page is not measured: there is no Chromium");
  await using bench = await makePageBench();
  yield* bench.comparisons;
}

/** The cloud commands, where there is something to compare them with. */
async function* cloud(baseImage: string, signal: AbortSignal): AsyncGenerator<Comparison> {
  await using endpoints = await makeEndpointBench(signal);
  if (!endpoints) say("list-endpoints is not measured: there is no aws (apt-get install awscli)");
  yield* endpoints?.comparisons ?? [];
  await using invocation = await makeInvocationBench(signal);
  if (invocation) yield invocation.comparison;
  await using push = await makePushBench(baseImage, signal);
  if (push) yield push.comparison;
  await using training = await makeTrainBench(signal);
  if (training) yield training.comparison;
  await using upload = await makeUploadBench(signal);
  yield* upload?.comparisons ?? [];
}

/** The binary, if there is one and an empty program can be compiled to compare it with. */
async function* binary(): AsyncGenerator<Comparison> {
  const program = await findBinary();
  if (!program) {
    say("The binary's start is not measured: deno task compile has made none");
    return;
  }
  await using bench = await makeStartUpBench(program).catch((error) => {
    say(`The binary's start is not measured: ${messageOf(error).split("\n")[0]}`);
    return undefined;
  });
  yield* bench?.comparisons ?? [];
}

if (import.meta.main) runScript(main);
