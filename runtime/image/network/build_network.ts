/**
 * The network settings of this machine for pip in a build: files in a directory of the build context
 * that the Dockerfile mounts for one step. They may hold passwords, so they go into the context only
 * where nothing else copies or mounts that directory. A step that mounts it by name is trusted.
 */

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
import { requirementTreeOf } from "../../app/requirements.ts";
import { cleanedPath, typedPath } from "../../app/typed_path.ts";
import type { TarEntry } from "../../archive/writer.ts";
import type { Context } from "../../context.ts";
import { studioOf } from "../../docker/locate.ts";
import { LARGEST_TEXT, readTextFile } from "../../files.ts";
import { type Message, warning } from "../../messages.ts";
import { enumerated, inOneLine } from "../../text.ts";
import type { FromImage } from "../base_images.ts";
import { passwordsOf } from "./addresses.ts";
import { type NetworkSettings, networkSettings } from "./settings.ts";

/** Network settings of a build, and messages about them. */
export interface BuildNetwork {
  /** Entries of the build context. */
  readonly entries: readonly TarEntry[];
  readonly warnings: readonly Message[];
  /** The variables and files that the settings come from. */
  readonly sources: readonly string[];
  /** Sources of settings with a user name, a token or a password: `PIP_INDEX_URL`. */
  readonly secret: readonly string[];
  /** The passwords themselves, which are never shown. */
  readonly passwords: readonly string[];
  /** Set if pip does not get the settings: how to change that. */
  readonly hint?: string;
}

/** The empty directory alone. */
const NOTHING: BuildNetwork = {
  entries: networkEntries(undefined),
  warnings: [],
  sources: [],
  secret: [],
  passwords: [],
};

/** With `--no-network-settings`. */
export const SWITCHED_OFF: BuildNetwork = {
  ...NOTHING,
  hint:
    "Remove --no-network-settings, so that pip uses this machine's package index, proxies and " +
    "certificates",
};

/** For a Dockerfile of the user's own. */
export const OWN_DOCKERFILE: BuildNetwork = {
  ...NOTHING,
  hint:
    "Add the settings to your own Dockerfile, because mlcli does not change it: for example, COPY " +
    "company.pem /etc/company.pem and ENV PIP_CERT=/etc/company.pem",
};

/**
 * Finds the settings, and checks that the Dockerfile does not put them into the image.
 *
 * @param path of the Dockerfile, absolute. A file that cannot be read is reported when it is sent.
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
  if (isMounted) return withoutLeak(found, leakOfFrontend(text) ?? leakOf(instructions));
  if (sources.length === 0) return { ...NOTHING, warnings };
  const { message, hint } = noNetworkMount(typedPath(app, path));
  return { ...NOTHING, warnings: [warning(`${message}: ${enumerated(sources)}`, hint)], hint };
}

/**
 * Checks the settings again after the base images are pulled, because their ONBUILD instructions might copy
 * the settings.
 *
 * @param hasUnknownBase whether mlcli cannot tell the name of a base image.
 */
