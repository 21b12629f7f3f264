/**
 * The logins of `docker login`: in the user's own Docker configuration, or kept by the helper
 * programs that it names. Nothing that a repository holds chooses among them.
 *
 * Source: github.com/docker/cli, cli/config/configfile and cli/config/credentials.
 */

import { parseImageName } from "../../contract/registry.ts";
import { join } from "@std/path/join";
import { configFolder, field, readJson, type SearchEnvironment } from "../locate.ts";
import type { PullLogin } from "../images.ts";
import { askHelper } from "./helper.ts";

/** The key of Docker Hub's login. */
const DOCKER_HUB = "https://index.docker.io/v1/";
/** How else a configuration may name Docker Hub. */
const HUB_HOSTS = ["docker.io", "index.docker.io", "registry-1.docker.io"];

/** Where the login of a registry is. */
export type LoginSource =
  | { readonly kind: "login"; readonly login: PullLogin }
  /** `docker-credential-NAME` has it, or has none. */
  | { readonly kind: "helper"; readonly name: string; readonly server: string };

/** The registry's host in an image's name: `ghcr.io`, `docker.io`, `localhost:5000`. */
export function registryOf(image: string): string {
  const { host } = parseImageName(image);
  return host === undefined || HUB_HOSTS.includes(host) ? "docker.io" : host;
}

/**
 * Where a registry's login is; undefined where nothing is configured for it.
 *
 * @param registry as `registryOf` has it.
 * @throws MlcliError where the configuration is no JSON.
 */
export function loginSource(
  registry: string,
  { env }: SearchEnvironment,
): LoginSource | undefined {
  const configuration = readJson(join(configFolder(env), "config.json"));
  const server = registry === "docker.io" ? DOCKER_HUB : registry;
  const names = registry === "docker.io" ? [DOCKER_HUB, ...HUB_HOSTS] : [registry];
  const helpers = names.map((name) => field(field(configuration, "credHelpers"), name));
  const helper = helpers.find(isText) ?? field(configuration, "credsStore");
  if (isText(helper)) return { kind: "helper", name: helper, server };
  const auths = field(configuration, "auths");
  const keys = Object.keys(typeof auths === "object" && auths !== null ? auths : {});
  const key = names.find((name) => keys.includes(name)) ??
    keys.find((key) => names.includes(hostOf(key)));
  const login = key === undefined ? undefined : loginIn(field(auths, key), server);
  return login && { kind: "login", login };
}

/**
 * The login; undefined where a helper has none.
 *
 * @throws HelperError where the helper does not say.
 */
export async function loginFrom(
  source: LoginSource,
  host: SearchEnvironment,
  signal: AbortSignal,
): Promise<PullLogin | undefined> {
  if (source.kind === "login") return source.login;
  const { server } = source;
  const found = await askHelper(source.name, server, host, signal);
  if (found === undefined) return undefined;
  const { username, secret } = found;
  return username === "<token>"
    ? { identitytoken: secret, serveraddress: server }
    : { username, password: secret, serveraddress: server };
}

/** An entry of `auths`: `docker login` writes `auth`; tokens are written beside it. */
function loginIn(entry: unknown, server: string): PullLogin | undefined {
  const text = (key: string): string | undefined => {
    const value = field(entry, key);
    return isText(value) ? value : undefined;
  };
  const serveraddress = server;
  const identitytoken = text("identitytoken");
  if (identitytoken) return { identitytoken, serveraddress };
  const registrytoken = text("registrytoken");
  if (registrytoken) return { registrytoken, serveraddress };
  const [username = text("username"), password = text("password")] = pairIn(text("auth"));
  return username && password ? { username, password, serveraddress } : undefined;
}

/** User and password of `USER:PASSWORD` in base64; empty for anything else. */
function pairIn(auth: string | undefined): readonly string[] {
  try {
    const text = new TextDecoder().decode(Uint8Array.fromBase64(auth ?? ""));
    const colon = text.indexOf(":");
    if (colon < 1) return [];
    return [text.slice(0, colon), text.slice(colon + 1).replace(/(?<!\0)\0+$/, "")];
  } catch {
    return [];
  }
}

/** `ghcr.io` of `https://ghcr.io/v2/`. */
function hostOf(key: string): string {
  return key.replace(/^https?:\/\//, "").split("/")[0]!;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
