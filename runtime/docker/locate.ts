/**
 * Where the Docker Engine may be: by the rules of the `docker` command, and where the programs that
 * contain an engine put its socket.
 */

import { join } from "@std/path/join";
import { MlcliError } from "../errors.ts";
import { type Studio, studioAt } from "./studio.ts";
import { sha256, shellWord } from "../text.ts";

/** How to reach an engine. */
export type Address =
  | { readonly kind: "unix"; readonly path: string }
  /** A named pipe of Windows: `//./pipe/docker_engine`. */
  | { readonly kind: "pipe"; readonly path: string }
  | { readonly kind: "tcp"; readonly host: string; readonly tls: TlsFiles | undefined };

/** The certificates of `DOCKER_CERT_PATH`, or of a context; the client's may be missing. */
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
  /** Whether the user did not name it: then it has to belong to the user or to root. */
  readonly isFound?: boolean;
  /** What undoes the user's choice of this engine: a command, and a variable with its value. */
  readonly undo?: readonly [command: string, variable: string, value: string];
}

/** What the search depends on. */
export interface SearchEnvironment {
  readonly env: (name: string) => string | undefined;
  /** This system, unless it is given. */
  readonly os?: typeof Deno.build.os;
  /** Root of the file system; without it, SageMaker Studio is not looked for. */
  readonly system?: { readonly root: string };
}

/**
 * The places to try, best first. Where the user named one (`DOCKER_HOST`, a context), it is the
 * only one: another engine than the one asked for would be a surprise.
 *
 * @throws MlcliError when what the user named cannot be understood.
 */
export async function candidates(
  { env, os = Deno.build.os }: SearchEnvironment,
): Promise<readonly Candidate[]> {
  const host = env("DOCKER_HOST");
  if (host) {
    const undo = ["unset DOCKER_HOST", "DOCKER_HOST", ""] as const;
    return [{ rule: "DOCKER_HOST", address: parseHost(host, env), undo }];
  }
  const context = await currentContext(env);
  if (context) return [context];
  return os === "windows" ? WELL_KNOWN_PIPES : wellKnownSockets(env, os);
}

/** The app of SageMaker Studio that mlcli runs in; undefined where the user named an engine elsewhere. */
export function studioOf({ env, system }: SearchEnvironment): Studio | undefined {
  const isElsewhere = /^(?!unix:)./.test(env("DOCKER_HOST") ?? "");
  return system === undefined || isElsewhere ? undefined : studioAt(system.root);
}

/** Where Docker's engine listens. */
const DEFAULT_SOCKET = "/var/run/docker.sock";

/** The same on Windows. */
const DEFAULT_PIPE = "//./pipe/docker_engine";

/**
 * Reads an address as `DOCKER_HOST` has it: `unix:///path`, `npipe:////./pipe/name`,
 * `tcp://host:port` or `host:port`.
 */
export function parseHost(host: string, env: SearchEnvironment["env"]): Address {
  const tls = env("DOCKER_TLS_VERIFY")
    ? tlsFiles(env("DOCKER_CERT_PATH") || configFolder(env))
    : undefined;
  return parseAddress(host, tls);
}

function parseAddress(host: string, tls: TlsFiles | undefined): Address {
  if (host.startsWith("unix://")) {
    return { kind: "unix", path: host.slice("unix://".length) || DEFAULT_SOCKET };
  }
  if (host.startsWith("npipe://")) {
    const path = host.slice("npipe://".length).replaceAll("\\", "/");
    return { kind: "pipe", path: path || DEFAULT_PIPE };
  }
  const tcp = /^(?:(?:tcp|http|https):\/\/)?([^/@]+)\/?$/.exec(host)?.[1];
  if (tcp) return { kind: "tcp", host: withPort(tcp, tls), tls };
  // Docker has no passwords in addresses. If the user wrote one, no message shows it.
  const shown = host.replace(/^([\w+.-]+:\/\/)?.*@/s, "$1***@");
  throw new MlcliError(`Docker Engine address "${shown}" is not supported`, {
    hint:
      "Use unix:///PATH, npipe:////./pipe/NAME or tcp://HOST:PORT. For an engine behind SSH, forward " +
      "its socket: ssh -L /tmp/docker.sock:/var/run/docker.sock HOST",
  });
}

/** Ports of the engine: 2375 plain, 2376 with TLS. */
function withPort(host: string, tls: TlsFiles | undefined): string {
  return /:\d+$/.test(host) ? host : `${host}:${tls ? 2376 : 2375}`;
}

function tlsFiles(folder: string): TlsFiles {
  return {
    ca: join(folder, "ca.pem"),
    cert: join(folder, "cert.pem"),
    key: join(folder, "key.pem"),
  };
}

/** Where the user's Docker configuration is. */
export function configFolder(env: SearchEnvironment["env"]): string {
  return env("DOCKER_CONFIG") || join(home(env), ".docker");
}

