/**
 * Showing a newcomer what mlcli does: each step under a title, with the command line that a user would
 * type, and how long it took.
 */

import { fromFileUrl } from "@std/path";
import { MlcliError } from "../runtime/errors.ts";
import { joinSignals } from "../runtime/time.ts";
import { type BaseImageKind, ensureBaseImage } from "./engine/base_image.ts";
import { ensureEngine } from "./engine/engine.ts";
import { timeText } from "./script.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));

/** The slowest step is a build that installs packages by pip over a slow line. In ms. */
const COMMAND_TIMEOUT = 240_000;

/** Finds or makes an engine and an image to build on; returns the image's name. */
export async function prepare(
  signal: AbortSignal,
  kind: BaseImageKind = "plain",
): Promise<string> {
  const engine = await demonstrate("Find a Docker Engine", async () => {
    const found = await ensureEngine(signal);
    print(found.address);
    return found;
  });
  try {
    return await demonstrate("Find a Python image", async () => {
      const found = await ensureBaseImage(kind, engine, signal);
      print(found);
      return found;
    });
  } finally {
    engine.close();
  }
}

/** Where mlcli runs, and what ends it. */
export interface Place {
  readonly directory: string;
  readonly signal: AbortSignal;
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs mlcli as a user would, and returns its results.
 * @throws MlcliError naming the step when it fails.
 */
export async function mlcli(title: string, place: Place, args: readonly string[]): Promise<string> {
  return await demonstrate(title, async () => {
    print(`$ mlcli ${args.join(" ")}`);
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", `--config=${ROOT}deno.json`, `${ROOT}main.ts`, ...args],
      cwd: place.directory,
      env: { ...place.env },
      stdin: "null",
      stdout: "piped",
    }).spawn();
    using either = joinSignals(place.signal, AbortSignal.timeout(COMMAND_TIMEOUT));
    const limit = either.signal;
    const kill = (): void => child.kill("SIGTERM");
    limit.addEventListener("abort", kill);
    const results = await new Response(child.stdout.pipeThrough(shown())).text();
    const { code } = await child.status;
    limit.removeEventListener("abort", kill);
    // First, so that a server that has started is known, and stopped, even after Ctrl-C.
    if (code === 0) return results.trim();
    place.signal.throwIfAborted();
    const ending = limit.aborted ? `took over ${timeText(COMMAND_TIMEOUT)}` : `ended with ${code}`;
    throw new MlcliError(`${title}: mlcli ${args.join(" ")} ${ending}`);
  });
}

/** Shows what passes through. */
function shown(): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      Deno.stdout.writeSync(chunk);
      controller.enqueue(chunk);
    },
  });
}

/** Does a step of the demo under its title, and says how long it took. */
export async function demonstrate<T>(title: string, work: () => Promise<T>): Promise<T> {
  print(`\n== ${title}`);
  const begin = performance.now();
  const result = await work();
  print(`(${timeText(performance.now() - begin)})`);
  return result;
}

/** Prints a line. */
export function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
