/**
 * What `list-endpoints` costs, against Debian's `aws` on the same server, and how its memory grows.
 */

import { ACCOUNT } from "../../tests/helpers/box/account.ts";
import { Box } from "../../tests/helpers/box/box.ts";
import { pause } from "../script.ts";
import { AWS, ensureAws, NO_SETTINGS } from "./aws.ts";
import type { Comparison, Contender } from "./measure.ts";
import { mlcli, time } from "./program.ts";

/** An account of usual size for a large team, and one to see what grows. */
const SOME = 1_000;
const MANY = 20_000;

/** How often to look at a process's memory, in ms: it only grows, and the last look counts. */
const LOOK_INTERVAL = 5;

/** Comparisons, and the platforms that they ask, on loopback. */
export interface EndpointBench extends AsyncDisposable {
  readonly comparisons: readonly Comparison[];
}

/** Starts the servers. Undefined when Debian's aws is not there, and cannot be installed. */
export async function makeEndpointBench(signal: AbortSignal): Promise<EndpointBench | undefined> {
  if (!await ensureAws(signal)) return undefined;
  const some = await platformOf(SOME);
  const many = await platformOf(MANY);
  return {
    comparisons: [timeComparison(some), memoryComparison(some, many)],
    async [Symbol.asyncDispose]() {
      await some[Symbol.asyncDispose]();
      await many[Symbol.asyncDispose]();
    },
  };
}

async function platformOf(count: number): Promise<Box> {
  const aws = await Box.open();
  for (let index = 0; index < count; index++) {
    aws.endpoints.add(`endpoint-of-${ACCOUNT}-${index}`, { creationTime: 1_772_353_800 + index });
  }
  return aws;
}

/** `list-endpoints` against `aws sagemaker list-endpoints`, the whole process. */
function timeComparison(aws: Box): Comparison {
  const env = environment(aws);
  return {
    title: `list-endpoints, ${SOME} endpoints`,
    unit: "ms",
    ours: {
      command: "mlcli list-endpoints",
      measure: () => time(mlcli("list-endpoints"), { env }),
    },
    theirs: {
      command: "aws sagemaker list-endpoints",
      measure: () => time([AWS, "--endpoint-url", aws.url, "sagemaker", "list-endpoints"], { env }),
    },
    goal: { atMost: 0.28 },
    rounds: 20,
  };
}

/** The memory that 20 times as many endpoints take. */
function memoryComparison(some: Box, many: Box): Comparison {
  const contender = (aws: Box, count: number): Contender => ({
    command: `mlcli list-endpoints, ${count} endpoints`,
    measure: () => memoryOf(mlcli("list-endpoints"), environment(aws)),
  });
  return {
    title: `list-endpoints, memory for ${MANY}`,
    unit: "MB",
    ours: contender(many, MANY),
    theirs: contender(some, SOME),
    goal: { atMost: 1.2 },
    rounds: 5,
  };
}

function environment(aws: Box): Record<string, string> {
  // Nothing of the machine's own AWS settings.
  const files = NO_SETTINGS;
  return { ...aws.env(), ...files, AWS_DEFAULT_REGION: aws.env().AWS_REGION ?? "" };
}

/** The most memory that a command had resident, in MB (10^6 bytes). Linux only. */
async function memoryOf(
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const child = new Deno.Command(program, { args, env, stdin: "null", stdout: "null" }).spawn();
  let kilobytes = 0;
  let hasEnded = false;
  const end = child.status.finally(() => hasEnded = true);
  while (!hasEnded) {
    const status = await Deno.readTextFile(`/proc/${child.pid}/status`).catch(() => "");
    kilobytes = Math.max(kilobytes, Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0));
    await pause(LOOK_INTERVAL);
  }
  const { code } = await end;
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}`);
  return kilobytes * 1024 / 1e6;
}