function home(env: SearchEnvironment["env"]): string {
  return env("HOME") || env("USERPROFILE") || "/";
}

/** The context that the user chose, unless it is `default`, which stands for no choice. */
async function currentContext(env: SearchEnvironment["env"]): Promise<Candidate | undefined> {
  const chosen = env("DOCKER_CONTEXT");
  const name = chosen || configuredContext(env);
  if (!name || name === "default") return undefined;
  const rule = chosen ? `DOCKER_CONTEXT "${name}"` : `context "${name}"`;
  // Docker files a context under the SHA-256 of its name.
  const folder = await sha256(name);
  const file = join(configFolder(env), "contexts", "meta", folder, "meta.json");
  const meta = readJson(file);
  const host = field(field(field(meta, "Endpoints"), "docker"), "Host");
  if (typeof host !== "string") {
    throw new MlcliError(`Docker context "${name}" not found`, {
      hint: "Set DOCKER_CONTEXT to an existing context. To list them, run docker context ls.",
    });
  }
  // The context's own certificates, whatever DOCKER_TLS_VERIFY says.
  const tls = tlsFiles(join(configFolder(env), "contexts", "tls", folder, "docker"));
  const hasTls = await Deno.stat(tls.ca).then(() => true, () => false);
  const command = chosen ? "unset DOCKER_CONTEXT" : "docker context use default";
  const undo = [command, "DOCKER_CONTEXT", chosen ? "" : "default"] as const;
  return { rule, address: parseAddress(host, hasTls ? tls : undefined), undo };
}

function configuredContext(env: SearchEnvironment["env"]): string | undefined {
  const context = field(readJson(join(configFolder(env), "config.json")), "currentContext");
  return typeof context === "string" ? context : undefined;
}

/** The value of a key, where there is one. */
export function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

/**
 * A file's value; undefined where it cannot be read.
 * @throws MlcliError where it is no JSON.
 */
export function readJson(file: string): unknown {
  let text: string;
  try {
    // Opening a named pipe would wait, and neither Ctrl-C nor a time limit could end that.
    if (!Deno.statSync(file).isFile) return undefined;
    // For an asynchronous call, a program that has made none yet starts threads: 2 ms.
    text = Deno.readTextFileSync(file);
  } catch {
    return undefined; // not there, or not readable: counts as no configuration
  }
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the file, which can contain passwords.
    const hint = `Find the mistake: python3 -m json.tool ${shellWord(file)}`;
    throw new MlcliError(`${file} is not valid JSON`, { hint });
  }
}

/** The default pipe, then those of Docker Desktop and of `podman machine`. */
const WELL_KNOWN_PIPES: readonly Candidate[] = [
  { rule: "default", address: { kind: "pipe", path: DEFAULT_PIPE } },
  {
    rule: "Docker Desktop",
    address: { kind: "pipe", path: "//./pipe/dockerDesktopLinuxEngine" },
  },
  { rule: "Podman machine", address: { kind: "pipe", path: "//./pipe/podman-machine-default" } },
];

/** The default socket, then those of Docker Desktop and similar programs. */
function wellKnownSockets(
  env: SearchEnvironment["env"],
  os: typeof Deno.build.os,
): readonly Candidate[] {
  const below = (variable: string, path: string): readonly string[] => {
    const folder = env(variable);
    return folder ? [join(folder, path)] : [];
  };
  const inHome = (path: string): readonly string[] => [join(home(env), path)];
  const sockets: readonly (readonly [rule: string, paths: readonly string[]])[] = [
    ["default", [DEFAULT_SOCKET]],
    // AWS's guide, "Getting started with local mode". Its users have it in DOCKER_HOST, too.
    ["SageMaker Studio", ["/docker/proxy.sock"]],
    ["rootless Docker", below("XDG_RUNTIME_DIR", "docker.sock")],
    ["Docker Desktop", inHome(".docker/run/docker.sock")],
    ["Docker Desktop", inHome(".docker/desktop/docker.sock")],
    ["OrbStack", inHome(".orbstack/run/docker.sock")],
    ["Rancher Desktop", inHome(".rd/docker.sock")],
    ["Colima", below("COLIMA_HOME", "default/docker.sock")],
    ["Colima", inHome(".colima/default/docker.sock")],
    ["Colima", below("XDG_CONFIG_HOME", "colima/default/docker.sock")],
    ["Podman", below("XDG_RUNTIME_DIR", "podman/podman.sock")],
    ["Podman", ["/run/podman/podman.sock"]],
  ];
  const machines: typeof sockets = [
    // `podman machine` on macOS: since 5 in the temporary directory, before in the home.
    ["Podman machine", below("TMPDIR", "podman/podman-machine-default-api.sock")],
    ["Podman machine", inHome(".local/share/containers/podman/machine/podman.sock")],
  ];
  return [...sockets, ...os === "darwin" ? machines : []].flatMap(([rule, paths]) =>
    paths.map((path) => ({ rule, address: { kind: "unix", path }, isFound: true }) as const)
  );
}