export function withBaseImages(
  network: BuildNetwork,
  bases: readonly FromImage[],
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

/** Returns no settings, and a warning, because the settings would get into the image. */
function withoutLeak(network: BuildNetwork, leak: Leak | undefined): BuildNetwork {
  const { sources, warnings } = network;
  if (leak === undefined) return network;
  if (sources.length === 0) return { ...NOTHING, warnings };
  const { reason, hint } = leak;
  const message = `pip cannot use this machine's network settings (${enumerated(sources)}): ` +
    reason;
  return { ...NOTHING, warnings: [...warnings, warning(message, hint)], hint };
}

function passwordsIn({ variables, netrc }: NetworkSettings): readonly string[] {
  const ofNetrc = [...netrc.matchAll(/^ {2}password (.*)$/gm)].map(([, password = ""]) =>
    password.replace(/^"(.*)"$/, "$1")
  );
  return [...Object.values(variables).flatMap(passwordsOf), ...ofNetrc];
}

/** Whether pip might have to install packages. */
async function namesPackages(app: App): Promise<boolean> {
  const tree = await requirementTreeOf(app);
  return tree === undefined || tree.packages.length > 0;
}

async function textOf(app: App, path: string): Promise<string> {
  if (await escapeOf(app, path) !== undefined) return "";
  return await readTextFile(path, LARGEST_TEXT).catch(() => "");
}

/** The same settings are the same bytes, so that the builder finds the step in its cache. */
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

/** A way in which the settings might get into the image. */
interface Leak {
  /** The end of a sentence. */
  readonly reason: string;
  readonly hint: string;
}

const WITHOUT_BUILDKIT: Leak = {
  reason: "SageMaker Studio's Docker has no BuildKit, which keeps them out of the image",
  hint: "Use a base image that contains the packages: --base-image IMAGE",
};

const UNKNOWN_BASE: Leak = {
  reason: "a base image, whose name is unknown, might put them into the image with ONBUILD",
  hint: "Write its name in FROM, or set its ARG in the Dockerfile or with --build-arg",
};

/**
 * The first instruction that may copy or mount the directory of the settings.
 *
 * @param image the base image whose ONBUILD has the instructions; undefined: the Dockerfile has them.
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
  const end = `${isMount || /[$[\\]/.test(source) ? "might" : "would"} put them into the image`;
  return image === undefined
    ? {
      reason: `the Dockerfile ${what}, which ${end}`,
      hint: `${verb} only what the image needs, such as \${APP}/ after ARG APP in the same stage`,
    }
    : {
      reason: `the base image ${image} ${what} (ONBUILD), which ${end}`,
      hint: "Use a base image without ONBUILD, and copy what the image needs in the Dockerfile",
    };
}

/** A frontend (`# syntax=`) other than Docker's own may do anything with the context. */
export function leakOfFrontend(dockerfile: string): Leak | undefined {
  const [, frontend] = SYNTAX.exec(dockerfile) ?? [];
  if (frontend === undefined || OF_DOCKER.test(frontend)) return undefined;
  return {
    reason: `${inOneLine(frontend)} (# syntax=) might put them into the image`,
    hint: "Remove the line # syntax=, or use docker/dockerfile:1 in it",
  };
}

/** BuildKit's newer frontends take it after slashes and as JSON, too. */
const SYNTAX = /(?:^[^\S\n\r\u2028\u2029]*(?:#|\/\/)\s*syntax\s*=|"syntax"\s*:)\s*"?([^\s"]+)/im;

/** Not without a tag, nor `latest`: a cloned app may have built an image of that name (`image_name`). */
const OF_DOCKER = /^(docker\.io\/)?docker\/dockerfile(-upstream)?(@|:(?!latest$))/;

function isFolder(source: string): boolean {
  return `${cleanedPath(source)}/`.startsWith(`${NETWORK_FOLDER}/`);
}

/**
 * Keeps track of which variables have the value that mlcli gives them: an ARG counts for its stage,
 * and ENV replaces it. Without a value they are empty: `COPY ${APP}/` copies the whole context then.
 */
function followVariables(known: Set<string>, { name, text }: Instruction): void {
  if (name === "FROM") known.clear();
  for (const [, variable = ""] of text.matchAll(/(?:^| )(APP|REQUIREMENTS)(?=[= ]|$)/g)) {
    if (name === "ARG") known.add(variable);
    else if (name === "ENV") known.delete(variable);
  }
}

/**
 * Whether a source may be, or contain, the directory. What other variables and brackets stand for is
 * not known.
 *
 * @param known the variables that have mlcli's value: the app's name, or its requirements.
 */
function mayHoldFolder(source: string, known: ReadonlySet<string>): boolean {
  const path = cleanedPath(
    source.replaceAll(/["']/g, "").replaceAll(
      VARIABLE,
      (variable) => known.has(variable.replaceAll(/[${}]/g, "")) ? "known" : variable,
    ),
  );
  const [first = "", ...rest] = path.split("/");
  // A path cannot lead out of the context: it begins at its top again.
  if (first === ".." || /^\$(\w+|\{[^}]*\})$/.test(first)) {
    return mayHoldFolder(rest.join("/"), known);
  }
  const name = first.replaceAll(VARIABLE, "*");
  if (name === "" || /[$[\\]/.test(name)) return true;
  const pattern = RegExp.escape(name).replaceAll(/(\\\*)+/g, ".*").replaceAll("\\?", ".");
  return new RegExp(`^${pattern}$`).test(NETWORK_FOLDER);
}

/** Of nested ones (`${X:-${Y}}`) the inner: the `$` that is left may then stand for anything. */
const VARIABLE = /\$(?:\w+|\{[^{}]*\})/g;
