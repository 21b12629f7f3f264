/**
 * Images that an app's file can name. An image runs as root of its container, with the app's data, the
 * network, and on SageMaker the permissions of the execution role. So an image that only a repository's file
 * names must be in the account of the credentials or in an account of AWS.
 */

import type { Context } from "../context.ts";
import { isAwsAccount } from "../contract/aws_images.ts";
import { ecrHost, parseImageName } from "../contract/registry.ts";
import { MlcliError } from "../errors.ts";
import type { Messages } from "../messages.ts";
import { personSettings } from "../person.ts";
import type { Setting } from "../setting.ts";
import { inOneLine } from "../text.ts";
import type { App } from "./app.ts";
import { isRemembered, type Remembered, rememberIfPossible } from "./state.ts";
import { shellWord } from "./typed_path.ts";

/** The image that is requested, and the source of the request. */
export interface NamedImage {
  readonly app: Pick<App, "name" | "directory">;
  readonly image: Setting<string>;
  /** The command that would name it: `mlcli local train`. */
  readonly command: string;
}

export interface TrustHost extends Pick<Context, "env"> {
  /** Returns the account of the credentials. @throws MlcliError if the account cannot be determined. */
  readonly account: () => Promise<string>;
  /** `undefined`: nothing is remembered. */
  readonly messages: Pick<Messages, "note"> | undefined;
}

/**
 * Requires that an image is allowed to run: the user types it, or typed it before in this directory; or its
 * registry belongs to AWS or to the account of the credentials, or the user trusts it. Docker Hub is none of
 * these, and an image that is only on this machine is named like an image of Docker Hub.
 *
 * @returns the source of the name: with `registry`, the image must be the one that the registry has.
 * @throws MlcliError with the line that names the image.
 */
export async function requireTrusted(
  named: NamedImage,
  host: TrustHost,
): Promise<"person" | "registry"> {
  const { app: { directory }, image: { value: image, from } } = named;
  const known = { directory, kind: "images", name: image } as const;
  if (from === "typed") {
    await rememberTrust(known, host);
    return "person";
  }
  if (await isRemembered(known, host.env)) return "person";
  const { host: registry = "docker.io" } = parseImageName(image);
  const account = ecrHost(registry)?.account;
  if (account !== undefined && isAwsAccount(account)) return "registry";
  const isHub = registry === "docker.io";
  const { trusted_registries: trusted = [] } = personSettings(host.env);
  if (!isHub && trusted.includes(registry)) return "registry";
  if (account === undefined) throw notTrusted(named, "to AWS or to your account");
  const own: Remembered = { directory, kind: "accounts", name: account };
  if (await isRemembered(own, host.env)) return "registry";
  const caller = await host.account().catch((error) => {
    if (!(error instanceof MlcliError)) throw error;
    throw notTrusted(named, `to AWS, and your AWS account is unknown (${error.message})`);
  });
  if (caller !== account) throw notTrusted(named, "to AWS or to your account");
  await rememberTrust(own, host);
  return "registry";
}

/** Remembers an image or an account, so that the user need not type it again. */
export async function rememberTrust(
  what: Remembered,
  { env, messages }: Pick<TrustHost, "env" | "messages">,
): Promise<void> {
  if (messages === undefined) return;
  await rememberIfPossible(
    what,
    env,
    (reason) => messages.note(`Cannot remember that you trust this image: ${reason}`),
  );
}

function notTrusted(
  { image: { value: image }, app: { name }, command }: NamedImage,
  whose: string,
): MlcliError {
  const shown = inOneLine(image);
  return new MlcliError(
    `mlcli does not trust the image ${shown}, set by ${name}.json: its registry does not belong ` +
      whose,
    { hint: `Confirm once that you trust it: ${command} --image ${shellWord(image)}` },
  );
}
