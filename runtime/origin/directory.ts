/** Directories that mlcli makes apps of: by what they are known, and what reads each. */

import { join } from "@std/path/join";
import { boundaryOf } from "../app/confinement.ts";
import { requireNamed } from "../app/named_path.ts";
import { absolutePath, typedPath } from "../app/typed_path.ts";
import { UsageError } from "../errors.ts";
import { isDirectory, isFile } from "../files.ts";
import { alternatives, inOneLine } from "../text.ts";
import { hintFor } from "./hints.ts";
import type { Origin } from "./origin.ts";
import type { Project } from "./project.ts";

/** A kind of projects. */
interface Kind {
  /** `a sagify project` */
  readonly words: string;
  /** Whether a project is one. Looks at names and small files, and loads nothing. */
  readonly isOne: (project: Project) => Promise<boolean>;
  readonly read: (project: Project) => Promise<Origin>;
}

/** The first that fits counts. */
const KINDS: readonly Kind[] = [
  {
    words: "a cog project",
    isOne: ({ path }) => isFile(join(path, "cog.yaml")),
    read: async (project) => (await import("./cog.ts")).cogOrigin(project),
  },
  {
    words: "an MLflow model",
    isOne: async (project) =>
      await (await import("./mlflow.ts")).modelFolderIn(project) !== undefined,
    read: async (project) => await (await import("./mlflow.ts")).mlflowOrigin(project),
  },
  ...(["sagify", "easy_sm"] as const).map((tool): Kind => ({
    words: `a project of ${tool}`,
    isOne: async (project) => (await (await import("./tools.ts")).appsIn(project, tool)).length > 0,
    read: async (project) => await (await import("./tools.ts")).readProjectOf(tool, project),
  })),
  {
    words: "a Dockerfile for SageMaker",
    isOne: async (project) => (await import("./own_container.ts")).isContainer(project),
    read: async (project) => (await import("./own_container.ts")).containerOrigin(project),
  },
];

/** What a directory is; `undefined` where mlcli does not know it. */
export async function kindOf(project: Project): Promise<Kind | undefined> {
  for (const kind of KINDS) if (await kind.isOne(project)) return kind;
}

/**
 * The project in a directory.
 *
 * @param typed as the person typed it.
 * @param name of the app, as typed.
 * @throws UsageError where there is no directory; MlcliError where a link of a repository leads elsewhere.
 */
export async function projectAt(
  cwd: string,
  typed: string,
  name: string | undefined,
): Promise<Project> {
  await requireNamed(cwd, typed, "--from ");
  const path = absolutePath(cwd, typed).replace(/(?!^)[/\\]+$/, "");
  if (!await isDirectory(path)) {
    throw new UsageError(`Not a directory: ${inOneLine(typed)}`, {
      hint: "--from takes a directory, or a thing on SageMaker: training-job/NAME, " +
        "processing-job/NAME, endpoint/NAME or model/NAME, its ARN, or its address in the console.",
    });
  }
  const shown = path === cwd ? "." : typedPath(cwd, path);
  return { path, shown, boundary: await boundaryOf(path), cwd, name };
}

/**
 * What an app is made of from a directory.
 *
 * @throws UsageError for one that mlcli does not know, with what to do instead.
 */
export async function directoryOrigin(project: Project): Promise<Origin> {
  const kind = await kindOf(project);
  if (kind !== undefined) return await kind.read(project);
  const known = alternatives(KINDS.map(({ words }) => words));
  throw new UsageError(`mlcli does not know what is in ${inOneLine(project.shown)}`, {
    hint: await hintFor(project) ??
      `It takes ${known}. For another Dockerfile, write its directory into NAME.json: "context".`,
  });
}
