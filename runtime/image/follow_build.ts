/**
 * Follows a build of the engine to its end.
 *
 * @module
 */

import type { BuildOptions, Engine } from "../docker/engine.ts";
import { builtImage, failureOf, traceIn } from "../docker/messages.ts";
import { remedyFor } from "../docker/remedies.ts";
import { MlcliError } from "../errors.ts";
import { printable } from "../text.ts";
import type { BuildEvent } from "./build_events.ts";
import { ClassicOutput } from "./classic_output.ts";

/**
 * Builds, and tells what happens. Which builder it is shows in what it says.
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
  if (!isBuilt) throw buildFailed(options, "the engine ended the build without an image");
}

/** What BuildKit says of its own parts before it comes to the point. */
const PREFIX =
  /^failed to solve(?: with frontend dockerfile\.v0)?: (?:failed to create LLB definition: )?/;

/** Of a base image that cannot be had, in the words of both builders and of registries. */
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
  const known = remedyFor(words);
  if (known !== undefined) return known;
  return NO_BASE.test(words)
    ? `Is the base image ${base} right, and its registry within reach? --base-image, ` +
      "or base_image in the app's NAME.json, takes another." +
      (platform ? ` It is asked for in the form for ${platform}.` : "")
    : "What it said is above. Once that is mended, the steps that worked are not done again.";
}
