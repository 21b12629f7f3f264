/**
 * What may take the network settings of a build context into the image: they stay out of it then.
 *
 * A step that mounts their directory by its name is handed them, and is trusted with them.
 *
 * @module
 */

import {
  copiesOf,
  type Instruction,
  instructionsOf,
  mountedSource,
  withTriggers,
} from "../../app/dockerfile/instructions.ts";
import { cleanedPath } from "../../app/dockerfile/paths.ts";
import { NETWORK_FOLDER } from "../../app/dockerfile/template_lines.ts";
import type { ImageDetails } from "../../docker/engine.ts";
import { inOneLine } from "../../text.ts";

/** What takes them, and what to do about it. */
export interface Taking {
  /** The end of a sentence. */
  readonly reason: string;
  readonly hint: string;
}

/**
 * The first of a Dockerfile's instructions that may.
 *
 * @param image whose builds do this by themselves.
 */
export function takingOf(instructions: readonly Instruction[], image?: string): Taking | undefined {
  const own = new Set<string>();
  for (const one of withTriggers(instructions)) {
    declare(own, one);
    const copied = copiesOf([one]).flatMap(({ sources }) => sources);
    const mounted = one.name === "RUN"
      ? one.flags.flatMap((flag) => mountedSource(flag) ?? []).filter((path) => !isFolder(path))
      : [];
    const source = [...copied, ...mounted].find((path) => takesFolder(path, own));
    if (source !== undefined) return takingBy(one.name === "RUN", source, image);
  }
  return undefined;
}

function takingBy(isMount: boolean, source: string, image: string | undefined): Taking {
  const [does, verb] = isMount ? ["mounts", "Mount"] : ["copies", "Copy"];
  const what = `${does} ${inOneLine(source) || "the whole context"}`;
  const end = `${isMount || /[$[\\]/.test(source) ? "may" : "would"} put them into the image`;
  return image === undefined
    ? {
      reason: `the Dockerfile ${what}, which ${end}`,
      hint: `${verb} what the image needs, such as \${APP}/ after ARG APP of the same stage.`,
    }
    : {
      reason: `the base image ${image} ${what} by itself (ONBUILD), which ${end}`,
      hint: "A base image without ONBUILD leaves it to the Dockerfile.",
    };
}

/** What builds upon an image do by themselves; undefined: the builder alone knows which one it is. */
export function takingOfImage(
  reference: string | undefined,
  image: Pick<ImageDetails, "Config"> | undefined,
): Taking | undefined {
  if (reference === "scratch") return undefined;
  if (reference !== undefined && image !== undefined) {
    return takingOf((image.Config?.OnBuild ?? []).flatMap(instructionsOf), reference);
  }
  return {
    reason: "the name of a base image is the builder's alone to know, and what it copies by " +
      "itself (ONBUILD)",
    hint: "Name it in FROM, or give its ARG a value there or by --build-arg.",
  };
}

/** What reads the Dockerfile in the engine's place, and may understand it as it likes. */
export function takingOfReader(dockerfile: string): Taking | undefined {
  const [, reader] = SYNTAX.exec(dockerfile) ?? [];
  if (reader === undefined || OF_DOCKER.test(reader)) return undefined;
  const shown = inOneLine(reader);
  return {
    reason: `${shown} (# syntax=) reads the Dockerfile, and may put them into the image`,
    hint: "Without the line # syntax=, or with docker/dockerfile:1 there, they are handed over.",
  };
}

/** Also as BuildKit's newer readers take it: after slashes, and as JSON. */
const SYNTAX = /(?:^[^\S\n\r\u2028\u2029]*(?:#|\/\/)\s*syntax\s*=|"syntax"\s*:)\s*"?([^\s"]+)/im;

/** Not without a tag: a clone may have built an image of that name (`image_name`), as `latest`. */
const OF_DOCKER = /^(docker\.io\/)?docker\/dockerfile(-upstream)?(@|:(?!latest$))/;

function isFolder(source: string): boolean {
  return `${cleanedPath(source)}/`.startsWith(`${NETWORK_FOLDER}/`);
}

/**
 * Keeps in mind which of the names to which mlcli gives a value have it: ARG is for its stage alone, and
 * ENV wins over it. Without a value they stand for nothing, and a path for the whole context.
 */
function declare(own: Set<string>, { name, text }: Instruction): void {
  if (name === "FROM") own.clear();
  for (const [, variable = ""] of text.matchAll(/(?:^| )(APP|REQUIREMENTS)(?=[= ]|$)/g)) {
    if (name === "ARG") own.add(variable);
    else if (name === "ENV") own.delete(variable);
  }
}

/**
 * Whether a source may take the directory along: what a variable of the user's own stands for, and
 * what brackets stand for, is not known.
 *
 * @param own the variables that have mlcli's value: names of the app and of its requirements.
 */
function takesFolder(source: string, own: ReadonlySet<string>): boolean {
  const path = cleanedPath(
    source.replaceAll(/["']/g, "").replaceAll(
      VARIABLE,
      (variable) => own.has(variable.replaceAll(/[${}]/g, "")) ? "own" : variable,
    ),
  );
  const [first = "", ...rest] = path.split("/");
  // What would lead out of the context begins at its top again.
  if (first === ".." || /^\$(\w+|\{[^}]*\})$/.test(first)) return takesFolder(rest.join("/"), own);
  const known = first.replaceAll(VARIABLE, "*");
  if (known === "" || /[$[\\]/.test(known)) return true;
  const pattern = RegExp.escape(known).replaceAll(/(\\\*)+/g, ".*").replaceAll("\\?", ".");
  return new RegExp(`^${pattern}$`).test(NETWORK_FOLDER);
}

/** Of one in another (`${X:-${Y}}`), the inner: a `$` is left then, which may stand for anything. */
const VARIABLE = /\$(?:\w+|\{[^{}]*\})/g;
