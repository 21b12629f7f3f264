/**
 * The calls of the Engine API that give images away, typed.
 *
 * @module
 */

import type { ProgressMessage } from "./messages.ts";
import { PROGRESS } from "./shape.ts";
import type { Transport } from "./transport.ts";

/** Who may push to a registry, or pull from it. It goes into a header of the request, and nowhere else. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  /** Host of the registry: `123456789012.dkr.ecr.eu-west-1.amazonaws.com` */
  readonly serveraddress: string;
}

/** Who may pull from a registry, in one of the ways that the engine knows (`AuthConfig`). */
export type PullLogin =
  | RegistryLogin
  | { readonly identitytoken: string; readonly serveraddress: string }
  | { readonly registrytoken: string; readonly serveraddress: string };

/** How to pull an image. */
export interface PullOptions {
  /** `linux/amd64`; default: the engine's own. */
  readonly platform?: string;
  /** Default: nobody is logged in. */
  readonly login?: PullLogin;
  readonly signal?: AbortSignal;
}

/** What to push. */
export interface PushOptions {
  /** Name of an image that is here under the tag: `HOST/NAME`. */
  readonly name: string;
  readonly tag: string;
  readonly login: RegistryLogin;
  /** Aborts the push: the engine stops as well. */
  readonly signal: AbortSignal;
}

/** Calls about images of an engine, and what lies in containers; errors as those of `Engine`. */
export interface ImageCalls {
  /** Gives an image another name, which whatever had it loses. */
  tagImage(reference: string, name: string, tag: string): Promise<void>;
  /**
   * Takes a name from an image; the image goes with its last one. No error where nothing has the
   * name, or where a container needs it.
   */
  untagImage(reference: string): Promise<void>;
  /**
   * Pulls an image; without a tag or a digest the one tagged `latest`. Failures come as a message
   * with `errorDetail`, or as an `EngineError`.
   */
  pull(reference: string, options?: PullOptions): AsyncGenerator<ProgressMessage, void, void>;
  /** Pushes an image. Failures come as a message with `errorDetail`. */
  push(options: PushOptions): AsyncGenerator<ProgressMessage, void, void>;
  /** What lies at a path of a container, which need not run; undefined where nothing does. */
  pathInContainer(id: string, path: string): Promise<PathInContainer | undefined>;
  /**
   * Unpacks an archive, a tar or one compressed with gzip, in a directory of a container, which need
   * not run.
   */
  unpackInContainer(
    id: string,
    directory: string,
    archive: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void>;
}

/** What lies somewhere in a container. A link is not followed. */
export interface PathInContainer {
  readonly isDirectory: boolean;
}

/** Go's `fs.ModeDir`, in the mode that the engine says. */
const MODE_DIRECTORY = 0x80000000;

/** How much longer the copy of a large model may take than other calls, in seconds. */
const SLOW_COPY = 3_600;

/** The calls, over a transport that knows the version of the API. */
export function imageCalls(request: Transport["request"]): ImageCalls {
  return {
    async tagImage(reference: string, name: string, tag: string): Promise<void> {
      const parameters = new URLSearchParams({ repo: name, tag });
      const path = `/images/${encodeURIComponent(reference)}/tag?${parameters}`;
      await (await request("POST", path, { expect: [201] })).discard();
    },

    async untagImage(reference: string): Promise<void> {
      const path = `/images/${encodeURIComponent(reference)}?noprune=1`;
      await (await request("DELETE", path, { expect: [200, 404, 409] })).discard();
    },

    async *pull(
      reference: string,
      { platform, login, signal }: PullOptions = {},
    ): AsyncGenerator<ProgressMessage, void, void> {
      // Of an image without a tag the engine would pull all of them.
      const isWhole = /[:@]/.test(reference.slice(reference.lastIndexOf("/") + 1));
      const parameters = new URLSearchParams({
        fromImage: isWhole ? reference : `${reference}:latest`,
        ...(platform === undefined ? {} : { platform }),
      });
      const answer = await request("POST", `/images/create?${parameters}`, {
        expect: [200],
        effort: "wait",
        headers: { "X-Registry-Auth": headerOf(login ?? {}) },
        signal,
      });
      yield* answer.lines<ProgressMessage>(PROGRESS);
    },

    async *push(
      { name, tag, login, signal }: PushOptions,
    ): AsyncGenerator<ProgressMessage, void, void> {
      const path = `/images/${encodeURIComponent(name)}/push?${new URLSearchParams({ tag })}`;
      const answer = await request("POST", path, {
        expect: [200],
        effort: "wait",
        headers: { "X-Registry-Auth": headerOf(login) },
        signal,
      });
      yield* answer.lines<ProgressMessage>(PROGRESS);
    },

    async pathInContainer(id: string, path: string): Promise<PathInContainer | undefined> {
      const address = `/containers/${id}/archive?${new URLSearchParams({ path })}`;
      const answer = await request("HEAD", address, { expect: [200, 404] });
      await answer.discard();
      if (answer.status === 404) return undefined;
      const mode = modeIn(answer.headers.get("X-Docker-Container-Path-Stat") ?? "");
      return { isDirectory: (mode & MODE_DIRECTORY) !== 0 };
    },

    async unpackInContainer(
      id: string,
      directory: string,
      archive: ReadableStream<Uint8Array>,
      signal: AbortSignal,
    ): Promise<void> {
      const address = `/containers/${id}/archive?${new URLSearchParams({ path: directory })}`;
      const options = { expect: [200], grace: SLOW_COPY, tar: archive, signal };
      await (await request("PUT", address, options)).discard();
    },
  };
}

/** The mode that the engine says of a path; 0 where it says nothing of the kind. */
function modeIn(stat: string): number {
  try {
    return Number(Object(JSON.parse(atob(stat))).mode) || 0;
  } catch {
    return 0;
  }
}

/** Base64 for addresses (`Authentication` in the Engine API's reference). */
function headerOf(login: PullLogin | Record<string, never>): string {
  const bytes = new TextEncoder().encode(JSON.stringify(login));
  return bytes.toBase64({ alphabet: "base64url" });
}
