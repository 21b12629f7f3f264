/**
 * The network settings of this machine for pip in a build: files of the build context that the
 * Dockerfile mounts for one step. They may hold passwords, so they go into the context only where
 * nothing puts them into the image. A step that mounts their directory by its name is trusted with
 * them.
 */

import { join } from "@std/path/join";
import type { App } from "../../app/app.ts";
import { escapeOf } from "../../app/confinement.ts";
import {
  copiesOf,
  type Instruction,
  instructionsOf,
  mountedSource,
  withTriggers,
} from "../../app/dockerfile/instructions.ts";
import {
  mountsNetwork,
  NETWORK_FOLDER,
  noNetworkMount,
} from "../../app/dockerfile/template_lines.ts";
import type { Finding } from "../../app/image.ts";
import { requirementsOf } from "../../app/requirements.ts";
import { cleanedPath, typedPath } from "../../app/typed_path.ts";
import type { TarEntry } from "../../archive/writer.ts";
import type { Context } from "../../context.ts";
import { studioOf } from "../../docker/locate.ts";
import { LARGEST_TEXT, readTextFile } from "../../files.ts";
import { enumerated, inOneLine } from "../../text.ts";
import type { NamedImage } from "../base_images.ts";
import { passwordsOf } from "./addresses.ts";
import { type NetworkSettings, networkSettings } from "./settings.ts";

/** What a build gets of the network settings, and what is to be said about it. */
export interface BuildNetwork {
  /** Of the context. */
  readonly entries: readonly TarEntry[];
  readonly warnings: readonly Finding[];
  /** Where what the build gets was found. */
  readonly sources: readonly string[];
  /** Who set a name, a token or a password that the build gets: `PIP_INDEX_URL`. */
  readonly secret: readonly string[];
  /** These themselves, never to be shown. */
  readonly passwords: readonly string[];
  /** What to do so that pip gets what is found, where it does not. */
  readonly remedy?: string;
}

/** Nothing but the empty directory. */
const NOTHING: BuildNetwork = {
  entries: networkEntries(undefined),
  warnings: [],
  sources: [],
  secret: [],
  passwords: [],
};

/** What a build gets with `--no-network-settings`. */
export const SWITCHED_OFF: BuildNetwork = {
  ...NOTHING,
  remedy: "--no-network-settings keeps from pip what this machine knows of its network.",
};

/**
 * What a build gets.
 *
 * @param path of the Dockerfile, absolute. What cannot be read is said by who sends it.
 * @throws MlcliError where the app's `certificate_file` cannot be used.
 */
export async function buildNetwork(
  app: App,
  path: string,
  host: Pick<Context, "env" | "system">,
): Promise<BuildNetwork> {
  const text = await textOf(app, path);
  const instructions = instructionsOf(text);
  const isMounted = mountsNetwork(instructions);
  if (!isMounted && !await namesPackages(app)) return NOTHING;
  const settings = await networkSettings(app, host);
  const { sources, warnings } = settings;
  const entries = networkEntries(settings);
  const found = { ...settings, entries, passwords: passwordsIn(settings) };
  if (studioOf(host) !== undefined) return withoutLeak(found, WITHOUT_BUILDKIT);
  if (isMounted) return withoutLeak(found, leakOfReader(text) ?? leakOf(instructions));
  if (sources.length === 0) return { ...NOTHING, warnings };
  const { message, hint } = noNetworkMount(typedPath(app.directory, path));
  const warning = { message: `${message}: ${enumerated(sources)}`, hint };
  return { ...NOTHING, warnings: [warning], remedy: hint };
}

/**
 * What a build gets of that once its base images are here: builds upon them may do more than the
 * Dockerfile says.
 *
 * @param hasUnknownBase whether it builds upon an image that the builder alone knows.
 */
export function withBaseImages(
  network: BuildNetwork,
  bases: readonly NamedImage[],
  hasUnknownBase: boolean,
): BuildNetwork {
  if (network.entries.length === 1) return network;
  const leaks = bases.map(({ reference, image }) =>
    image === undefined
      ? UNKNOWN_BASE
      : leakOf((image.Config?.OnBuild ?? []).flatMap(instructionsOf), reference)
  );
  return withoutLeak(network, [...leaks, hasUnknownBase ? UNKNOWN_BASE : undefined].find(Boolean));
}

/** Nothing where something would put it into the image, which is said. */
function withoutLeak(network: BuildNetwork, leak: Leak | undefined): BuildNetwork {
  const { sources, warnings } = network;
  if (leak === undefined) return network;
  if (sources.length === 0) return { ...NOTHING, warnings };
  const { reason, hint } = leak;
  const message = `This machine's network settings (${enumerated(sources)}) are not handed to ` +
    `pip: ${reason}`;
  return { ...NOTHING, warnings: [...warnings, { message, hint }], remedy: hint };
}

function passwordsIn({ variables, netrc }: NetworkSettings): readonly string[] {
  const ofNetrc = [...netrc.matchAll(/^ {2}password (.*)$/gm)].map(([, password = ""]) =>
    password.replace(/^"(.*)"$/, "$1")
  );
  return [...Object.values(variables).flatMap(passwordsOf), ...ofNetrc];
}

