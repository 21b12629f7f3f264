/**
 * The exceptions of `.dockerignore` (`!PATH`), as far as they bring back what stays out of images
 * because it is private.
 *
 * An exception counts only where it names the private file or directory. A user who lists what the
 * image may have (`*`, then `!demo` or `!**` + `/*.json`) does not mean `demo/.env` or
 * `demo/.docker/config.json`.
 *
 * @module
 */

import { SEPARATOR } from "@std/path/constants";
import { readPattern } from "./wildcards.ts";

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

/** What fits one name, or `**`, which fits any number of them. */
type Component = "**" | { readonly names: boolean; fits(name: string): boolean };

/** @param patterns valid ones, without their `!`. */
export function exceptionsOf(patterns: readonly string[]): Exceptions {
  const exceptions = patterns.map((pattern) => componentsOf(pattern).map(readComponent));
  /** The places in an exception after the private part; none where it does not name that part. */
  const behind = (components: readonly Component[], privateNames: readonly string[]): Places => {
    let before = closed(components, [0]);
    for (const name of privateNames.slice(0, -1)) {
      if (before.size === 0) return before;
      before = step(components, before, name);
    }
    const naming = [...before].filter((place) => {
      const component = components[place];
      return component !== "**" && component?.names;
    });
    return step(components, naming, privateNames.at(-1)!);
  };
  /** Whether an exception that names the private part comes to places that are `enough`. */
  const leads = (
    path: string,
    privatePart: string,
    enough: (places: Places, end: number) => boolean,
  ): boolean => {
    const names = path.split("/");
    const count = privatePart.split("/").length;
    const [privateNames, inner] = [names.slice(0, count), names.slice(count)];
    return exceptions.some((components) => {
      let places = behind(components, privateNames);
      for (const name of inner) {
        if (places.size === 0 || places.has(components.length)) break;
        places = step(components, places, name);
      }
      return enough(places, components.length);
    });
  };
  return {
    bringBack: (path, privatePart) => leads(path, privatePart, (places, end) => places.has(end)),
    mayBringBackBelow: (directory, privatePart) =>
      leads(directory, privatePart, (places) => places.size > 0),
  };
}

/** The places in a pattern that can be reached with the part of a path that was read. */
type Places = ReadonlySet<number>;

/** The places after one more name. */
function step(components: readonly Component[], places: Iterable<number>, name: string): Places {
  const next: number[] = [];
  for (const place of places) {
    const component = components[place];
    if (component === "**") next.push(place);
    else if (component?.fits(name)) next.push(place + 1);
  }
  return closed(components, next);
}

/** Adds the places after a `**`, since that may stand for nothing. */
function closed(components: readonly Component[], places: readonly number[]): Places {
  const all = new Set<number>();
  for (let place of places) {
    while (!all.has(place)) {
      all.add(place);
      if (components[place] === "**") place++;
    }
  }
  return all;
}

function readComponent(text: string): Component {
  if (text === "**") return text;
  if (!/[*?[\\]/.test(text)) return { names: names(text), fits: (name) => name === text };
  try {
    // In a component, two stars mean the same as one.
    const { fits } = readPattern(text.replace(/\*+/g, "*"), SEPARATOR === "/");
    return { names: names(text), fits };
  } catch (error) {
    // A class with a slash in it, such as [a/b], which is cut in two here.
    if (!(error instanceof SyntaxError)) throw error;
    return { names: false, fits: () => false };
  }
}

function componentsOf(pattern: string): readonly string[] {
  const parts: string[] = [];
  for (const part of pattern.trim().replaceAll(SEPARATOR, "/").split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts;
}

/** Whether anything but dots is left of a component without its wildcards. */
function names(component: string): boolean {
  // Behind the last bracket none is closed: to look for its end from each would take for ever.
  const end = component.lastIndexOf("]") + 1;
  const left = component.slice(0, end).replace(/\[[^\]]*\]/g, "") + component.slice(end);
  return /[^.*?]/.test(left);
}
