/** Finds the Docker Engine that answers. */

import { dirname } from "@std/path/dirname";
import { fileErrorReason, MlcliError } from "../errors.ts";
import { joinSignals } from "../time.ts";
import { BrokenEngine, EngineError, EngineGone, reasonOf } from "./errors.ts";
import type { Builder, Engine } from "./engine.ts";
import { type EngineIdentity, engineOver } from "./engine_calls.ts";
import { type Candidate, candidates, type SearchEnvironment, studioOf } from "./locate.ts";
import { type TimeLimitOptions, TimeLimits } from "./time_limits.ts";
import { object, text } from "./shape.ts";
import { enablingHint, STUDIO_API } from "./studio.ts";
import { addressText, openTransport, type Transport } from "./transport.ts";

/**
 * The newest API that mlcli speaks: Docker Engine 25 and later. Docker 29 accepts nothing older;
 * with an older engine, mlcli speaks that one's version.
 */
const API_VERSION = "1.44";

/** How long an engine may take to say that it is there, in milliseconds. */
const PING_TIMEOUT = 10_000;

/** How long to look for another engine than the one that the user chose, in milliseconds. */
const OTHER_TIMEOUT = 2_000;

/** How long to look for an engine. */
export interface ConnectOptions {
  /** How long each may take to answer, in ms. */
  readonly timeout?: number;
  /** Ends the search, with its reason; afterwards it shortens the time limits of the engine's calls. */
  readonly signal?: AbortSignal;
  /** How long the engine's calls may take. */
  readonly limits?: Omit<TimeLimitOptions, "interruption">;
}

/**
 * Connects to the first engine that answers.
 *
 * @throws MlcliError, with each place that was tried and why it failed.
 */
export async function connectToEngine(
  environment: SearchEnvironment,
  options: ConnectOptions = {},
): Promise<Engine> {
  const places = await candidates(environment);
  const { engine, failures } = await search(environment, places, options);
  if (engine) return engine;
  const [{ undo } = {}] = places;
  const other = undo && await otherAddress(environment, undo, options);
  const studio = studioOf(environment);
  // A domain of Studio that does not allow Docker has no socket.
  const isForbidden = failures.every((failure) => failure.endsWith(NO_SOCKET));
  throw new MlcliError("Cannot connect to a Docker Engine", {
    quote: failures.join("\n"),
    hint: other
      ? `Use the engine at ${other}, which responds: ${undo[0]}`
      : studio && isForbidden
      ? enablingHint(studio)
      : "Start Docker, or set DOCKER_HOST to the address of an engine",
  });
}

/** Returns the first engine that answers; without one, why each place failed. */
async function search(
  environment: SearchEnvironment,
  places: readonly Candidate[],
  { timeout = PING_TIMEOUT, signal, limits: options }: ConnectOptions,
): Promise<{ readonly engine?: Engine; readonly failures: readonly string[] }> {
  const limits = new TimeLimits({ ...options, interruption: signal });
  const isStudio = studioOf(environment) !== undefined;
  const failures: string[] = [];
  for (const candidate of places) {
    using limit = joinSignals(AbortSignal.timeout(timeout), ...(signal ? [signal] : []));
    // An engine elsewhere has none of Studio's rules.
    const inStudio = isStudio && candidate.address.kind === "unix";
    const attempt = await tryCandidate(candidate, { inStudio, limits }, limit.signal);
    signal?.throwIfAborted();
    if (attempt.engine) return { engine: attempt.engine, failures };
    const failure = limit.signal.aborted
      ? `no response within ${timeout / 1000} s`
      : attempt.failure;
    failures.push(`${addressText(candidate.address)} (${candidate.rule}): ${failure}`);
  }
  return { failures };
}

/** Returns the address of the engine that answers once the user's choice is taken back. */
async function otherAddress(
  environment: SearchEnvironment,
  [, name, value]: NonNullable<Candidate["undo"]>,
  { signal }: ConnectOptions,
): Promise<string | undefined> {
  const env = (one: string) => one === name ? value : environment.env(one);
  const without = { ...environment, env };
  const places = await candidates(without).catch(() => []);
  const { engine } = await search(without, places, { timeout: OTHER_TIMEOUT, signal });
  engine?.close();
  return engine?.address;
}

type Attempt =
  | { readonly engine: Engine; readonly failure?: undefined }
  | { readonly engine?: undefined; readonly failure: string };

async function tryCandidate(
  candidate: Candidate,
  { inStudio, limits }: { readonly inStudio: boolean; readonly limits: TimeLimits },
  limit: AbortSignal,
): Promise<Attempt> {
  const { address, rule } = candidate;
  const obstacle = obstacleTo(candidate);
  if (obstacle) return { failure: obstacle };
  let transport: Transport | undefined;
  try {
    transport = await openTransport(address, limits);
    return { engine: engineOver(transport, await identify(transport, inStudio, limit), rule) };
  } catch (error) {
    transport?.close();
    return { failure: failureText(error) };
  }
}

/** The oldest Deno that can use named pipes: older ones wait for ever. */
const PIPES_SINCE = "2.9";

export function knowsPipes(deno = Deno.version.deno): boolean {
  return !isOlder(deno, PIPES_SINCE);
}

