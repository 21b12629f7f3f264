/** The program that an image's ENTRYPOINT runs, and the directories that can contain it. */

import { type Message, warning } from "../messages.ts";

/** Start of a container according to its image's configuration. */
export interface ImageStart {
  readonly Entrypoint?: readonly string[];
  readonly User?: string;
  readonly Env?: readonly string[];
  readonly WorkingDir?: string;
}

/** Directories of PATH that Docker gives a container whose image does not set PATH. */
const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Maximum number of directories in PATH. */
const MOST_FOLDERS = 40;

/**
 * A shell need not pass SIGTERM on to its programs: most shells replace themselves by a single command, none
 * by a list of commands. SageMaker sends SIGTERM when it stops a training job, reclaims a spot instance or
 * deletes an endpoint. Locally, SIGTERM is rare.
 */
export function entryPointDifference(
  reference: string,
  entryPoint: readonly string[],
): Message | undefined {
  const given = givenToShell(entryPoint);
  // A program that replaces the shell gets the signals.
  if (given?.kind !== "command" || /^\s*exec\s/.test(given.text)) return undefined;
  return warning(
    `The ENTRYPOINT of ${reference} is a shell: it drops the arguments train and serve ` +
      "and might not forward SIGTERM, so a stopped job can lose its work",
    'Write ENTRYPOINT as a list in the Dockerfile, ENTRYPOINT ["PROGRAM", "ARGUMENT"], ' +
      "or start the program with exec",
  );
}

/** `sh`, `bash`, ... with or without a directory. */
const SHELL = /(^|\/)(ba|da|a|k|z)?sh$/;

/** Programs that start the program in their arguments. */
const STARTERS = /(^|\/)(tini(-static)?|dumb-init|catatonit|env)$/;

/**
 * Returns the command that the shell in an entry point runs; other programs (`tini --`, `env`) can come
 * before the shell.
 */
function givenToShell(
  entryPoint: readonly string[],
): { readonly kind: "command" | "file"; readonly text: string } | undefined {
  const shell = entryPoint.findIndex((word) => SHELL.test(word));
  if (shell === -1) return undefined;
  for (let index = shell + 1; index < entryPoint.length; index++) {
    const word = entryPoint[index]!;
    // Alone or with others: -lc, -ec.
    if (/^-[abd-z]*c[a-z]*$/.test(word)) {
      return { kind: "command", text: entryPoint[++index] ?? "" };
    }
    if (/^[-+]o$/.test(word)) index++; // and its value: -o pipefail
    else if (!/^[-+]/.test(word)) return { kind: "file", text: word };
  }
  return undefined;
}

/** Whether an entry point names a program, and not only an init that starts what stands behind it. */
export function namesProgram({ Entrypoint = [] }: ImageStart): boolean {
  return Entrypoint.some(isProgram);
}

/** Whether a word of an entry point is more than an init, or its option. */
function isProgram(word: string): boolean {
  return !STARTERS.test(word) && !word.startsWith("-");
}

/** `its shell`: that of the entry point, which need not be able to execute the file. */
export type RunBy = "its shell" | "the system";

/** Where what the entry point runs may lie: in the order in which it is looked for. */
export function entryPaths(
  image: ImageStart,
): { readonly paths: readonly string[]; readonly runBy: RunBy } {
  const { Entrypoint = [], WorkingDir = "/" } = image;
  const given = givenToShell(Entrypoint);
  const runBy = given === undefined ? "the system" : "its shell";
  const file = given?.kind === "command" ? undefined : given?.text ?? Entrypoint.find(isProgram);
  if (file === undefined) return { paths: [], runBy };
  const here = absolute(WorkingDir, file);
  if (file.startsWith("/")) return { paths: [absolute(file)], runBy };
  if (file.includes("/")) return { paths: [here], runBy };
  // A shell looks where it stands first.
  return { paths: [...given ? [here] : [], ...onPath(image, file)], runBy };
}

/** Where the system looks for a program. */
export function onPath(
  { Env = [], WorkingDir = "/" }: ImageStart,
  name: string,
): readonly string[] {
  const path = Env.find((variable) => variable.startsWith("PATH="))?.slice("PATH=".length);
  return (path || USUAL_PATH).split(":").slice(0, MOST_FOLDERS)
    .map((folder) =>
      folder.startsWith("/") ? absolute(folder, name) : absolute(WorkingDir, folder, name)
    );
}

/** A path of an image. */
export function absolute(...parts: readonly string[]): string {
  const names = parts.join("/").split("/").filter((name) => name !== "" && name !== ".");
  return `/${names.join("/")}`;
}
