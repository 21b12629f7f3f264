/**
 * Why a `COPY` finds nothing. Builders name the missing file in many ways, or not at all; mlcli knows
 * what it has sent.
 */

import { join } from "@std/path/join";
import type { App } from "../app/app.ts";
import { basePath } from "../app/paths.ts";
import { copiesOf, type Instruction, mountedSource } from "../app/dockerfile/instructions.ts";
import type { NamedDirectory } from "../app/named_path.ts";
import { cleanedPath, typedPath } from "../app/typed_path.ts";
import { IGNORE_FILE } from "../app/private_files.ts";
import { expressionOf, readIgnoreRules } from "../app/ignore_rules.ts";
import type { TarEntry } from "../archive/writer.ts";
import { isSystemError, MlcliError } from "../errors.ts";
import { lstatIfThere } from "../files.ts";
import { inOneLine, listed } from "../text.ts";
import { type ChosenDockerfile, readDockerfile } from "./chosen_dockerfile.ts";
import { contextEntries, requirementsPath } from "./build_context.ts";
import { ignoreFileOf, ownContextEntries } from "./own_context.ts";

/**
 * What builders say where a file of the context is missing. BuildKit: solver/llbsolver/ops/exec.go
 * and cache/contenthash; the classic builder: moby, builder/dockerfile/copy.go; Podman: buildah,
 * add.go and copier.
 */
const SAYS_MISSING = new RegExp([
  "failed to compute cache key|failed to calculate checksum of ref",
  "file not found in build context|no source files were specified",
  "forbidden path outside the build context",
  "no items matching glob|copier: stat",
].join("|"));

/**
 * The error of a build that failed because files are not in the build context: which, and why.
 * Undefined where it failed for another reason, or mlcli cannot tell.
 */
export async function missingSources(
  error: unknown,
  app: App,
  dockerfile: ChosenDockerfile,
  own?: NamedDirectory,
): Promise<MlcliError | undefined> {
  if (!(error instanceof MlcliError) || !SAYS_MISSING.test(error.message)) return undefined;
  try {
    const { instructions } = await readDockerfile(dockerfile);
    const sources = sourcesOf(instructions, own ? new Map() : await knownArguments(app));
    const sent = await Array.fromAsync(
      own
        ? await ownContextEntries(app, own, dockerfile)
        : await contextEntries(app, undefined, { dockerfile }),
    );
    const missing: string[] = [];
    for (const source of sources) if (!await isAmong(sent, source)) missing.push(source);
    const [first] = missing;
    if (first === undefined) return undefined;
    return new MlcliError(`Build failed: the build context does not contain ${listed(missing)}`, {
      hint: own ? await reasonOfOwn(own, dockerfile, first) : await reason(app, first),
      cause: error,
    });
  } catch (cause) {
    if (cause instanceof MlcliError || isSystemError(cause)) return undefined;
    throw cause;
  }
}

/** The paths and patterns that the Dockerfile takes from the context, as far as mlcli can tell. */
function sourcesOf(
  instructions: readonly Instruction[],
  known: ReadonlyMap<string, string>,
): readonly string[] {
  const written = [
    ...copiesOf(instructions).flatMap(({ sources }) => sources),
    ...instructions.flatMap(({ flags }) => flags.map((flag) => mountedSource(flag) ?? "")),
  ].map((source) =>
    source.replace(/\$(?:\{(\w+)\}|(\w+))/g, (text, one, other) => known.get(one ?? other) ?? text)
  );
  // Other variables are unknown; here documents and URLs are no files.
  const paths = written.filter((source) => !/\$|^<<|^[a-z+]+:\/\/|^git@/.test(source));
  return [...new Set(paths.map(cleanedPath))].filter((path) => path !== "");
}

async function knownArguments(app: App): Promise<ReadonlyMap<string, string>> {
  return new Map([["APP", app.name], ["REQUIREMENTS", await requirementsPath(app)]]);
}

/** Whether a source names something that was sent. What is behind a link is not looked for. */
async function isAmong(sent: readonly TarEntry[], source: string): Promise<boolean> {
  const isSent = sent.some(({ path, type }) =>
    path === source || path.startsWith(`${source}/`) ||
    (type === "symlink" && source.startsWith(`${path}/`))
  );
  if (isSent) return true;
  if (!/[*?[]/.test(source)) return false;
  try {
    const { RE2JS } = await import("re2js");
    const pattern = RE2JS.compile(`^${expressionOf(source)}(/|$)`, RE2JS.DOTALL);
    return sent.some(({ path }) => pattern.test(path));
  } catch {
    return true; // no pattern: the builder says so
  }
}

/** Why a path is not in a context of the user's own, and what to do. */
async function reasonOfOwn(
  own: NamedDirectory,
  dockerfile: ChosenDockerfile,
  source: string,
): Promise<string> {
  const shown = inOneLine(source);
  if (source === ".." || source.startsWith("../")) {
    return "Use a build context that contains all files: --context DIR";
  }
  if (/[*?[]/.test(source) || await lstatIfThere(join(own.path, source)) === undefined) {
    return `Fix the path: nothing in ${own.shown} matches ${shown}`;
  }
  const file = inOneLine(typedPath({ directory: own.path }, await ignoreFileOf(own, dockerfile)));
  return `Add the line !${shown} to the end of ${file}: the path is excluded or private. ` +
    "mlcli never sends the app's test data.";
}

/** Why a path is not in the context, and what to do. */
async function reason(app: App, source: string): Promise<string> {
  const { name, directory } = app;
  const base = basePath(name);
  const shown = inOneLine(source);
  const rule =
    `A build sends only ${name}/ (without local_test/), the requirements file, the Dockerfile ` +
    "and .mlcli/.";
  if (source === ".." || source.startsWith("../")) {
    return `Move the files into ${name}/: the build context contains only files of the app`;
  }
  if (/[*?[]/.test(source)) return `Fix the path: nothing matches ${shown}. ${rule}`;
  if (await lstatIfThere(join(directory, source)) === undefined) {
    return await lstatIfThere(join(directory, base, source)) === undefined
      ? `Fix the path: ${shown} does not exist. ${rule}`
      : `Use a path relative to ${name}.json: \${APP}/mlcli_base/${shown}`;
  }
  if (!`${source}/`.startsWith(`${name}/`)) {
    return `Move ${shown} into ${name}/, the only directory that a build sends, and add \${APP}/ ` +
      "before its path";
  }
  if (`${source}/`.startsWith(`${base}/local_test/`)) {
    return `Move it to another directory in ${name}/: a build never sends local_test/`;
  }
  const isIgnored = (await readIgnoreRules(directory)).ignores(source);
  return isIgnored
    ? `Add the line !${shown} to the end of ${IGNORE_FILE}, which excludes it`
    : `Add the line !${shown} to ${IGNORE_FILE}: a build does not send private files by default`;
}
