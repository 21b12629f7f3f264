/** What the start of the binary costs, against an empty program compiled with the same runtime. */

import { join } from "@std/path";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { Box } from "../../tests/helpers/box/box.ts";
import { permissionOptions, RUNTIME_OPTIONS } from "../compile/options.ts";
import { NO_SETTINGS } from "./aws.ts";
import type { Comparison } from "./measure.ts";
import { processorTime, run, type RunOptions, time } from "./program.ts";

/** A port without a server. */
const IDLE_PORT = 18079;

/** Nothing of the machine's own AWS settings. */
const NO_AWS = {
  ...NO_SETTINGS,
  AWS_ACCESS_KEY_ID: "",
};

/** Comparisons, and what they need while they run. */
export interface StartUpBench extends AsyncDisposable {
  readonly comparisons: readonly Comparison[];
}

/** Compiles the empty program, makes an app and starts a platform without endpoints. */
export async function makeStartUpBench(binary: string): Promise<StartUpBench> {
  const directory = await Deno.makeTempDir({ prefix: "mlcli-bench-start-" });
  const empty = await compileEmpty(directory);
  await run([binary, "init", "bench"], { cwd: directory });
  const aws = await Box.open();
  const compared = (
    title: string,
    args: readonly string[],
    atMost: number,
    { measured = time, ...options }: RunOptions & { readonly measured?: typeof time } = {},
  ): Comparison => ({
    title: `binary: ${title}${measured === time ? "" : ", processor time"}`,
    unit: "ms",
    ours: {
      command: `mlcli ${args.join(" ")}`,
      measure: () => measured([binary, ...args], { cwd: directory, ...options }),
    },
    theirs: { command: "an empty program, compiled", measure: () => measured([empty]) },
    goal: { atMost },
    rounds: 30,
  });
  const stop = ["local", "stop", "--port", String(IDLE_PORT)];
  const working = { measured: processorTime, expect: 1 };
  return {
    comparisons: [
      compared("--version", ["--version"], 1.5),
      compared("local stop, no server", stop, 1.5, { expect: 1 }),
      compared("list-endpoints, empty account", ["list-endpoints"], 4, {
        env: { ...NO_AWS, ...aws.env() },
      }),
      compared("local train, no image", ["local", "train", "-t", "nosuch"], 2.3, working),
      compared("local stop, no server", stop, 1.8, working),
      compared("list-endpoints, no credentials", ["list-endpoints"], 3, {
        ...working,
        env: { ...NO_AWS, AWS_REGION: "us-east-1" },
      }),
    ],
    async [Symbol.asyncDispose]() {
      await aws[Symbol.asyncDispose]();
      await removeTreeIfThere(directory);
    },
  };
}

/** Compiles a program that does nothing, as the binary is compiled. */
async function compileEmpty(directory: string): Promise<string> {
  const source = join(directory, "empty.ts");
  const program = join(directory, "empty");
  await Deno.writeTextFile(source, "");
  const options = ["--quiet", "--no-config", ...RUNTIME_OPTIONS, ...permissionOptions()];
  await run([Deno.execPath(), "compile", ...options, "--output", program, source]);
  return program;
}
