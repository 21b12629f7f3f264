/**
 * Handing the network settings of this machine to pip in a build: as files of the build context that
 * the Dockerfile mounts for one step. They may hold passwords, so they go into the context only
 * where they do not get into the image.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { App } from "../../app/app.ts";
import { escapeOf } from "../../app/confinement.ts";
import { copiesOf, instructionsOf } from "../../app/dockerfile/instructions.ts";
import { cleanedPath } from "../../app/dockerfile/paths.ts";
import { missingLine } from "../../app/dockerfile/missing_lines.ts";
import { NETWORK_LINE } from "../../app/dockerfile/template_lines.ts";
import { requirementsOf } from "../../app/requirements.ts";
import type { TarEntry } from "../../archive/writer.ts";
import type { Context } from "../../context.ts";
import { studioOf } from "../../docker/locate.ts";
import { LARGEST_TEXT, readTextFile } from "../../files.ts";
import { enumerated, inOneLine } from "../../text.ts";
import { passwordsOf } from "./addresses.ts";
import { type NetworkSettings, networkSettings, type Warning } from "./settings.ts";

/** Where they lie in the context; the directory is always there, for the Dockerfile to mount. */
const NETWORK_FOLDER = ".mlcli-build";

/** What goes into the context, and what is to be said about it. */
export interface HandOver {
  readonly entries: readonly TarEntry[];
  readonly warnings: readonly Warning[];
  /** Who set a name, a token or a password that is handed over: `PIP_INDEX_URL`. */
  readonly secret: readonly string[];
  /** These themselves, never to be shown. */
  readonly passwords: readonly string[];
  /** What to do so that pip gets what is found, where it does not. */
  readonly kept?: string;
}

/** Nothing but the empty directory. */
const NOTHING: HandOver = {
  entries: networkEntries(undefined),
  warnings: [],
  secret: [],
  passwords: [],
};

/** What a build gets where the user wants it so. */
export const REFUSED: HandOver = {
  ...NOTHING,
  kept: "--no-network-settings keeps from pip what this machine knows of its network.",
};

/**
 * What a build gets.
 *
 * @param path of the Dockerfile, absolute. What cannot be read is said by who sends it.
 * @throws MlcliError where the app's `certificate_file` cannot be used.
 */
export async function handOver(
  app: App,
  path: string,
  host: Pick<Context, "env" | "system">,
): Promise<HandOver> {
  const dockerfile = instructionsOf(await textOf(app, path));
  const isMounted = NETWORK_LINE.isDone(dockerfile, app.name);
  if (!isMounted && !await namesPackages(app)) return NOTHING;
  const settings = await networkSettings(app, host);
  const copy = copiesOf(dockerfile).flatMap(({ sources }) => sources).find(takesFolder);
  if (studioOf(host) !== undefined) {
    const { sources, warnings } = settings;
    const warning = sources.length === 0 ? [] : [withoutBuildKit(settings)];
    return { ...NOTHING, warnings: [...warnings, ...warning], kept: warning[0]?.hint };
  }
  if (!isMounted || copy !== undefined) {
    if (settings.sources.length === 0) return { ...NOTHING, warnings: settings.warnings };
    const warning = copy !== undefined && isMounted
      ? copied(copy, settings)
      : await withoutMount(app, path, settings);
    return warning ? { ...NOTHING, warnings: [warning], kept: warning.hint } : NOTHING;
  }
  return { ...settings, entries: networkEntries(settings), passwords: passwordsIn(settings) };
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
  return isLock || /^\s*[^#\s]/m.test(await textOf(app, join(app.directory, files[0]!)));
}

async function textOf(app: App, path: string): Promise<string> {
  if (await escapeOf(app, path) !== undefined) return "";
  return await readTextFile(path, LARGEST_TEXT).catch(() => "");
}

function withoutBuildKit({ sources }: NetworkSettings): Warning {
  return {
    message: `This machine's network settings (${enumerated(sources)}) are not handed to pip: ` +
      "SageMaker Studio's Docker has no BuildKit, which keeps them out of the image",
    hint: "A base image that has the packages (--base-image) needs none of them.",
  };
}

async function withoutMount(
  app: App,
  path: string,
  { sources }: NetworkSettings,
): Promise<Warning | undefined> {
  const missing = await missingLine(app, NETWORK_LINE, path).catch(() => undefined);
  return missing &&
    { message: `${missing.message}: ${enumerated(sources)}`, hint: missing.hint };
}

/**
 * Whether a source of `COPY` may take the directory along: what a variable of the user's own stands
 * for, and what brackets stand for, is not known.
 */
function takesFolder(source: string): boolean {
  const path = cleanedPath(source.replaceAll(OWN_VARIABLE, "own"));
  const [first = "", ...rest] = path.split("/");
  // What would lead out of the context begins at its top again.
  if (first === ".." || /^\$(\w+|\{[^}]*\})$/.test(first)) return takesFolder(rest.join("/"));
  const known = first.replaceAll(VARIABLE, "*");
  if (known === "" || /[$[\\]/.test(known)) return true;
  const pattern = RegExp.escape(known).replaceAll(/(\\\*)+/g, ".*").replaceAll("\\?", ".");
  return new RegExp(`^${pattern}$`).test(NETWORK_FOLDER);
}

const VARIABLE = /\$(?:\w+|\{[^}]*\})/g;

/** The variables that mlcli gives a value: names of the app and of its requirements. */
const OWN_VARIABLE = /\$(?:APP|REQUIREMENTS)\b|\$\{(?:APP|REQUIREMENTS)\}/g;

function copied(source: string, { sources }: NetworkSettings): Warning {
  const verb = /[$[\\]/.test(source) ? "may" : "would";
  return {
    message: `This machine's network settings (${enumerated(sources)}) are not handed to pip: ` +
      `the Dockerfile copies ${inOneLine(source)}, which ${verb} put them into the image`,
    hint: "Copy what the image needs, such as ${APP}/.",
  };
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
