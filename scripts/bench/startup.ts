/**
 * What the start of the binary costs, against an empty program compiled with the same runtime.
 *
 * @module
 */

import { join } from "@std/path";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { FakeAws } from "../../tests/helpers/fake_aws.ts";
import { permissionOptions } from "../compile/permissions.ts";
import type { Comparison } from "./measure.ts";
import { run, type RunOptions, time } from "./program.ts";

/** A port without a server. */
const IDLE_PORT = 18079;

/** Comparisons, and what they need while they run. */
export interface StartUpBench extends AsyncDisposable {
  readonly comparisons: readonly Comparison[];
}

/** Compiles the empty program and starts a platform without endpoints. */
export async function makeStartUpBench(binary: string): Promise<StartUpBench> {
  const directory = await Deno.makeTempDir({ prefix: "mlcli-bench-start-" });
  const empty = await compileEmpty(directory);
  const aws = new FakeAws();
  const files = { AWS_CONFIG_FILE: "/dev/null", AWS_SHARED_CREDENTIALS_FILE: "/dev/null" };
  const compared = (
    args: readonly string[],
    note: string,
    atMost: number,
    options: RunOptions = {},
  ): Comparison => ({
    title: `binary: ${args[0] === "local" ? "local stop" : args[0]}${note}`,
    unit: "ms",
    ours: {
      command: `mlcli ${args.join(" ")}`,
      measure: () => time([binary, ...args], { cwd: directory, ...options }),
    },
    theirs: { command: "an empty program, compiled", measure: () => time([empty]) },
    goal: { atMost },
    rounds: 30,
  });
  return {
    comparisons: [
      compared(["--version"], "", 1.5),
      compared(["local", "stop", "--port", String(IDLE_PORT)], ", no server", 1.5, { expect: 1 }),
      compared(["list-endpoints"], ", empty account", 4, { env: { ...aws.env(), ...files } }),
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
  const options = ["--quiet", "--no-config", "--no-check", ...permissionOptions()];
  await run([Deno.execPath(), "compile", ...options, "--output", program, source]);
  return program;
}
