/**
 * Whose image an app's file may name. An image runs as root of its container, with the app's data, the
 * network, and on the platform the execution role's rights: so one that only a repository's file names
 * lies in the caller's own account or in AWS's.
 */

import { isAbsolute } from "@std/path/is-absolute";
import { join } from "@std/path/join";
import type { Context } from "../context.ts";
import { isAwsAccount } from "../contract/aws_images.ts";
import { ecrHost, parseImageName } from "../contract/registry.ts";
import { MlcliError } from "../errors.ts";
import { LARGEST_TEXT, readTextFile } from "../files.ts";
import { inOneLine, isObject, parseJson } from "../text.ts";
import type { App } from "./app.ts";
import { isRemembered, remember, type Remembered } from "./state.ts";
import { shellWord } from "./typed_path.ts";

/** What is asked for, and by whom. */
export interface NamedImage {
  readonly app: Pick<App, "name" | "directory">;
  readonly image: string;
  readonly isTyped: boolean;
  /** The command that would name it: `mlcli local train`. */
  readonly command: string;
}

export interface TrustHost extends Pick<Context, "env"> {
  /** The caller's account. @throws MlcliError where it cannot be found out. */
  readonly account: () => Promise<string>;
  /** Is told where something cannot be remembered. */
  readonly note: (text: string) => void;
}

/**
 * Requires that an image may run: it is typed, or was before in this directory; or its registry is AWS's,
 * the caller's own, or one that the person trusts.
 *
 * @throws MlcliError with the line that names it.
 */
export async function requireTrusted(named: NamedImage, host: TrustHost): Promise<void> {
  const { app, image, isTyped, command } = named;
  const { host: registry = "docker.io" } = parseImageName(image);
  const account = ecrHost(registry)?.account;
  const what: Remembered = { directory: app.directory, kind: "images", name: image };
  const isKnown = !isTyped && (account !== undefined && isAwsAccount(account) ||
    await isRemembered(what, host.env) ||
    (await trustedRegistries(host.env)).includes(registry));
  if (isKnown) return;
  let doubt = "";
  if (!isTyped) {
    const own = account === undefined ? undefined : await host.account().catch((error) => {
      if (!(error instanceof MlcliError)) throw error;
      doubt = ` (your account is not known: ${error.message})`;
    });
    if (own === undefined || own !== account) throw notTrusted(image, doubt, app, command);
  }
  await remember(what, host.env).catch((error) => {
    if (!(error instanceof MlcliError)) throw error;
    host.note(`Type --image next time, too, since it cannot be remembered: ${error.message}`);
  });
}

function notTrusted(
  image: string,
  doubt: string,
  { name }: NamedImage["app"],
  command: string,
): MlcliError {
  const shown = inOneLine(image);
  return new MlcliError(
    `Nobody but ${name}.json has named the image ${shown} here, and its registry is neither ` +
      `your account's nor AWS's${doubt}`,
    { hint: `If you trust it, name it yourself, once: ${command} --image ${shellWord(image)}` },
  );
}

/**
 * `trusted_registries` of the person's own settings: hosts, such as `ghcr.io`. In `mlcli/config.json`
 * below `XDG_CONFIG_HOME` (XDG Base Directory Specification), or `APPDATA`.
 */
async function trustedRegistries(env: Context["env"]): Promise<readonly unknown[]> {
  const [named, data, home] = ["XDG_CONFIG_HOME", "APPDATA", "HOME"].map(env)
    .map((path) => path && isAbsolute(path) ? path : undefined);
  const folder = named ?? data ?? (home && join(home, ".config"));
  if (folder === undefined) return [];
  const path = join(folder, "mlcli", "config.json");
  const settings = await readTextFile(path, LARGEST_TEXT).then(parseJson).catch(() => undefined);
  const hosts = isObject(settings) ? settings["trusted_registries"] : undefined;
  return Array.isArray(hosts) ? hosts : [];
}
