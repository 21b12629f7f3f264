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
import { instructionsOf } from "../../app/dockerfile/instructions.ts";
import { missingLine } from "../../app/dockerfile/missing_lines.ts";
import { NETWORK_FOLDER, NETWORK_LINE } from "../../app/dockerfile/template_lines.ts";
import { requirementsOf } from "../../app/requirements.ts";
import type { TarEntry } from "../../archive/writer.ts";
import type { Context } from "../../context.ts";
import type { Engine } from "../../docker/engine.ts";
import { studioOf } from "../../docker/locate.ts";
import { LARGEST_TEXT, readTextFile } from "../../files.ts";
import { enumerated } from "../../text.ts";
import { passwordsOf } from "./addresses.ts";
import { type NetworkSettings, networkSettings, type Warning } from "./settings.ts";
import { type Taking, takingOf, takingOfImage, takingOfReader } from "./taking.ts";

/** What goes into the context, and what is to be said about it. */
export interface HandOver {
  readonly entries: readonly TarEntry[];
  readonly warnings: readonly Warning[];
  /** Where what is handed over was found. */
  readonly sources: readonly string[];
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
  sources: [],
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
  const text = await textOf(app, path);
  const dockerfile = instructionsOf(text);
  const isMounted = NETWORK_LINE.isDone(dockerfile, app.name);
  if (!isMounted && !await namesPackages(app)) return NOTHING;
  const settings = await networkSettings(app, host);
  const entries = networkEntries(settings);
  const handed = { ...settings, entries, passwords: passwordsIn(settings) };
  if (studioOf(host) !== undefined) return keptFrom(WITHOUT_BUILDKIT, handed);
  if (isMounted) return keptFrom(takingOfReader(text) ?? takingOf(dockerfile), handed);
  if (settings.sources.length === 0) return { ...NOTHING, warnings: settings.warnings };
  const warning = await withoutMount(app, path, settings);
  return warning ? { ...NOTHING, warnings: [warning], kept: warning.hint } : NOTHING;
}

/**
 * What a build gets of that once its base images are here: what they have builds upon them do.
 *
 * @param bases the images that its stages begin with; undefined: one that nobody knows.
 */
export async function handOverUpon(
  bases: readonly (string | undefined)[],
  network: HandOver,
  engine: Pick<Engine, "image">,
  signal: AbortSignal,
): Promise<HandOver> {
  for (const base of network.entries.length === 1 ? [] : bases) {
    const image = base === undefined ? undefined : await engine.image(base, signal);
    const taking = takingOfImage(base, image);
    if (taking !== undefined) return keptFrom(taking, network);
  }
  return network;
}

/** Nothing where something would take it along, which is said. */
function keptFrom(taking: Taking | undefined, network: HandOver): HandOver {
  const { sources, warnings } = network;
  if (taking === undefined) return network;
  if (sources.length === 0) return { ...NOTHING, warnings };
  const { reason, hint } = taking;
  const message = `This machine's network settings (${enumerated(sources)}) are not handed to ` +
    `pip: ${reason}`;
  return { ...NOTHING, warnings: [...warnings, { message, hint }], kept: hint };
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

const WITHOUT_BUILDKIT: Taking = {
  reason: "SageMaker Studio's Docker has no BuildKit, which keeps them out of the image",
  hint: "A base image that has the packages (--base-image) needs none of them.",
};

async function withoutMount(
  app: App,
  path: string,
  { sources }: NetworkSettings,
): Promise<Warning | undefined> {
  const missing = await missingLine(app, NETWORK_LINE, path).catch(() => undefined);
  return missing &&
    { message: `${missing.message}: ${enumerated(sources)}`, hint: missing.hint };
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
