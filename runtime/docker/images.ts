/** Images of an engine: the calls that move and name them, and what their details say. */

import { tagOption } from "../contract/images.ts";
import { MlcliError } from "../errors.ts";
import { clockAhead, onThisClock } from "./answer.ts";
import { PROGRESS, type ProgressMessage } from "./messages.ts";
import { list, object, type Of, record, text } from "./shape.ts";
import type { Transport } from "./transport.ts";

/**
 * What `GET /images/NAME/json` says, as far as mlcli asks. Since API 1.44, an image that has no time
 * of its own has no `Created`.
 */
const IMAGE = object({ Os: text }, {
  /**
   * Digest of the image's configuration; with the containerd image store that of its manifest, or of
   * its list of manifests.
   */
  Id: text,
  /** `amd64`, `arm64`, ... */
  Architecture: text,
  /** ISO 8601. A build that finds every step in its cache leaves it as it was. */
  Created: text,
  /** When the image got its name here: also at such a build. */
  Metadata: object({}, { LastTagTime: text }),
  Config: object({}, {
    Entrypoint: list(text),
    /** Who its programs run as: `1000:1000`, `app`; empty for root. */
    User: text,
    /** `NAME=VALUE` */
    Env: list(text),
    WorkingDir: text,
    Labels: record(text),
    /** Instructions that a build upon it begins with. */
    OnBuild: list(text),
  }),
});

type EngineImage = Of<typeof IMAGE>;

/** The same, with times on this machine's clock, and empty where the engine leaves something out. */
export type ImageDetails =
  & EngineImage
  & Required<Pick<EngineImage, "Id" | "Architecture" | "Created">>;

/** A row of `GET /images/json`: `name:tag`, where it has any. */
const IMAGE_ROW = object({}, { RepoTags: list(text) });
export type ImageSummary = Of<typeof IMAGE_ROW>;

/** User and password for a registry. They are sent in a header, and go nowhere else. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  /** Host of the registry: `123456789012.dkr.ecr.eu-west-1.amazonaws.com` */
  readonly serveraddress: string;
}

/** A login for a registry, in one of the forms that the engine knows (`AuthConfig`). */
export type PullLogin =
  | RegistryLogin
  | { readonly identitytoken: string; readonly serveraddress: string }
  | { readonly registrytoken: string; readonly serveraddress: string };

export interface PullOptions {
  /** `linux/amd64`; default: the engine's own. */
  readonly platform?: string;
  /** Default: no login. */
  readonly login?: PullLogin;
  readonly signal?: AbortSignal;
}

export interface PushOptions {
  /** Name of an image that is here under the tag: `HOST/NAME`. */
  readonly name: string;
  readonly tag: string;
  readonly login: RegistryLogin;
  /** Aborts the push, also in the engine. */
  readonly signal: AbortSignal;
}

/** Calls about images of an engine; errors as those of `Engine`. */
export interface ImageCalls {
  /** The image, or undefined when it is not there. */
  image(reference: string, signal?: AbortSignal): Promise<ImageDetails | undefined>;
  /** Images of this name, with any tag. */
  listImages(name: string, signal?: AbortSignal): Promise<readonly ImageSummary[]>;
  /** Gives an image another name, and takes that name from any other image. */
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
}

/** What older engines send for an image without a time. */
const NEVER = "0001-01-01T00:00:00Z";

/** @param request knows the version of the API. */
export function imageCalls(request: Transport["request"]): ImageCalls {
  return {
    async image(reference, signal) {
      const path = `/images/${encodeURIComponent(reference)}/json`;
      const answer = await request("GET", path, { expect: [200, 404], signal });
      if (answer.status === 200) {
        const details = await answer.json(IMAGE);
        const ahead = clockAhead(answer.headers);
        const tagged = details.Metadata?.LastTagTime ?? "";
        return {
          ...details,
          Id: details.Id ?? "",
          Architecture: details.Architecture ?? "",
          Created: onThisClock(details.Created ?? NEVER, ahead),
          Metadata: { LastTagTime: onThisClock(tagged, ahead) },
        };
      }
      await answer.discard();
    },

    async listImages(name, signal) {
      const filters = JSON.stringify({ reference: [name] });
      const path = `/images/json?${new URLSearchParams({ filters })}`;
      return await (await request("GET", path, { expect: [200], signal })).json(list(IMAGE_ROW));
    },

    async tagImage(reference, name, tag) {
      const parameters = new URLSearchParams({ repo: name, tag });
      const path = `/images/${encodeURIComponent(reference)}/tag?${parameters}`;
      await (await request("POST", path, { expect: [201] })).discard();
    },

    async untagImage(reference) {
      const path = `/images/${encodeURIComponent(reference)}?noprune=1`;
      await (await request("DELETE", path, { expect: [200, 404, 409] })).discard();
    },

    async *pull(reference, { platform, login, signal } = {}) {
      // Without a tag, the engine would pull all tags.
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
      yield* answer.lines(PROGRESS);
    },

    async *push({ name, tag, login, signal }) {
      const path = `/images/${encodeURIComponent(name)}/push?${new URLSearchParams({ tag })}`;
      const answer = await request("POST", path, {
        expect: [200],
        effort: "wait",
        headers: { "X-Registry-Auth": headerOf(login) },
        signal,
      });
      yield* answer.lines(PROGRESS);
    },
  };
}

/** The login in base64url (Engine API, `Authentication`). */
function headerOf(login: PullLogin | Record<string, never>): string {
  const bytes = new TextEncoder().encode(JSON.stringify(login));
  return bytes.toBase64({ alphabet: "base64url" });
}

/** What an image runs on: `linux/amd64`. */
export function platformOf({ Os, Architecture }: ImageDetails): string {
  return `${Os}/${Architecture}`;
}

/** When it was last built: a build that only uses the cache does not change `Created`. */
export function builtAt({ Created, Metadata }: ImageDetails): Date {
  const tagged = Date.parse(Metadata?.LastTagTime ?? "");
  return new Date(Math.max(Date.parse(Created), Number.isNaN(tagged) ? 0 : tagged));
}

/**
 * @param signal ends the wait for the engine; its reason is thrown.
 * @param hint how to get it; by default of one that `mlcli build` makes.
 * @throws MlcliError when the image is not there.
 */
export async function requireImage(
  engine: Pick<ImageCalls, "image">,
  reference: string,
  signal: AbortSignal,
  hint?: string,
): Promise<ImageDetails> {
  const image = await engine.image(reference, signal);
  if (image === undefined) throw imageNotFound(reference, hint);
  return image;
}

export function imageNotFound(reference: string, hint?: string, cause?: unknown): MlcliError {
  return new MlcliError(`Image not found: ${reference}`, {
    hint: hint ?? `Run mlcli build${tagOption(reference)} first`,
    cause,
  });
}
