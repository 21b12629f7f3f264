/**
 * How fast mlcli is, as ratios against other ways of doing the same: `deno task bench`.
 *
 * Ratios of medians, both ways in turn: they hold when the machine is slower tomorrow. Exits with
 * 0 also when a goal is missed: speed is no test, and machines are noisy.
 *
 * @module
 */

import { messageOf } from "../../runtime/errors.ts";
import { makeInvocationBench } from "../bench/invoke_endpoint.ts";
import { type EndpointBench, makeEndpointBench } from "../bench/list_endpoints.ts";
import {
  deployComparison,
  fullOutputComparison,
  helpComparison,
  makeBenchApp,
  trainComparison,
} from "../bench/local.ts";
import { compare, type Outcome, table } from "../bench/measure.ts";
import { makePushBench } from "../bench/push.ts";
import { makeTrainBench } from "../bench/train.ts";
import { makeServingBench } from "../bench/serving.ts";
import { makeUploadBench } from "../bench/upload.ts";
import { makeWatchBench } from "../bench/watch.ts";
import { makeStartUpBench, type StartUpBench } from "../bench/startup.ts";
import { findBinary } from "../compile/targets.ts";
import { ensureBaseImage } from "../engine/base_image.ts";
import { ensureEngine } from "../engine/engine.ts";
import { runScript, say } from "../script.ts";

async function main(signal: AbortSignal): Promise<number> {
  const engine = await ensureEngine(signal);
  const baseImage = await ensureBaseImage("plain", engine, signal);
  engine.close();
  const outcomes: Outcome[] = [];
  await using app = await makeBenchApp(baseImage);
  await using serving = await makeServingBench(app);
  await using endpoints = await endpointBench(signal);
  await using invocation = await makeInvocationBench(signal);
  await using push = await makePushBench(baseImage, signal);
  await using training = await makeTrainBench(signal);
  await using upload = await makeUploadBench(signal);
  await using startUp = await startUpBench();
  await using watch = await makeWatchBench();
  await using full = await makeBenchApp(baseImage);
  const comparisons = [
    await helpComparison(),
    trainComparison(app),
    await fullOutputComparison(full),
    watch.comparison,
    deployComparison(app),
    serving.comparison,
    ...endpoints?.comparisons ?? [],
    ...invocation ? [invocation.comparison] : [],
    ...push ? [push.comparison] : [],
    ...training ? [training.comparison] : [],
    ...upload?.comparisons ?? [],
    ...startUp?.comparisons ?? [],
  ];
  for (const comparison of comparisons) {
    signal.throwIfAborted();
    say(`${comparison.title} ...`);
    outcomes.push(await compare(comparison));
  }
  Deno.stdout.writeSync(new TextEncoder().encode(`${table(outcomes)}\n`));
  return 0;
}

/** Of the cloud commands, where there is something to compare them with. */
async function endpointBench(signal: AbortSignal): Promise<EndpointBench | undefined> {
  const bench = await makeEndpointBench(signal);
  if (!bench) say("list-endpoints is not measured: there is no aws (apt-get install awscli)");
  return bench;
}

/** Of the binary, if there is one and an empty program can be compiled to compare it with. */
async function startUpBench(): Promise<StartUpBench | undefined> {
  const binary = await findBinary();
  try {
    if (binary) return await makeStartUpBench(binary);
    say("The binary's start is not measured: deno task compile has made none");
  } catch (error) {
    say(`The binary's start is not measured: ${messageOf(error).split("\n")[0]}`);
  }
}

if (import.meta.main) runScript(main);