/** Whether pip may have to install anything: a line that is neither blank nor a comment. */
async function namesPackages(app: App): Promise<boolean> {
  const { files, isLock } = await requirementsOf(app);
  if (isLock) return true;
  const lines = (await textOf(app, join(app.directory, files[0]!))).split(/[\n\r]/);
  return lines.some((line) => /^[^#]/.test(line.trim()));
}

async function textOf(app: App, path: string): Promise<string> {
  if (await escapeOf(app, path) !== undefined) return "";
  return await readTextFile(path, LARGEST_TEXT).catch(() => "");
}

/** The files, which are the same bytes for the same settings: then the step needs not run again. */
export function networkEntries(settings: NetworkSettings | undefined): readonly TarEntry[] {
  const folder: TarEntry = { type: "directory", path: NETWORK_FOLDER, mode: 0o755 };
  if (settings === undefined) return [folder];
  const files = {
    "environment": Object.entries(settings.variables).sort()
      .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`).join(""),
    "certificates.pem": settings.certificates,
    "netrc": settings.netrc,
  };
  return [
    folder,
    ...Object.entries(files).filter(([, text]) => text !== "").map(([name, text]): TarEntry => ({
      type: "content",
      path: `${NETWORK_FOLDER}/${name}`,
      mode: 0o644,
      read: () => Promise.resolve(new TextEncoder().encode(text)),
    })),
  ];
}

/** How the settings might get into the image. */
interface Leak {
  /** The end of a sentence. */
  readonly reason: string;
  readonly hint: string;
}

const WITHOUT_BUILDKIT: Leak = {
  reason: "SageMaker Studio's Docker has no BuildKit, which keeps them out of the image",
  hint: "A base image that has the packages (--base-image) needs none of them.",
};

const UNKNOWN_BASE: Leak = {
  reason: "the name of a base image is the builder's alone to know, and what it copies by " +
    "itself (ONBUILD)",
  hint: "Name it in FROM, or give its ARG a value there or by --build-arg.",
};

/**
 * The first of some instructions that may copy or mount the directory of the settings.
 *
 * @param image the base image whose builds do this by themselves; undefined: a Dockerfile's.
 */
export function leakOf(instructions: readonly Instruction[], image?: string): Leak | undefined {
  const known = new Set<string>();
  for (const one of withTriggers(instructions)) {
    followVariables(known, one);
    const copied = copiesOf([one]).flatMap(({ sources }) => sources);
    const mounted = one.name === "RUN"
      ? one.flags.flatMap((flag) => mountedSource(flag) ?? []).filter((path) => !isFolder(path))
      : [];
    const source = [...copied, ...mounted].find((path) => mayHoldFolder(path, known));
    if (source !== undefined) return leakBy(one.name === "RUN", source, image);
  }
  return undefined;
}

function leakBy(isMount: boolean, source: string, image: string | undefined): Leak {
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

/** What reads the Dockerfile in the engine's place, and may understand it as it likes. */
export function leakOfReader(dockerfile: string): Leak | undefined {
  const [, reader] = SYNTAX.exec(dockerfile) ?? [];
  if (reader === undefined || OF_DOCKER.test(reader)) return undefined;
  return {
    reason: `${
      inOneLine(reader)
    } (# syntax=) reads the Dockerfile, and may put them into the image`,
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
 * Keeps track of which variables hold the value that mlcli gives them: ARG counts for its stage
 * alone, and ENV replaces it. Without a value they are empty, and what copies them may copy the
 * whole context.
 */
function followVariables(known: Set<string>, { name, text }: Instruction): void {
  if (name === "FROM") known.clear();
  for (const [, variable = ""] of text.matchAll(/(?:^| )(APP|REQUIREMENTS)(?=[= ]|$)/g)) {
    if (name === "ARG") known.add(variable);
    else if (name === "ENV") known.delete(variable);
  }
}

/**
 * Whether a source may contain the directory: what other variables and brackets stand for is not
 * known.
 *
 * @param known the variables that have mlcli's value: names of the app and of its requirements.
 */
function mayHoldFolder(source: string, known: ReadonlySet<string>): boolean {
  const path = cleanedPath(
    source.replaceAll(/["']/g, "").replaceAll(
      VARIABLE,
      (variable) => known.has(variable.replaceAll(/[${}]/g, "")) ? "known" : variable,
    ),
  );
  const [first = "", ...rest] = path.split("/");
  // What would lead out of the context begins at its top again.
  if (first === ".." || /^\$(\w+|\{[^}]*\})$/.test(first)) {
    return mayHoldFolder(rest.join("/"), known);
  }
  const name = first.replaceAll(VARIABLE, "*");
  if (name === "" || /[$[\\]/.test(name)) return true;
  const pattern = RegExp.escape(name).replaceAll(/(\\\*)+/g, ".*").replaceAll("\\?", ".");
  return new RegExp(`^${pattern}$`).test(NETWORK_FOLDER);
}

/** Of one in another (`${X:-${Y}}`), the inner: a `$` is left then, which may stand for anything. */
const VARIABLE = /\$(?:\w+|\{[^{}]*\})/g;
