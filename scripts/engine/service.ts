/**
 * An engine of the tests' own, for as long as something uses it: `withService`. It and its containers
 * have namespaces (network, mounts, processes) and a directory of their own, so that neither the
 * machine nor its engine notices, and nothing remains.
 */

import { join } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { lastLines, start } from "../process.ts";
import { step } from "../script.ts";
import { cacheDirectory } from "./cache.ts";
import { untilItAnswers } from "./until_it_answers.ts";

/** An engine that a script starts. */
export interface ServiceScript {
  /** `Podman's service` */
  readonly name: string;
  /**
   * Path of a script for `sh`. It gets a directory, in which it keeps everything, and then
   * `arguments`. The engine listens at `engine.sock` there.
   */
  readonly script: string;
  readonly arguments?: readonly string[];
  /** Where that directory is made. Default: where scripts keep what a later run may use. */
  readonly parent?: string;
}

/** A service that answers. */
export interface Service {
  /** For `DOCKER_HOST`. */
  readonly host: string;
  /** A process in its network. */
  readonly pid: number;
  /** Everything that it keeps. */
  readonly directory: string;
}

/** It answers within seconds, also where others keep the machine busy. In ms. */
const START_TIMEOUT = 60_000;

const HINT = "It needs root with the right to make namespaces and mounts: a container without " +
  "--privileged has not. deno task test runs the same tests on Docker.";

/** With the first process of its process namespace, all that the engine has started ends. */
const NAMESPACES = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"];

/** Runs the service while `work` uses it; afterwards, nothing of it is left. */
export async function withService<T>(
  { name, script, arguments: rest = [], parent }: ServiceScript,
  signal: AbortSignal,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const dir = parent ?? await cacheDirectory();
  const directory = await Deno.makeTempDir({ dir, prefix: "engine-" });
  const ending = new AbortController();
  const child = start(["unshare", ...NAMESPACES, "sh", script, directory, ...rest], {
    signal: ending.signal,
    killSignal: "SIGKILL", // unshare ignores the others
    hint: HINT,
  });
  const outputs = Promise.all([child.stdout, child.stderr].map((one) => new Response(one).text()));
  try {
    const host = `unix://${join(directory, "engine.sock")}`;
    await step(`Starting ${name}`, () => untilReady(name, host, child, signal));
    return await work({ host, pid: child.pid, directory });
  } catch (error) {
    signal.throwIfAborted();
    ending.abort();
    const said = lastLines((await outputs).join(""));
    if (error instanceof MlcliError && error.quote === undefined && said !== "") {
      throw new MlcliError(error.message, { quote: said, hint: error.hint ?? HINT });
    }
    throw error;
  } finally {
    ending.abort();
    await child.status;
    await outputs;
    await removeTreeIfThere(directory);
  }
}

async function untilReady(
  name: string,
  host: string,
  child: Deno.ChildProcess,
  signal: AbortSignal,
): Promise<void> {
  let ended: Deno.CommandStatus | undefined;
  child.status.then((status) => ended = status);
  const engine = await untilItAnswers({
    env: (variable) => variable === "DOCKER_HOST" ? host : undefined,
    timeout: START_TIMEOUT,
    ending: () => Promise.resolve(ended && `ended with ${ended.code}`),
    failure: (what, reason) => Promise.resolve(new MlcliError(`${name} ${what}: ${reason}`)),
  }, signal);
  engine.close();
}
