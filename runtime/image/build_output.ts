/** Follows a build to its end, and turns what the classic builder and Podman's write into events. */

import type { BuildOptions, Engine } from "../docker/engine.ts";
import { builtImage, failureOf, type ProgressMessage, traceIn } from "../docker/messages.ts";
import { hintFor } from "../docker/errors.ts";
import { MlcliError } from "../errors.ts";
import { inOneLine, printable, terminalText } from "../text.ts";
import type { BuildEvent } from "./build_events.ts";

/**
 * Builds, and reports what happens. The form of its messages tells which builder it is.
 *
 * @throws MlcliError when a step fails, or when the engine ends without an image.
 */
export async function followBuild(
  engine: Pick<Engine, "build">,
  options: BuildOptions,
  onEvent: (event: BuildEvent) => void,
): Promise<void> {
  const classic = new ClassicOutput(onEvent);
  let buildkit: { readonly add: (trace: string) => void } | undefined;
  let isBuilt = false;
  for await (const message of engine.build(options)) {
    const failure = failureOf(message);
    if (failure !== undefined) {
      classic.end(failure);
      throw buildFailed(options, failure);
    }
    const trace = traceIn(message);
    if (trace === undefined) {
      classic.add(message);
    } else {
      buildkit ??= new (await import("./buildkit_output.ts")).BuildkitOutput(onEvent);
      buildkit.add(trace);
    }
    if (builtImage(message)) isBuilt = true;
  }
  classic.end();
  // An engine that stops half-way ends the stream without an error.
  if (!isBuilt) throw buildFailed(options, "the engine stopped without creating an image");
}

/** BuildKit names its own parts before the reason. */
const PREFIX =
  /^failed to solve(?: with frontend dockerfile\.v0)?: (?:failed to create LLB definition: )?/;

/** Words of builders and registries for a base image that cannot be pulled. */
const NO_BASE =
  /pull access denied|manifest .{0,300}(unknown|not found)|failed to resolve|no such host|lookup .{0,300} on|connection refused|i\/o timeout|Client\.Timeout|deadline exceeded|authorization failed|401 Unauthorized/i;

function buildFailed({ buildArguments, platform }: BuildOptions, reason: string): MlcliError {
  const words = reason.trim().replace(PREFIX, "");
  const base = buildArguments["BASE_IMAGE"];
  return new MlcliError(`Build failed: ${printable(words)}`, {
    hint: buildHint(words, base, platform),
  });
}

function buildHint(words: string, base: string | undefined, platform: string | undefined): string {
  const known = hintFor(words);
  if (known !== undefined) return known;
  return NO_BASE.test(words)
    ? `Check the base image ${base}, and that its registry is reachable. To use another, set ` +
      "--base-image or base_image in NAME.json." +
      (platform ? ` It must support ${platform}.` : "")
    : "See the output of the failed step above. The next build reuses the steps that succeeded.";
}

/**
 * How a step is announced: `Step 3/9 : RUN make` (moby, builder/dockerfile/dispatchers.go) or
 * `STEP 3/9: RUN make`; with several stages Podman writes `[1/2] STEP 3/9: RUN make` (buildah,
 * imagebuildah/stage_executor.go).
 */
const ANNOUNCED = /^(?:\[(\d+)\/\d+\] )?STEP (\d+\/\d+) ?: (.*)/i;

/** Podman's and the classic builder's words for a step whose result was in the cache. */
const CACHED = /^ ?--[->]* Using cache\b/;

/** The lines of the classic builder and Podman's between those of a step's program. */
const BUILDER_LINES =
  /^(?: ---> (?:Running in )?[0-9a-f]{12}|--> [0-9a-f]{11,64}|Removing intermediate container [0-9a-f]{12}|Successfully (?:built|tagged) .*|\s*)$/;

interface StepName {
  readonly id: string;
  readonly name: string;
}

/** The step that text without an announcement belongs to. */
const FIRST: StepName = { id: "build", name: "Building" };

interface ClassicOptions {
  /** The step that text without an announcement belongs to. */
  readonly first?: StepName;
  /** Milliseconds since 1970: the builder tells no times. */
  readonly now?: () => number;
}

interface Step extends StepName {
  readonly started: number;
  isCached: boolean;
}

export class ClassicOutput {
  readonly #first: StepName;
  readonly #now: () => number;
  #step: Step | undefined;

  constructor(
    private readonly onEvent: (event: BuildEvent) => void,
    { first = FIRST, now = Date.now }: ClassicOptions = {},
  ) {
    this.#first = first;
    this.#now = now;
  }

  /** Announces the first step before there is a message. */
  begin(): void {
    this.#current();
  }

  add({ stream, status, id, progressDetail }: ProgressMessage): void {
    if (stream) this.#text(withoutRed(stream));
    if (!status) return;
    const { current, total } = progressDetail ?? {};
    if (current === undefined) {
      return this.#log(`${id ? `${id}: ` : ""}${status}\n`);
    }
    this.onEvent({
      kind: "transfer",
      step: this.#current().id,
      id: inOneLine(id ?? ""),
      name: inOneLine(status),
      current,
      ...(total ? { total } : {}),
      isDone: current === total,
    });
  }

  /** @param error why the build failed; undefined: it succeeded. */
  end(error?: string): void {
    const step = this.#step;
    this.#step = undefined;
    if (step === undefined) return;
    const { id, name, started } = step;
    const state = error !== undefined ? "failed" : step.isCached ? "cached" : "done";
    this.onEvent({
      ...{ kind: "step", id, name, state, started, ended: this.#now() },
      ...(error === undefined ? {} : { error: terminalText(error) }),
    });
  }

  #text(text: string): void {
    const [, stage, number, instruction] = ANNOUNCED.exec(text) ?? [];
    if (number !== undefined && instruction !== undefined) {
      this.end();
      const id = stage === undefined ? number : `${stage} ${number}`;
      this.#begin({ id, name: `[${id}] ${inOneLine(instruction)}` });
      const rest = text.slice(text.indexOf("\n") + 1);
      if (rest !== "" && text.includes("\n")) this.#text(rest);
    } else if (CACHED.test(text)) {
      this.#current().isCached = true;
    } else if (!BUILDER_LINES.test(text.replace(/\n$/, ""))) {
      this.#log(text);
    }
  }

  #log(text: string): void {
    this.onEvent({ kind: "log", id: this.#current().id, text });
  }

  #current(): Step {
    return this.#step ?? this.#begin(this.#first);
  }

  #begin({ id, name }: StepName): Step {
    const step = { id, name, started: this.#now(), isCached: false };
    this.#step = step;
    this.onEvent({ kind: "step", id, name, state: "running", started: step.started });
    return step;
  }
}

/** The classic builder paints what a step writes to standard error (moby, builder/dockerfile). */
function withoutRed(text: string): string {
  const [red, reset] = ["\x1b[91m", "\x1b[0m"];
  const isRed = text.startsWith(red) && text.endsWith(reset);
  return isRed ? text.slice(red.length, -reset.length) : text;
}
