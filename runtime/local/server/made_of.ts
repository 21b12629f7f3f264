/**
 * What a server was made of, which its container's label says, and what of that is another today.
 *
 * Nothing is compared with the time at which a container was started: the engine's machine may have
 * another clock.
 */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { boundaryOf } from "../../app/confinement.ts";
import { COMMON_FOLDER } from "../../app/paths.ts";
import type { Engine } from "../../docker/engine.ts";
import { builtAt, type ImageDetails } from "../../docker/images.ts";
import { isDirectory } from "../../files.ts";
import { EXPIRY_WARNING } from "../credentials.ts";
import type { ServingJob } from "../jobs.ts";
import { fingerprintOf, type Identity, type Tree, treeIn } from "../watch/tree.ts";

/** What a server was made of. Fingerprints are those of `fingerprintOf`; empty: not known, or none. */
export interface MadeOf {
  /** The machine that mlcli ran on: paths are its own. */
  readonly host: string;
  /** The app's directory `mlcli_base`, absolute. */
  readonly base: string;
  /** Of the code that is mounted. */
  readonly code: string;
  /** Of `model/`, also where it holds an archive. */
  readonly model: string;
  /** `name:tag` */
  readonly image: string;
  readonly imageId: string;
  /** The AWS profile whose credentials the server has, and when they expire, in ms since 1970. */
  readonly credentials?: { readonly profile: string; readonly expires?: number };
}

/** The stale parts of a server, with the time of each change, and what a new server needs. */
export interface Stale {
  readonly code?: Date;
  readonly model?: Date;
  readonly image?: Date;
  /** When its AWS credentials expire, if that is within minutes or in the past. */
  readonly credentials?: Date;
  /** The AWS profile that the server has credentials of. */
  readonly profile?: string;
  /** The run whose model it serves, if `local deploy --run` chose one. */
  readonly run?: string;
  /** Whether `local deploy --watch` has it: then what is newer is being started, or does not serve. */
  readonly isWatched?: boolean;
}

/** The directories with code of a server, in `mlcli_base`. */
const CODE = ["prediction", COMMON_FOLDER];

/** What a server is made of that is started now. To be asked for before it starts. */
export async function madeOf(
  { app, run, credentials }: Pick<ServingJob, "app" | "run" | "credentials">,
  codeFolder: string | undefined,
  image: Pick<ImageDetails, "Id">,
): Promise<MadeOf> {
  const { base } = app.paths;
  return {
    host: Deno.hostname(),
    base,
    code: codeFolder === undefined ? "" : (await codeOf(base)).fingerprint,
    // Of a version that was named, none is newer.
    model: run === undefined ? (await modelOf(base)).fingerprint : "",
    image: app.image,
    imageId: image.Id,
    ...credentials &&
      { credentials: { profile: credentials.profile, expires: credentials.expires } },
  };
}

/** What a label says; undefined where it says nothing, as one of an image may. */
export function readMadeOf(label: string | undefined): MadeOf | undefined {
  let said: unknown;
  try {
    said = JSON.parse(label ?? "");
  } catch {
    return undefined;
  }
  const { host, base, code, model, image, imageId, credentials } = Object(said) as Record<
    string,
    unknown
  >;
  const texts = { host, base, code, model, image, imageId };
  const isWhole = Object.values(texts).every((text) => typeof text === "string");
  if (!isWhole) return undefined;
  const { profile, expires } = Object(credentials) as Record<string, unknown>;
  const lent = typeof profile === "string"
    ? { profile, ...typeof expires === "number" && { expires } }
    : undefined;
  return { ...texts as unknown as MadeOf, ...lent && { credentials: lent } };
}

/**
 * What is newer than a server; undefined where nothing is, or where that cannot be known: the app
 * lies on another machine, or is not there any more.
 */
export async function stalenessOf(
  made: MadeOf | undefined,
  engine: Pick<Engine, "image">,
): Promise<Stale | undefined> {
  if (made === undefined || made.host !== Deno.hostname() || !await isDirectory(made.base)) return;
  const [code, model, image] = await Promise.all([
    made.code === "" ? undefined : codeOf(made.base),
    made.model === "" ? undefined : modelOf(made.base),
    engine.image(made.image).catch(() => undefined),
  ]);
  const { profile, expires = Infinity } = made.credentials ?? {};
  const stale: Stale = {
    ...newer("code", made.code, code),
    ...newer("model", made.model, model),
    ...image && image.Id !== made.imageId ? { image: builtAt(image) } : {},
    ...expires - EXPIRY_WARNING <= Date.now() ? { credentials: new Date(expires) } : {},
  };
  return Object.keys(stale).length === 0 ? undefined : { ...stale, ...profile && { profile } };
}

/** What is known of a directory, or of several. */
interface Known {
  /** Empty where there is nothing to know it by. */
  readonly fingerprint: string;
  readonly changed: Date | undefined;
}

function newer<Key extends string>(
  key: Key,
  before: string,
  now: Known | undefined,
): Partial<Record<Key, Date>> {
  if (!now?.changed || now.fingerprint === "" || now.fingerprint === before) return {};
  return { [key]: now.changed } as Partial<Record<Key, Date>>;
}

async function codeOf(base: string): Promise<Known> {
  return await known(await Promise.all(CODE.map((name) => treeBelow(base, name, "content"))));
}

async function modelOf(base: string): Promise<Known> {
  return await known([await treeBelow(base, "local_test/test_dir/model", "times")]);
}

/** Looks at a directory of an app. @param base its `mlcli_base`. */
async function treeBelow(
  base: string,
  path: string,
  identity: Identity,
): Promise<Tree | undefined> {
  return await treeIn(join(base, path), identity, await boundaryOf(dirname(dirname(base))));
}

async function known(trees: readonly (Tree | undefined)[]): Promise<Known> {
  const all = trees.filter((tree) => tree !== undefined);
  const isKnown = all.length === trees.length && all.some(({ files }) => files.size > 0);
  const prints = isKnown ? await Promise.all(all.map(fingerprintOf)) : [];
  const times = all.flatMap(({ changed }) => changed === undefined ? [] : [changed.getTime()]);
  return {
    fingerprint: prints.join(" "),
    changed: times.length === 0 ? undefined : new Date(Math.max(...times)),
  };
}
