/** A Dockerfile for SageMaker, such as that of AWS's scikit_bring_your_own. mlcli builds it as it is. */

import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { boundaryOf } from "../app/confinement.ts";
import {
  copiesOf as copiesIn,
  type Instruction,
  instructionsOf,
} from "../app/dockerfile/instructions.ts";
import { isOutside, shellWord, typedPath } from "../app/typed_path.ts";
import { isDirectory, isFile, lstatIfThere } from "../files.ts";
import { inOneLine } from "../text.ts";
import { nameOf, type Origin, type Read, testDirectory } from "./origin.ts";
import { type Copied, copiesOf, leftOutText, type Project, textIn } from "./project.ts";

/** What images have that a toolkit of AWS's, or an entry point made for SageMaker, starts. */
const SIGNS = /SAGEMAKER_(PROGRAM|TRAINING_MODULE|SERVING_MODULE)|\/opt\/ml\/(?!processing)/;

/** Images whose packages are no longer where they are looked for. */
const OLD = /^(ubuntu:1[0-7]\.|debian:(jessie|stretch|buster)|centos:|python:2)/;

/** In AWS's examples, and in apps. */
const TEST_DATA = "local_test/test_dir/input";

const NOTHING: Copied = { files: [], leftOut: [] };

interface Container {
  /** Its directory, relative to the project. */
  readonly context: string;
  readonly instructions: readonly Instruction[];
}

/** The first Dockerfile that has what it copies, and programs `train` or `serve` or another sign. */
async function containerIn(project: Project): Promise<Container | undefined> {
  for (const context of ["", "container"]) {
    const instructions = instructionsOf(await textIn(project, join(context, "Dockerfile")) ?? "");
    const paths = copiesIn(instructions).flatMap(({ sources }) => sources)
      .filter((source) => !/[$*?[<:]/.test(source))
      .map((source) => join(project.path, context, source));
    const programs = paths.flatMap((path) => [path, join(path, "train"), join(path, "serve")])
      .filter((path) => /^(train|serve)$/.test(basename(path)));
    const isForSageMaker = instructions.some(({ text }) => SIGNS.test(text)) ||
      (await Promise.all(programs.map(isFile))).includes(true);
    const isWhole = !(await Promise.all(paths.map(lstatIfThere))).includes(undefined);
    if (isForSageMaker && isWhole) return { context, instructions };
  }
}

/** Where a link leads out of the repository, there is none. */
export async function findContainer(project: Project): Promise<Read | undefined> {
  const found = await containerIn(project).catch(() => undefined);
  return found && (() => containerOrigin(project, found));
}

/** The directory is named where it is; where the app's file must not name it, it is copied. */
async function containerOrigin(
  project: Project,
  { context, instructions }: Container,
): Promise<Origin> {
  const { cwd, path, shown } = project;
  const directory = join(path, context);
  const name = nameOf(project.name, basename(path));
  const stays = !isOutside(relative(await boundaryOf(cwd), await Deno.realPath(directory)));
  const here = stays ? relative(cwd, directory) || "." : `${name}/container`;
  const isMade = (file: string): boolean => /(^|\/)mlcli_base\//.test(file) || file.includes(here);
  const copied = stays ? NOTHING : await copiesOf(project, context, here, isMade);
  const [from, to] = [join(context, TEST_DATA), `${testDirectory(name)}/input`];
  // mlcli writes the other files of config/ for each run.
  const isOther = (file: string): boolean => /^config\/(?!hyperparameters\.json$)/.test(file);
  const hasData = await isDirectory(join(path, from));
  const data = hasData ? await copiesOf(project, from, to, isOther) : NOTHING;
  const payload = join(directory, "local_test/payload.csv");
  const request = await isFile(payload)
    ? shellWord(typedPath({ directory: cwd }, payload))
    : "FILE";
  const old = instructions.filter(({ name, text }) => name === "FROM" && OLD.test(text));
  return {
    what: `the container in ${inOneLine(shown)}`,
    name,
    configuration: { context: here },
    files: [...copied.files, ...data.files],
    taken: [
      [
        "Dockerfile and the files that it copies",
        `\`${inOneLine(here)}\`, the \`context\` of ${name}.json`,
      ],
      ["test data and hyperparameters", hasData ? `\`${to}/\`` : "none found"],
    ],
    left: [
      ...old.map(({ text }) =>
        `FROM ${text} might be too old. If the build fails, use a newer image.`
      ),
      ...hasData ? [] : [`No test data found: put data into ${to}/data/training/`],
      "To run a processing program of the image, use mlcli local process --command PROGRAM",
      ...leftOutText([...copied.leftOut, ...data.leftOut]),
    ],
    next: ["build", "local train", "local deploy", `local invoke ${request}`, "local stop"]
      .map((command) => `mlcli ${command}`),
  };
}
