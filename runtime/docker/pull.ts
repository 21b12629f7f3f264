/** Pulls an image, and explains failures. */

import { awsImageIn, isAwsAccount } from "../contract/aws_images.ts";
import { ecrHost, parseImageName } from "../contract/registry.ts";
import { MlcliError } from "../errors.ts";
import type { Messages } from "../messages.ts";
import { printable } from "../text.ts";
import { EngineError, hintFor } from "./errors.ts";
import type { ImageCalls, PullLogin } from "./images.ts";
import type { SearchEnvironment } from "./locate.ts";
import { HelperError } from "./login/helper.ts";
import { loginFrom, loginSource, registryOf } from "./login/login.ts";
import { failureOf, type ProgressMessage } from "./messages.ts";

export interface Pull {
  readonly reference: string;
  /** `linux/amd64`; `undefined`: the engine's own. */
  readonly platform: string | undefined;
  /** `undefined`: without one. */
  readonly login: PullLogin | undefined;
  /** What to do where the registry has no such image. */
  readonly missingHint: string;
}

/**
 * Pulls an image.
 *
 * @param onMessage hears of the progress.
 * @throws MlcliError where the image cannot be had; the signal's reason.
 */
export async function pullImage(
  { pull }: Pick<ImageCalls, "pull">,
  wanted: Pull,
  signal: AbortSignal,
  onMessage: (message: ProgressMessage) => void,
): Promise<void> {
  const { reference, platform, login } = wanted;
  try {
    for await (
      const message of pull(reference, {
        ...platform === undefined ? {} : { platform },
        ...login === undefined ? {} : { login },
        signal,
      })
    ) {
      const failure = failureOf(message);
      if (failure !== undefined) throw pullFailed(wanted, failure);
      onMessage(message);
    }
  } catch (error) {
    throw error instanceof EngineError ? pullFailed(wanted, error.reason) : error;
  }
}

/**
 * Returns the login that `docker login` keeps for a registry. If a credential helper fails, mlcli prints a
 * warning and pulls without a login, as `docker` does: a public image needs none.
 */
export async function dockersLogin(
  registry: string,
  host: SearchEnvironment & { readonly messages: Messages },
  signal: AbortSignal,
): Promise<PullLogin | undefined> {
  const source = loginSource(registry, host);
  if (source === undefined) return undefined;
  try {
    return await loginFrom(source, host, signal);
  } catch (error) {
    if (!(error instanceof HelperError)) throw error;
    host.messages.warning(`${error.message}. Pulling from ${registry} without a login.`);
  }
}

/** Progress of a pull, from the layers that the engine reports. */
export class PullSize {
  readonly #layers = new Map<string, { readonly current: number; readonly total: number }>();

  add({ id, status, progressDetail }: ProgressMessage): void {
    const { current, total } = progressDetail ?? {};
    if (id === undefined || status !== "Downloading") return;
    if (current !== undefined && total) this.#layers.set(id, { current, total });
  }

  /** `12 of 340 MB`; of layers that have begun. Empty before the first. */
  get words(): string {
    const sum = (what: "current" | "total") =>
      Math.round([...this.#layers.values()].reduce((all, layer) => all + layer[what], 0) / 1e6);
    return this.#layers.size === 0 ? "" : `${sum("current")} of ${sum("total")} MB`;
  }
}

/** Words of engines and registries for a missing permission. */
const REFUSED =
  /unauthorized|authentication required|access denied|no basic auth|incorrect username|token .{0,300}(expired|invalid)|forbidden|\b40[13]\b/i;

function pullFailed(wanted: Pull, reason: string): MlcliError {
  const { reference, missingHint } = wanted;
  return new MlcliError(`Cannot pull ${reference}: ${printable(reason.trim())}`, {
    hint: hintFor(reason) ?? awsHint(reference) ??
      (REFUSED.test(reason) ? refusalHint(wanted) : missingHint),
  });
}

/** AWS keeps its images in an account of its own in each region. */
function awsHint(reference: string): string | undefined {
  const right = awsImageIn(reference);
  if (right === undefined) return undefined;
  const { region } = ecrHost(parseImageName(reference).host!)!;
  return `Use the image that AWS publishes in ${region}: ${right}`;
}

function refusalHint({ reference, login }: Pull): string {
  const registry = registryOf(reference);
  const account = ecrHost(registry)?.account;
  if (account !== undefined) {
    return "Add the permissions ecr:BatchGetImage and ecr:GetDownloadUrlForLayer to your AWS user or " +
      `role${isAwsAccount(account) ? "" : ` and to the repository's policy in account ${account}`}`;
  }
  const argument = registry === "docker.io" ? "" : ` ${registry}`;
  return login === undefined
    ? `Check the image name. If the image is private, run docker login${argument}, then try again.`
    : `Renew the login: docker login${argument}. To pull without a login, run docker logout${argument}.`;
}