/** Why not to try a place at all. (Deno's error for a missing socket has no code: it is checked here.) */
function obstacleTo({ address, isFound }: Candidate): string | undefined {
  if (address.kind === "pipe" && !knowsPipes()) {
    return `named pipes require Deno ${PIPES_SINCE} or later (this is ${Deno.version.deno})`;
  }
  if (address.kind !== "unix") return undefined;
  try {
    // For an asynchronous call, a program that has made none yet starts threads: 2 ms.
    const socket = Deno.statSync(address.path);
    if (!isFound) return undefined;
    // The owner of the link or of the directory can put another socket there at any time.
    const all = [socket, Deno.lstatSync(address.path), Deno.lstatSync(dirname(address.path))];
    if (all.some(({ uid }) => uid !== 0 && uid !== Deno.uid())) return NOT_YOURS;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return NO_SOCKET;
    return error instanceof Deno.errors.PermissionDenied ? NO_PERMISSION : fileErrorReason(error);
  }
}

const NO_SOCKET = "no such socket";
const NOT_YOURS =
  "another user owns it and could read your data (to use it anyway, set DOCKER_HOST)";
const NO_PERMISSION =
  "permission denied (on Linux: sudo usermod -aG docker $USER, then log in again)";

const WINDOWS_CONTAINERS =
  "it runs Windows containers, but mlcli requires Linux containers (in Docker Desktop's " +
  "menu: Switch to Linux containers)";

const NO_ENGINE = "a server responds, but it is not a Docker Engine";

/** Reasons by the error texts of Deno and the system; the numbers are from Linux and macOS. */
const REASONS: readonly (readonly [words: RegExp, reason: string])[] = [
  [/os error 13\b/, NO_PERMISSION],
  [/os error (61|111)\b/, "no program listens at this address"],
  [
    /os error (54|104)\b|connection closed before message/,
    "it closed the connection without a response",
  ],
  [/dns error/, "the host name cannot be resolved"],
  // An answer in another protocol, such as SSH.
  [/received unexpected message|invalid HTTP [a-z-]+ parsed/, NO_ENGINE],
  // Fetch, "port blocking": 22, for one.
  [/Requests to port \d+ are blocked/, "this port is reserved for another protocol"],
  // Named pipes.
  [/\bENOENT\b/, "no such pipe"],
  [/\b(EACCES|EPERM)\b/, "permission denied (add your user to the group docker-users)"],
];

function failureText(error: unknown): string {
  if (error instanceof EngineError) {
    // Every engine answers the paths of the search.
    if (error.status === 404) return NO_ENGINE;
    return `a server returned HTTP ${error.status}: ${error.reason}`;
  }
  if (error instanceof MlcliError && !(error instanceof EngineGone)) {
    return error instanceof BrokenEngine ? NO_ENGINE : error.message;
  }
  const reason = reasonOf(error instanceof EngineGone ? error.cause : error);
  return REASONS.find(([words]) => words.test(reason))?.[1] ?? reason;
}

/** The search for an engine has its own time limit. */
const LIMITED_BY_SEARCH = { effort: "wait" } as const;

/** Which engine it is, and the lower one of its API version and mlcli's. */
async function identify(
  transport: Transport,
  inStudio: boolean,
  signal: AbortSignal,
): Promise<EngineIdentity> {
  if (inStudio) {
    return { ...await identifyByVersion(transport, signal), builder: "classic", inStudio };
  }
  const options = { expect: [200, ...MOVED], ...LIMITED_BY_SEARCH, signal };
  const answer = await transport.request("GET", "/_ping", options);
  await answer.discard();
  // A filter in front of the engine may answer only paths that begin with a version.
  if (answer.status !== 200) return await identifyByVersion(transport, signal);
  return identityOf(answer.headers.get("Api-Version"), answer.headers);
}

/** Redirections, which are not followed. */
const MOVED = [301, 302, 307, 308];

/** The same by a path with a version, which all engines know that mlcli is tested with. */
async function identifyByVersion(
  transport: Transport,
  signal: AbortSignal,
): Promise<EngineIdentity> {
  const path = `/v${STUDIO_API}/version`;
  const options = { expect: [200], ...LIMITED_BY_SEARCH, signal };
  const answer = await transport.request("GET", path, options);
  const { ApiVersion } = await answer.json(object({ ApiVersion: text }));
  return identityOf(ApiVersion, answer.headers);
}

function identityOf(offered: string | null, headers: Headers): EngineIdentity {
  // Every engine since API 1.25 says it.
  if (!/^\d+\.\d+$/.test(offered ?? "")) throw new BrokenEngine(NO_ENGINE);
  if (headers.get("Ostype") === "windows") throw new MlcliError(WINDOWS_CONTAINERS);
  const apiVersion = offered && isOlder(offered, API_VERSION) ? offered : API_VERSION;
  return {
    apiVersion,
    isPodman: headers.has("Libpod-API-Version"),
    builder: builderOf(apiVersion, headers),
    inStudio: false,
  };
}

/** The oldest API whose engine has BuildKit, that of Docker 18.09. */
const BUILDKIT_SINCE = "1.39";

/**
 * The builder of an engine, by the rule of the `docker` command (github.com/docker/cli,
 * cli/command/cli.go): BuildKit. (On Windows it would be another; see `WINDOWS_CONTAINERS`.)
 */
function builderOf(apiVersion: string, headers: Headers): Builder {
  if (headers.has("Libpod-API-Version")) return "classic";
  return isOlder(apiVersion, BUILDKIT_SINCE) ? "classic" : "buildkit";
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [thanMajor = 0, thanMinor = 0] = than.split(".").map(Number);
  return major < thanMajor || (major === thanMajor && minor < thanMinor);
}
