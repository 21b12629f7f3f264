/**
 * Where the Docker Engine may be, by the rules of the `docker` command and by the habits of the
 * programs that bring an engine along.
 *
 * @module
 */

import { join } from "@std/path/join";
import { messageOf, MlcliError } from "../errors.ts";

/** How to reach an engine. */
export type Address =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "tcp"; readonly host: string; readonly tls: TlsFiles | undefined };

/** The files of `DOCKER_CERT_PATH`. */
export interface TlsFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A place to try, and the rule that named it. */
export interface Candidate {
  /** `DOCKER_HOST`, `context "colima"`, `default`, `Podman`, ... */
  readonly rule: string;
  readonly address: Address;
}

/** What the search depends on. */
export interface SearchEnvironment {
  readonly env: (name: string) => string | undefined;
}

/**
 * The places to try, best first. Where the user named one (`DOCKER_HOST`, a context), it is the
 * only one: another engine than the one asked for would be a surprise.
 *
 * @throws MlcliError of kind `engine` when what the user named cannot be understood.
 */
export async function candidates({ env }: SearchEnvironment): Promise<readonly Candidate[]> {
  const host = env("DOCKER_HOST");
  if (host) return [{ rule: "DOCKER_HOST", address: parseHost(host, env) }];
  const context = await currentContext(env);
  if (context) return [context];
  return wellKnownSockets(env);
}

/** Reads an address as `DOCKER_HOST` has it: `unix:///path` or `tcp://host:port`. */
export function parseHost(host: string, env: SearchEnvironment["env"]): Address {
  if (host.startsWith("unix://")) return { kind: "unix", path: host.slice("unix://".length) };
  const tcp = /^(?:tcp|http|https):\/\/([^/]+)\/?$/.exec(host)?.[1];
  if (tcp) return { kind: "tcp", host: withPort(tcp, env), tls: tlsFiles(env) };
  throw new MlcliError("engine", `Docker Engine address not supported: ${host}`, {
    hint: "Use unix:///path/to/docker.sock or tcp://host:port. For an engine behind ssh, forward " +
      "its socket: ssh -L /tmp/docker.sock:/var/run/docker.sock HOST",
  });
}

/** Ports of the engine: 2375 plain, 2376 with TLS. */
function withPort(host: string, env: SearchEnvironment["env"]): string {
  if (/:\d+$/.test(host)) return host;
  return `${host}:${tlsFiles(env) ? 2376 : 2375}`;
}

function tlsFiles(env: SearchEnvironment["env"]): TlsFiles | undefined {
  if (!env("DOCKER_TLS_VERIFY")) return undefined;
  const folder = env("DOCKER_CERT_PATH") || configFolder(env);
  return {
    ca: join(folder, "ca.pem"),
    cert: join(folder, "cert.pem"),
    key: join(folder, "key.pem"),
  };
}

function configFolder(env: SearchEnvironment["env"]): string {
  return env("DOCKER_CONFIG") || join(home(env), ".docker");
}

function home(env: SearchEnvironment["env"]): string {
  return env("HOME") || env("USERPROFILE") || "/";
}

/** The context that the user chose, unless it is `default`, which stands for no choice. */
async function currentContext(env: SearchEnvironment["env"]): Promise<Candidate | undefined> {
  const chosen = env("DOCKER_CONTEXT");
  const name = chosen || await configuredContext(env);
  if (!name || name === "default") return undefined;
  const rule = chosen ? `DOCKER_CONTEXT "${name}"` : `context "${name}"`;
  // Docker files a context under the SHA-256 of its name.
  const folder = await sha256(name);
  const file = join(configFolder(env), "contexts", "meta", folder, "meta.json");
  const meta = await readJson(file);
  const host = field(field(field(meta, "Endpoints"), "docker"), "Host");
  if (typeof host !== "string") {
    throw new MlcliError("engine", `Docker context not found: ${name}`, {
      hint: "docker context ls lists those there are; docker context use NAME chooses one.",
    });
  }
  return { rule, address: parseHost(host, env) };
}

/** Hexadecimal. (`node:crypto` would do, and take 17 ms to load.) */
async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}

async function configuredContext(env: SearchEnvironment["env"]): Promise<string | undefined> {
  const context = field(await readJson(join(configFolder(env), "config.json")), "currentContext");
  return typeof context === "string" ? context : undefined;
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

async function readJson(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await Deno.readTextFile(file);
  } catch {
    return undefined; // not there, or not for us: as if nobody had configured anything
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MlcliError("engine", `${file} is not valid JSON: ${messageOf(cause)}`, { cause });
  }
}

/** The default socket, then those that Docker Desktop and its likes leave. */
function wellKnownSockets(env: SearchEnvironment["env"]): readonly Candidate[] {
  const runtime = env("XDG_RUNTIME_DIR");
  const inHome = (path: string): string => join(home(env), path);
  const sockets: readonly (readonly [rule: string, path: string])[] = [
    ["default", "/var/run/docker.sock"],
    ...(runtime ? [["rootless Docker", join(runtime, "docker.sock")] as const] : []),
    ["Docker Desktop", inHome(".docker/run/docker.sock")],
    ["Docker Desktop", inHome(".docker/desktop/docker.sock")],
    ["OrbStack", inHome(".orbstack/run/docker.sock")],
    ["Rancher Desktop", inHome(".rd/docker.sock")],
    ["Colima", inHome(".colima/default/docker.sock")],
    ...(runtime ? [["Podman", join(runtime, "podman/podman.sock")] as const] : []),
    ["Podman", "/run/podman/podman.sock"],
  ];
  return sockets.map(([rule, path]) => ({ rule, address: { kind: "unix", path } }));
}
