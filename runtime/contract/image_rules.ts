/**
 * SageMaker's rules for an image: its entry point, its user, and the files that SageMaker hides.
 *
 * Sources: AWS, "How Amazon SageMaker AI Runs Your Training Image" and "Use Your Own Inference Code with
 * Hosting Services"; AWS's example scikit_bring_your_own; sagemaker-python-sdk issues 222, 4191, 4678.
 */

import { type Message, warning } from "../messages.ts";
import { inOneLine, shellWord } from "../text.ts";
import {
  absolute,
  entryPaths,
  entryPointDifference,
  type ImageStart,
  namesProgram,
  onPath,
  type RunBy,
} from "./entry_point.ts";
import { isRoot } from "./images.ts";

/** A file of an image, links followed. */
export interface FileInImage {
  readonly isExecutable: boolean;
  /** Its beginning. */
  readonly start: string;
}

/** What lies in an image. */
export interface ImageFiles {
  /** Those of `filesToLookAt` that are there, by their path. */
  readonly files: ReadonlyMap<string, FileInImage>;
  /** A file below each of `HIDDEN` that has one. */
  readonly hidden: readonly string[];
}

/** Directories of an image that SageMaker mounts its own over; `/opt/ml/code` is none. */
export const HIDDEN = ["/opt/ml/model", "/opt/ml/input", "/opt/ml/output", "/opt/ml/processing"];

/** What SageMaker starts an image with, and the command that asks for it. */
const WORDS = { train: "mlcli train", serve: "mlcli deploy" } as const;
type Word = keyof typeof WORDS;
const NAMES = Object.keys(WORDS) as Word[];

/** The paths of an image that tell whether it keeps the rules. */
export function filesToLookAt(image: ImageStart): readonly string[] {
  const programs = NAMES.flatMap((name) => [...onPath(image, name), inWorkDirectory(image, name)]);
  return [...new Set([...programs, ...entryPaths(image).paths])];
}

/**
 * The rules that an image breaks.
 *
 * @param reference `churn:latest`
 */
export function brokenRules(
  reference: string,
  image: ImageStart,
  { files, hidden }: ImageFiles,
): readonly Message[] {
  const entry = entryFile(image, files);
  const programs = NAMES.map((name) => programOf(image, name, files));
  const startable = passesOn(image, entry) ? programDifferences(reference, programs) : [];
  return [
    entryPointDifference(reference, image.Entrypoint ?? []),
    entry && withoutExec(reference, entry),
    entry && entry.runBy !== "its shell" ? notExecutable(reference, entry) : undefined,
    entry && windowsLines(reference, entry),
    ...programs.map(({ found }) =>
      found && found.path !== entry?.path ? windowsLines(reference, found) : undefined
    ),
    ...startable,
    userDifference(reference, image.User),
    ...hidden.map((path) =>
      warning(
        `SageMaker mounts a directory over ${inOneLine(path)} of ${reference}, so the code ` +
          "cannot read this file",
        "Move the file to another directory of the image, such as /opt/program. Pass data in " +
          "channels, and a model in a model archive.",
      )
    ),
  ].filter((difference) => difference !== undefined);
}

/** Returns a warning about the USER of an image for training. */
export function userDifference(
  reference: string,
  user: string | undefined,
): Message | undefined {
  return isRoot(user) ? undefined : warning(
    `${reference} runs as user ${inOneLine(user!)}, but SageMaker's directories in /opt/ml ` +
      "belong to root, so a training job might fail to save its model",
    "Remove USER from the Dockerfile, or end the Dockerfile with the line: USER root",
  );
}

/** The first line of a script for a shell. */
const SHELL_SCRIPT = /^#!.*\b(ba|da|a|k|z)?sh\b/;

interface NamedFile extends FileInImage {
  readonly path: string;
}

/** Returns the program that the entry point runs. */
interface EntryFile extends NamedFile {
  readonly runBy: RunBy;
}

function entryFile(image: ImageStart, files: ImageFiles["files"]): EntryFile | undefined {
  const { paths, runBy } = entryPaths(image);
  const found = firstOf(paths, files, runBy === "the system");
  return found && { ...found, runBy };
}

/** Whether SageMaker's word is the program that is started. */
function passesOn(image: ImageStart, entry: EntryFile | undefined): boolean {
  if (!namesProgram(image)) return true;
  // As the entry points of many base images.
  return entry !== undefined && isOfShell(entry) && /\bexec[ \t]+"?\$(@|\{@\})/.test(entry.start) &&
    !/\b(train|serve)\b/.test(entry.start);
}

