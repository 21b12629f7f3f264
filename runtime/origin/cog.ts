/** A project of cog (replicate/cog:docs/yaml.md, python.md): its code as it is, behind mlcli's server. */

import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import { basePath } from "../app/app.ts";
import { accepts } from "../app/configuration.ts";
import { IGNORE_FILE } from "../app/private_files.ts";
import { MlcliError } from "../errors.ts";
import { isFile } from "../files.ts";
import { readTemplate } from "../image/scaffold.ts";
import { inOneLine, isObject } from "../text.ts";
import {
  migrationFile,
  nameOf,
  type Origin,
  type Read,
  requirementsFile,
  testDirectory,
} from "./origin.ts";
import { copiesOf, leftOutText, type Project, textIn, textOf } from "./project.ts";
import { takenRequirements } from "./requirements.ts";
import { mappingIn } from "./yaml.ts";

/** What is read of cog.yaml, and of its `build`. */
const KEYS =
  /^(build|run|predict|environment|gpu|cuda|python_(version|packages|requirements)|system_packages|pre_install)$/;

/** No option of RUN, which could mount what the build has, and no beginning of several lines. */
const COMMAND = /^(?!--|\[|.*<<).*[^\\]$/;

/** A package, or an option of pip. The build has no other file that one could name. */
const PACKAGE =
  /^(?![.~/\\-]|.*(\bfile:|\\$)|[^:]*\.(whl|zip|tgz|tar\.\w+)$)|^(--pre|(-[if]|--(extra-)?index-url|--find-links)[ =]\S+)$/i;

const MODEL_NOTE =
  "SageMaker serves a model, which is this file where the image has the weights.\n" +
  "If setup() takes weights, put them here.\n";

const LOST = [
  "Inputs are not checked against ge, le, choices, lengths and regex of Input().",
  "URLs are not fetched: a file comes in the request, as a data URI. There are no webhooks.",
  "A prediction that fails is answered with status 500, and one is made after another.",
  "No training was taken over: write it into training/training.py before you run local train.",
];

export async function findCog(project: Project): Promise<Read | undefined> {
  return await isFile(join(project.path, "cog.yaml")) ? () => cogOrigin(project) : undefined;
}

/** The code goes into prediction/, where it runs: so it finds its neighbours and its files. */
async function cogOrigin(project: Project): Promise<Origin> {
  const { path, shown, cwd } = project;
  const yaml = await textIn(project, "cog.yaml") ?? "";
  const config = mappingIn(yaml, join(shown, "cog.yaml"));
  const build = isObject(config["build"]) ? config["build"] : {};
  const left = [...Object.keys(config), ...Object.keys(build)].filter((key) => !KEYS.test(key))
    .map((key) => `"${key}" of cog.yaml was not taken over.`);
  /** The items of a list that are a line that fits, with a word before; the others are said. */
  const linesOf = (list: unknown, fits: RegExp, before = ""): readonly string[] =>
    [list ?? []].flat().flatMap((item) => {
      const line = textOf(isObject(item) ? item["command"] : item).trim();
      if (isObject(item)) left.push(`Taken over without its mounts: "${line}"`);
      if (line !== "" && inOneLine(line) === line && fits.test(line)) return [before + line];
      // Without a password in its address.
      left.push(`Not taken over, since mlcli cannot use it: "${line.replace(/\/\/\S*@/, "//")}"`);
      return [];
    });
  const reference = textOf(config["run"] ?? config["predict"]);
  await textNamed(project, reference.replace(/:\w+$/, ""));
  const file = build["python_requirements"];
  if (file !== undefined) await textNamed(project, textOf(file));
  const name = nameOf(project.name, basename(path));
  const base = basePath(name);
  const requirements = `${base}/requirements.txt`;
  const referred = await takenRequirements(
    project,
    textOf(file),
    requirements,
    name,
    ({ text, reference }) => reference !== undefined || PACKAGE.test(text),
  );
  left.push(...referred.left);
  const packages = [
    "cog",
    ...linesOf(build["python_packages"], PACKAGE),
    ...linesOf(referred.lines, /^/),
    ...linesOf(referred.dropped, /^$/),
  ];
  const system = linesOf(build["system_packages"], /^[a-z\d][\w.+:=~-]*$/i).join(" ");
  const first = [
    ...linesOf(config["environment"], /^[A-Za-z_]\w*=(.*[^\\])?$/, "ENV "),
    ...system === "" ? [] : [`RUN apt-get update && apt-get install -y ${system}`],
    ...linesOf(build["pre_install"], COMMAND, "RUN "),
  ];
  const last = linesOf(build["run"], COMMAND, "RUN ");
  const dockerfile = (await readTemplate("Dockerfile"))
    .replace(/(?<=\nFROM .*\n)/, () => section(first))
    .replace(/(?=\nCOPY \.mlcli\/ )/, () => section(last));
  // cog's own default. YAML takes 3.10 without quotes for the number 3.1.
  const version = textOf(build["python_version"] ?? "3.13").replace(/^3\.1$/, "3.10");
  const isVersion = accepts("python_version", version);
  if (!isVersion) left.push(`This python_version was not taken over: "${version}"`);
  const usesGpu = build["gpu"] === true;
  if (usesGpu) left.push("gpu: if the packages bring no CUDA, name a base_image that has it.");
  const made = [IGNORE_FILE, ...path === cwd ? [`${name}.json`, migrationFile(name)] : []];
  const isMade = (file: string) => made.includes(file) || /(^|\/)mlcli_base\//.test(file);
  const code = await copiesOf(project, ".", `${base}/prediction`, isMade);
  const serve = (await readTemplate("from/cog_serve.py"))
    .replace('"predict.py:Predictor"', () => JSON.stringify(reference));
  return {
    what: `the cog project ${inOneLine(shown)}`,
    name,
    configuration: {
      ...isVersion ? { python_version: version } : {},
      requirements,
      ...usesGpu ? { local: { gpus: "all" } } : {},
    },
    files: [
      { path: `${base}/prediction/serve`, content: serve },
      ...code.files,
      { path: `${base}/training/training.py`, content: await readTemplate("from/training.py") },
      { path: `${base}/Dockerfile`, content: dockerfile },
      requirementsFile(requirements, "cog.yaml, whose predictor imports cog", packages),
      { path: `${testDirectory(name)}/model/README.md`, content: MODEL_NOTE },
      ...referred.files,
    ],
    taken: [
      [reference, `\`${base}/prediction/serve\`, which calls it; the project's files beside it`],
      ["packages", `\`${requirements}\``],
      ["the rest of `build`, and `environment`", `\`${base}/Dockerfile\``],
    ],
    left: [...left, ...leftOutText(code.leftOut), ...LOST],
    next: ["build", "local deploy", `local invoke '{"input": {}}'`, "local stop"]
      .map((command) => `mlcli ${command}`),
  };
}

function section(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `\n# From cog.yaml.\n${lines.join("\n")}\n`;
}

/** The text of a file that cog.yaml names. @throws MlcliError where it is none of the project's. */
async function textNamed(project: Project, path: string): Promise<string> {
  const text = await textIn(project, path);
  if (text !== undefined) return text;
  throw new MlcliError(`cog.yaml names no file of the project: "${inOneLine(path)}"`, {
    hint: 'Its paths lead to files beside it or below, as predict: "predict.py:Predictor" does.',
  });
}
