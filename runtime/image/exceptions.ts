/**
 * The exceptions of `.dockerignore` (`!PATH`), as far as they bring back what stays out of images
 * because it is private.
 *
 * An exception counts where it names the private file or directory. Who lists what the image may
 * have (`*`, then `!demo` or `!**` + `/*.json`) has thought neither of `demo/.env` nor of
 * `demo/.docker/config.json`.
 *
 * @module
 */

import { SEPARATOR } from "@std/path/constants";

/** Paths are relative to the directory of `.dockerignore`, with slashes. */
export interface Exceptions {
  /**
   * Whether one brings a path back.
   *
   * @param privatePart the path's start, up to and with its first private name.
   */
  bringBack(path: string, privatePart: string): boolean;
  /** Whether one may bring back something below a directory. */
  mayBringBackBelow(directory: string, privatePart: string): boolean;
}

/** A pattern cut in two: up to and with the component that names something private, and the rest. */
interface Naming {
  readonly start: readonly string[];
  readonly rest: readonly string[];
}

/** @param patterns without their `!`; valid ones. */
export function exceptionsOf(patterns: readonly string[]): Exceptions {
  const namings = patterns.map(componentsOf).flatMap(namingsOf);
  /** What the exceptions that name the private part say about what lies in it. */
  const restsFor = (privatePart: string): readonly (readonly string[])[] =>
    namings.filter(({ start }) => matches(start, privatePart.split("/"))).map(({ rest }) => rest);
  return {
    bringBack(path, privatePart): boolean {
      const inner = innerPath(path, privatePart);
      return restsFor(privatePart).some((rest) => matchesStart(rest, inner));
    },
    mayBringBackBelow(directory, privatePart): boolean {
      const inner = innerPath(directory, privatePart);
      return restsFor(privatePart).some((rest) => mayMatchBelow(rest, inner));
    },
  };
}

function innerPath(path: string, start: string): readonly string[] {
  return path.split("/").slice(start.split("/").length);
}

function componentsOf(pattern: string): readonly string[] {
  const parts: string[] = [];
  for (const part of pattern.trim().replaceAll(SEPARATOR, "/").split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts;
}

function namingsOf(components: readonly string[]): readonly Naming[] {
  return components.flatMap((component, index) =>
    names(component)
      ? [{ start: components.slice(0, index + 1), rest: components.slice(index + 1) }]
      : []
  );
}

/** Whether anything but dots is left of a component without its wildcards. */
function names(component: string): boolean {
  return /[^.]/.test(component.replace(/\[[^\]]*\]|[*?]/g, ""));
}

/** Whether a pattern fits all of a path. */
function matches(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...others] = pattern;
  if (first === undefined) return path.length === 0;
  if (first === "**") {
    return matches(others, path) || (path.length > 0 && matches(pattern, path.slice(1)));
  }
  return path.length > 0 && fits(first, path[0]!) && matches(others, path.slice(1));
}

/** Whether a pattern fits a path, or a directory that it lies in. */
function matchesStart(pattern: readonly string[], path: readonly string[]): boolean {
  return Array.from({ length: path.length + 1 }, (_, length) => path.slice(0, length))
    .some((start) => matches(pattern, start));
}

/** Whether a pattern may fit something below a directory. */
function mayMatchBelow(pattern: readonly string[], directory: readonly string[]): boolean {
  const [first, ...others] = pattern;
  if (first === undefined || first === "**" || directory.length === 0) return true;
  return fits(first, directory[0]!) && mayMatchBelow(others, directory.slice(1));
}

function fits(component: string, name: string): boolean {
  return new RegExp(`^${expressionOf(component)}$`, "s").test(name);
}

/** A component as Docker reads it: as in a shell; where the backslash separates, it escapes nothing. */
function expressionOf(component: string): string {
  return component.replace(/\\.|\[[^\]]*\]|\*+|[?+(){}|.$^]/g, (found) => {
    if (found.startsWith("*")) return ".*";
    if (found === "?") return ".";
    return found.length > 1 ? found : `\\${found}`;
  });
}
