/**
 * Links and what containers write. A container can plant a link in a directory that it writes to, and can
 * replace files there while mlcli looks at them.
 */

import { SEPARATOR_PATTERN } from "@std/path/constants";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { PATHS } from "../contract/jobs.ts";
import { MOST_LINKS } from "../files.ts";
import { isOutside } from "./typed_path.ts";

/** A place that a path leads to, but must not. */
export interface Escape {
  /** Real path of what it leads to. */
  readonly target: string;
  /** Whether it is inside the boundary, but private. */
  readonly isPrivate: boolean;
  /** `leads out of /home/me/clone, to /etc` */
  readonly words: string;
}

/** What containers write, also after it has become the current model or a result. */
const WRITTEN =
  /^.*[/\\]mlcli_base[/\\]local_test[/\\](?:test_dir[/\\](?:model|output|checkpoints)|jobs[/\\][^/\\]+(?:[/\\][^/\\]+)?)(?=[/\\]|$)/i;

/** Returns the directory for a container to write to that a real path lies in, or is. */
export function writtenTop(path: string): string | undefined {
  return WRITTEN.exec(path)?.[0];
}

/**
 * Returns why a target must not be used, by the directories in which the links to it lie: a link that a
 * container may have planted leads out, or another one leads to what a container can replace meanwhile.
 */
export function escapeOfCrossed(crossed: readonly string[], target: string): Escape | undefined {
  const planted = escapeOfPlanted(crossed, target);
  const top = writtenTop(target);
  const isOwn = top === undefined || writtenTop(crossed[0] ?? target) === top;
  if (planted !== undefined || isOwn) return planted;
  return { target, isPrivate: false, words: `points to ${target}, where containers can write` };
}

/** Returns why a target must not be used if a container may have planted a link on the way to it. */
export function escapeOfPlanted(crossed: readonly string[], target: string): Escape | undefined {
  const written = crossed.map(writtenTop).find((top) =>
    top !== undefined && isOutside(relative(top, target))
  );
  if (written === undefined) return undefined;
  const words = `points to ${target}, outside a directory that containers write to`;
  return { target, isPrivate: false, words };
}

/** What an absolute path starts with, on Windows with a drive. */
const ROOT = /^(?:[A-Za-z]:)?[/\\]/;

/** The model in a directory of `WRITTEN`, which its container has as `/opt/ml/model`. */
const MODEL = /^.*[/\\]model(?=[/\\]|$)/;

interface Resolved {
  /** The real path; `undefined` for a link to itself. */
  readonly target: string | undefined;
  /** The directories in which links lie on the way. */
  readonly crossed: readonly string[];
}

/**
 * Resolves the links on the way of a path one by one.
 *
 * @param place absolute, or relative to `start`.
 * @param start real path of a directory.
 * @param crossed is filled, also up to something that does not exist.
 * @throws Error of the system if something on the way does not exist.
 */
export function resolved(place: string, start = "", crossed: string[] = []): Resolved {
  const [top = ""] = ROOT.exec(place) ?? [];
  let path = top || start;
  let names = place.slice(top.length).split(SEPARATOR_PATTERN);
  while (names.length > 0) {
    const [next, ...rest] = names;
    names = rest;
    if (next === "..") path = dirname(path);
    if (next === "" || next === "." || next === "..") continue;
    const inner = join(path, next!);
    if (!Deno.lstatSync(inner).isSymlink) {
      path = inner;
      continue;
    }
    if (crossed.push(path) > MOST_LINKS) return { target: undefined, crossed };
    const text = onHost(path, Deno.readLinkSync(inner));
    const [root = ""] = ROOT.exec(text) ?? [];
    if (root !== "") path = root;
    names = [...text.slice(root.length).split(SEPARATOR_PATTERN), ...rest];
  }
  return { target: path, crossed };
}

/** Returns the path on the host that a container meant, which wrote a link into its model. */
function onHost(folder: string, text: string): string {
  const model = MODEL.exec(writtenTop(folder) ?? "")?.[0];
  const inner = relative(PATHS.model, text);
  return model === undefined || !text.startsWith("/") || isOutside(inner)
    ? text
    : join(model, inner);
}
