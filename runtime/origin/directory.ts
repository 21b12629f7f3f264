/** Directories that mlcli makes apps of: by what they are known, and what reads each. */

import { boundaryOf } from "../app/confinement.ts";
import { absolutePath, typedPath } from "../app/typed_path.ts";
import { UsageError } from "../errors.ts";
import { isDirectory } from "../files.ts";
import { alternatives, inOneLine } from "../text.ts";
import { hintFor } from "./hints.ts";
import type { Origin, Read } from "./origin.ts";
import type { Project } from "./project.ts";

/** A kind of projects. */
interface Kind {
  /** `a sagify project` */
  readonly words: string;
  /** Names in the directory without which it is none: then nothing is loaded. */
  readonly mark: RegExp;
  /**
   * Looks closer. `undefined`: it is none.
   *
   * @param marks the names in the directory that `mark` fits, sorted.
   */
  readonly find: (project: Project, marks: readonly string[]) => Promise<Read | undefined>;
}

/** A project of a kind. */
interface Found extends Pick<Kind, "words"> {
  readonly read: Read;
}

/** The first that fits counts. */
const KINDS: readonly Kind[] = [
  {
    words: "a cog project",
    mark: /^cog\.yaml$/,
    find: async (project) => (await import("./cog.ts")).findCog(project),
  },
  {
    words: "an MLflow model",
    mark: /^(MLmodel|artifacts)$/,
    find: async (project) => (await import("./mlflow.ts")).findModel(project),
  },
  {
    words: "a sagify project",
    mark: /^\.sagify\.json$/,
    find: async (project, marks) => (await import("./tools.ts")).findApps("sagify", project, marks),
  },
  {
    words: "an easy_sm project",
    mark: /^[^.].*\.json$/,
    find: async (project, marks) =>
      (await import("./tools.ts")).findApps("easy_sm", project, marks),
  },
  {
    words: "a Dockerfile for SageMaker",
    mark: /^(Dockerfile|container)$/,
    find: async (project) => (await import("./own_container.ts")).findContainer(project),
  },
];

/** What a directory holds; `undefined` where mlcli does not know it. */
export async function findIn(project: Project): Promise<Found | undefined> {
  const names = Array.from(Deno.readDirSync(project.path), ({ name }) => name).sort();
  for (const { words, mark, find } of KINDS) {
    const marks = names.filter((name) => mark.test(name));
    const read = marks.length === 0 ? undefined : await find(project, marks);
    if (read !== undefined) return { words, read };
  }
}

/**
 * The project in a directory.
 *
 * @param typed as the person typed it.
 * @param name of the app, as typed.
 * @throws UsageError if it is not a directory.
 */
export async function projectAt(
  cwd: string,
  typed: string,
  name: string | undefined,
): Promise<Project> {
  const path = absolutePath(cwd, typed).replace(/(?!^)[/\\]+$/, "");
  if (!await isDirectory(path)) {
    throw new UsageError(`Not a directory: ${inOneLine(typed)}`, {
      hint: "Set --from to a directory, or to a resource on SageMaker: training-job/NAME, " +
        "processing-job/NAME, endpoint/NAME, model/NAME, an ARN or a console URL",
    });
  }
  const shown = path === cwd ? "." : typedPath({ directory: cwd }, path);
  return { path, shown, boundary: await boundaryOf(path), cwd, name };
}

/**
 * What an app is made of from a directory.
 *
 * @throws UsageError for one that mlcli does not know, with what to do instead.
 */
export async function directoryOrigin(project: Project): Promise<Origin> {
  const found = await findIn(project);
  if (found !== undefined) return await found.read();
  const known = alternatives(KINDS.map(({ words }) => words));
  throw new UsageError(`No supported project found in ${inOneLine(project.shown)}`, {
    hint: await hintFor(project) ??
      `mlcli converts ${known}. For another Dockerfile, set "context" in NAME.json to its ` +
        "directory. For a train.py in a subdirectory, run mlcli init --from DIR",
  });
}
