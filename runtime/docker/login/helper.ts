/**
 * The programs that keep logins: `docker-credential-NAME`, as `docker login` uses them.
 *
 * Source: github.com/docker/docker-credential-helpers, client/client.go.
 */

import { isAbsolute, join } from "@std/path";
import { messageOf, MlcliError } from "../../errors.ts";
import { isFile } from "../../files.ts";
import { inOneLine, jsonObject } from "../../text.ts";
import { joinSignals, onAbort } from "../../time.ts";
import type { SearchEnvironment } from "../locate.ts";

/** In ms: time for a program that asks its user something, and an end for one that hangs. */
const TIMEOUT = 30_000;

/** How much of a helper's complaint is shown, in characters. */
const SHOWN_LENGTH = 200;

/** What a helper says where it has no login (credentials/error.go). */
const NOT_FOUND = "credentials not found in native keychain";

/** A helper did not say whether it has a login. */
export class HelperError extends MlcliError {
  override readonly name = "HelperError";
}

/** A login as a helper has it. */
export interface HelperLogin {
  /** `<token>` where the secret is an identity token. */
  readonly username: string;
  readonly secret: string;
}

/**
 * Asks a helper for a server's login; undefined where it has none.
 *
 * @throws HelperError where it is not there, fails, hangs, or says something else.
 */
export async function askHelper(
  name: string,
  server: string,
  { env }: SearchEnvironment,
  signal: AbortSignal,
): Promise<HelperLogin | undefined> {
  const program = `docker-credential-${name}`;
  const path = await pathOf(program, env);
  if (path === undefined) {
    throw new HelperError(`Credential helper ${program} is not in PATH`);
  }
  const { success, stdout } = await output(program, path, server, signal);
  if (!success) {
    const words = inOneLine(stdout.trim());
    if (words === NOT_FOUND) return undefined;
    const reason = words.slice(0, SHOWN_LENGTH) || "no reason given";
    throw new HelperError(`Credential helper ${program} failed: ${reason}`);
  }
  const { Username, Secret } = jsonObject(stdout) ?? {};
  // Its output may be a secret: it is not shown.
  if (typeof Username !== "string" || typeof Secret !== "string") {
    throw new HelperError(`Credential helper ${program} returned invalid data`);
  }
  return Username === "" ? undefined : { username: Username, secret: Secret };
}

/** Where a program is. Relative directories of PATH do not count: they may be the repository's. */
async function pathOf(
  program: string,
  env: SearchEnvironment["env"],
): Promise<string | undefined> {
  // The configuration names a program, not a path.
  if (!/^[\w.-]+$/.test(program)) return undefined;
  const isWindows = Deno.build.os === "windows";
  for (const directory of (env("PATH") ?? "").split(isWindows ? ";" : ":")) {
    const path = join(directory, isWindows ? `${program}.exe` : program);
    if (isAbsolute(directory) && await isFile(path)) return path;
  }
}

async function output(
  program: string,
  path: string,
  server: string,
  signal: AbortSignal,
): Promise<{ readonly success: boolean; readonly stdout: string }> {
  using limit = joinSignals(signal, AbortSignal.timeout(TIMEOUT));
  limit.signal.throwIfAborted();
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(path, {
      args: ["get"],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
  } catch (cause) {
    throw new HelperError(`Cannot run credential helper ${program}: ${messageOf(cause)}`, {
      cause,
    });
  }
  // A helper may end without reading; its output says why.
  new Blob([server]).stream().pipeTo(child.stdin).catch(() => {});
  using _killing = onAbort(limit.signal, () => kill(child));
  let stdout = "";
  const text = new WritableStream<string>({ write: (piece) => void (stdout += piece) });
  // A process that the helper started may keep its output open: that is not waited for.
  await child.stdout.pipeThrough(new TextDecoderStream(), { signal: limit.signal })
    .pipeTo(text, { signal: limit.signal }).catch(() => {});
  const { success } = await child.status;
  signal.throwIfAborted();
  if (limit.signal.aborted) {
    throw new HelperError(
      `Credential helper ${program} did not respond within ${TIMEOUT / 1000} s`,
    );
  }
  return { success, stdout };
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended.
  }
}
