/**
 * How large a request's body may be in a server here.
 *
 * @module
 */

import { SURE_BODY_BYTES } from "../contract/limits.ts";
import type { Variables } from "../contract/variables.ts";
import type { ImageDetails } from "../docker/engine.ts";
import { holdsHarness } from "../images.ts";

/** In which the harness finds its limit, in MB; the first wins. */
const NAMES: readonly string[] = ["MLCLI_MAX_BODY_MB", "SAGEMAKER_MAX_PAYLOAD_IN_MB"];

/**
 * The variable that has the harness refuse what the platform may refuse. By itself the harness takes
 * what an asynchronous endpoint does: in front of every other, the platform looks at the size, and
 * here nobody would. Whoever names a limit, in the image or for this run, has another in mind.
 *
 * @param variables the user's, of this run.
 */
export function bodyLimit(image: Pick<ImageDetails, "Config">, variables: Variables): Variables {
  if (!holdsHarness(image)) return {};
  // One without a value is none to the harness, either.
  const ofImage = (image.Config?.Env ?? []).filter((variable) => !/=\s*$/.test(variable))
    .map((variable) => variable.split("=", 1)[0]);
  const isNamed = NAMES.some((name) => Object.hasOwn(variables, name) || ofImage.includes(name));
  return isNamed ? {} : { [NAMES[0]!]: String(SURE_BODY_BYTES / 1024 ** 2) };
}