function isOfShell({ runBy, start }: EntryFile): boolean {
  return runBy === "its shell" || SHELL_SCRIPT.test(start);
}

/** How much of a file is looked at, in bytes. */
export const LOOKED_AT = 64 * 1024;

/** AWS's own images have it, and their users cannot change it. */
const OF_AWS = /\/start_with_right_hostname\.sh$/;

/**
 * Whether a script has a command `exec PROGRAM` (not one that redirects output), or its own signal handler.
 */
const HANDLES_SIGTERM = /(^|[\s;&|({])exec[ \t]+[^\s<>\d&]|^[ \t]*trap[ \t]/m;

function withoutExec(reference: string, entry: EntryFile): Message | undefined {
  const { path, start } = entry;
  const commands = start.replace(/^[ \t]*#.*$/gm, "");
  const isWhole = start.length < LOOKED_AT;
  if (!isOfShell(entry) || !isWhole || OF_AWS.test(path) || HANDLES_SIGTERM.test(commands)) {
    return undefined;
  }
  return warning(
    `${path}, the ENTRYPOINT of ${reference}, is a shell script without exec: the program ` +
      "might not receive SIGTERM, so a stopped job can lose its work",
    'Start the program with exec, such as: exec python /opt/program/train.py "$@"',
  );
}

function windowsLines(
  reference: string,
  { path, start, runBy = "the system" }: NamedFile & Partial<EntryFile>,
): Message | undefined {
  const [first = ""] = start.split("\n", 1);
  if (!first.endsWith("\r") || !first.startsWith("#!") && runBy === "the system") return undefined;
  return warning(
    `${path} of ${reference} has Windows line endings (CRLF), so it fails with "no such ` +
      'file or directory" or "command not found"',
    `Save the file with LF line endings (for git: * text=auto eol=lf in .gitattributes), or add a ` +
      `line to the Dockerfile: RUN sed -i 's/\\r$//' ${shellWord(path)}`,
  );
}

function notExecutable(reference: string, { path, isExecutable }: NamedFile) {
  return isExecutable ? undefined : warning(
    `SageMaker cannot start ${path} of ${reference}: the file is not executable`,
    `Add a line to the Dockerfile: RUN chmod +x ${shellWord(path)}`,
  );
}

/** The program that one of SageMaker's words starts. */
interface Program {
  readonly word: Word;
  readonly found: NamedFile | undefined;
  readonly isOnPath: boolean;
}

function programOf(image: ImageStart, word: Word, files: ImageFiles["files"]): Program {
  const found = firstOf(onPath(image, word), files, true);
  if (found) return { word, found, isOnPath: true };
  return { word, found: firstOf([inWorkDirectory(image, word)], files, false), isOnPath: false };
}

/** An image for training alone has no `serve`, and one for processing alone neither. */
function programDifferences(
  reference: string,
  programs: readonly Program[],
): readonly (Message | undefined)[] {
  if (programs.every(({ found }) => found === undefined)) {
    return [warning(
      `SageMaker cannot start ${reference}: it has no ENTRYPOINT for the arguments train ` +
        "and serve, and no programs with these names in its PATH",
      "Set an ENTRYPOINT, or copy executable programs named train and serve into PATH. Processing, " +
        "and training with --entry-point, work without them.",
    )];
  }
  return programs.map(({ word, found, isOnPath }) => {
    if (found === undefined || isOnPath) return found && notExecutable(reference, found);
    const folder = found.path.replace(/\/[^/]*$/, "") || "/";
    return warning(
      `${WORDS[word]} requires the program ${word} in the PATH of ${reference}, but the ` +
        `program is at ${found.path}`,
      `Add a line to the Dockerfile: ENV PATH="${inOneLine(folder)}:\${PATH}"`,
    );
  });
}

/** Returns the first existing file or, as the system looks for programs, the first executable one. */
function firstOf(
  paths: readonly string[],
  files: ImageFiles["files"],
  prefersExecutable: boolean,
): NamedFile | undefined {
  const found = paths.flatMap((path) => {
    const file = files.get(path);
    return file === undefined ? [] : [{ path, ...file }];
  });
  return found.find(({ isExecutable }) => isExecutable || !prefersExecutable) ?? found[0];
}

function inWorkDirectory({ WorkingDir = "/" }: ImageStart, name: string): string {
  return absolute(WorkingDir, name);
}
